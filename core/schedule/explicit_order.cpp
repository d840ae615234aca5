// SPDX-License-Identifier: Apache-2.0
// Lists that a plan file brings: checked for completeness, then taken as they are.
#include <fmt/format.h>

#include "core/schedule/closed_forms.hpp"

namespace pipedeck {
namespace {

/// How often a list holds each kind of operation of one micro-batch.
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

bool runs(const Stage& stage, DeviceId device) {
  return std::find(stage.devices.begin(), stage.devices.end(), device) != stage.devices.end();
}

Result<void> check_list(const Plan& plan, const std::vector<Operation>& list, DeviceId device, std::size_t lane) {
  StageId own;
  while (!runs(plan.stages[own.index()], device)) ++own.value;
  std::vector<Seen> seen(static_cast<std::size_t>(plan.micro_batches));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("/operations/{}/{}", lane, i);
    if (list[i].stage != own)
      return fail(ErrorCode::bad_input,
                  fmt::format("found stage {} on device {}, expected stage {}, which it runs", list[i].stage.value,
                              device.value, own.value),
                  place);
    if (list[i].micro_batch < 0 || list[i].micro_batch >= plan.micro_batches)
      return fail(ErrorCode::bad_input,
                  fmt::format("found micro-batch {}, expected 0 to {}", list[i].micro_batch, plan.micro_batches - 1),
                  place);
    ++seen[static_cast<std::size_t>(list[i].micro_batch)][list[i].kind];
  }
  const int recomputes = plan.stages[own.index()].recompute.any() ? 1 : 0;
  for (std::size_t m = 0; m < seen.size(); ++m) {
    const std::string place = fmt::format("/operations/{}", lane);
    if (!seen[m].complete())
      return fail(
          ErrorCode::bad_input,
          fmt::format("found {} F, {} B, {} I and {} W of micro-batch {}, expected one F, and one B or one I and W",
                      seen[m].forward, seen[m].backward, seen[m].input, seen[m].weight, m),
          place);
    if (seen[m].recompute != recomputes)
      return fail(ErrorCode::bad_input,
                  fmt::format("found {} R of micro-batch {}, expected {}: stage {} {}", seen[m].recompute, m,
                              recomputes, own.value, recomputes ? "recomputes" : "does not recompute"),
                  place);
  }
  return {};
}

/// The devices of a tensor-parallel replica work as one.
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
  Schedule schedule{plan.micro_batches, true, {}};
  for (std::size_t lane = 0; lane < devices.size(); ++lane) {
    const std::vector<Operation>& list = (*plan.operations)[lane];
    if (Result<void> complete = check_list(plan, list, devices[lane], lane); !complete)
      return tl::unexpected(complete.error());
    schedule.lanes.push_back({devices[lane], ExplicitOrder{list}});
  }
  if (Result<void> alike = check_alike(plan, devices); !alike) return tl::unexpected(alike.error());
  return schedule;
}

}  // namespace pipedeck
