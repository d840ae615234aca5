// SPDX-License-Identifier: Apache-2.0
// The plans that joint has simulated within its budget, each once; the best are saved.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "core/planner/joint/costs.hpp"
#include "core/planner/planner.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::joint {

/// The simulated times of plans. Simulating a plan of thousands of devices dominates the search time, and the other
/// planners simulate many plans that cannot matter. So each plan is simulated once for all planners. A plan is not
/// simulated if its own stages show that it cannot beat the limit; its bound replaces its time. A search for the
/// quickest plan below the limit finds the same plan.
class PlanTimes {
 public:
  PlanTimes(const Problem& problem, Score score) : problem_(problem), score_(std::move(score)) {}

  struct PlanTime {
    double time = 0;
    bool simulated = true;  ///< else `time` is a lower bound, not below the limit
  };
  /// Returns the plan's time in seconds, or `cancelled` on a stop. Thread-safe.
  Result<PlanTime> time_of(const Plan& plan, std::stop_token stop, std::optional<Overlap> overlap = {});

  /// Sets the limit in seconds: plans at or above it need no exact time. Must not run concurrently with time_of.
  void set_limit(double seconds) { limit_ = seconds; }

 private:
  Problem problem_;
  Score score_;
  double limit_ = std::numeric_limits<double>::infinity();
  std::mutex mutex_;
  std::map<std::vector<int>, double> known_;
};

/// Returns a key; plans of equal behaviour have equal keys.
std::vector<int> joint_key(const Plan& plan);

enum class Schedules { any, all, one_f_one_b, gpipe };

struct Request {
  int slice = 1;
  bool ignore_memory = false;
  bool synchronous_only = false;
  bool seeds = true;
  Schedules schedules = Schedules::any;  ///< `all`: also every other synchronous one
  int evaluations = 2000;
};

/// The layers in one order, or in all orders of a layer graph at once, with their costs.
struct JointOrder {
  JointOrder(search::Chain made, const Request& wanted)
      : chain(std::move(made)),
        layers(chain, search::Ideals::of_order(chain.profile(), chain.order())),
        costs(layers, wanted.slice, wanted.ignore_memory) {}
  JointOrder(search::Chain made, search::Ideals ideals, const Request& wanted)
      : chain(std::move(made)), layers(chain, std::move(ideals)), costs(layers, wanted.slice, wanted.ignore_memory) {}
  JointOrder(const JointOrder&) = delete;
  JointOrder& operator=(const JointOrder&) = delete;

  search::Chain chain;
  Layers layers;
  JointCosts costs;
};

class Pool {
 public:
  struct Entry {
    Plan plan;
    double time = 0;
    bool expanded = false;  ///< its neighbours are known
  };

  Pool(const Problem& problem, const Request& wanted, const PlannerContext& context)
      : problem_(problem), wanted_(wanted), context_(context), times_(problem, context.score) {}

  /// Returns the order of a plan's stages; an empty order is the chain's own.
  Result<JointOrder*> order_of(const std::vector<LayerId>& order);
  Result<JointOrder*> order_of(const Plan& plan);
  const std::vector<std::unique_ptr<JointOrder>>& orders() const { return orders_; }

  /// One in which these ideals, each within the next, are prefixes: a known one if there is any.
  Result<JointOrder*> order_with(const search::Ideals& ideals, const std::vector<int>& nested);

  /// Returns the score for other planners: the pool's own (PlanTimes).
  Score score();
  /// Adds another planner's answer, as it is and in launch order; does not use the budget.
  Result<void> add_initial_plan(Plan plan);
  /// Simulates these pipelines under every requested schedule that fits; `quick`: only under 1F1B or the plan's own.
  Result<void> add(const std::vector<Plan>& pipelines, bool quick);
  /// Simulates plans of any schedule if they fit by simulation; does not use the budget.
  Result<void> add_judged(const std::vector<Plan>& plans);
  /// Simulates plans whose warm-ups are set, if they fit or may fit.
  Result<void> add_exact(const std::vector<Plan>& plans);

  std::vector<Entry>& entries() { return entries_; }  ///< best first
  bool empty() const { return entries_.empty(); }
  bool exhausted() const { return spent_ >= wanted_.evaluations; }
  int spent() const { return spent_; }
  void spend(int evaluations) { spent_ += evaluations; }
  double best() const { return entries_.empty() ? std::numeric_limits<double>::infinity() : entries_.front().time; }
  /// Returns the simulated time of the worst plan of the answer so far, seconds; infinite if the answer is incomplete.
  double incumbent_time() const;
  /// Returns a limit for closed forms and plans, seconds: neighbours are rarely more than 10 % faster.
  double refine_threshold() const { return 1.1 * best(); }
  /// Returns true if simulations are expensive. Then only possible answers are simulated, no intermediate plans.
  bool large() const { return orders_.front()->chain.devices() > 128; }
  /// Returns the time from which a plan is neither an answer nor improved, seconds.
  double reject_threshold() const;

 private:
  struct Trial {
    Plan plan;
    bool uncertain = false;  ///< only a simulation shows whether it fits
  };
  Result<void> simulate(std::vector<Trial> trials);
  const std::stop_token& simulation_stop() const {
    return context_.simulation_stop.stop_possible() ? context_.simulation_stop : context_.stop;
  }
  bool is_new(const Plan& plan);
  bool allowed(const Plan& plan) const;
  std::vector<Trial> scheduled(JointOrder& order, const Plan& pipeline, bool quick);
  bool fits(JointOrder& order, const Plan& plan);
  /// Returns true if a simulation must decide whether the plan fits, and is worth its time.
  bool may_fit(JointOrder& order, const Plan& plan);
  void insert(Plan plan, double time);

  Problem problem_;
  Request wanted_;
  PlannerContext context_;
  PlanTimes times_;
  std::vector<std::unique_ptr<JointOrder>> orders_;
  std::map<std::vector<LayerId>, std::size_t> order_index_;
  std::set<std::vector<int>> seen_;
  std::vector<Entry> entries_;
  int spent_ = 0;
};

}  // namespace pipedeck::planner::joint
