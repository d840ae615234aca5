// SPDX-License-Identifier: Apache-2.0
// The bottleneck stage time of a plan, by the formulas of PipeDream's released reference implementation. Stages are
// grouped by the components that hold them, level by level. Layers that the program omits are ignored.
#include <algorithm>
#include <set>

#include "core/cost/compute.hpp"
#include "core/planner/pipedream/evaluate.hpp"
#include "core/planner/pipedream/evaluate_levels.hpp"

namespace pipedeck::planner::pipedream {

namespace {

class ReleasedEvaluation {
 public:
  explicit ReleasedEvaluation(const evaluation::Evaluation& e)
      : e_(e), levels_(evaluation_levels(e, e.options.flat_levels)), users_(e.order.size()), uses_(e.order.size()) {
    std::set<LayerId> fed, feeding, left_out;
    for (const Edge& edge : edges_of(e.profile())) fed.insert(edge.to), feeding.insert(edge.from);
    for (const LayerId layer : e.order) {
      const std::string& name = e.profile().layers[layer.index()].name;
      if (!fed.contains(layer) && name.starts_with("Input")) left_out.insert(layer);
      if (!feeding.contains(layer) && name.starts_with("__getitem__")) left_out.insert(layer);
    }
    for (const Edge& edge : edges_of(e.profile()))
      if (!left_out.contains(edge.from) && !left_out.contains(edge.to)) {
        users_[edge.from.index()].insert(edge.to);
        uses_[edge.to.index()].insert(edge.from);
      }
    for (const LayerId layer : e.order)
      if (!left_out.contains(layer)) counted_.insert(layer);
  }

  double slowest() const { return inside(levels_.size() - 1, levels_.back().component.front(), 0, e_.stages()); }

 private:
  double compute(int first, int last) const {
    double sum = 0;
    for (int p = e_.stage(first).first; p < e_.stage(last - 1).last; ++p) {
      if (!counted_.contains(e_.order[static_cast<std::size_t>(p)])) continue;
      double slowest = 0;
      for (int d = 0; d < e_.network.device_count(); ++d) {
        const cost::LayerTimes times = cost::layer_times(e_.profile(), e_.layer(p), e_.plan.micro_batch,
                                                         *e_.problem.cluster, e_.network.type(DeviceId(d)));
        slowest = std::max(slowest, times.forward.count + times.backward.count);
      }
      sum += slowest;
    }
    return sum;
  }

  double weights(int first, int last) const {
    double sum = 0;
    for (int p = e_.stage(first).first; p < e_.stage(last - 1).last; ++p)
      if (counted_.contains(e_.order[static_cast<std::size_t>(p)]))
        sum += static_cast<double>(e_.layer(p).parameters.count);
    return sum;
  }

  /// Returns the layer and all layers that it depends on.
  std::set<LayerId> back_from(LayerId layer) const {
    std::set<LayerId> found{layer};
    std::vector<LayerId> open{layer};
    while (!open.empty()) {
      const LayerId here = open.back();
      open.pop_back();
      for (const LayerId used : uses_[here.index()])
        if (found.insert(used).second) open.push_back(used);
    }
    return found;
  }

  /// Returns the bytes that the program counts as crossed the cut before this stage.
  double crossed_before(int stage) const {
    std::set<LayerId> in_front, crossed;
    for (int p = 0; p < e_.stage(stage).first; ++p)
      if (const LayerId layer = e_.order[static_cast<std::size_t>(p)]; counted_.contains(layer)) in_front.insert(layer);
    for (const LayerId last : in_front) {
      const auto is_in_front = [&](LayerId user) { return in_front.contains(user); };
      if (std::any_of(users_[last.index()].begin(), users_[last.index()].end(), is_in_front)) continue;
      crossed.insert(last);
      const std::set<LayerId> before = back_from(last);
      for (const LayerId layer : before)
        for (const LayerId user : users_[layer.index()])
          if (layer != last && !before.contains(user)) crossed.insert(layer);
    }
    double sum = 0;
    for (const LayerId layer : crossed)
      sum += static_cast<double>(
          cost::scale_bytes(e_.profile().layers[layer.index()].output, e_.plan.micro_batch, e_.profile().micro_batch)
              .count);
    return sum;
  }

  std::set<int> components(std::size_t level, int of_level_above, int s) const {
    std::set<int> found;
    for (const DeviceId device : e_.stage(s).devices)
      if (levels_[level + 1].of(device) == of_level_above) found.insert(levels_[level].of(device));
    return found;
  }

  /// Returns the number of components of the level below in each component of this level.
  double machines_below(std::size_t level) const {
    if (level < 2) return 1;
    std::set<int> below;
    for (int d = 0; d < e_.network.device_count(); ++d)
      if (levels_[level - 1].of(DeviceId(d)) == levels_[level - 1].of(DeviceId(0)))
        below.insert(levels_[level - 2].of(DeviceId(d)));
    return static_cast<double>(below.size());
  }

  double inside(std::size_t level, int component, int first, int last) const {
    if (level == 0) return compute(first, last);
    const double bandwidth = levels_[level].bandwidth;
    double slowest = 0;
    for (int from = first, to = first; from < last; from = to) {
      const std::set<int> held = components(level - 1, component, from);
      for (to = from + 1; to < last && components(level - 1, component, to) == held;) ++to;
      const auto m = static_cast<double>(held.size());
      double synchronising = m > 1 ? 4 * (m - 1) * weights(from, to) / (m * bandwidth) : 0;
      if (from == first) synchronising /= machines_below(level);
      slowest = std::max(slowest, (inside(level - 1, *held.begin(), from, to) + synchronising) / m);
      if (from == first) continue;
      slowest = std::max(slowest, 2 * crossed_before(from) / (bandwidth * m));
      if (to < e_.stages()) slowest = std::max(slowest, 2 * crossed_before(to) / (bandwidth * m));
    }
    return slowest;
  }

  const evaluation::Evaluation& e_;
  std::vector<EvaluationLevel> levels_;
  std::vector<std::set<LayerId>> users_, uses_;  ///< by layer
  std::set<LayerId> counted_;
};

}  // namespace

Result<Seconds> pipedream_released_objective(const evaluation::Evaluation& e) {
  return Seconds(ReleasedEvaluation(e).slowest());
}

}  // namespace pipedeck::planner::pipedream
