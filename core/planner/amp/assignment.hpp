// SPDX-License-Identifier: Apache-2.0
// The layer assignment of one AMP strategy: the stage boundaries that minimise eq. 4,
//   T = max over pipelines d of [ (gas - 1) max_i t_i + sum_i e_i + sum_i t_i ] + max_i T_i^dpsync.
// The result is exact. Stages and pipelines may differ, and memory is respected.
//
// The paper's table of eq. 6-8 takes O(k L^4). Here stages are added front to back. The final cost of a prefix of
// stages depends only on its maximum and its sum in every pipeline and on its largest synchronisation. A prefix is
// dropped if another prefix that ends at the same layer is no worse in all of these figures. Before that, three
// programmes over suffixes compute the least sum, the least maximum and the least synchronisation of the rest:
// - a prefix is dropped if its bound is not below the best known T;
// - a maximum below the least maximum of the rest is raised to it, so that most prefixes become comparable.
// The first known T comes from a few limits on the slowest stage and on the synchronisation, with the least sum under
// each. If the search still takes too long, a search with few prefixes precedes it. With very different pipelines there
// may be millions of prefixes that none dominates. So the effort is limited; beyond it the best known assignment is not
// proven.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/cost/ring_times.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::planner::amp {

/// An edge cost: seconds of an activation and its gradient over a stage boundary, fixed + per_byte x bytes.
struct AmpEdge {
  double fixed = 0, per_byte = 0;
  auto operator<=>(const AmpEdge&) const = default;
};

/// One pipeline, or several that are alike.
struct Pipeline {
  std::vector<const std::vector<double>*> time;  ///< of every stage: forward + backward of the layers before a position
  std::vector<AmpEdge> edge;                     ///< of every stage: from the previous stage; unused for the first
};

/// A stage's memory without and with recomputation (search::StageNeed), by what decides its peak.
struct StageLimits {
  std::int64_t fixed = 0, each = 0;              ///< bytes, and bytes per micro-batch
  std::int64_t again_fixed = 0, again_each = 0;  ///< with recomputation
  std::int64_t input = 0;
  /// Returns the lesser of both peaks with `kept` micro-batches here and `before` on the stage before.
  Bytes peak(int kept, int before) const {
    const auto of = [&](std::int64_t base, std::int64_t one) {
      const auto with = [&](int n) { return one * n + input * (std::max(before, n) - n + 1); };
      return base + std::max(with(1), with(kept));
    };
    return Bytes(std::min(of(fixed, each), of(again_fixed, again_each)));
  }
};

/// A strategy as input of the assignment: the figures of eq. 4 and of memory.
struct Task {
  int layers = 0, stages = 0, micro_batches = 1, replicas = 1, tensor_parallel = 1;
  std::vector<Pipeline> pipelines;
  std::vector<double> cut;                               ///< bytes before each position, of a replica's samples
  std::vector<plan::Weights> weights;                    ///< of the layers before a position
  std::vector<std::vector<cost::RingBottleneck>> rings;  ///< of every stage; none with one replica
  const std::vector<StageLimits>* need = nullptr;        ///< [first * (layers + 1) + last]; none: memory does not count
  std::vector<Bytes> capacity;                           ///< of every stage
  std::vector<int> pinned;                               ///< stage that a position must be on, -1: any; empty: no pins
};

struct Assignment {
  std::vector<int> ends;  ///< of every stage
  double time = 0;        ///< T in seconds
};

class Assigner {
 public:
  enum class Outcome {
    proven,     ///< `best` is the optimum, or no assignment is below the limit
    exhausted,  ///< the effort was used up; `best` is the best found
    deadline,   ///< `hurry` was requested; `best` is the best found
    stopped,    ///< a stop was requested
  };

  /// Starts the search. A stop ends it; `hurry` ends it if an assignment is known, here or elsewhere (`known`).
  explicit Assigner(const Task& task, std::stop_token stop = {}, std::stop_token hurry = {}, bool known = false);

  /// Returns true if some assignment is allowed; false also if the search ended before that was clear.
  bool possible() const { return bounds_.front() < unknown; }
  /// Returns a lower bound of T in seconds; infinite if no assignment is allowed.
  double lower_bound() const;
  /// Finds the least T below `below`. `effort` limits the comparisons of prefixes and returns the unused rest.
  Outcome search(double below, std::size_t& effort);
  const std::optional<Assignment>& best() const { return best_; }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  struct Step {
    int parent = -1, end = 0;
  };
  /// A set of prefixes with equally many stages that end at the same layer. None dominates another.
  struct Cell {
    std::vector<double> figures;  // `width()` per prefix
    std::vector<int> steps;
  };

  std::size_t pipelines() const { return task_.pipelines.size(); }
  /// Returns the number of figures of consecutive stages: sum and maximum of every pipeline, then the synchronisation.
  std::size_t width() const { return 2 * pipelines() + 1; }
  std::size_t at(int stage, int position) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(task_.layers + 1) +
           static_cast<std::size_t>(position);
  }
  /// Positions at which the stage may begin, with at least one layer for every stage before and after it.
  int first_start(int stage) const { return stage; }
  int last_start(int stage) const { return stage == 0 ? 0 : task_.layers - (task_.stages - stage); }
  int first_end(int stage, int start) const { return stage + 1 == task_.stages ? task_.layers : start + 1; }
  int last_end(int stage) const { return task_.layers - (task_.stages - 1 - stage); }

  double time(std::size_t pipeline, int stage, int first, int last) const;
  double edge(std::size_t pipeline, int stage, int first) const;
  double synchronisation(int stage, int first, int last) const;
  bool allowed(int stage, int first, int last) const;
  double rounds() const { return task_.micro_batches - 1; }

  void bound_suffixes();
  void bound_suffix(int stage, int start);
  double time_of(const std::vector<int>& ends) const;
  void take(const std::vector<int>& ends);
  void try_limits();
  std::optional<std::vector<int>> min_sum(double slack, double synchronisation_slack) const;
  Outcome run(std::size_t most, std::size_t& effort);
  std::optional<Outcome> given_up() const;
  std::optional<Outcome> interrupted(std::size_t& effort);
  std::optional<Outcome> extend(int stage, int start, int end, const Cell& from, Cell& into, std::size_t& effort);
  void keep_best(Cell& cell, std::size_t most, const double* rest) const;
  const double* rest_of(int stage, int position) const { return &bounds_[at(stage, position) * width()]; }
  double bound_of(const double* prefix, const double* rest) const;
  double mean_of(const double* rest) const { return means_[static_cast<std::size_t>(rest - bounds_.data()) / width()]; }
  void keep(Cell& cell, const std::vector<double>& prefix, Step step);
  std::vector<int> ends_of(int step) const;

  const Task& task_;
  std::stop_token stop_, hurry_;
  bool known_;
  std::vector<double> bounds_;               // least figures of the stages and layers from `at` on
  std::vector<double> means_;                // likewise, the mean sum over all pipelines
  std::vector<std::vector<int>> elsewhere_;  // of every stage: earlier positions that are pinned to other stages
  double below_ = unknown;
  std::optional<Assignment> best_;
  std::vector<Step> trail_;
  std::size_t comparisons_ = 0;       // since the last check of stop, hurry and effort
  std::vector<double> prefix_, own_;  // buffers of `extend`
};

}  // namespace pipedeck::planner::amp
