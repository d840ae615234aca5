// SPDX-License-Identifier: Apache-2.0
#include "core/study/whatif/front.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include "core/base/parallel_for.hpp"
#include "core/base/pareto.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/reschedule.hpp"
#include "core/schedule/build.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::whatif {
namespace {

constexpr int max_sizes = 8;
constexpr std::size_t varied = 2;  ///< of the plans of one size and micro-batch

/// A size of the cluster and a micro-batch.
struct Cell {
  Problem problem;
  sim::Simulator simulator;
};

struct Task {
  std::size_t cell = 0;
  PlannerRequest asked;
};

/// Two plans of equal figures on equally many nodes are one point.
using Figures = std::tuple<int, int, double, std::int64_t, int>;
Figures key_of(const PlanCandidate& plan) {
  return {static_cast<int>(plan.cluster->nodes.size()), plan.devices, plan.samples_per_second, plan.largest_peak.count,
          plan.plan->synchronous() ? 1 : 0};
}

class Finder {
 public:
  Finder(std::vector<Cell> cells, std::vector<Task> tasks, const FrontSpace& space, const SearchOptions& how,
         const std::function<void(const std::vector<PlanCandidate>&)>& some)
      : cells_(std::move(cells)),
        tasks_(std::move(tasks)),
        space_(space),
        how_(how),
        some_(some),
        of_task_(tasks_.size()),
        of_cell_(cells_.size()) {}

  Result<std::vector<PlanCandidate>> run() {
    steps_ = tasks_.size() + (space_.variants ? cells_.size() : 0);
    parallel_for(tasks_.size(), how_.threads, [&](std::size_t t) {
      if (!over()) take(of_task_[t], ask(tasks_[t]));
      step(tasks_[t].asked.planner->title);
    });
    if (space_.variants)
      parallel_for(cells_.size(), how_.threads, [&](std::size_t c) {
        if (!over()) take(of_cell_[c], variants(c));
        step("other schedules");
      });
    if (how_.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    return unique();
  }

 private:
  bool over() const { return how_.stop.stop_requested() || how_.deadline_token.stop_requested(); }

  void take(std::vector<PlanCandidate>& place, std::vector<PlanCandidate> plans) {
    if (some_ && !plans.empty()) {
      const std::lock_guard lock(mutex_);
      some_(plans);
    }
    place = std::move(plans);
  }

  void step(std::string_view what) {
    const std::lock_guard lock(mutex_);
    report(how_.progress, static_cast<double>(++done_) / static_cast<double>(steps_), what);
  }

  void plan_simulator(const Cell& cell, Plan plan, std::vector<PlanCandidate>& found) const {
    if (!answers(cell.problem, plan)) return;
    auto simulated_plan = simulate_plan(cell.problem, cell.simulator, std::move(plan), how_.stop);
    if (simulated_plan && simulated_plan->found.fits) found.push_back(std::move(simulated_plan->found));
  }

  std::vector<PlanCandidate> ask(const Task& task) const {
    const Cell& cell = cells_[task.cell];
    planner::PlannerContext context = context_for(cell.simulator, how_.stop);
    context.deadline_token = how_.deadline_token;
    context.top = space_.top;
    context.relax = false;
    std::vector<PlanCandidate> found;
    auto ranking = planner::run_planner(*task.asked.planner, cell.problem, task.asked.options, context);
    if (!ranking) return found;
    for (Plan& plan : ranking->plans) plan_simulator(cell, std::move(plan), found);
    return found;
  }

  /// The best plans with a flush of a cell, without those of planners that came to the same.
  std::vector<PlanCandidate> best_of(std::size_t cell) const {
    std::vector<PlanCandidate> plans;
    std::set<Figures> seen;
    for (std::size_t t = 0; t < tasks_.size(); ++t)
      for (const PlanCandidate& plan : of_task_[t])
        if (tasks_[t].cell == cell && plan.plan->synchronous() && seen.insert(key_of(plan)).second)
          plans.push_back(plan);
    std::stable_sort(plans.begin(), plans.end(), is_better);
    plans.resize(std::min(plans.size(), varied));
    return plans;
  }

  std::vector<PlanCandidate> variants(std::size_t c) const {
    std::vector<PlanCandidate> found;
    for (const PlanCandidate& base : best_of(c))
      for (const ScheduleTraits& info : all_schedules) {
        if (over()) return found;
        if (asynchronous(info.kind) || info.kind == ScheduleKind::explicit_order ||
            info.kind == ScheduleKind::adaptive || (base.plan->stages.size() < 2 && info.kind != base.plan->schedule))
          continue;
        Plan plan = *base.plan;
        if (info.kind != plan.schedule) {
          auto changed = plan::with_schedule(plan, *cells_[c].problem.profile, info.kind);
          if (!changed) continue;
          plan = *std::move(changed);
          plan.name += ", " + std::string(info.name);
          plan_simulator(cells_[c], plan, found);
        }
        plan.name += ", recomputed";
        plan.merits.clear();
        plan.objective.reset();
        plan.certificate.reset();
        const RecomputeUnit each =
            plan::usual_recompute_unit(*cells_[c].problem.profile, order_of(plan, *cells_[c].problem.profile));
        for (Stage& stage : plan.stages) stage.recompute = {true, {}, each};
        plan_simulator(cells_[c], std::move(plan), found);
      }
    return found;
  }

  std::vector<PlanCandidate> unique() const {
    std::vector<PlanCandidate> all;
    std::set<Figures> seen;
    for (const auto* places : {&of_task_, &of_cell_})
      for (const std::vector<PlanCandidate>& plans : *places)
        for (const PlanCandidate& plan : plans)
          if (seen.insert(key_of(plan)).second) all.push_back(plan);
    return all;
  }

  std::vector<Cell> cells_;
  std::vector<Task> tasks_;
  const FrontSpace& space_;
  const SearchOptions& how_;
  const std::function<void(const std::vector<PlanCandidate>&)>& some_;
  std::vector<std::vector<PlanCandidate>> of_task_, of_cell_;
  std::mutex mutex_;
  std::size_t steps_ = 1, done_ = 0;
};

/// All cells of the space; a size that is not connected is left out, unless all are.
Result<std::vector<Cell>> cells_of(const Problem& problem, const FrontSpace& space) {
  std::vector<Cell> cells;
  std::optional<Error> first;
  for (const int nodes : space.nodes) {
    auto cluster = std::make_shared<const Cluster>(with_node_count(*problem.cluster, nodes));
    auto simulator = sim::Simulator::of(problem.profile, cluster, problem.workload.conventions);
    if (!simulator && !first) first = simulator.error();
    if (!simulator) continue;
    const std::size_t devices = devices_of(*cluster).size();
    for (const int micro_batch : space.micro_batches) {
      Cell cell{problem, *simulator};
      cell.problem.cluster = cluster;
      cell.problem.workload.micro_batch = micro_batch > 0 ? std::optional(micro_batch) : std::nullopt;
      std::erase_if(cell.problem.pins.layers, [&](const auto& pin) { return pin.second.index() >= devices; });
      cells.push_back(std::move(cell));
    }
  }
  if (cells.empty() && first) return tl::unexpected(*first);
  return cells;
}

}  // namespace

FrontSpace front_space(const Problem& problem) {
  FrontSpace space;
  const int nodes = static_cast<int>(problem.cluster->nodes.size());
  const int sizes = std::min(nodes, max_sizes);
  for (int i = 1; i <= sizes; ++i) space.nodes.push_back(static_cast<int>(std::int64_t{nodes} * i / sizes));
  if (nodes > 1 && space.nodes.front() != 1) space.nodes.insert(space.nodes.begin(), 1);
  const Workload& workload = problem.workload;
  if (workload.micro_batch) {
    space.micro_batches = {*workload.micro_batch};
    return space;
  }
  space.micro_batches = {0};
  for (std::int64_t size = smallest_measured_micro_batch(*problem.profile); size <= workload.global_batch; size *= 2)
    if (workload.global_batch % size == 0) space.micro_batches.push_back(static_cast<int>(size));
  return space;
}

std::vector<ObjectiveVector> front_costs(std::span<const PlanCandidate> plans) {
  const bool priced = std::all_of(plans.begin(), plans.end(),
                                  [](const PlanCandidate& plan) { return plan.price_per_hour.has_value(); });
  std::vector<ObjectiveVector> costs;
  for (const PlanCandidate& plan : plans)
    costs.push_back(
        {-plan.samples_per_second, static_cast<double>(plan.largest_peak.count), priced ? *plan.price_per_hour : 0});
  return costs;
}

std::vector<std::size_t> front_of(std::span<const PlanCandidate> plans) {
  const std::vector<bool> stands = non_dominated(front_costs(plans));
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (stands[i]) front.push_back(i);
  return front;
}

Result<std::vector<PlanCandidate>> find_front(const Problem& problem, std::span<const PlannerRequest> planners,
                                              const FrontSpace& space, const SearchOptions& how,
                                              const std::function<void(const std::vector<PlanCandidate>&)>& some) {
  TRY(auto cells, cells_of(problem, space));
  std::vector<Task> tasks;
  for (std::size_t c = 0; c < cells.size(); ++c)
    for (const PlannerRequest& asked : planners) tasks.push_back({c, asked});
  return Finder(std::move(cells), std::move(tasks), space, how, some).run();
}

}  // namespace pipedeck::study::whatif
