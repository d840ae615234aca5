// SPDX-License-Identifier: Apache-2.0
// Random models and plans for them, and their training compared with one device.
#pragma once

#include <algorithm>
#include <random>

#include "tests/core/runtime/train/schedule_cases.hpp"

namespace pipedeck::test {

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  int integer(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }
  bool once_in(int n) { return integer(1, n) == 1; }

  /// `parts` numbers of at least 1 that make up `sum`.
  std::vector<int> shares(int sum, int parts) {
    std::vector<int> shares(static_cast<std::size_t>(parts), 1);
    for (int i = parts; i < sum; ++i) ++shares[static_cast<std::size_t>(integer(0, parts - 1))];
    return shares;
  }

 private:
  std::mt19937 engine_;
};

/// At least as many layers as `stages`.
inline ModelSpec random_model(Draw& random, int stages) {
  if (random.once_in(3)) return small_gpt(std::max(1, stages - 3) + random.integer(0, 1), 8, 4, 10);
  if (stages <= 6 && random.once_in(3)) return small_llama(8, 4, 10);
  return small_mlp(random.integer(5, 20), stages + random.integer(0, 3), random.integer(3, 9), random.integer(2, 6));
}

/// Ranges of layers of any lengths.
inline void cut_anywhere(Plan& plan, Draw& random) {
  const auto layers = random.shares(plan.stages.back().last, static_cast<int>(plan.stages.size()));
  int next = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    plan.stages[s].first = next;
    plan.stages[s].last = next += layers[s];
  }
}

inline void recompute_some(Plan& plan, Draw& random) {
  for (Stage& stage : plan.stages) {
    if (random.once_in(3)) stage.recompute.all = true;
    const bool some = !stage.recompute.all && random.once_in(2);
    for (int layer = stage.first; layer < stage.last && some; ++layer)
      if (random.once_in(2)) stage.recompute.layers.push_back(LayerId(layer));
    if (stage.recompute.any() && random.once_in(3)) stage.recompute.each = RecomputeUnit::stage;
  }
}

/// The requirements of a schedule on its placement: stages per rank, micro-batches, equal numbers of replicas.
struct Needs {
  int chunks = 1, min_batches = 1, batch_multiple = 1;
  bool even_ranks = false, paired = false;
};
inline Needs needs_of(ScheduleKind kind, int ranks, Draw& random) {
  switch (kind) {
    case ScheduleKind::interleaved:
    case ScheduleKind::adaptive:
      return {random.integer(1, 3), 1, 1, false, false};
    case ScheduleKind::zb_v:
    case ScheduleKind::v_half:
    case ScheduleKind::v_min:
      return {2, 1, 1, false, false};
    case ScheduleKind::dualpipe_v:
      return {2, 2 * ranks, 1, false, false};
    case ScheduleKind::dualpipe:
      return {1, 2 * ranks, 2, true, true};
    case ScheduleKind::chimera:
      return {1, 2, 2, true, true};
    default:
      return {};
  }
}

inline Plan random_plan(const ModelSpec& model, ScheduleKind kind, int ranks, const Needs& needs, Draw& random) {
  std::vector<int> replicas;
  for (int k = 0; k < ranks; ++k) replicas.push_back(random.integer(1, 3));
  for (int k = 0; k < ranks && needs.paired; ++k)
    replicas[static_cast<std::size_t>(ranks - 1 - k)] = replicas[static_cast<std::size_t>(k)];
  const int micro_batch = random.integer(3, 6);
  const int some = random.integer(1, 6);
  const int batches =
      std::max(needs.min_batches, (some + needs.batch_multiple - 1) / needs.batch_multiple * needs.batch_multiple);
  Plan plan = placed_plan(model, kind, replicas, needs.chunks, micro_batch, batches);
  cut_anywhere(plan, random);
  if (random.once_in(2)) recompute_some(plan, random);
  for (Stage& stage : plan.stages)
    if (random.once_in(2)) stage.samples_per_replica = random.shares(micro_batch, stage.replicas());
  if (random.once_in(2)) plan.warmup = Warmup::B;
  plan.optimizer = random.once_in(2) ? Optimizer::adam : Optimizer::momentum;
  return plan;
}

inline Plan on_one_device(Plan plan) {
  Stage all;
  all.last = plan.stages.back().last;
  all.devices = {DeviceId(0)};
  plan.stages = {all};
  plan.schedule = ScheduleKind::gpipe;
  plan.chunks.reset();
  plan.operations.reset();
  plan.sharding = {}, plan.zero = 0;
  plan.micro_batch = plan.global_batch;
  plan.micro_batches = 1;
  return plan;
}

/// Moves the recomputes of stages that recompute by block directly in front of their backwards, where they run.
inline void move_recomputes(std::vector<Operation>& list, const Plan& plan) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Operation own = list[i];
    if (own.kind != OpKind::recompute || plan.stages[own.stage.index()].recompute.each != RecomputeUnit::block)
      continue;
    const auto backward =
        std::find_if(list.begin() + static_cast<std::ptrdiff_t>(i), list.end(), [&](const auto& other) {
          return (other.kind == OpKind::backward || other.kind == OpKind::backward_input) && other.stage == own.stage &&
                 other.micro_batch == own.micro_batch;
        });
    if (backward == list.end() || backward == list.begin() + static_cast<std::ptrdiff_t>(i) + 1) continue;
    std::rotate(list.begin() + static_cast<std::ptrdiff_t>(i), list.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                backward);
    --i;  // another operation is here now
  }
}

/// Empty where all is as it has to be.
inline QString difference_from_one_device(const ModelSpec& model, const Plan& plan, int steps = 4) {
  const Schedule schedule = built(plan);
  if (const auto ends = schedule::check_deadlock_free(schedule, plan); !ends)
    return QString::fromStdString(ends.error().text());
  const Plan single = on_one_device(plan);
  const Trained expected = trained_with(model, single, built(single), steps);
  const Trained found = trained_with(model, plan, schedule, steps, steps);
  const double parameters = parameter_difference(found.parameters, expected.parameters);
  const double losses = loss_difference(found.log.losses(), expected.log.losses());
  if (parameters > 1e-5 || losses > 1e-5)
    return QString("parameters differ by %1, losses by %2").arg(parameters).arg(losses);
  const auto lanes = lanes_run(found.log);
  if (lanes.size() != schedule.lanes.size()) return "other devices";
  for (const DeviceLane& lane : schedule.lanes) {
    std::vector<Operation> list;
    for (int i = 0; i < operation_count(lane.order); ++i) list.push_back(operation_at(lane.order, i));
    for (Operation& operation : list) operation.overlapped_with_next = false;  // timelines do not record it
    move_recomputes(list, plan);
    if (lanes.at(lane.device).passes != list) return QString("another order on device %1").arg(lane.device.value);
  }
  return {};
}

inline constexpr ScheduleKind schedules_of_random_plans[] = {ScheduleKind::gpipe,       ScheduleKind::one_f_one_b,
                                                             ScheduleKind::interleaved, ScheduleKind::zb_h1,
                                                             ScheduleKind::zb_v,        ScheduleKind::chimera};

}  // namespace pipedeck::test
