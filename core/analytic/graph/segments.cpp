// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/segments.hpp"

#include <algorithm>
#include <numeric>

namespace pipedeck::analytic::graph {
namespace {

using TensorOrigin = SizedTensor::TensorOrigin;

constexpr int many_products = 12;        ///< in one piece; pieces with more are cut further if possible
constexpr int max_crossing_tensors = 8;  ///< tensors at such a cut
constexpr int never = 1 << 20;           ///< crossing inside a kernel

class GraphPartitioner {
 public:
  GraphPartitioner(const ShapedGraph& graph, const OperatorCounter& counter, const FusedRuns& runs)
      : graph_(graph), counter_(counter), runs_(runs), position_(graph.nodes.size(), -1) {}

  Segments cut() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (is_computed(graph_.nodes[i])) {
        position_[i] = static_cast<int>(order_.size());
        order_.push_back(static_cast<int>(i));
      }
    count_crossing();
    begins_.assign(order_.size() + 1, false);
    refine(0, order_.size(), 1);
    return assign();
  }

 private:
  const SizedTensor& tensor(int id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }

  bool is_computed(const OperatorNode& node) const {
    return std::ranges::any_of(node.outputs,
                               [&](int id) { return id >= 0 && tensor(id).origin == TensorOrigin::computed; });
  }

  /// Counts the tensors that are created before each position of the order and used at or after it; views of one tensor
  /// count once.
  void count_crossing() {
    std::vector<int> last(graph_.tensors.size(), -1);
    std::vector<int> inside(graph_.tensors.size(), -1);  ///< last user in the kernel that makes it
    for (std::size_t p = 0; p < order_.size(); ++p) {
      const auto node = static_cast<std::size_t>(order_[p]);
      for (const int id : graph_.nodes[node].inputs) {
        if (id < 0 || tensor(id).origin != TensorOrigin::computed) continue;
        const auto root = static_cast<std::size_t>(tensor(id).same_as);
        last[root] = static_cast<int>(p);
        const int producer = tensor(id).producer;
        if (producer >= 0 && runs_.run_of[node] >= 0 &&
            runs_.run_of[static_cast<std::size_t>(producer)] == runs_.run_of[node])
          inside[root] = static_cast<int>(p);
      }
    }
    crossing_.assign(order_.size() + 1, 0);
    for (std::size_t root = 0; root < last.size(); ++root) {
      const int producer = graph_.tensors[root].producer;
      const int made = producer < 0 ? -1 : position_[static_cast<std::size_t>(producer)];
      if (made < 0) continue;
      add(made, last[root], 1);
      add(made, inside[root], never);
    }
    std::partial_sum(crossing_.begin(), crossing_.end(), crossing_.begin());
  }

  void add(int made, int last, int weight) {
    if (last <= made) return;
    crossing_[static_cast<std::size_t>(made) + 1] += weight;
    crossing_[static_cast<std::size_t>(last) + 1] -= weight;
  }

  bool matters(std::size_t p) const { return counter_.is_product(order_[p]) || counter_.looks_up_weights(order_[p]); }

  /// Cuts [from, to) where `width` tensors cross, then cuts large pieces further.
  void refine(std::size_t from, std::size_t to, int width) {
    for (; width <= max_crossing_tensors; ++width) {
      std::vector<std::size_t> cuts;
      for (std::size_t p = from + 1; p < to; ++p)
        if (crossing_[p] == width) cuts.push_back(p);
      if (cuts.empty()) continue;
      place(cuts, from, to);
      break;
    }
    if (width > max_crossing_tensors) return;
    for (std::size_t begin = from, p = from + 1; p <= to; ++p) {
      if (p < to && !begins_[p]) continue;
      std::size_t products = 0;
      for (std::size_t i = begin; i < p; ++i) products += counter_.is_product(order_[i]);
      if (products > many_products && width < max_crossing_tensors) refine(begin, p, width + 1);
      begin = p;
    }
  }

  /// Merges a piece without a matmul or a table into the previous one, and the first such piece into the next.
  void place(const std::vector<std::size_t>& cuts, std::size_t from, std::size_t to) {
    bool before = false;
    std::size_t begin = from;
    for (std::size_t c = 0; c <= cuts.size(); ++c) {
      const std::size_t end = c < cuts.size() ? cuts[c] : to;
      bool here = false;
      for (std::size_t p = begin; p < end && !here; ++p) here = matters(p);
      if (here && before) begins_[begin] = true;
      before |= here;
      begin = end;
    }
  }

  Segments assign() const {
    Segments out;
    out.segment_of.assign(graph_.nodes.size(), -1);
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (p > 0 && begins_[p]) ++out.count;
      out.segment_of[static_cast<std::size_t>(order_[p])] = out.count;
    }
    ++out.count;
    // Backwards, so that users are known before their inputs.
    std::vector<int> user(graph_.tensors.size(), -1);
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
      int& own = out.segment_of[i];
      if (own < 0)
        for (const int id : graph_.nodes[i].outputs)
          if (const int one = id < 0 ? -1 : user[static_cast<std::size_t>(id)]; one >= 0 && (own < 0 || one < own))
            own = one;
      for (const int id : graph_.nodes[i].inputs)
        if (id >= 0 && own >= 0) {
          int& first = user[static_cast<std::size_t>(id)];
          first = first < 0 ? own : std::min(first, own);
        }
    }
    // Unused results are computed all the same, at the end.
    for (int& segment : out.segment_of)
      if (segment < 0) segment = out.count - 1;
    return out;
  }

  const ShapedGraph& graph_;
  const OperatorCounter& counter_;
  const FusedRuns& runs_;
  std::vector<int> position_;  ///< position in the order by node; -1: not in it
  std::vector<int> order_;     ///< nodes that depend on both the batch and weights
  std::vector<int> crossing_;  ///< number of tensors at each position of the order
  std::vector<bool> begins_;   ///< true where a piece begins
};

}  // namespace

Segments cut_graph(const ShapedGraph& graph, const OperatorCounter& counter, const FusedRuns& runs) {
  return GraphPartitioner(graph, counter, runs).cut();
}

}  // namespace pipedeck::analytic::graph
