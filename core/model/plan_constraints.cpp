// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan_constraints.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck {
namespace {

Result<void> at_least_one(std::optional<int> value, const char* option) {
  if (value && *value < 1)
    return fail(ErrorCode::bad_usage, fmt::format("{} is {}, 1 or more expected", option, *value));
  return {};
}

/// Returns true if some layer has times for `degree`.
bool can_be_split(const Profile& profile, int degree) {
  const auto has = [&](const Layer& layer) {
    return std::any_of(layer.tensor_parallel.begin(), layer.tensor_parallel.end(),
                       [&](const TensorParallelPoint& point) { return point.degree == degree; });
  };
  return degree == 1 || std::any_of(profile.layers.begin(), profile.layers.end(), has);
}

Result<void> check_degrees(const PlanConstraints& pins, const Profile& profile, int devices) {
  const int layers = static_cast<int>(profile.layers.size());
  if (pins.stages && *pins.stages > layers)
    return fail(ErrorCode::bad_usage,
                fmt::format("--pp {} is more than the profile's {} layers", *pins.stages, layers));
  if (pins.stages && pins.max_stages && *pins.stages > *pins.max_stages)
    return fail(ErrorCode::bad_usage,
                fmt::format("--pp {} contradicts --max-stages {}", *pins.stages, *pins.max_stages));
  const auto needed =
      static_cast<std::int64_t>(pins.stages.value_or(1)) * pins.replicas.value_or(1) * pins.tensor_parallel.value_or(1);
  if (needed > devices)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("--pp {} x --dp {} x --tmp {} asks for {} devices, the cluster has {}", pins.stages.value_or(1),
                    pins.replicas.value_or(1), pins.tensor_parallel.value_or(1), needed, devices));
  if (pins.tensor_parallel && !can_be_split(profile, *pins.tensor_parallel))
    return fail(ErrorCode::bad_usage, fmt::format("--tmp {}: no layer of the profile has times for {} devices",
                                                  *pins.tensor_parallel, *pins.tensor_parallel));
  return {};
}

Result<void> check_layers(const PlanConstraints& pins, const Profile& profile, int devices) {
  const int layers = static_cast<int>(profile.layers.size());
  for (const auto& [layer, device] : pins.layers) {
    if (layer.value < 0 || layer.value >= layers)
      return fail(ErrorCode::bad_usage,
                  fmt::format("--pin: found layer {}, expected 0 to {}", layer.value, layers - 1));
    if (device.value < 0 || device.value >= devices)
      return fail(ErrorCode::bad_usage,
                  fmt::format("--pin: found device {}, expected 0 to {}", device.value, devices - 1));
  }
  return {};
}

}  // namespace

Result<void> check(const PlanConstraints& pins, const Profile& profile, const Cluster& cluster) {
  for (const auto& [value, option] : {std::pair{pins.stages, "--pp"},
                                      {pins.max_stages, "--max-stages"},
                                      {pins.replicas, "--dp"},
                                      {pins.tensor_parallel, "--tmp"}})
    TRY_VOID(at_least_one(value, option));
  const int devices = static_cast<int>(devices_of(cluster).size());
  TRY_VOID(check_degrees(pins, profile, devices));
  return check_layers(pins, profile, devices);
}

std::optional<std::string> first_violation(const Plan& plan, const Profile& profile, const PlanConstraints& pins) {
  const int stages = static_cast<int>(plan.stages.size());
  if (pins.stages && stages != *pins.stages) return fmt::format("{} stages, --pp {}", stages, *pins.stages);
  if (pins.max_stages && stages > *pins.max_stages)
    return fmt::format("{} stages, --max-stages {}", stages, *pins.max_stages);
  for (const Stage& stage : plan.stages) {
    if (pins.replicas && stage.replicas() != *pins.replicas)
      return fmt::format("{} replicas, --dp {}", stage.replicas(), *pins.replicas);
    if (pins.tensor_parallel && stage.tensor_parallel != *pins.tensor_parallel)
      return fmt::format("tensor parallelism {}, --tmp {}", stage.tensor_parallel, *pins.tensor_parallel);
  }
  if (pins.layers.empty()) return {};
  const std::vector<LayerId> order = order_of(plan, profile);
  for (const auto& [layer, device] : pins.layers) {
    const auto position = static_cast<int>(std::find(order.begin(), order.end(), layer) - order.begin());
    for (const Stage& stage : plan.stages)
      if (stage.first <= position && position < stage.last &&
          std::find(stage.devices.begin(), stage.devices.end(), device) == stage.devices.end())
        return fmt::format("layer {} not on device {}", layer.value, device.value);
  }
  return {};
}

}  // namespace pipedeck
