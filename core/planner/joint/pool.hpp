// SPDX-License-Identifier: Apache-2.0
// The plans that joint has simulated within its budget, each once; the best are saved.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/planner/joint/costs.hpp"
#include "core/planner/joint/judge.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck::planner::joint {

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
      : problem_(problem), wanted_(wanted), context_(context), judge_(problem, context.score) {}

  /// Returns the order of a plan's stages; an empty order is the chain's own.
  Result<JointOrder*> order_of(const std::vector<LayerId>& order);
  Result<JointOrder*> order_of(const Plan& plan);
  const std::vector<std::unique_ptr<JointOrder>>& orders() const { return orders_; }

  /// One in which these ideals, each within the next, are prefixes: a known one if there is any.
  Result<JointOrder*> order_with(const search::Ideals& ideals, const std::vector<int>& nested);

  /// Returns the score for other planners: the pool's own (judge.hpp).
  Score score();
  /// Adds another planner's answer unchanged; does not use the budget.
  Result<void> add_initial_plan(Plan plan);
  /// Simulates these pipelines under every requested schedule that fits; `quick`: only under 1F1B or the plan's own.
  Result<void> add(const std::vector<Plan>& pipelines, bool quick);
  /// Simulates plans of any schedule if they fit by simulation; does not use the budget.
  Result<void> add_judged(const std::vector<Plan>& plans);
  /// Simulates plans whose warm-ups are set, if they fit.
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
  Result<void> simulate(std::vector<Plan> plans);
  bool is_new(const Plan& plan);
  bool allowed(const Plan& plan) const;
  std::vector<Plan> scheduled(JointOrder& order, const Plan& pipeline, bool quick);
  bool fits(JointOrder& order, const Plan& plan);
  void insert(Plan plan, double time);

  Problem problem_;
  Request wanted_;
  PlannerContext context_;
  Judge judge_;
  std::vector<std::unique_ptr<JointOrder>> orders_;
  std::map<std::vector<LayerId>, std::size_t> order_index_;
  std::set<std::vector<int>> seen_;
  std::vector<Entry> entries_;
  int spent_ = 0;
};

}  // namespace pipedeck::planner::joint
