// SPDX-License-Identifier: Apache-2.0
// The plans that joint has simulated, within its budget: each once, the best kept.
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

struct Wanted {
  int slice = 1;
  bool ignore_memory = false;
  bool synchronous_only = false;
  bool seeds = true;
  std::string schedule = "any";  ///< or one of the synchronous schedules, or "all" of them
  int evaluations = 2000;
};

/// What is known of the layers in one order, or of all orders of a layer graph at once.
struct JointOrder {
  JointOrder(search::Chain made, const Wanted& wanted)
      : chain(std::move(made)),
        layers(chain, search::Ideals::of_order(chain.profile(), chain.order())),
        costs(layers, wanted.slice, wanted.ignore_memory) {}
  JointOrder(search::Chain made, search::Ideals ideals, const Wanted& wanted)
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

  Pool(const Problem& problem, const Wanted& wanted, const PlannerContext& context)
      : problem_(problem), wanted_(wanted), context_(context), judge_(problem, context.score) {}

  /// The order that a plan's stages refer to; an empty one is the chain's own.
  Result<JointOrder*> order_of(const std::vector<LayerId>& order);
  Result<JointOrder*> order_of(const Plan& plan);
  const std::vector<std::unique_ptr<JointOrder>>& orders() const { return orders_; }

  /// One in which these ideals, each within the next, are prefixes: a known one if there is any.
  Result<JointOrder*> order_with(const search::Ideals& ideals, const std::vector<int>& nested);

  /// How other planners are to judge their plans: as here (joint_judge.hpp).
  Score score();
  /// Another planner's answer, as it is; without budget.
  Result<void> add_seed(Plan plan);
  /// Simulates these pipelines under every schedule wanted that fits; `quick`: under 1F1B alone, or the plan's own.
  Result<void> add(const std::vector<Plan>& pipelines, bool quick);
  /// Simulates plans of any schedule, where the simulation says that they fit; without budget.
  Result<void> add_judged(const std::vector<Plan>& plans);
  /// Simulates plans whose warm-ups are set, where they fit.
  Result<void> add_exact(const std::vector<Plan>& plans);

  std::vector<Entry>& entries() { return entries_; }  ///< best first
  bool empty() const { return entries_.empty(); }
  bool exhausted() const { return spent_ >= wanted_.evaluations; }
  int spent() const { return spent_; }
  void spend(int evaluations) { spent_ += evaluations; }
  double best() const { return entries_.empty() ? std::numeric_limits<double>::infinity() : entries_.front().time; }
  /// The simulated time that a plan has to beat to be among the answers.
  double to_beat() const;
  /// Closed forms and plans beyond it are not looked into: neighbours are rarely so much quicker.
  double promising() const { return 1.1 * best(); }
  /// So many devices that a simulation is dear: then only plans are simulated that may be answers, no stepping stones.
  bool large() const { return orders_.front()->chain.devices() > 128; }
  /// A plan that takes so long is neither answered nor improved.
  double worthless() const;

 private:
  Result<void> simulate(std::vector<Plan> plans);
  bool is_new(const Plan& plan);
  bool allowed(const Plan& plan) const;
  std::vector<Plan> scheduled(JointOrder& order, const Plan& pipeline, bool quick);
  bool fits(JointOrder& order, const Plan& plan);
  void insert(Plan plan, double time);

  Problem problem_;
  Wanted wanted_;
  PlannerContext context_;
  Judge judge_;
  std::vector<std::unique_ptr<JointOrder>> orders_;
  std::map<std::vector<LayerId>, std::size_t> order_index_;
  std::set<std::vector<int>> seen_;
  std::vector<Entry> entries_;
  int spent_ = 0;
};

}  // namespace pipedeck::planner::joint
