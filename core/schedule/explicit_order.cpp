// SPDX-License-Identifier: Apache-2.0
// Lists from a plan file: checked for completeness, then used unchanged.
#include <fmt/format.h>

#include "core/schedule/builders.hpp"

namespace pipedeck::schedule {
namespace {

/// A count of how often a list contains each kind of operation of one micro-batch.
struct Seen {
  int forward = 0, backward = 0, input = 0, weight = 0, recompute = 0;

  int& operator[](OpKind kind) {
    switch (kind) {
      case OpKind::forward:
        return forward;
      case OpKind::backward_input:
        return input;
      case OpKind::backward_weight:
        return weight;
      case OpKind::recompute:
        return recompute;
      default:
        return backward;
    }
  }
  bool complete() const {
    return forward == 1 &&
           ((backward == 1 && input == 0 && weight == 0) || (backward == 0 && input == 1 && weight == 1));
  }
};

/// Returns the chunks on the device, with the copy of each.
std::vector<StageCopy> chunks_on(const Plan& plan, DeviceId device) {
  std::vector<StageCopy> own;
  for (StageCopy& chunk : stage_copies(plan))
    if (std::find(chunk.devices.begin(), chunk.devices.end(), device) != chunk.devices.end())
      own.push_back(std::move(chunk));
  return own;
}

std::string stages_text(const std::vector<StageCopy>& chunks) {
  std::string text;
  for (const StageCopy& chunk : chunks) text += fmt::format("{}{}", text.empty() ? "" : ", ", chunk.stage.value);
  return text;
}

/// A check of one list: counts each operation of each micro-batch and chunk on the device.
class ListCheck {
 public:
  ListCheck(const Plan& plan, const Schedule& schedule, DeviceId device, std::size_t lane)
      : plan_(plan), schedule_(schedule), device_(device), lane_(lane), chunks_(chunks_on(plan, device)) {
    seen_.assign(chunks_.size(), std::vector<Seen>(static_cast<std::size_t>(plan.micro_batches)));
  }

  Result<void> run(const std::vector<Operation>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (Result<void> counted = count(list[i], fmt::format("/operations/{}/{}", lane_, i)); !counted) return counted;
    if (!list.empty() && list.back().overlapped_with_next)
      return bad("found the last operation joined with the next, expected one behind it",
                 fmt::format("/operations/{}/{}", lane_, list.size() - 1));
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      for (int m = 0; m < plan_.micro_batches; ++m)
        if (schedule_.copy_of(m) == chunks_[c].copy)
          if (Result<void> whole = check(chunks_[c], m, seen_[c][static_cast<std::size_t>(m)]); !whole) return whole;
    return {};
  }

 private:
  static tl::unexpected<Error> bad(std::string message, std::string place) {
    return fail(ErrorCode::bad_input, std::move(message), std::move(place));
  }

  Result<void> count(const Operation& operation, const std::string& place) {
    if (operation.micro_batch < 0 || operation.micro_batch >= plan_.micro_batches)
      return bad(fmt::format("found micro-batch {}, expected 0 to {}", operation.micro_batch, plan_.micro_batches - 1),
                 place);
    const int copy = schedule_.copy_of(operation.micro_batch);
    const auto own = std::find_if(chunks_.begin(), chunks_.end(), [&](const StageCopy& chunk) {
      return chunk.stage == operation.stage && chunk.copy == copy;
    });
    if (own == chunks_.end())
      return bad(fmt::format("found stage {} for micro-batch {} on device {}, expected stage {}, which it runs",
                             operation.stage.value, operation.micro_batch, device_.value, stages_text(chunks_)),
                 place);
    ++seen_[static_cast<std::size_t>(own - chunks_.begin())][static_cast<std::size_t>(operation.micro_batch)]
           [operation.kind];
    return {};
  }

  Result<void> check(const StageCopy& chunk, int micro_batch, const Seen& seen) const {
    const std::string place = fmt::format("/operations/{}", lane_);
    if (!seen.complete())
      return bad(
          fmt::format(
              "found {} F, {} B, {} I and {} W of micro-batch {} on stage {}, expected one F, and one B or one I and W",
              seen.forward, seen.backward, seen.input, seen.weight, micro_batch, chunk.stage.value),
          place);
    const int recomputes = plan_.stages[chunk.stage.index()].recompute.any() ? 1 : 0;
    if (seen.recompute != recomputes)
      return bad(fmt::format("found {} R of micro-batch {}, expected {}: stage {} {}", seen.recompute, micro_batch,
                             recomputes, chunk.stage.value, recomputes ? "recomputes" : "does not recompute"),
                 place);
    return {};
  }

  const Plan& plan_;
  const Schedule& schedule_;
  DeviceId device_;
  std::size_t lane_;
  std::vector<StageCopy> chunks_;
  std::vector<std::vector<Seen>> seen_;  // by chunk and micro-batch
};

/// Checks that the devices of a tensor-parallel replica have the same list.
Result<void> check_alike(const Plan& plan, const std::vector<DeviceId>& devices) {
  const auto lane_of = [&](DeviceId device) {
    return static_cast<std::size_t>(std::find(devices.begin(), devices.end(), device) - devices.begin());
  };
  for (const Stage& stage : plan.stages)
    for (std::size_t i = 0; i < stage.devices.size(); ++i) {
      const std::size_t lead = i - i % static_cast<std::size_t>(stage.tensor_parallel);
      const std::size_t lane = lane_of(stage.devices[i]);
      if ((*plan.operations)[lane] != (*plan.operations)[lane_of(stage.devices[lead])])
        return fail(ErrorCode::bad_input,
                    fmt::format("found another list than on device {}, expected the same on all devices of a replica",
                                stage.devices[lead].value),
                    fmt::format("/operations/{}", lane));
    }
  return {};
}

}  // namespace

Result<Schedule> explicit_order(const Plan& plan) {
  const std::vector<DeviceId> devices = devices_used(plan);
  if (!plan.operations || plan.operations->size() != devices.size())
    return fail(ErrorCode::bad_input,
                fmt::format("found {} lists, expected one for each of the {} devices used",
                            plan.operations ? plan.operations->size() : 0, devices.size()),
                "/operations");
  Schedule schedule{plan.micro_batches, true, {}, num_stage_copies(plan)};
  for (std::size_t lane = 0; lane < devices.size(); ++lane) {
    const std::vector<Operation>& list = (*plan.operations)[lane];
    if (Result<void> complete = ListCheck(plan, schedule, devices[lane], lane).run(list); !complete)
      return tl::unexpected(complete.error());
    schedule.lanes.push_back({devices[lane], ExplicitOrder{list}});
  }
  if (Result<void> alike = check_alike(plan, devices); !alike) return tl::unexpected(alike.error());
  return schedule;
}

}  // namespace pipedeck::schedule
