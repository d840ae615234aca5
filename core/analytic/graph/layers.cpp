// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/layers.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analytic/graph/fused_runs.hpp"
#include "core/analytic/graph/layer_names.hpp"
#include "core/analytic/graph/operator_count.hpp"
#include "core/analytic/graph/segments.hpp"

namespace pipedeck::analytic::graph {
namespace {

using TensorOrigin = SizedTensor::TensorOrigin;

constexpr std::size_t max_steps = 20'000'000;  ///< in the search for the weights behind layers' inputs

/// An operator that saves a tensor for its backward pass. A tensor is saved once, by the first operator that takes it,
/// otherwise by the one that creates it.
struct SavedTensorPass {
  int segment = -1;
  std::string what;
  bool output = false;
};

class Builder {
 public:
  Builder(const ShapedGraph& graph, int element, bool dropout)
      : graph_(graph),
        counter_(graph, element, dropout),
        runs_(fusion_groups(graph)),
        segments_(cut_graph(graph, counter_, runs_)),
        element_(element) {}

  Result<Layers> build() {
    out_.layers.resize(static_cast<std::size_t>(segments_.count));
    out_.fused = static_cast<int>(runs_.runs.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) count(static_cast<int>(i));
    for (std::size_t run = 0; run < runs_.runs.size(); ++run) count_run(runs_.runs[run]);
    keep();
    join();
    if (!is_connected()) return as_one();
    if (!assign_weights())
      return fail(ErrorCode::bad_input,
                  "found weights that are computed of one another in too many ways, expected fewer", "/graph/node");
    name();
    return std::move(out_);
  }

 private:
  const SizedTensor& tensor(int id) const { return graph_.tensors[static_cast<std::size_t>(id)]; }
  std::size_t segment(int node) const {
    return static_cast<std::size_t>(segments_.segment_of[static_cast<std::size_t>(node)]);
  }
  times::LayerCount& layer_of(int node) { return out_.layers[segment(node)].count; }

  void count(int node) {
    const OperatorNode& of = graph_.nodes[static_cast<std::size_t>(node)];
    // Results that depend only on weights or sizes are not counted, since they are computed once.
    const bool fixed =
        std::ranges::all_of(of.outputs, [&](int id) { return id < 0 || tensor(id).origin == TensorOrigin::fixed; });
    if (fixed || runs_.run_of[static_cast<std::size_t>(node)] >= 0) return;
    OperatorCount counted = counter_.count(node);
    times::LayerCount& layer = layer_of(node);
    std::ranges::move(counted.gemms, std::back_inserter(layer.gemms));
    std::ranges::move(counted.saved, std::back_inserter(layer.saved));
    layer.elementwise_bytes += counted.elementwise_bytes;
    layer.launches += counted.launches;
    for (NeededTensor& needed : counted.needed)
      need(needed.tensor, {static_cast<int>(segment(node)), std::move(needed.what), needed.output});
  }

  /// The input is read once, and each result is written once.
  void count_run(const FusedRuns::Run& run) {
    times::LayerCount& first = layer_of(run.first);
    first.elementwise_bytes += counter_.bytes_of(run.source);
    first.launches += 1;
    for (const int made : run.made) layer_of(tensor(made).producer).elementwise_bytes += counter_.bytes_of(made);
    const OperatorNode& node = graph_.nodes[static_cast<std::size_t>(run.first)];
    need(run.source, {static_cast<int>(segment(run.first)),
                      fmt::format("{} and what follows: input",
                                  (node.op->name.empty() ? node.op->type : node.op->name).substr(0, 120)),
                      false});
  }

  void need(int id, SavedTensorPass keeper) {
    const int root = tensor(id).same_as;
    const auto [at, fresh] = keepers_.emplace(root, keeper);
    if (!fresh && (at->second.output > keeper.output ||
                   (at->second.output == keeper.output && keeper.segment < at->second.segment)))
      at->second = std::move(keeper);
  }

  void keep() {
    for (auto& [root, keeper] : keepers_) {
      times::LayerCount& layer = out_.layers[static_cast<std::size_t>(keeper.segment)].count;
      layer.saved.push_back({std::move(keeper.what), counter_.formula_of(root), counter_.bytes_of(root), false});
    }
  }

  /// Adds one edge for each tensor that a layer creates and later ones take.
  void join() {
    struct Crossing {
      int from;
      std::set<int> to;
    };
    std::map<int, Crossing> crossing;  // by root
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto to = static_cast<int>(segment(static_cast<int>(i)));
      for (const int id : graph_.nodes[i].inputs) {
        if (id < 0 || tensor(id).origin != TensorOrigin::computed) continue;
        const int root = tensor(id).same_as;
        if (tensor(root).producer < 0) continue;
        const auto from = static_cast<int>(segment(tensor(root).producer));
        if (from < to) crossing.emplace(root, Crossing{from, {}}).first->second.to.insert(to);
      }
    }
    bool chain = true;
    std::vector<Edge> edges;
    for (const auto& [root, one] : crossing) {
      GraphLayer& from = out_.layers[static_cast<std::size_t>(one.from)];
      const auto output = static_cast<int>(from.outputs.size());
      from.outputs.push_back(counter_.bytes_of(root));
      from.given.push_back(tensor(root).name);
      for (const int to : one.to) {
        chain = chain && to == one.from + 1 && output == 0;
        edges.push_back({LayerId(one.from), LayerId(to), output});
      }
    }
    for (Edge& edge : edges)
      if (out_.layers[edge.from.index()].outputs.size() == 1) edge.output.reset();
    for (const int id : graph_.outputs)
      if (tensor(id).producer >= 0 && out_.layers[segment(tensor(id).producer)].outputs.empty() &&
          segment(tensor(id).producer) + 1 == out_.layers.size())
        layer_of(tensor(id).producer).output += counter_.bytes_of(id);
    for (GraphLayer& layer : out_.layers)
      for (const double bytes : layer.outputs) layer.count.output += bytes;
    if (!chain) out_.edges = std::move(edges);
  }

  bool is_connected() const {
    if (out_.edges.empty()) return true;
    std::vector<std::size_t> root(out_.layers.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t at) {
      while (root[at] != at) at = root[at] = root[root[at]];
      return at;
    };
    for (const Edge& edge : out_.edges) root[find(edge.from.index())] = find(edge.to.index());
    for (std::size_t i = 1; i < root.size(); ++i)
      if (find(i) != find(0)) return false;
    return true;
  }

  /// Unconnected parts form no pipeline, so all is one layer.
  Result<Layers> as_one() {
    std::ranges::fill(segments_.segment_of, 0);
    segments_.count = 1;
    out_ = {};
    keepers_.clear();
    return build();
  }

  /// Finds the parameters behind each layer's inputs, once per layer.
  bool assign_weights() {
    matrices_.assign(out_.layers.size(), {});
    vectors_.assign(out_.layers.size(), {});
    std::vector<int> seen(graph_.tensors.size(), -1), users(graph_.tensors.size(), 0);
    std::size_t steps = 0;
    std::vector<std::vector<int>> nodes(out_.layers.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      nodes[segment(static_cast<int>(i))].push_back(static_cast<int>(i));
    for (std::size_t layer = 0; layer < nodes.size(); ++layer) {
      std::vector<int> left;
      const auto look = [&](const OperatorNode& node) {
        for (const int id : node.inputs) {
          if (id < 0 || seen[static_cast<std::size_t>(id)] == static_cast<int>(layer)) continue;
          if (!tensor(id).of_parameters && !tensor(id).parameter) continue;
          seen[static_cast<std::size_t>(id)] = static_cast<int>(layer);
          left.push_back(id);
        }
      };
      for (const int node : nodes[layer]) look(graph_.nodes[static_cast<std::size_t>(node)]);
      for (; !left.empty(); ++steps) {
        if (steps > max_steps) return false;
        const int id = left.back();
        left.pop_back();
        if (const int producer = tensor(id).producer; producer >= 0) {
          look(graph_.nodes[static_cast<std::size_t>(producer)]);
        } else if (tensor(id).parameter) {
          add_weight(out_.layers[layer], id, users[static_cast<std::size_t>(id)]++);
        }
      }
    }
    out_.shared_weights = static_cast<int>(std::ranges::count_if(users, [](int count) { return count > 1; }));
    return true;
  }

  void add_weight(GraphLayer& layer_at, int id, int users_before) {
    times::LayerCount& layer = layer_at.count;
    const auto count = static_cast<double>(tensor(id).count());
    layer.weights.push_back(
        {tensor(id).name.substr(0, 120), fmt::format("{}", fmt::join(tensor(id).shape, " x ")), count});
    if (users_before > 0) return;  // named after its first layer
    out_.parameters += count;
    const auto at = static_cast<std::size_t>(&layer_at - out_.layers.data());
    (tensor(id).shape.size() > 1 ? matrices_ : vectors_)[at].push_back(id);
  }

  void name() {
    std::vector<std::vector<std::string>> operators(out_.layers.size());
    std::vector<std::string> kinds(out_.layers.size());
    std::vector<int> products(out_.layers.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto node = static_cast<int>(i);
      const bool table = counter_.looks_up_weights(node);
      if (!counter_.is_product(node) && !table) continue;
      const Operator& op = *graph_.nodes[i].op;
      operators[segment(node)].push_back(op.name.empty() && !op.outputs.empty() ? op.outputs.front() : op.name);
      if (++products[segment(node)] == 1) kinds[segment(node)] = kind_of(op, table);
    }
    std::map<std::string, int> given;
    for (std::size_t i = 0; i < out_.layers.size(); ++i) {
      times::LayerCount& layer = out_.layers[i].count;
      std::ranges::sort(layer.weights, {}, &times::WeightItem::name);
      std::string module = module_of_weights(names_in_order(matrices_[i].empty() ? vectors_[i] : matrices_[i]));
      if (module.empty()) module = module_of_operators(operators[i]);
      layer.name = make_unique_name(module, given);
      layer.kind = products[i] > 1 ? "block" : kinds[i].empty() ? "operators" : kinds[i];
    }
  }

  /// Returns the names in the file's order.
  std::vector<std::string> names_in_order(std::vector<int> tensors) const {
    std::ranges::sort(tensors);
    std::vector<std::string> names;
    for (const int id : tensors) names.push_back(tensor(id).name);
    return names;
  }

  static std::string kind_of(const Operator& op, bool table) {
    if (table) return "embedding";
    if (op.type == "Conv" || op.type == "ConvTranspose") return "conv";
    return op.type == "LSTM" || op.type == "GRU" || op.type == "RNN" ? "recurrent" : "linear";
  }

  const ShapedGraph& graph_;
  OperatorCounter counter_;
  FusedRuns runs_;
  Segments segments_;
  int element_;
  Layers out_;
  std::vector<std::vector<int>> matrices_, vectors_;  ///< weights of each layer without those of earlier ones
  std::map<int, SavedTensorPass> keepers_;            ///< by the tensor of which others are views
};

}  // namespace

Result<Layers> layers_of(const ShapedGraph& graph, int element, bool dropout) {
  return Builder(graph, element, dropout).build();
}

}  // namespace pipedeck::analytic::graph
