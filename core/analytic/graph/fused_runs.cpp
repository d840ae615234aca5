// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/fused_runs.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>

#include "core/analytic/graph/fused_operators.hpp"

namespace pipedeck::analytic::graph {
namespace {

using TensorOrigin = SizedTensor::TensorOrigin;

bool is_fusible(const Operator& op) {
  static const std::set<std::string_view> types{"Add", "Sub",  "Mul",  "Div",     "Pow",        "Sqrt",
                                                "Erf", "Exp",  "Tanh", "Sigmoid", "ReduceMean", "Reciprocal",
                                                "Neg", "Cast", "Abs",  "Log",     "Softplus"};
  return is_standard(op) && types.contains(op.type);
}

class FusionFinder {
 public:
  explicit FusionFinder(const ShapedGraph& graph)
      : graph_(graph), source_(graph.nodes.size(), -1), barred_(graph.tensors.size()) {}

  FusedRuns find() {
    find_sources();
    bar_shared();
    merges_.clear();
    find_sources();
    FusedRuns found;
    found.run_of.assign(graph_.nodes.size(), -1);
    std::unordered_map<int, int> run_of_source;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (source_[i] < 0 || !merges_.contains(source_[i])) continue;
      const auto [at, fresh] = run_of_source.emplace(source_[i], static_cast<int>(found.runs.size()));
      if (fresh) found.runs.push_back({source_[i], static_cast<int>(i), {}});
      found.run_of[i] = at->second;
    }
    note_results(found);
    return found;
  }

 private:
  const SizedTensor& tensor(int id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }

  void find_sources() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) source_[i] = common_source(graph_.nodes[i]);
  }

  /// A tensor used both in a run and outside is written in any case, so a run begins there. An example is the sum that
  /// a block adds to later.
  void bar_shared() {
    std::vector<bool> inside(barred_.size()), outside(barred_.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      for (const int id : graph_.nodes[i].inputs)
        if (id >= 0) (source_[i] >= 0 ? inside : outside)[static_cast<std::size_t>(id)] = true;
    for (std::size_t id = 0; id < barred_.size(); ++id) barred_[id] = inside[id] && outside[id];
  }

  /// Returns the tensor from which this one follows by fusible operators: another's source, or itself.
  int source_of(int id) const {
    const int producer = tensor(id).producer;
    return producer >= 0 && !barred_[static_cast<std::size_t>(id)] && source_[static_cast<std::size_t>(producer)] >= 0
               ? source_[static_cast<std::size_t>(producer)]
               : id;
  }

  int common_source(const OperatorNode& node) {
    if (!is_fusible(*node.op)) return -1;
    int source = -1, first = -1;
    bool merges = false;
    for (const int id : node.inputs) {
      if (id < 0 || tensor(id).origin == TensorOrigin::fixed) continue;
      if (tensor(id).origin != TensorOrigin::computed || tensor(id).element != Element::real) return -1;
      const int one = source_of(id);
      if (source >= 0 && one != source) return -1;
      merges |= first >= 0 && first != id;
      source = one, first = id;
    }
    if (merges) merges_.insert(source);
    return source;
  }

  void note_results(FusedRuns& found) const {
    std::vector<bool> taken(graph_.tensors.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      for (const int id : graph_.nodes[i].inputs) {
        if (id < 0 || tensor(id).producer < 0) continue;
        if (found.run_of[static_cast<std::size_t>(tensor(id).producer)] != found.run_of[i])
          taken[static_cast<std::size_t>(id)] = true;
      }
    for (const int id : graph_.outputs) taken[static_cast<std::size_t>(id)] = true;
    for (std::size_t id = 0; id < taken.size(); ++id) {
      const int producer = graph_.tensors[id].producer;
      const int run = producer < 0 || !taken[id] ? -1 : found.run_of[static_cast<std::size_t>(producer)];
      if (run >= 0) found.runs[static_cast<std::size_t>(run)].made.push_back(static_cast<int>(id));
    }
  }

  const ShapedGraph& graph_;
  std::vector<int> source_;   ///< by node; -1: not fusible
  std::vector<bool> barred_;  ///< tensors that are their own source
  std::set<int> merges_;      ///< sources whose results join again
};

}  // namespace

FusedRuns fusion_groups(const ShapedGraph& graph) { return FusionFinder(graph).find(); }

}  // namespace pipedeck::analytic::graph
