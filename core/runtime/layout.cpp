// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layout.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/runtime/trainer.hpp"

namespace pipedeck {
namespace {

tl::unexpected<Error> bad(std::string message, std::string place) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

std::string stage_place(std::size_t stage, const char* key) { return fmt::format("/stages/{}/{}", stage, key); }

/// What synchronous fp32 training on threads has no mathematics for.
Result<void> check_features(const Plan& plan, const Schedule& schedule) {
  if (!plan.synchronous() || !schedule.synchronous)
    return bad(
        "asynchronous schedules keep several versions of the weights, which the trainer does not: choose gpipe or 1f1b",
        "/schedule");
  if (plan.precision != Precision::fp32)
    return bad(fmt::format("precision {} has no kernels on the CPU, which trains in fp32", name_of(plan.precision)),
               "/precision");
  if (plan.zero != 0)
    return bad(fmt::format("zero is {}: the trainer does not divide states over replicas, expected 0", plan.zero),
               "/zero");
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (plan.stages[s].tensor_parallel != 1)
      return bad(fmt::format("tensor_parallel is {}: layers can't be cut over CPU threads, expected 1",
                             plan.stages[s].tensor_parallel),
                 stage_place(s, "tensor_parallel"));
  return {};
}

Result<void> check_batch(const Plan& plan, const Schedule& schedule) {
  if (plan.micro_batch < 1 || plan.micro_batches < 1 || plan.micro_batch * plan.micro_batches != plan.global_batch)
    return bad(fmt::format("{} micro-batches of {} samples are not the global batch of {}", plan.micro_batches,
                           plan.micro_batch, plan.global_batch),
               "/micro_batches");
  if (schedule.micro_batches != plan.micro_batches)
    return bad(
        fmt::format("the schedule has {} micro-batches, the plan {}", schedule.micro_batches, plan.micro_batches),
        "/micro_batches");
  return {};
}

Result<void> check_ranges(const Plan& plan, int layers) {
  if (plan.stages.empty()) return bad("the plan has no stages", "/stages");
  if (plan.order)
    for (std::size_t i = 0; i < plan.order->size(); ++i)
      if ((*plan.order)[i] != LayerId(i)) return bad("the model is a chain: layers run in list order", "/order");
  int next = 0;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    if (stage.first != next || stage.last <= stage.first || stage.last > layers)
      return bad(fmt::format("layers [{}, {}) of a model with {}, expected to begin at {}", stage.first, stage.last,
                             layers, next),
                 stage_place(s, "layers"));
    next = stage.last;
  }
  if (next != layers) return bad(fmt::format("the stages end at layer {}, the model has {}", next, layers), "/stages");
  return {};
}

Result<void> check_replicas(const Plan& plan) {
  std::set<DeviceId> used;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    if (stage.devices.empty()) return bad("a stage needs a device", stage_place(s, "devices"));
    for (const DeviceId device : stage.devices)
      if (!used.insert(device).second)
        return bad(fmt::format("device {} is used twice: a CPU thread runs one stage", device.value),
                   stage_place(s, "devices"));
    const std::vector<int> samples = replica_samples(stage, plan.micro_batch);
    if (samples.size() != stage.devices.size() ||
        std::any_of(samples.begin(), samples.end(), [](int n) { return n < 1; }) ||
        std::accumulate(samples.begin(), samples.end(), 0) != plan.micro_batch)
      return bad(fmt::format("{} replicas do not share the {} samples of a micro-batch, at least one each",
                             stage.devices.size(), plan.micro_batch),
                 stage_place(s, stage.shares ? "shares" : "devices"));
  }
  return {};
}

/// How far a micro-batch is on a lane.
enum class LanePoint { nothing, forward, recomputed, input_done, done };

Result<void> check_lane(const Placement& placement, const Plan& plan, bool recomputes) {
  std::vector<LanePoint> state(static_cast<std::size_t>(plan.micro_batches), LanePoint::nothing);
  const LanePoint before_backward = recomputes ? LanePoint::recomputed : LanePoint::forward;
  const auto step = [&](Operation operation) {
    LanePoint& now = state[static_cast<std::size_t>(operation.micro_batch)];
    const auto move = [&](LanePoint from, LanePoint to) { return now == from ? (now = to, true) : false; };
    switch (operation.kind) {
      case OpKind::forward:
        return move(LanePoint::nothing, LanePoint::forward);
      case OpKind::recompute:
        return move(LanePoint::forward, LanePoint::recomputed);
      case OpKind::backward:
        return move(before_backward, LanePoint::done);
      case OpKind::backward_input:
        return move(before_backward, LanePoint::input_done);
      case OpKind::backward_weight:
        return move(LanePoint::input_done, LanePoint::done);
      default:
        return false;
    }
  };
  for (int i = 0; i < operation_count(placement.order); ++i) {
    const Operation operation = operation_at(placement.order, i);
    const bool known = operation.micro_batch >= 0 && operation.micro_batch < plan.micro_batches;
    if (operation.stage != placement.stage || !known || !step(operation))
      return bad(
          fmt::format("device {}: {} of micro-batch {} on stage {} can't come at position {}", placement.device.value,
                      name_of(operation.kind), operation.micro_batch, operation.stage.value, i),
          "/operations");
  }
  if (std::any_of(state.begin(), state.end(), [](LanePoint p) { return p != LanePoint::done; }))
    return bad(fmt::format("device {} does not run forward and backward of every micro-batch", placement.device.value),
               "/operations");
  return {};
}

bool has_recompute(const LaneOrder& order) {
  for (int i = 0; i < operation_count(order); ++i)
    if (operation_at(order, i).kind == OpKind::recompute) return true;
  return false;
}

std::vector<bool> recomputed_layers(const Stage& stage) {
  std::vector<bool> layers(static_cast<std::size_t>(stage.last - stage.first), stage.recompute.all);
  for (const LayerId layer : stage.recompute.layers)
    if (layer.value >= stage.first && layer.value < stage.last)
      layers[static_cast<std::size_t>(layer.value - stage.first)] = true;
  return layers;
}

Placement placement_of(const Plan& plan, std::size_t stage, std::size_t replica) {
  const std::vector<int> samples = replica_samples(plan.stages[stage], plan.micro_batch);
  Placement placement;
  placement.device = plan.stages[stage].devices[replica];
  placement.stage = StageId(stage);
  placement.replica = static_cast<int>(replica);
  placement.samples = samples[replica];
  placement.first_sample = std::accumulate(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(replica), 0);
  return placement;
}

std::vector<Exchange> exchanges(const Placement& mine, const Layout& layout, std::size_t stage) {
  std::vector<Exchange> result;
  for (const std::size_t peer : layout.replicas[stage]) {
    const Placement& other = layout.placements[peer];
    const int first = std::max(mine.first_sample, other.first_sample);
    const int last = std::min(mine.first_sample + mine.samples, other.first_sample + other.samples);
    if (first < last) result.push_back({peer, first - mine.first_sample, last - first});
  }
  return result;
}

Result<void> take_lane(Placement& placement, const Plan& plan, const Schedule& schedule) {
  const auto lane = std::find_if(schedule.lanes.begin(), schedule.lanes.end(),
                                 [&](const DeviceLane& l) { return l.device == placement.device; });
  if (lane == schedule.lanes.end())
    return bad(fmt::format("the schedule has no lane for device {}", placement.device.value), "/stages");
  placement.order = lane->order;
  const Stage& stage = plan.stages[placement.stage.index()];
  const bool recomputes = has_recompute(lane->order);
  placement.recompute.assign(static_cast<std::size_t>(stage.last - stage.first), false);
  if (recomputes) placement.recompute = recomputed_layers(stage);
  return check_lane(placement, plan, recomputes);
}

}  // namespace

Result<Layout> lay_out(const ModelSpec& model, const Plan& plan, const Schedule& schedule) {
  const auto checked = check_features(plan, schedule)
                           .and_then([&] { return check_batch(plan, schedule); })
                           .and_then([&] { return check_ranges(plan, plannable_layers(model)); })
                           .and_then([&] { return check_replicas(plan); });
  if (!checked) return tl::unexpected(checked.error());

  Layout layout;
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (std::size_t r = 0; r < plan.stages[s].devices.size(); ++r)
      layout.placements.push_back(placement_of(plan, s, r));
  std::sort(layout.placements.begin(), layout.placements.end(),
            [](const Placement& a, const Placement& b) { return a.device < b.device; });

  layout.replicas.resize(plan.stages.size());
  for (std::size_t i = 0; i < layout.placements.size(); ++i)
    layout.replicas[layout.placements[i].stage.index()].push_back(i);
  for (auto& replicas : layout.replicas)
    std::sort(replicas.begin(), replicas.end(), [&](std::size_t a, std::size_t b) {
      return layout.placements[a].replica < layout.placements[b].replica;
    });

  for (Placement& placement : layout.placements) {
    const std::size_t stage = placement.stage.index();
    if (stage > 0) placement.previous = exchanges(placement, layout, stage - 1);
    if (stage + 1 < plan.stages.size()) placement.next = exchanges(placement, layout, stage + 1);
    if (auto taken = take_lane(placement, plan, schedule); !taken) return tl::unexpected(taken.error());
  }
  return layout;
}

}  // namespace pipedeck
