// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/pool.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

#include "core/cost/memory.hpp"
#include "core/cost/stages_bound.hpp"
#include "core/plan/launch_order.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::joint {

namespace {

/// Number of operations below which a simulation takes no longer than the bound.
constexpr std::int64_t few_operations = 4096;

std::int64_t operations_of(const Plan& plan) {
  std::int64_t replicas = 0;
  for (const Stage& stage : plan.stages) replicas += stage.replicas();
  return 2 * replicas * plan.micro_batches;
}

}  // namespace

std::vector<int> joint_key(const Plan& plan) {
  std::vector<int> key{static_cast<int>(plan.schedule), plan.micro_batch};
  for (const StageCopy& chunk : plan.chunks.value_or(std::vector<StageCopy>())) {
    key.insert(key.end(), {chunk.stage.value, chunk.copy});
    for (const DeviceId device : chunk.devices) key.push_back(device.value);
  }
  for (const auto& list : plan.operations.value_or(std::vector<std::vector<Operation>>()))
    for (const auto& [kind, stage, micro_batch, joined] : list)
      key.insert(key.end(), {static_cast<int>(kind), stage.value, micro_batch, joined ? 1 : 0});
  if (plan.order)
    for (const LayerId layer : *plan.order) key.push_back(layer.value);
  const int stages = static_cast<int>(plan.stages.size());
  if (plan.schedule == ScheduleKind::one_f_one_b)
    for (const int count : plan.warmup_counts.value_or(plan::policy_warmups(stages, plan.micro_batches, plan.warmup)))
      key.push_back(std::min(count, plan.micro_batches));
  for (const Stage& stage : plan.stages) {
    key.insert(key.end(), {-1, stage.last, stage.tensor_parallel, stage.recompute.any() ? 1 : 0});
    for (const DeviceId device : stage.devices) key.push_back(device.value);
    key.push_back(-2);
    if (stage.samples_per_replica)
      key.insert(key.end(), stage.samples_per_replica->begin(), stage.samples_per_replica->end());
    for (const LayerId layer : stage.recompute.layers) key.insert(key.end(), {-4, layer.value});
    for (const double shard : stage.shard_fractions.value_or(std::vector<double>())) {
      const auto bits = std::bit_cast<std::uint64_t>(shard);
      key.insert(key.end(), {-3, static_cast<int>(bits >> 32), static_cast<int>(bits)});
    }
  }
  return key;
}

Result<PlanTimes::PlanTime> PlanTimes::time_of(const Plan& plan, std::stop_token stop, std::optional<Overlap> overlap) {
  std::vector<int> key = joint_key(plan);
  key.push_back(overlap ? static_cast<int>(*overlap) : -1);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return PlanTime{found->second, true};
  }
  if (limit_ < std::numeric_limits<double>::infinity() && operations_of(plan) >= few_operations) {
    TRY(const auto bound, cost::partition_lower_bound(problem_, plan));
    if (bound.count >= limit_) return PlanTime{bound.count, false};
  }
  TRY(const auto time, score_(plan, overlap, std::move(stop)));
  const std::lock_guard lock(mutex_);
  known_.emplace(std::move(key), time.count);
  return PlanTime{time.count, true};
}

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

/// Returns the micro-batches that each stage holds at most, under GPipe or 1F1B.
std::vector<int> counts_of(const Plan& plan) {
  const int stages = static_cast<int>(plan.stages.size());
  if (plan.schedule == ScheduleKind::gpipe)
    return std::vector<int>(static_cast<std::size_t>(stages), plan.micro_batches);
  return plan.warmup_counts.value_or(plan::policy_warmups(stages, plan.micro_batches, plan.warmup));
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
  times_.set_limit(reject_threshold());
  return [this](const Plan& plan, std::optional<Overlap> overlap, std::stop_token stop) -> Result<Seconds> {
    // Out of time no other plan is needed, and a simulation would delay the answer.
    if (!empty() && deadline_expired(context_)) return Seconds(std::numeric_limits<double>::infinity());
    TRY(const auto verdict, times_.time_of(plan, std::move(stop), overlap));
    return Seconds(verdict.time);
  };
}

Result<void> Pool::add_initial_plan(Plan plan) {
  std::vector<Plan> plans{plan};
  if (auto moved = plan::in_launch_order(plan, *problem_.cluster)) plans.push_back(*std::move(moved));
  for (Plan& one : plans) {
    if (!allowed(one) || (!empty() && deadline_expired(context_)) || !is_new(one)) continue;
    const auto verdict = times_.time_of(one, simulation_stop());
    if (!verdict && !empty() && deadline_expired(context_)) return {};
    if (!verdict) return tl::unexpected(verdict.error());
    if (verdict->simulated) insert(std::move(one), verdict->time);
  }
  return {};
}

Result<void> Pool::add(const std::vector<Plan>& pipelines, bool quick) {
  std::vector<Trial> trials;
  for (const Plan& pipeline : pipelines) {
    TRY(auto order, order_of(pipeline));
    for (Trial& trial : scheduled(*order, pipeline, quick)) trials.push_back(std::move(trial));
  }
  return simulate(std::move(trials));
}

Result<void> Pool::add_judged(const std::vector<Plan>& plans) {
  const int spent = std::exchange(spent_, 0);
  std::vector<Trial> fitting;
  for (const Plan& plan : plans) {
    if (deadline_expired(context_)) break;
    TRY_VOID(check_stop(context_));
    if (!wanted_.ignore_memory && context_.fits) {
      const auto fits = context_.fits(plan, simulation_stop());
      if (!fits || !*fits) continue;  // some schedules cannot have these stages
    }
    fitting.push_back({plan});
  }
  auto added = simulate(std::move(fitting));
  spent_ += spent;
  return added;
}

Result<void> Pool::add_exact(const std::vector<Plan>& plans) {
  std::vector<Trial> trials;
  for (const Plan& plan : plans) {
    TRY(auto order, order_of(plan));
    if (fits(*order, plan))
      trials.push_back({plan});
    else if (may_fit(*order, plan))
      trials.push_back({plan, true});
  }
  return simulate(std::move(trials));
}

/// The one list of the schedules that joint searches. A new synchronous schedule is another entry here.
std::vector<Pool::Trial> Pool::scheduled(JointOrder& order, const Plan& pipeline, bool quick) {
  std::vector<Trial> plans;
  if (!pipeline.synchronous()) {
    if (fits(order, pipeline)) plans.push_back({pipeline});
    return plans;
  }
  const bool gpipe = pipeline.schedule == ScheduleKind::gpipe;
  const auto when_short = wanted_.ignore_memory ? search::WhenShort::ignore_memory : search::WhenShort::shorten;
  if (offered(wanted_, ScheduleKind::one_f_one_b) && !(quick && gpipe))
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      Plan plan = pipeline;
      const bool sure = search::set_warmup(order.chain, plan, policy, when_short);
      if (!sure || plan.warmup_counts) {
        Plan whole = plan;
        whole.warmup_counts.reset();
        if (may_fit(order, whole)) plans.push_back({std::move(whole), true});
      }
      if (sure) plans.push_back({std::move(plan)});
    }
  if (offered(wanted_, ScheduleKind::gpipe) && (gpipe || !quick) && pipeline.micro_batches > 1) {
    Plan plan = pipeline;
    plan.schedule = ScheduleKind::gpipe;
    plan.warmup = Warmup::A;
    plan.warmup_counts.reset();
    if (fits(order, plan))
      plans.push_back({std::move(plan)});
    else if (may_fit(order, plan))
      plans.push_back({std::move(plan), true});
  }
  return plans;
}

bool Pool::may_fit(JointOrder& order, const Plan& plan) {
  if (large() || !context_.fits || operations_of(plan) >= few_operations) return false;
  return search::warmups_may_fit(order.chain, plan, counts_of(plan));
}

bool Pool::fits(JointOrder& order, const Plan& plan) {
  if (wanted_.ignore_memory) return true;
  if (!plan.synchronous()) return asynchronous_fits(order.chain, plan);
  if (plan.schedule == ScheduleKind::gpipe) return search::gpipe_fits(order.chain, plan);
  return search::warmups_fit(order.chain, plan, counts_of(plan));
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
Result<void> Pool::simulate(std::vector<Trial> trials) {
  std::vector<Trial> chosen;
  for (Trial& trial : trials) {
    if (exhausted()) break;
    if (!allowed(trial.plan) || !is_new(trial.plan)) continue;
    spent_ += coarse_search_weight(trial.plan) + weight_of(trial.plan, large());
    chosen.push_back(std::move(trial));
  }
  const double limit = reject_threshold();
  times_.set_limit(limit);
  std::vector<std::optional<PlanTimes::PlanTime>> verdicts(chosen.size());
  const auto work = [&](std::size_t from, std::size_t step) {
    for (std::size_t i = from; i < chosen.size(); i += step) {
      if (context_.stop.stop_requested() || (deadline_expired(context_) && !empty())) return;
      const Plan& plan = chosen[i].plan;
      const auto verdict = times_.time_of(plan, simulation_stop());
      if (!verdict) continue;
      if (chosen[i].uncertain) {
        if (!verdict->simulated || verdict->time >= limit) continue;
        if (const auto fits = context_.fits(plan, simulation_stop()); !fits || !*fits) continue;
      }
      verdicts[i] = *verdict;
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
    if (verdicts[i] && !verdicts[i]->simulated) spent_ -= weight_of(chosen[i].plan, large());
    if (verdicts[i] && verdicts[i]->simulated) insert(std::move(chosen[i].plan), verdicts[i]->time);
  }
  return {};
}

/// Ties keep the one found first.
void Pool::insert(Plan plan, double time) {
  note_plan(context_);
  if (entries_.size() >= max_entries && time >= entries_.back().time) return;
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), time,
                                      [](double value, const Entry& other) { return value < other.time; });
  entries_.insert(place, {std::move(plan), time, false});
  if (entries_.size() > max_entries) entries_.pop_back();
}

}  // namespace pipedeck::planner::joint
