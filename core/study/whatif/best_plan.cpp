// SPDX-License-Identifier: Apache-2.0
#include "core/study/whatif/best_plan.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "core/base/parallel_for.hpp"
#include "core/cost/lower_bound.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/network.hpp"
#include "core/model/memory_verdict.hpp"
#include "core/plan/validate.hpp"
#include "core/schedule/build.hpp"
#include "core/study/plan_simulator.hpp"
#include "core/study/utilization.hpp"

namespace pipedeck::study::whatif {
namespace {

/// They search as long as they are let.
bool is_slow(const planner::PlannerInfo& planner) { return planner.name == "joint" || planner.name == "amp-sa"; }

/// Returns the price of the nodes in which the plan has a device: half a node can't be rented.
std::optional<double> price_of_nodes(const Cluster& cluster, const std::set<NodeId>& nodes) {
  double price = 0;
  for (const NodeId node : nodes)
    for (const DeviceGroup& group : cluster.nodes[node.index()].devices) {
      const DeviceType* type = find_device_type(cluster, group.type);
      if (!type || !type->price_per_hour) return {};
      price += *type->price_per_hour * group.count;
    }
  return price;
}

PlanCandidate figures_of(const Problem& problem, std::shared_ptr<const Plan> plan, const Simulation& simulation) {
  PlanCandidate found;
  const std::vector<Device> devices = devices_of(*problem.cluster);
  std::set<NodeId> nodes;
  for (const DeviceId device : devices_used(*plan)) nodes.insert(devices[device.index()].node);
  found.devices = static_cast<int>(devices_used(*plan).size());
  found.nodes = static_cast<int>(nodes.size());
  found.price_per_hour = price_of_nodes(*problem.cluster, nodes);
  found.utilization = utilization_of(problem, *plan, simulation.samples_per_second);
  found.plan = std::move(plan);
  found.cluster = problem.cluster;
  found.iteration = to_seconds(simulation.iteration);
  found.samples_per_second = simulation.samples_per_second;
  found.fits = simulation.fits;
  if (const SimulatedDevice* fullest = most_loaded_device(simulation)) {
    found.peak = fullest->peak;
    found.capacity = fullest->capacity;
  }
  for (const SimulatedDevice& device : simulation.devices)
    found.largest_peak = std::max(found.largest_peak, device.peak);
  return found;
}

/// The results of all threads, and their receiver.
class Answers {
 public:
  Answers(std::size_t tasks, const SearchOptions& how, const std::function<void(const Candidate&)>& better)
      : plans_(tasks), reasons_(tasks), done_(tasks, 0.0), how_(how), better_(better) {}

  void add(std::size_t task, Candidate simulated_plan) {
    if (!simulated_plan.found.fits) return;
    const std::lock_guard lock(mutex_);
    if (better_ && (!best_ || is_better(simulated_plan.found, *best_))) {
      best_ = simulated_plan.found;
      better_(simulated_plan);
    }
    plans_[task].push_back(std::move(simulated_plan));
  }

  void say(std::size_t task, std::string reason) {
    const std::lock_guard lock(mutex_);
    reasons_[task] = std::move(reason);
  }

  void set(std::size_t task, double done, std::string_view what) {
    const std::lock_guard lock(mutex_);
    done_[task] = std::clamp(done, 0.0, 1.0);
    double sum = 0;
    for (const double one : done_) sum += one;
    report(how_.progress, sum / static_cast<double>(done_.size()), what);
  }

  /// In the order of the tasks, whoever was done first.
  BestPlan sorted() {
    std::vector<Candidate> all;
    for (std::vector<Candidate>& some : plans_) std::move(some.begin(), some.end(), std::back_inserter(all));
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return is_better(a.found, b.found); });
    BestPlan answer;
    for (const Candidate& one : all) answer.found.push_back(one.found);
    if (!all.empty()) answer.best = std::move(all.front());
    for (const std::string& reason : reasons_)
      if (answer.failure_reason.empty()) answer.failure_reason = reason;
    if (answer.failure_reason.empty()) answer.failure_reason = "no planner found a plan that fits";
    if (answer.best) answer.failure_reason.clear();
    return answer;
  }

 private:
  std::mutex mutex_;
  std::vector<std::vector<Candidate>> plans_;
  std::vector<std::string> reasons_;
  std::vector<double> done_;
  std::optional<PlanCandidate> best_;
  const SearchOptions& how_;
  const std::function<void(const Candidate&)>& better_;
};

std::string text_of(const planner::Infeasible& infeasible, const planner::PlannerInfo& planner) {
  std::string text = fmt::format("{}: {}", planner.title, infeasible.reason);
  if (!infeasible.relaxation.empty()) text = fmt::format("{}; it would fit with {}", text, infeasible.relaxation);
  return text;
}

planner::PlannerContext context_of(const sim::Simulator& simulator, int top, const SearchOptions& how) {
  planner::PlannerContext context = context_for(simulator, how.stop);
  context.deadline_token = how.deadline_token;
  context.top = top;
  context.relax = false;
  return context;
}
}  // namespace

bool is_better(const PlanCandidate& a, const PlanCandidate& b) {
  const auto rank = [](const PlanCandidate& plan) {
    return std::tuple(!plan.fits, !plan.plan->synchronous(), -plan.samples_per_second, plan.largest_peak);
  };
  return rank(a) < rank(b);
}

bool answers(const Problem& problem, const Plan& plan) {
  const Workload& workload = problem.workload;
  if (plan.global_batch != workload.global_batch) return false;
  if (workload.micro_batch && plan.synchronous() && plan.micro_batch != *workload.micro_batch) return false;
  return !first_violation(plan, *problem.profile, problem.pins);
}

Result<Candidate> simulate_plan(const Problem& problem, const sim::Simulator& simulator, Plan plan,
                                std::stop_token stop) {
  TRY_VOID(plan::validate(plan, *problem.profile, *problem.cluster));
  TRY(auto simulation, simulator.run(plan, std::move(stop)));
  TRY(const auto bound, cost::lower_bound_of(problem, plan));
  plan = sim::with_prediction(std::move(plan), simulation, bound);
  plan.profile = problem.profile->name;
  plan.cluster = problem.cluster->name;
  auto kept = std::make_shared<const Simulation>(std::move(simulation));
  return Candidate{figures_of(problem, std::make_shared<const Plan>(std::move(plan)), *kept), kept};
}

Result<BestPlan> best_plan(const Problem& problem, std::span<const PlannerRequest> planners, std::span<const Plan> kept,
                           int top, const SearchOptions& how, const std::function<void(const Candidate&)>& better) {
  TRY(const auto simulator, sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions));
  std::vector<PlannerRequest> asked(planners.begin(), planners.end());
  std::stable_partition(asked.begin(), asked.end(), [](const PlannerRequest& one) { return !is_slow(*one.planner); });

  Answers all(kept.size() + asked.size(), how, better);
  const auto simulate_saved = [&](std::size_t i) {
    const Plan& plan = kept[i];
    if (!answers(problem, plan)) return;
    auto simulated_plan = simulate_plan(problem, simulator, plan, how.stop);
    if (simulated_plan) all.add(i, *std::move(simulated_plan));
  };
  const auto ask = [&](std::size_t i, const PlannerRequest& one) {
    planner::PlannerContext context = context_of(simulator, top, how);
    context.progress = [&](double done, std::string_view) { all.set(i, done, one.planner->title); };
    auto ranking = planner::run_planner(*one.planner, problem, one.options, context);
    if (!ranking) return all.say(i, one.planner->title + ": " + ranking.error().text());
    if (ranking->infeasible) all.say(i, text_of(*ranking->infeasible, *one.planner));
    for (Plan& plan : ranking->plans) {
      if (!answers(problem, plan)) continue;
      auto simulated_plan = simulate_plan(problem, simulator, std::move(plan), how.stop);
      if (simulated_plan) all.add(i, *std::move(simulated_plan));
    }
  };
  parallel_for(kept.size() + asked.size(), how.threads, [&](std::size_t i) {
    if (how.stop.stop_requested()) return;
    i < kept.size() ? simulate_saved(i) : ask(i, asked[i - kept.size()]);
    all.set(i, 1, i < kept.size() ? std::string_view() : asked[i - kept.size()].planner->title);
  });
  if (how.stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  return all.sorted();
}

}  // namespace pipedeck::study::whatif
