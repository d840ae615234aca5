// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulator says of a plan, remembered. Verdicts are computed from plan and problem whenever they are needed
// and never stored as truth: a cache that is lost costs time, nothing else. Safe to use from several threads.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/workload.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::app {

/// The same pipeline under the warm-up policy that the plan does not use: DAPPLE's two are both worth knowing.
struct OtherWarmup {
  Warmup policy = Warmup::B;
  Seconds iteration;
  bool fits = true;
};

struct Verdict {
  std::shared_ptr<const Simulation> simulation;
  std::optional<OtherWarmup> other_warmup;
  bool complete = true;  ///< false: `other_warmup` was not looked at yet
};

/// What belongs to the problem alone.
struct ProblemFacts {
  Seconds lower_bound;    ///< of synchronous plans; 0: unknown
  Seconds single_device;  ///< the whole model on one device, memory ignored; 0: unknown
  Seconds steady_bound;   ///< of asynchronous plans; 0: unknown
  Seconds bound_of(const Plan& plan) const { return plan.synchronous() ? lower_bound : steady_bound; }
};

class Judge {
 public:
  /// Null where it is not known yet: ask `verdict` in the background then. A plan that was only simulated (while it was
  /// dragged) has no `other_warmup` yet.
  std::shared_ptr<const Verdict> known(const Problem& problem, const Plan& plan) const;
  std::optional<ProblemFacts> known_facts(const Problem& problem) const;

  Result<std::shared_ptr<const Verdict>> verdict(const Problem& problem, const Plan& plan, std::stop_token stop = {});
  /// The simulation alone, for a plan that changes under the hand.
  Result<std::shared_ptr<const Simulation>> simulation(const Problem& problem, const Plan& plan,
                                                       std::stop_token stop = {});
  /// What plans under the hand keep in memory: at most `most_preview_bytes`, or the newest alone where that is larger.
  std::size_t preview_bytes() const;
  static constexpr std::size_t most_preview_bytes = std::size_t{96} << 20;
  Result<ProblemFacts> facts(const Problem& problem, std::stop_token stop = {});
  Result<Simulator> simulator(const Problem& problem);

 private:
  struct PlanKey {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    Conventions conventions;
    Plan plan;  ///< without what does not change the verdict
    bool operator==(const PlanKey&) const = default;
  };
  struct ProblemKey {
    std::shared_ptr<const Profile> profile;
    std::shared_ptr<const Cluster> cluster;
    Workload workload;
    bool operator==(const ProblemKey&) const = default;
  };
  template <class Key, class Value>
  struct Remembered {
    Key key;
    Value value;
  };
  template <class Key, class Value>
  static const Value* look_up(const std::list<Remembered<Key, Value>>& cache, const Key& key);
  void remember_preview(PlanKey key, std::shared_ptr<const Verdict> verdict);
  void remember_verdict(PlanKey key, std::shared_ptr<const Verdict> verdict);
  static PlanKey key_of(const Problem& problem, const Plan& plan);
  static ProblemKey key_of(const Problem& problem);

  mutable std::mutex mutex_;
  // Keys hold their profile and cluster, so that an address is never reused while it is a key. Newest first.
  std::list<Remembered<PlanKey, std::shared_ptr<const Verdict>>> verdicts_;
  /// Of a drag: a simulation a step, each of megabytes, hardly any looked at again. Verdicts that were asked for do not
  /// make room for them.
  std::list<Remembered<PlanKey, std::shared_ptr<const Verdict>>> previews_;
  std::list<Remembered<ProblemKey, ProblemFacts>> facts_;
  std::list<Remembered<ProblemKey, Simulator>> simulators_;
};

}  // namespace pipedeck::app
