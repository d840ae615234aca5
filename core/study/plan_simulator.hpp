// SPDX-License-Identifier: Apache-2.0
// A cache of simulations. Verdicts are computed from plan and problem on demand and never stored in files, so that
// losing the cache only costs time. Thread-safe.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/result.hpp"
#include "core/model/plan.hpp"
#include "core/model/plan_reasons.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/origin.hpp"

namespace pipedeck::study {

/// A result with the other warm-up policy, since both of DAPPLE's are of interest.
struct OtherWarmup {
  Warmup policy = Warmup::B;
  Seconds iteration;
  bool fits = true;
};

struct PlanResult {
  std::shared_ptr<const Simulation> simulation;
  std::shared_ptr<const PlanReasons> reasons;  ///< for the simulated times
  std::optional<OtherWarmup> other_warmup;
  bool complete = true;  ///< false: `other_warmup` was not computed yet
};

/// A plan with its prediction.
struct SimulatedPlan {
  Plan plan;
  std::shared_ptr<const Simulation> simulation;
  std::optional<OtherWarmup> other_warmup{};
};

/// A set of figures that depend only on the problem.
struct ProblemBounds {
  Seconds lower_bound;             ///< for synchronous plans of the problem's micro-batch
  Seconds open_bound;              ///< for synchronous plans of any micro-batch
  Seconds steady_bound;            ///< for asynchronous plans
  Seconds single_device;           ///< whole model on one device, ignoring memory; 0: unknown
  std::optional<int> micro_batch;  ///< of the problem
  /// Returns `cost::lower_bound_of` of the plan.
  Seconds bound_of(const Plan& plan) const;
};

/// Returns the context of a planner whose plans `simulator` scores: time and memory.
planner::PlannerContext context_for(const sim::Simulator& simulator, std::stop_token stop);

/// Simulates the plan with the other warm-up policy. Returns nullopt for plans that have only one, and if it is
/// stopped.
std::optional<OtherWarmup> other_warmup_of(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop);

class PlanSimulator {
 public:
  /// Returns null if it is unknown; then call `compute_result` in the background. A plan that was only simulated during
  /// a drag has no `other_warmup` yet.
  std::shared_ptr<const PlanResult> find(const Problem& problem, const Plan& plan) const;
  std::optional<ProblemBounds> find_bounds(const Problem& problem) const;

  Result<std::shared_ptr<const PlanResult>> compute_result(const Problem& problem, const Plan& plan,
                                                           std::stop_token stop = {});
  /// Returns the plan with its prediction and its origin.
  Result<SimulatedPlan> simulate(const Problem& problem, Plan plan, std::stop_token stop = {});
  /// Returns the simulation with its reasons, for a plan that is being edited. It may be incomplete.
  Result<std::shared_ptr<const PlanResult>> preview(const Problem& problem, const Plan& plan,
                                                    std::stop_token stop = {});
  Result<std::shared_ptr<const Simulation>> simulation(const Problem& problem, const Plan& plan,
                                                       std::stop_token stop = {});
  /// Returns the memory of previews: at most `max_preview_bytes`, or the newest one alone if that is larger.
  std::size_t preview_cache_bytes() const;
  static constexpr std::size_t max_preview_bytes = std::size_t{96} << 20;
  Result<ProblemBounds> facts(const Problem& problem, std::stop_token stop = {});
  Result<sim::Simulator> simulator(const Problem& problem);
  /// Returns the names and checksums of the problem's profile and cluster.
  Origin origin(const Problem& problem);

 private:
  struct PlanKey {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    SimulationOptions conventions;
    Plan plan;  ///< without fields that do not affect the result
    bool operator==(const PlanKey&) const = default;
  };
  struct ProblemKey {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    Workload workload;
    bool operator==(const ProblemKey&) const = default;
  };
  template <class Key, class Value>
  struct CacheEntry {
    Key key;
    Value value;
  };
  template <class Key, class Value>
  static const Value* find_cached(const std::list<CacheEntry<Key, Value>>& cache, const Key& key);
  void remember_preview(PlanKey key, std::shared_ptr<const PlanResult> plan_result);
  void remember_result(PlanKey key, std::shared_ptr<const PlanResult> plan_result);
  static PlanKey key_of(const Problem& problem, const Plan& plan);
  static ProblemKey key_of(const Problem& problem);
  static ProblemKey key_of_inputs(const Problem& problem, const SimulationOptions& conventions);

  mutable std::mutex mutex_;
  // Keys own their profile and cluster, so that the address of a key is not reused. Newest first.
  std::list<CacheEntry<PlanKey, std::shared_ptr<const PlanResult>>> results_;
  /// Simulations of a drag: one per step, with megabytes each, and rarely read again. They do not evict requested
  /// results.
  std::list<CacheEntry<PlanKey, std::shared_ptr<const PlanResult>>> previews_;
  std::list<CacheEntry<ProblemKey, ProblemBounds>> facts_;
  std::list<CacheEntry<ProblemKey, sim::Simulator>> simulators_;
  std::list<CacheEntry<ProblemKey, Origin>> origins_;
};

}  // namespace pipedeck::study
