// SPDX-License-Identifier: Apache-2.0
#include "core/schedule/round_robin_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

namespace pipedeck::schedule {
namespace {

std::string devices_text(const Stage& stage) {
  std::vector<int> numbers;
  for (const DeviceId device : stage.devices) numbers.push_back(device.value);
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

tl::unexpected<Error> placement_error(const Plan& plan, std::size_t stage, const std::string& expected) {
  return fail(ErrorCode::bad_input,
              fmt::format("found {}, expected {}: '{}' needs it", devices_text(plan.stages[stage]), expected,
                          name_of(plan.schedule)),
              fmt::format("/stages/{}/devices", stage));
}

/// Checks that stages `first` and `second` are on the same devices.
Result<void> on_same_rank(const Plan& plan, std::size_t first, std::size_t second) {
  if (plan.stages[second].devices == plan.stages[first].devices) return {};
  return placement_error(plan, second,
                         fmt::format("the devices of stage {}, {}", first, devices_text(plan.stages[first])));
}

/// Checks that the first `ranks` stages are on different devices.
Result<void> on_different_ranks(const Plan& plan, std::size_t ranks) {
  std::set<std::vector<DeviceId>> seen;
  for (std::size_t k = 0; k < ranks; ++k)
    if (!seen.insert(plan.stages[k].devices).second)
      return placement_error(plan, k,
                             fmt::format("other devices than the stages before it in a pipeline of {}", ranks));
  return {};
}

Result<void> one_copy(const Plan& plan) {
  if (num_stage_copies(plan) == 1) return {};
  return fail(
      ErrorCode::bad_input,
      fmt::format("found several copies of stages, expected one: '{}' goes in one direction", name_of(plan.schedule)),
      "/chunks");
}

}  // namespace

Result<int> round_robin_ranks(const Plan& plan) {
  if (Result<void> one = one_copy(plan); !one) return tl::unexpected(one.error());
  const std::size_t ranks = pipeline_ranks(plan).size();
  if (plan.stages.size() % ranks != 0)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} stages on {} groups of devices, expected a whole number of stages a group: '{}' "
                            "goes round them in turn",
                            plan.stages.size(), ranks, name_of(plan.schedule)),
                "/stages");
  if (Result<void> fine = on_different_ranks(plan, ranks); !fine) return tl::unexpected(fine.error());
  for (std::size_t k = ranks; k < plan.stages.size(); ++k)
    if (Result<void> fine = on_same_rank(plan, k % ranks, k); !fine) return tl::unexpected(fine.error());
  return static_cast<int>(ranks);
}

}  // namespace pipedeck::schedule
