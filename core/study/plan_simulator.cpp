// SPDX-License-Identifier: Apache-2.0
#include "core/study/plan_simulator.hpp"

#include "core/cost/lower_bound.hpp"
#include "core/plan/validate.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/planner.hpp"
#include "core/study/fitting.hpp"
#include "core/study/reasons.hpp"

namespace pipedeck::study {

namespace {

constexpr std::size_t max_results = 128;
constexpr std::size_t max_problems = 16;

std::size_t bytes_of(const Simulation& simulation) {
  constexpr std::size_t row = 2 * sizeof(std::int64_t) + sizeof(std::int32_t) + sizeof(std::uint16_t) + sizeof(OpKind);
  std::size_t sum = simulation.timeline.size() * row;
  for (const SimulatedDevice& device : simulation.devices)
    sum += device.curve.size() * sizeof(MemoryPoint) + device.item_curve.size() * sizeof(MemoryBreakdown);
  return sum;
}

template <class Cache, class Entry>
void remember_up_to(Cache& cache, Entry entry, std::size_t most) {
  cache.push_front(std::move(entry));
  if (cache.size() > most) cache.pop_back();
}

/// Returns the time of the best plan on one device, even if it does not fit: the reference of "speed-up".
Seconds single_device_time(const Problem& problem, const sim::Simulator& simulator, std::stop_token stop) {
  planner::PlannerContext context = context_for(simulator, stop);
  context.fits = {};  // memory is left aside
  const auto ranking = planner::rank_one_device(problem, context);
  if (!ranking || ranking->plans.empty()) return {};
  return simulator.iteration_time(ranking->plans.front()).value_or(Seconds{});
}

}  // namespace

planner::PlannerContext context_for(const sim::Simulator& simulator, std::stop_token stop) {
  planner::PlannerContext context;
  context.score = sim::score_of(simulator);
  context.fits = sim::fits_of(simulator);
  context.stop = std::move(stop);
  return context;
}

std::optional<OtherWarmup> other_warmup_of(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop) {
  const auto other = with_alternate_warmup(plan);
  if (!other) return std::nullopt;
  const auto simulation = simulator.run(*other, stop);
  if (!simulation) return std::nullopt;
  return OtherWarmup{other->warmup, to_seconds(simulation->iteration), simulation->fits};
}

Seconds ProblemBounds::bound_of(const Plan& plan) const {
  if (has_mesh(plan)) return plan.certificate ? plan.certificate->lower_bound : Seconds();
  if (!plan.synchronous()) return steady_bound;
  return micro_batch.value_or(plan.micro_batch) == plan.micro_batch ? lower_bound : open_bound;
}

template <class Key, class Value>
const Value* PlanSimulator::find_cached(const std::list<CacheEntry<Key, Value>>& cache, const Key& key) {
  for (const auto& entry : cache) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

PlanSimulator::PlanKey PlanSimulator::key_of(const Problem& problem, const Plan& plan) {
  Plan bare = plan;
  bare.name.clear();
  bare.planner.clear();
  bare.profile.clear();
  bare.cluster.clear();
  bare.profile_sha256.clear();
  bare.cluster_sha256.clear();
  bare.objective.reset();
  bare.predicted.reset();
  bare.merits.clear();
  bare.truncated = false;
  bare.extra.clear();
  return {problem.profile, problem.cluster, problem.workload.conventions, std::move(bare)};
}

PlanSimulator::ProblemKey PlanSimulator::key_of(const Problem& problem) {
  return {problem.profile, problem.cluster, problem.workload};
}

/// Returns a key without a batch: paths and cuts do not depend on it.
PlanSimulator::ProblemKey PlanSimulator::key_of_inputs(const Problem& problem, const SimulationOptions& conventions) {
  ProblemKey key{problem.profile, problem.cluster, {}};
  key.workload.conventions = conventions;
  return key;
}

std::shared_ptr<const PlanResult> PlanSimulator::find(const Problem& problem, const Plan& plan) const {
  const PlanKey key = key_of(problem, plan);
  const std::lock_guard lock(mutex_);
  const auto* plan_result = find_cached(results_, key);
  if (!plan_result) plan_result = find_cached(previews_, key);
  return plan_result ? *plan_result : nullptr;
}

std::optional<ProblemBounds> PlanSimulator::find_bounds(const Problem& problem) const {
  const std::lock_guard lock(mutex_);
  const auto* facts = find_cached(facts_, key_of(problem));
  return facts ? std::optional(*facts) : std::nullopt;
}

Result<sim::Simulator> PlanSimulator::simulator(const Problem& problem) {
  ProblemKey key = key_of_inputs(problem, problem.workload.conventions);
  {
    const std::lock_guard lock(mutex_);
    if (const auto* known = find_cached(simulators_, key)) return *known;
  }
  auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return simulator;
  const std::lock_guard lock(mutex_);
  remember_up_to(simulators_, CacheEntry<ProblemKey, sim::Simulator>{std::move(key), *simulator}, max_problems);
  return simulator;
}

Origin PlanSimulator::origin(const Problem& problem) {
  ProblemKey key = key_of_inputs(problem, {});
  {
    const std::lock_guard lock(mutex_);
    if (const auto* known = find_cached(origins_, key)) return *known;
  }
  Origin made = origin_of(*problem.profile, *problem.cluster);
  const std::lock_guard lock(mutex_);
  remember_up_to(origins_, CacheEntry<ProblemKey, Origin>{std::move(key), made}, max_problems);
  return made;
}

void PlanSimulator::remember_result(PlanKey key, std::shared_ptr<const PlanResult> plan_result) {
  const std::lock_guard lock(mutex_);
  results_.remove_if([&](const auto& entry) { return entry.key == key; });
  remember_up_to(results_,
                 CacheEntry<PlanKey, std::shared_ptr<const PlanResult>>{std::move(key), std::move(plan_result)},
                 max_results);
}

std::size_t PlanSimulator::preview_cache_bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& entry : previews_) sum += bytes_of(*entry.value->simulation);
  return sum;
}

void PlanSimulator::remember_preview(PlanKey key, std::shared_ptr<const PlanResult> plan_result) {
  const std::lock_guard lock(mutex_);
  previews_.push_front({std::move(key), std::move(plan_result)});
  std::size_t sum = 0;
  auto first_too_many = previews_.begin();
  for (; first_too_many != previews_.end(); ++first_too_many) {
    sum += bytes_of(*first_too_many->value->simulation);
    if (sum > max_preview_bytes && first_too_many != previews_.begin()) break;
  }
  previews_.erase(first_too_many, previews_.end());
  if (previews_.size() > max_results) previews_.pop_back();
}

Result<std::shared_ptr<const PlanResult>> PlanSimulator::preview(const Problem& problem, const Plan& plan,
                                                                 std::stop_token stop) {
  if (const auto plan_result = find(problem, plan)) return plan_result;
  if (auto valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid) {
    return tl::unexpected(valid.error());
  }
  TRY(const auto plan_simulator, simulator(problem));
  TRY(auto simulated, plan_simulator.run(plan, stop));
  auto simulation = std::make_shared<const Simulation>(std::move(simulated));
  auto reasons = std::make_shared<const PlanReasons>(reasons_of(plan_simulator, plan, *simulation));
  auto plan_result = std::make_shared<const PlanResult>(
      PlanResult{simulation, std::move(reasons), std::nullopt,
                 simulation->fits && !with_alternate_warmup(plan) && !plan::short_warmup(plan)});
  remember_preview(key_of(problem, plan), plan_result);
  return plan_result;
}

Result<std::shared_ptr<const Simulation>> PlanSimulator::simulation(const Problem& problem, const Plan& plan,
                                                                    std::stop_token stop) {
  TRY(const auto plan_result, preview(problem, plan, std::move(stop)));
  return plan_result->simulation;
}

Result<std::shared_ptr<const PlanResult>> PlanSimulator::compute_result(const Problem& problem, const Plan& plan,
                                                                        std::stop_token stop) {
  if (auto plan_result = find(problem, plan); plan_result && plan_result->complete) {
    remember_result(key_of(problem, plan), plan_result);  // it may have been a preview
    return plan_result;
  }
  TRY(const auto simulated, preview(problem, plan, stop));
  TRY(const auto plan_simulator, simulator(problem));
  auto other = other_warmup_of(plan_simulator, plan, stop);
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  auto reasons = simulated->reasons;
  if (!simulated->simulation->fits || plan::short_warmup(plan)) {
    PlanReasons more = *reasons;
    more.warmup = warmup_reason(plan_simulator, plan, stop);
    if (!simulated->simulation->fits) more.fitting = fitting_changes(problem, plan_simulator, plan, stop);
    reasons = std::make_shared<const PlanReasons>(std::move(more));
  }
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  auto plan_result =
      std::make_shared<const PlanResult>(PlanResult{simulated->simulation, std::move(reasons), std::move(other), true});
  remember_result(key_of(problem, plan), plan_result);
  return plan_result;
}

Result<SimulatedPlan> PlanSimulator::simulate(const Problem& problem, Plan plan, std::stop_token stop) {
  TRY(const auto result, compute_result(problem, plan, stop));
  TRY(const auto bound, cost::lower_bound_of(problem, plan));
  plan = with_origin(sim::with_prediction(std::move(plan), *result->simulation, bound), origin(problem));
  return SimulatedPlan{std::move(plan), result->simulation, result->other_warmup};
}

Result<ProblemBounds> PlanSimulator::facts(const Problem& problem, std::stop_token stop) {
  if (const auto facts = find_bounds(problem)) return *facts;
  Problem open = problem;
  open.workload.micro_batch.reset();
  TRY(const auto bound, cost::lower_bound(problem));
  TRY(const auto open_bound, cost::lower_bound(open));
  TRY(const auto steady, cost::lower_bound(problem, false));
  TRY(const auto plan_simulator, simulator(problem));
  const ProblemBounds facts{bound, open_bound, steady, single_device_time(problem, plan_simulator, stop),
                            problem.workload.micro_batch};
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
  const std::lock_guard lock(mutex_);
  remember_up_to(facts_, CacheEntry<ProblemKey, ProblemBounds>{key_of(problem), facts}, max_problems);
  return facts;
}

}  // namespace pipedeck::study
