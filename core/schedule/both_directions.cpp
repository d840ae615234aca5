// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/both_directions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace pipedeck::schedule {
namespace {

tl::unexpected<Error> bad(std::string message, std::string place) {
  return fail(ErrorCode::bad_input, std::move(message), std::move(place));
}

std::string devices_place(std::size_t stage) { return fmt::format("/stages/{}/devices", stage); }

std::string devices_text(const std::vector<DeviceId>& devices) {
  std::string text;
  for (const DeviceId device : devices) text += fmt::format("{}{}", text.empty() ? "" : ", ", device.value);
  return text;
}

Result<void> check_counts(const Plan& plan, int least) {
  if (plan.stages.size() % 2 != 0)
    return bad(fmt::format("found {} stages, expected an even number: '{}' puts two of them on each device",
                           plan.stages.size(), name_of(plan.schedule)),
               "/stages");
  if (plan.micro_batches < least)
    return bad(fmt::format("found {}, expected {} at least for the {} stages of '{}'", plan.micro_batches, least,
                           plan.stages.size(), name_of(plan.schedule)),
               "/micro_batches");
  return {};
}

/// Returns an error if two stages share a device, unless `both` allows it.
template <class Both>
Result<void> check_disjoint(const Plan& plan, Both both) {
  std::map<DeviceId, std::size_t> stage_of;
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    for (const DeviceId device : plan.stages[s].devices) {
      const auto [other, fresh] = stage_of.try_emplace(device, s);
      if (!fresh && !both(other->second, s))
        return bad(fmt::format("found device {}, which stage {} has, expected '{}' to have none in common with it",
                               device.value, other->second, name_of(plan.schedule)),
                   devices_place(s));
    }
  return {};
}

}  // namespace

Result<void> check_both_directions(const Plan& plan, int least) {
  if (Result<void> counts = check_counts(plan, least); !counts) return counts;
  if (plan.micro_batches % 2 != 0)
    return bad(fmt::format("found {}, expected an even number: '{}' runs half of them in each direction",
                           plan.micro_batches, name_of(plan.schedule)),
               "/micro_batches");
  if (Result<void> apart = check_disjoint(plan, [](std::size_t, std::size_t) { return false; }); !apart) return apart;
  const std::size_t stages = plan.stages.size();
  for (std::size_t c = 0; plan.chunks && c < plan.chunks->size(); ++c) {
    const StageCopy& chunk = (*plan.chunks)[c];
    const std::size_t host = chunk.copy == 0 ? chunk.stage.index() : stages - 1 - chunk.stage.index();
    if (chunk.copy > 1)
      return bad(fmt::format("found copy {}, expected 0 or 1: '{}' has two", chunk.copy, name_of(plan.schedule)),
                 fmt::format("/chunks/{}/copy", c));
    if (chunk.devices != plan.stages[host].devices)
      return bad(fmt::format("found {}, expected {}, the devices of stage {}: '{}' has copy {} of stage {} there",
                             devices_text(chunk.devices), devices_text(plan.stages[host].devices), host,
                             name_of(plan.schedule), chunk.copy, chunk.stage.value),
                 fmt::format("/chunks/{}/devices", c));
  }
  for (std::size_t s = 0; s < stages; ++s)
    if (plan.stages[s].devices.size() != plan.stages[stages - 1 - s].devices.size())
      return bad(fmt::format("found {} devices, expected as many as stage {} has, whose copy is on them",
                             plan.stages[s].devices.size(), stages - 1 - s),
                 devices_place(s));
  return {};
}

Result<void> check_v_shape(const Plan& plan, int least) {
  if (Result<void> counts = check_counts(plan, least); !counts) return counts;
  const std::size_t stages = plan.stages.size();
  const auto pair = [&](std::size_t a, std::size_t b) { return a + b == stages - 1; };
  if (Result<void> apart = check_disjoint(plan, pair); !apart) return apart;
  for (std::size_t s = stages / 2; s < stages; ++s)
    if (plan.stages[s].devices != plan.stages[stages - 1 - s].devices)
      return bad(fmt::format("found {}, expected {}, the devices of stage {}: '{}' comes back along a V",
                             devices_text(plan.stages[s].devices), devices_text(plan.stages[stages - 1 - s].devices),
                             stages - 1 - s, name_of(plan.schedule)),
                 devices_place(s));
  return {};
}

}  // namespace pipedeck::schedule
