// SPDX-License-Identifier: Apache-2.0
// joint's third step: local moves on the simulated time. The next plan is the quickest one whose neighbours
// (moves.hpp) are unknown. Its neighbours of least closed form are simulated.
#include <algorithm>
#include <map>
#include <tuple>

#include "core/plan/warmups.hpp"
#include "core/planner/joint/moves.hpp"
#include "core/planner/joint/run.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

// Devices of neighbours that count as one evaluation, even if none is simulated.
constexpr std::int64_t copies_per_evaluation = 500;
constexpr std::size_t max_neighbours = 40;  // of a plan, by closed form
constexpr double restless = 0.003;          // a plan's penalty for each expansion of one of its shape

class Improver {
 public:
  explicit Improver(Run& run) : run_(run), pool_(run.pool) {}

  Result<void> run() {
    while (!pool_.exhausted() && !run_.enough()) {
      report(run_.context.progress, 0.6 + 0.4 * pool_.spent() / run_.wanted.evaluations, "improving");
      TRY_VOID(check_stop(run_.context));
      Pool::Entry* entry = most_promising();
      if (!entry) return {};
      entry->expanded = true;
      const Plan plan = entry->plan;
      ++expansions_[shape_of(plan)];
      TRY_VOID(expand(plan));
    }
    return {};
  }

 private:
  using Shape = std::tuple<std::size_t, int, bool>;
  static Shape shape_of(const Plan& plan) { return {plan.stages.size(), plan.micro_batch, plan.synchronous()}; }

  Pool::Entry* most_promising() {
    Pool::Entry* best = nullptr;
    double least = pool_.refine_threshold();
    for (Pool::Entry& entry : pool_.entries()) {
      if (entry.expanded || !movable(entry.plan)) continue;
      const auto known = expansions_.find(shape_of(entry.plan));
      const double rank = entry.time * (1 + restless * (known == expansions_.end() ? 0 : known->second));
      if (rank < least) least = rank, best = &entry;
    }
    return best;
  }

  /// Returns true if local moves know the schedule; plans of other schedules stay as seeds.
  static bool movable(const Plan& plan) {
    return plan.schedule == ScheduleKind::gpipe || plan.schedule == ScheduleKind::one_f_one_b ||
           plan.schedule == ScheduleKind::pipedream;
  }

  Result<void> expand(const Plan& plan) {
    TRY(auto order, pool_.order_of(plan));
    TRY_VOID(other_schedules(plan));
    std::vector<std::pair<double, Plan>> near;
    std::vector<Plan> neighbours = joint_neighbours(order->costs, plan, run_.sizes);
    const auto copied =
        static_cast<std::int64_t>(neighbours.size()) * static_cast<std::int64_t>(devices_used(plan).size());
    pool_.spend(static_cast<int>(copied / copies_per_evaluation));
    for (Plan& other : neighbours) {
      const double bound = order->costs.closed_form(other);
      if (bound < pool_.reject_threshold()) near.push_back({bound, std::move(other)});
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Plan> chosen;
    for (auto& [bound, other] : near)
      if (chosen.size() < max_neighbours) chosen.push_back(std::move(other));
    return pool_.add(chosen, true);
  }

  /// Tries the stages under the other schedules, and with one micro-batch more or fewer in a stage's warm-up. An
  /// asynchronous plan is tried in its synchronous forms.
  Result<void> other_schedules(const Plan& plan) {
    if (!plan.synchronous()) {
      std::vector<Plan> forms;
      for (const int size : run_.sizes) {
        Plan form = plan;
        form.schedule = ScheduleKind::one_f_one_b;
        form.micro_batch = size;
        form.micro_batches = plan.global_batch / size;
        const bool enough_samples = std::all_of(form.stages.begin(), form.stages.end(), [&](const Stage& stage) {
          return stage.replicas() * run_.wanted.slice <= size;
        });
        if (enough_samples) forms.push_back(std::move(form));
      }
      return pool_.add(forms, true);
    }
    TRY_VOID(pool_.add({plan}, false));
    return pool_.large() ? Result<void>() : pool_.add_exact(other_warmups(plan));
  }

  static std::vector<Plan> other_warmups(const Plan& plan) {
    std::vector<Plan> plans;
    if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2) return plans;
    const int stages = static_cast<int>(plan.stages.size());
    const auto counts = plan.warmup_counts.value_or(plan::policy_warmups(stages, plan.micro_batches, plan.warmup));
    const auto take = [&](std::vector<int> changed) {
      // Counts never rise, or a stage would wait for more micro-batches than the one before admits.
      for (std::size_t i = 0; i < changed.size(); ++i)
        if (changed[i] < 1 || changed[i] > plan.micro_batches || (i > 0 && changed[i] > changed[i - 1])) return;
      Plan other = plan;
      other.warmup_counts = std::move(changed);
      plans.push_back(std::move(other));
    };
    for (std::size_t s = 0; s < counts.size(); ++s)
      for (const int by : {-1, 1}) {
        std::vector<int> changed = counts;
        changed[s] += by;
        take(changed);
        changed = counts;
        for (std::size_t t = 0; t <= s; ++t) changed[t] += by;
        take(std::move(changed));
      }
    return plans;
  }

  Run& run_;
  Pool& pool_;
  std::map<Shape, int> expansions_;
};

}  // namespace

Result<void> improve_joint_plans(Run& run) { return Improver(run).run(); }

}  // namespace pipedeck::planner::joint
