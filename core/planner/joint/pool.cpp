// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/pool.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/cost/memory.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

constexpr std::size_t max_entries = 200;
// Size of an evaluation: more operations, or more devices to prepare, count as several evaluations. In a large cluster
// operations count four times, because each simulation takes seconds.
constexpr std::int64_t operations_each = 4096, devices_each = 24;

bool offered(const Request& wanted, ScheduleKind kind) {
  if (wanted.schedules == Schedules::one_f_one_b) return kind == ScheduleKind::one_f_one_b;
  return wanted.schedules != Schedules::gpipe || kind == ScheduleKind::gpipe;
}

/// Returns the budget that the plan's simulation takes, in addition to its preparation.
int weight_of(const Plan& plan, bool large) {
  std::int64_t replicas = 0;
  for (const Stage& stage : plan.stages) replicas += stage.replicas();
  return static_cast<int>((large ? 4 : 1) * 2 * replicas * plan.micro_batches / operations_each);
}

int coarse_search_weight(const Plan& plan) {
  std::int64_t devices = 0;
  for (const Stage& stage : plan.stages) devices += static_cast<std::int64_t>(stage.devices.size());
  return static_cast<int>(1 + devices / devices_each);
}

/// Most that any stage of an asynchronous plan needs (memory_fit.hpp) against the least that its devices have.
bool asynchronous_fits(search::Chain& chain, const Plan& plan) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const int kept = cost::pipedream_versions(plan, StageId(s));
    const int before =
        s == 0 ? kept
               : cost::pipedream_in_flight(plan.stages[s - 1].replicas(),
                                           cost::pipedream_versions(plan, StageId(s - 1)), stage.replicas());
    const search::StageNeed need =
        search::stage_need(chain, stage.first, stage.last, stage.replicas(), plan.micro_batch, stage.recompute.any(),
                           kept, stage.tensor_parallel);
    if (need.peak(kept, before) > search::capacity_of(chain.network(), stage.devices)) return false;
  }
  return true;
}

}  // namespace

Result<JointOrder*> Pool::order_of(const std::vector<LayerId>& order) {
  const auto known = order_index_.find(order);
  if (known != order_index_.end()) return orders_[known->second].get();
  TRY(auto chain, order.empty() ? search::Chain::of(problem_) : search::Chain::of(problem_, order));
  if (order.empty()) order_index_[chain.order()] = orders_.size();
  order_index_[order] = orders_.size();
  orders_.push_back(std::make_unique<JointOrder>(std::move(chain), wanted_));
  return orders_.back().get();
}

Result<JointOrder*> Pool::order_of(const Plan& plan) { return order_of(pipedeck::order_of(plan, *problem_.profile)); }

Result<JointOrder*> Pool::order_with(const search::Ideals& ideals, const std::vector<int>& nested) {
  const auto has_prefixes = [&](const std::unique_ptr<JointOrder>& known) {
    const std::vector<LayerId>& order = known->chain.order();
    return std::all_of(nested.begin(), nested.end(), [&](int ideal) {
      return std::all_of(order.begin(), order.begin() + ideals.size(ideal),
                         [&](LayerId layer) { return ideals.has(ideal, layer); });
    });
  };
  const auto known = std::find_if(orders_.begin(), orders_.end(), has_prefixes);
  if (known != orders_.end()) return known->get();
  return order_of(ideals.order(nested).value_or(pipedeck::order_of(Plan(), *problem_.profile)));
}

double Pool::incumbent_time() const {
  const auto top = static_cast<std::size_t>(std::max(1, context_.top));
  return entries_.size() < top ? std::numeric_limits<double>::infinity() : entries_[top - 1].time;
}

double Pool::reject_threshold() const {
  return large() ? incumbent_time() : std::max(incumbent_time(), refine_threshold());
}

Score Pool::score() {
  judge_.set_limit(reject_threshold());
  return [this](const Plan& plan, std::optional<Overlap> overlap) -> Result<Seconds> {
    // Out of time no other plan is needed, and a simulation would delay the answer.
    if (!empty() && deadline_expired(context_)) return Seconds(std::numeric_limits<double>::infinity());
    TRY(const auto verdict, judge_.time_of(plan, overlap));
    return Seconds(verdict.time);
  };
}

Result<void> Pool::add_initial_plan(Plan plan) {
  if (!allowed(plan) || (!empty() && deadline_expired(context_)) || !is_new(plan)) return {};
  TRY(const auto verdict, judge_.time_of(plan));
  if (verdict.simulated) insert(std::move(plan), verdict.time);
  return {};
}

Result<void> Pool::add(const std::vector<Plan>& pipelines, bool quick) {
  std::vector<Plan> plans;
  for (const Plan& pipeline : pipelines) {
    TRY(auto order, order_of(pipeline));
    for (Plan& plan : scheduled(*order, pipeline, quick)) plans.push_back(std::move(plan));
  }
  return simulate(std::move(plans));
}

Result<void> Pool::add_judged(const std::vector<Plan>& plans) {
  const int spent = std::exchange(spent_, 0);
  std::vector<Plan> fitting;
  for (const Plan& plan : plans) {
    if (deadline_expired(context_)) break;
    TRY_VOID(check_stop(context_));
    if (!wanted_.ignore_memory && context_.fits) {
      const auto fits = context_.fits(plan);
      if (!fits || !*fits) continue;  // some schedules cannot have these stages
    }
    fitting.push_back(plan);
  }
  auto added = simulate(std::move(fitting));
  spent_ += spent;
  return added;
}

Result<void> Pool::add_exact(const std::vector<Plan>& plans) {
  std::vector<Plan> fitting;
  for (const Plan& plan : plans) {
    TRY(auto order, order_of(plan));
    if (fits(*order, plan)) fitting.push_back(plan);
  }
  return simulate(std::move(fitting));
}

/// The one list of the schedules that joint searches. A new synchronous schedule is another entry here.
std::vector<Plan> Pool::scheduled(JointOrder& order, const Plan& pipeline, bool quick) {
  std::vector<Plan> plans;
  if (!pipeline.synchronous()) {
    if (fits(order, pipeline)) plans.push_back(pipeline);
    return plans;
  }
  const bool gpipe = pipeline.schedule == ScheduleKind::gpipe;
  if (offered(wanted_, ScheduleKind::one_f_one_b) && !(quick && gpipe))
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      Plan plan = pipeline;
      if (search::set_warmup(order.chain, plan, policy, wanted_.ignore_memory)) plans.push_back(std::move(plan));
    }
  if (offered(wanted_, ScheduleKind::gpipe) && (gpipe || !quick) && pipeline.micro_batches > 1) {
    Plan plan = pipeline;
    plan.schedule = ScheduleKind::gpipe;
    plan.warmup = Warmup::A;
    plan.warmup_counts.reset();
    if (fits(order, plan)) plans.push_back(std::move(plan));
  }
  return plans;
}

bool Pool::fits(JointOrder& order, const Plan& plan) {
  if (wanted_.ignore_memory) return true;
  if (!plan.synchronous()) return asynchronous_fits(order.chain, plan);
  if (plan.schedule == ScheduleKind::gpipe) return search::gpipe_fits(order.chain, plan);
  return plan.warmup_counts ? search::warmups_fit(order.chain, plan, *plan.warmup_counts)
                            : search::warmups_that_fit(order.chain, plan).has_value();
}

bool Pool::allowed(const Plan& plan) const {
  if (wanted_.synchronous_only && !plan.synchronous()) return false;
  // PipeDream uses the user's micro-batch as its mini-batch, and chooses the micro-batch of its synchronous plan
  // itself.
  const std::optional<int>& fixed = problem_.workload.micro_batch;
  if (fixed && plan.synchronous() && plan.micro_batch != *fixed) return false;
  return !first_violation(plan, *problem_.profile, problem_.pins);
}

bool Pool::is_new(const Plan& plan) { return seen_.insert(joint_key(plan)).second; }

/// In the order given, so that threads change nothing but the time it takes.
Result<void> Pool::simulate(std::vector<Plan> plans) {
  std::vector<Plan> chosen;
  for (Plan& plan : plans) {
    if (exhausted()) break;
    if (!allowed(plan) || !is_new(plan)) continue;
    spent_ += coarse_search_weight(plan) + weight_of(plan, large());
    chosen.push_back(std::move(plan));
  }
  judge_.set_limit(reject_threshold());
  std::vector<std::optional<Judge::Verdict>> verdicts(chosen.size());
  const auto work = [&](std::size_t from, std::size_t step) {
    for (std::size_t i = from; i < chosen.size(); i += step) {
      if (context_.stop.stop_requested() || (deadline_expired(context_) && !empty())) return;
      if (const auto verdict = judge_.time_of(chosen[i])) verdicts[i] = *verdict;
    }
  };
  const auto threads = static_cast<std::size_t>(std::clamp<int>(context_.threads, 1, 64));
  if (threads > 1 && chosen.size() >= 4 * threads) {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work, t, threads);
    work(0, threads);
  } else {
    work(0, 1);
  }
  TRY_VOID(check_stop(context_));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (verdicts[i] && !verdicts[i]->simulated) spent_ -= weight_of(chosen[i], large());
    if (verdicts[i] && verdicts[i]->simulated) insert(std::move(chosen[i]), verdicts[i]->time);
  }
  return {};
}

/// Ties keep the one found first.
void Pool::insert(Plan plan, double time) {
  if (entries_.size() >= max_entries && time >= entries_.back().time) return;
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), time,
                                      [](double value, const Entry& other) { return value < other.time; });
  entries_.insert(place, {std::move(plan), time, false});
  if (entries_.size() > max_entries) entries_.pop_back();
}

}  // namespace pipedeck::planner::joint
