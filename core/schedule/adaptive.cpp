// SPDX-License-Identifier: Apache-2.0
// Tries every fixed schedule that the plan's placement allows, and list scheduling by a table of rules. The simulator
// determines the fastest order that fits. An order that would be faster but does not fit is tried again with less
// memory: list scheduling counts only saved activations, and buffers and workspace are added to them. Deterministic:
// the same plan always gives the same order, and ties go to the first order.
#include "core/schedule/adaptive.hpp"

#include <algorithm>

#include "core/plan/warmups.hpp"
#include "core/schedule/build.hpp"
#include "core/schedule/builders.hpp"
#include "core/schedule/list_schedule.hpp"

namespace pipedeck::schedule {
namespace {

/// Upper bound of the operations that list scheduling orders in total, which bounds the time for a large plan.
constexpr std::int64_t max_operations = 2'000'000;
/// Number of retries with less memory for an order that does not fit.
constexpr int max_retries = 3;

bool one_stage_a_device(const Plan& plan) { return pipeline_ranks(plan).size() == plan.stages.size(); }

/// Returns the plan under every fixed synchronous schedule that may suit its placement.
std::vector<Plan> fixed_plans(const Plan& plan, std::span<const StageEstimates> figures) {
  std::vector<Plan> plans;
  const auto add = [&](const Plan& fixed) {
    plans.push_back(fixed);
    const bool long_warmup = fixed.schedule == ScheduleKind::zb_h2;
    if (fixed.schedule != ScheduleKind::one_f_one_b && fixed.schedule != ScheduleKind::zb_h1 && !long_warmup) return;
    Plan shortened = fixed;
    if (long_warmup) shortened.warmup = Warmup::B;
    shortened.warmup_counts = fitting_warmups(shortened, figures);
    if (shortened.warmup_counts !=
        plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, shortened.warmup))
      plans.push_back(std::move(shortened));
  };
  for (const ScheduleTraits& info : all_schedules) {
    if (asynchronous(info.kind) || bidirectional(info.kind) || info.kind == ScheduleKind::adaptive ||
        info.kind == ScheduleKind::explicit_order ||
        (!is_interleaved_on_device(info.kind) && !one_stage_a_device(plan)))
      continue;
    Plan fixed = plan;
    fixed.schedule = info.kind;
    fixed.warmup_counts.reset();
    fixed.warmup = Warmup::A;
    add(fixed);
    if (const std::optional<Plan> other = with_alternate_warmup(fixed)) add(*other);
    if (!plan.warmup_counts || info.kind != ScheduleKind::one_f_one_b) continue;
    fixed.warmup_counts = plan.warmup_counts;
    plans.push_back(fixed);
  }
  return plans;
}

/// Returns the rules, the most promising first, so that an early end of the budget has tried these.
std::vector<ListRule> rules_for(const Plan& plan) {
  const int ranks = static_cast<int>(pipeline_ranks(plan).size());
  std::vector<ListRule> rules;
  for (const int in_flight : {0, 2 * ranks, 2 * ranks - 1, ranks + 1, ranks})
    for (const auto order :
         {ListRule::Order::backward_first, ListRule::Order::alternate, ListRule::Order::forward_first})
      for (const auto weights :
           {ListRule::Weights::delay_weight_gradients, ListRule::Weights::fill, ListRule::Weights::fused})
        for (const bool deep_first : {true, false}) {
          // Without several chunks per device, there is nothing to prefer.
          if (!deep_first && one_stage_a_device(plan)) continue;
          rules.push_back({order, weights, deep_first, in_flight});
        }
  return rules;
}

std::vector<Bytes> available_memory_of(const Plan& plan, std::span<const StageEstimates> figures) {
  std::vector<Bytes> rooms;
  for (const PipelineRank& rank : pipeline_ranks(plan)) {
    Bytes room(std::numeric_limits<std::int64_t>::max());
    for (const std::size_t s : rank.chunks) room = std::min(room, figures[s].available_memory);
    rooms.push_back(room);
  }
  return rooms;
}

/// Reduces each device's memory by its largest micro-batch.
void reduce_memory(const Plan& plan, std::span<const StageEstimates> figures, std::vector<Bytes>& rooms) {
  const std::vector<PipelineRank> ranks = pipeline_ranks(plan);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Bytes largest;
    for (const std::size_t s : ranks[r].chunks) largest = std::max(largest, figures[s].saved_bytes);
    rooms[r] = rooms[r] - largest;
  }
}

/// A holder of the best order so far.
class Choice {
 public:
  explicit Choice(const OrderEvaluator& judge) : judge_(judge) {}

  enum class Verdict { taken, slower, does_not_fit };

  Verdict consider(Schedule schedule) {
    const std::optional<Nanoseconds> time = judge_.time(schedule);
    if (!time || (best_ && fits_ && *time >= time_)) return Verdict::slower;
    const bool fits = judge_.fits(schedule);
    if (best_ && !fits && (fits_ || *time >= time_)) return Verdict::does_not_fit;
    best_ = std::move(schedule);
    time_ = *time;
    fits_ = fits;
    return fits ? Verdict::taken : Verdict::does_not_fit;
  }

  std::optional<Schedule>& best() { return best_; }

 private:
  const OrderEvaluator& judge_;
  std::optional<Schedule> best_;
  Nanoseconds time_;
  bool fits_ = false;
};

}  // namespace

Result<Schedule> adaptive(const Plan& plan, std::span<const StageEstimates> figures, const OrderEvaluator& judge,
                          const std::stop_token& stop) {
  Choice choice(judge);
  for (const Plan& fixed : fixed_plans(plan, figures)) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the search for an order was stopped");
    if (Result<Schedule> schedule = build_schedule(fixed, figures)) choice.consider(*std::move(schedule));
  }
  const std::int64_t each = std::int64_t{3} * plan.micro_batches * static_cast<std::int64_t>(plan.stages.size());
  std::int64_t left = max_operations / each;
  for (const ListRule& rule : rules_for(plan)) {
    std::vector<Bytes> rooms = available_memory_of(plan, figures);
    for (int retry = 0; retry <= max_retries && left > 0; ++retry, --left) {
      if (stop.stop_requested()) return fail(ErrorCode::cancelled, "the search for an order was stopped");
      std::optional<ListSchedule> list = list_schedule(plan, figures, rule, rooms, stop);
      if (!list || choice.consider(std::move(list->schedule)) != Choice::Verdict::does_not_fit) break;
      reduce_memory(plan, figures, rooms);
    }
  }
  if (choice.best()) return *std::move(choice.best());
  return fail(ErrorCode::bad_input, "found no order of operations that comes to an end, expected one", "/stages");
}

Result<Schedule> adaptive(const Plan& plan, std::span<const StageEstimates> figures) {
  std::optional<ListSchedule> best;
  const std::vector<Bytes> rooms = available_memory_of(plan, figures);
  for (const ListRule& rule : rules_for(plan)) {
    std::optional<ListSchedule> list = list_schedule(plan, figures, rule, rooms);
    if (list && (!best || list->end < best->end)) best = std::move(list);
  }
  if (best) return std::move(best->schedule);
  return fail(ErrorCode::bad_input, "found no memory for a single micro-batch, expected room for one", "/stages");
}

}  // namespace pipedeck::schedule
