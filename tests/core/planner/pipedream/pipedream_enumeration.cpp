// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/pipedream/pipedream_enumeration.hpp"

#include <bit>
#include <functional>

#include "core/cost/network.hpp"
#include "core/model/plan_constraints.hpp"
#include "core/planner/pipedream/evaluate.hpp"
#include "tests/core/planner/plan_enumeration.hpp"

namespace pipedeck {

namespace {

using Set = unsigned;  ///< of layers, a bit each

struct Piece {
  Set inner, outer;
  std::vector<int> devices;  ///< counted within the part
};
using Pieces = std::vector<Piece>;
using Each = std::function<void(const Pieces&)>;

class Enumeration {
 public:
  Enumeration(const Problem& problem, const PipedreamShape& shape, int micro_batch,
              const planner::evaluation::EvaluateOptions& options)
      : problem_(problem),
        shape_(shape),
        options_(options),
        network_(*cost::Network::of(*problem.cluster, problem.workload.conventions)) {
    plan_ = plan_without_stages(problem, "pipedream", micro_batch);
    plan_.schedule = ScheduleKind::pipedream;
    const auto layers = problem.profile->layers.size();
    for (Set set = 0; set < Set{1} << layers; ++set)
      if (closed(set)) closed_.push_back(set);
  }

  std::optional<Plan> best() {
    part(shape_.components.size(), 0, closed_.back(), [&](const Pieces& pieces) { take(pieces); });
    return best_;
  }

 private:
  bool closed(Set set) const {
    for (const Edge& edge : edges_of(*problem_.profile))
      if ((set >> edge.to.value & 1) != 0 && (set >> edge.from.value & 1) == 0) return false;
    return true;
  }

  /// Calls `each` with all pipelines of the layers between two sets on one component of this level.
  void part(std::size_t level, Set inner, Set outer, const Each& each) const {
    if (level == 0) return each({{inner, outer, {0}}});
    split(level, shape_.components[level - 1], inner, outer, {}, each);
  }

  /// Chooses the last of m components' stage groups, then those before it.
  void split(std::size_t level, int m, Set inner, Set outer, const Pieces& behind, const Each& each) const {
    int devices = 1;
    for (std::size_t k = 0; k + 1 < level; ++k) devices *= shape_.components[k];
    for (const Set cut : closed_) {
      if ((cut & inner) != inner || (cut & outer) != cut || cut == outer) continue;
      for (int replicas = 1; replicas <= m; ++replicas) {
        if ((cut == inner) != (replicas == m)) continue;
        part(level - 1, cut, outer, [&](const Pieces& inside) {
          Pieces all;
          for (Piece piece : inside) {
            std::vector<int> copies;
            for (int c = m - replicas; c < m; ++c)
              for (const int device : piece.devices) copies.push_back(c * devices + device);
            piece.devices = copies;
            all.push_back(piece);
          }
          all.insert(all.end(), behind.begin(), behind.end());
          if (cut == inner)
            each(all);
          else
            split(level, m - replicas, inner, cut, all, each);
        });
      }
    }
  }

  void take(const Pieces& pieces) {
    std::vector<LayerId> order;
    plan_.stages.clear();
    for (const Piece& piece : pieces) {
      Stage stage;
      stage.first = static_cast<int>(order.size());
      const Set layers = piece.outer & ~piece.inner;
      Set done = piece.inner;
      while (done != piece.outer)
        for (std::size_t i = 0; i < problem_.profile->layers.size(); ++i)
          if ((layers >> i & 1) != 0 && (done >> i & 1) == 0 && closed(done | Set{1} << i))
            order.push_back(LayerId(i)), done |= Set{1} << i;
      stage.last = static_cast<int>(order.size());
      for (const int device : piece.devices) stage.devices.push_back(shape_.devices[static_cast<std::size_t>(device)]);
      plan_.stages.push_back(stage);
    }
    plan_.order = order;
    plan_.objective = Objective{shape_.objective, {}, {}};
    const planner::evaluation::Evaluation e{problem_, plan_, network_, options_, order};
    if (!planner::evaluation::check_constraints(e) || first_violation(plan_, *problem_.profile, problem_.pins)) return;
    plan_.objective->time = *planner::pipedream::pipedream_objective(e);
    if (!best_ || *plan_.objective->time < *best_->objective->time) best_ = plan_;
  }

  const Problem& problem_;
  const PipedreamShape& shape_;
  const planner::evaluation::EvaluateOptions& options_;
  cost::Network network_;
  Plan plan_;
  std::vector<Set> closed_;
  std::optional<Plan> best_;
};

}  // namespace

std::optional<Plan> enumerate_pipedream(const Problem& problem, const PipedreamShape& shape, int micro_batch,
                                        const planner::evaluation::EvaluateOptions& options) {
  return Enumeration(problem, shape, micro_batch, options).best();
}

}  // namespace pipedeck
