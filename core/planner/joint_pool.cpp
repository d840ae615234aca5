// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint_pool.hpp"

#include <algorithm>
#include <thread>

#include "core/cost/memory.hpp"
#include "core/planner/memory_fit.hpp"

namespace pipedeck {

namespace {

constexpr std::size_t most_entries = 200;
// What an evaluation may be large: one of more operations, or of more devices to prepare, counts as several.
constexpr std::int64_t operations_each = 4096, devices_each = 24;

bool offered(const JointWanted& wanted, ScheduleKind kind) {
  return wanted.schedule == "any" || wanted.schedule == name_of(kind);
}

/// What the plan's simulation takes off the budget.
int weight_of(const Plan& plan) {
  std::int64_t replicas = 0, devices = 0;
  for (const Stage& stage : plan.stages) {
    replicas += stage.replicas();
    devices += static_cast<std::int64_t>(stage.devices.size());
  }
  return static_cast<int>(1 + 2 * replicas * plan.micro_batches / operations_each + devices / devices_each);
}

/// Most that any stage of an asynchronous plan needs (memory_fit.hpp) against the least that its devices have.
bool asynchronous_fits(Chain& chain, const Plan& plan) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const int kept = pipedream_versions(plan, StageId(s));
    const int before = s == 0 ? kept
                              : pipedream_outstanding(plan.stages[s - 1].replicas(),
                                                      pipedream_versions(plan, StageId(s - 1)), stage.replicas());
    const StageNeed need = stage_need(chain, stage.first, stage.last, stage.replicas(), plan.micro_batch,
                                      stage.recompute.any(), kept, stage.tensor_parallel);
    if (need.peak(kept, before) > capacity_of(chain.network(), stage.devices)) return false;
  }
  return true;
}

}  // namespace

Result<JointOrder*> JointPool::order_of(const std::vector<LayerId>& order) {
  const auto known = order_index_.find(order);
  if (known != order_index_.end()) return orders_[known->second].get();
  auto chain = order.empty() ? Chain::of(problem_) : Chain::of(problem_, order);
  if (!chain) return tl::unexpected(chain.error());
  if (order.empty()) order_index_[chain->order()] = orders_.size();
  order_index_[order] = orders_.size();
  orders_.push_back(std::make_unique<JointOrder>(std::move(*chain), wanted_));
  return orders_.back().get();
}

Result<JointOrder*> JointPool::order_of(const Plan& plan) {
  return order_of(pipedeck::order_of(plan, *problem_.profile));
}

double JointPool::best_synchronous() const {
  for (const Entry& entry : entries_)
    if (entry.plan.synchronous()) return entry.time;
  return std::numeric_limits<double>::infinity();
}

double JointPool::to_beat() const {
  const auto top = static_cast<std::size_t>(std::max(1, context_.top));
  return entries_.size() < top ? std::numeric_limits<double>::infinity() : entries_[top - 1].time;
}

Result<void> JointPool::add_seed(Plan plan) {
  if (!allowed(plan) || !is_new(plan)) return {};
  const auto time = judge(context_, plan);
  if (!time) return tl::unexpected(time.error());
  insert(std::move(plan), time->count);
  return {};
}

Result<void> JointPool::add(const std::vector<Plan>& pipelines, bool quick) {
  std::vector<Plan> plans;
  for (const Plan& pipeline : pipelines) {
    auto order = order_of(pipeline);
    if (!order) return tl::unexpected(order.error());
    for (Plan& plan : scheduled(**order, pipeline, quick)) plans.push_back(std::move(plan));
  }
  return simulate(std::move(plans));
}

Result<void> JointPool::add_exact(const std::vector<Plan>& plans) {
  std::vector<Plan> fitting;
  for (const Plan& plan : plans) {
    auto order = order_of(plan);
    if (!order) return tl::unexpected(order.error());
    if (fits(**order, plan)) fitting.push_back(plan);
  }
  return simulate(std::move(fitting));
}

/// The one list of the schedules that joint searches. A new synchronous schedule is another entry here.
std::vector<Plan> JointPool::scheduled(JointOrder& order, const Plan& pipeline, bool quick) {
  std::vector<Plan> plans;
  if (!pipeline.synchronous()) {
    if (fits(order, pipeline)) plans.push_back(pipeline);
    return plans;
  }
  const bool gpipe = pipeline.schedule == ScheduleKind::gpipe;
  if (offered(wanted_, ScheduleKind::one_f_one_b) && !(quick && gpipe))
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      Plan plan = pipeline;
      if (set_warmup(order.chain, plan, policy, wanted_.ignore_memory)) plans.push_back(std::move(plan));
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

bool JointPool::fits(JointOrder& order, const Plan& plan) {
  if (wanted_.ignore_memory) return true;
  if (!plan.synchronous()) return asynchronous_fits(order.chain, plan);
  if (plan.schedule == ScheduleKind::gpipe) return gpipe_fits(order.chain, plan);
  return plan.warmup_counts ? warmups_fit(order.chain, plan, *plan.warmup_counts)
                            : warmups_that_fit(order.chain, plan).has_value();
}

bool JointPool::allowed(const Plan& plan) const {
  if (wanted_.synchronous_only && !plan.synchronous()) return false;
  // PipeDream takes the user's micro-batch for a mini-batch that is never cut, and chooses its synchronous plan's
  // itself.
  const std::optional<int>& fixed = problem_.workload.micro_batch;
  if (fixed && plan.synchronous() && plan.micro_batch != *fixed) return false;
  return !broken_pin(plan, *problem_.profile, problem_.pins);
}

/// Plans that do the same are one.
bool JointPool::is_new(const Plan& plan) {
  std::vector<int> key{static_cast<int>(plan.schedule), plan.micro_batch};
  if (plan.order)
    for (const LayerId layer : *plan.order) key.push_back(layer.value);
  const int stages = static_cast<int>(plan.stages.size());
  if (plan.schedule == ScheduleKind::one_f_one_b)
    for (const int count : plan.warmup_counts.value_or(policy_warmups(stages, plan.micro_batches, plan.warmup)))
      key.push_back(std::min(count, plan.micro_batches));
  for (const Stage& stage : plan.stages) {
    key.insert(key.end(), {-1, stage.last, stage.tensor_parallel, stage.recompute.any() ? 1 : 0});
    for (const DeviceId device : stage.devices) key.push_back(device.value);
    key.push_back(-2);
    if (stage.shares) key.insert(key.end(), stage.shares->begin(), stage.shares->end());
  }
  return seen_.insert(std::move(key)).second;
}

/// In the order given, so that threads change nothing but the time it takes.
Result<void> JointPool::simulate(std::vector<Plan> plans) {
  std::vector<Plan> chosen;
  for (Plan& plan : plans) {
    if (exhausted()) break;
    if (!allowed(plan) || !is_new(plan)) continue;
    spent_ += weight_of(plan);
    chosen.push_back(std::move(plan));
  }
  std::vector<double> times(chosen.size(), -1);
  const auto work = [&](std::size_t from, std::size_t step) {
    for (std::size_t i = from; i < chosen.size(); i += step) {
      if (context_.stop.stop_requested() || (out_of_time(context_) && !empty())) return;
      if (const auto time = judge(context_, chosen[i])) times[i] = time->count;
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
  if (auto stopped = check_stop(context_); !stopped) return stopped;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (times[i] >= 0) insert(std::move(chosen[i]), times[i]);
  return {};
}

/// Ties keep the one found first.
void JointPool::insert(Plan plan, double time) {
  if (entries_.size() >= most_entries && time >= entries_.back().time) return;
  const auto place = std::upper_bound(entries_.begin(), entries_.end(), time,
                                      [](double value, const Entry& other) { return value < other.time; });
  entries_.insert(place, {std::move(plan), time, false});
  if (entries_.size() > most_entries) entries_.pop_back();
}

}  // namespace pipedeck
