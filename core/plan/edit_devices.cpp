// SPDX-License-Identifier: Apache-2.0
// Edits of the stages' devices, replicas, tensor parallelism and shares of samples.
#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan/edit_parts.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"

namespace pipedeck::plan::edits {
namespace {

using Devices = std::vector<DeviceId>;

std::size_t position(int stage) { return static_cast<std::size_t>(stage); }

bool has(const Devices& devices, DeviceId device) { return std::ranges::count(devices, device) > 0; }

/// Returns the first stage on the device; absent: it is unused.
std::optional<int> stage_of(const Plan& plan, DeviceId device) {
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    if (has(plan.stages[s].devices, device)) return static_cast<int>(s);
  return std::nullopt;
}

Result<void> check_device(const Cluster& cluster, DeviceId device) {
  const auto count = static_cast<std::int64_t>(devices_of(cluster).size());
  if (device.value >= 0 && device.value < count) return {};
  return refuse(
      fmt::format("there is no device {}: cluster '{}' has devices 0 to {}", device.value, cluster.name, count - 1));
}

std::string list_of(const Devices& devices) {
  std::vector<std::int32_t> numbers;
  for (DeviceId device : devices) numbers.push_back(device.value);
  return devices.size() == 1 ? fmt::format("device {}", numbers.front())
                             : fmt::format("devices {}", fmt::join(numbers, ", "));
}

Result<void> check_groups(int stage, std::size_t devices, int degree) {
  if (devices == 0)
    return refuse(fmt::format("stage {} would be left without a device: merge it with its neighbour instead", stage));
  if (devices % position(degree) == 0) return {};
  return refuse(fmt::format(
      "stage {} would have {} devices, which can't be taken {} by {} as its tensor parallelism needs: move {} at once",
      stage, devices, degree, degree, degree));
}

/// Returns the stage of all the devices, or nothing if all are unused.
Result<std::optional<int>> source_of(const Plan& plan, const Cluster& cluster, const Devices& devices) {
  if (devices.empty()) return refuse("no device was named");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    TRY_VOID(check_device(cluster, devices[i]));
    if (std::count(devices.begin(), devices.begin() + static_cast<std::ptrdiff_t>(i), devices[i]) > 0)
      return refuse(fmt::format("device {} was named twice", devices[i].value));
  }
  const std::optional<int> source = stage_of(plan, devices.front());
  for (DeviceId device : devices)
    if (stage_of(plan, device) != source)
      return refuse(fmt::format("{} are not all in one stage: move those of each by themselves", list_of(devices)));
  return source;
}

void insert_at(Devices& list, const Devices& devices, std::optional<int> place) {
  const int end = static_cast<int>(list.size());
  list.insert(list.begin() + std::clamp(place.value_or(end), 0, end), devices.begin(), devices.end());
}

/// Reorders a stage's devices. With one device per replica, shares stay with their devices.
Plan reordered(Plan plan, int stage, const Devices& devices, std::optional<int> place) {
  const Stage old = plan.stages[position(stage)];
  Devices list = old.devices;
  std::erase_if(list, [&](DeviceId device) { return has(devices, device); });
  insert_at(list, devices, place);
  const std::vector<int> on_them = stages_on_devices_of(plan, stage);
  assign_devices(plan, stage, list);
  for (int s : on_them) {
    auto& shares = plan.stages[position(s)].samples_per_replica;
    if (!shares || old.tensor_parallel > 1) continue;
    const std::vector<int> before = *shares;
    for (std::size_t i = 0; i < list.size(); ++i)
      (*shares)[i] = before[position(static_cast<int>(std::ranges::find(old.devices, list[i]) - old.devices.begin()))];
  }
  return plan;
}

}  // namespace

void assign_devices(Plan& plan, int stage, const Devices& devices) {
  const Devices before = plan.stages[position(stage)].devices;
  for (Stage& one : plan.stages) {
    if (one.devices != before) continue;
    one.devices = devices;
    if (one.samples_per_replica && static_cast<int>(one.samples_per_replica->size()) != one.replicas())
      one.samples_per_replica.reset();
  }
  if (!plan.chunks) return;
  for (StageCopy& chunk : *plan.chunks)
    if (chunk.devices == before) chunk.devices = devices;
}

std::optional<Devices> allocate_unused_devices(const Plan& plan, const Cluster& cluster, int stage, int count) {
  Devices spare = unused_devices(plan, cluster);
  if (static_cast<int>(spare.size()) < count) return std::nullopt;
  const std::vector<Device> all = devices_of(cluster);
  const Devices& own = plan.stages[position(stage)].devices;
  const auto unlike = [&](DeviceId device) {
    const auto same = [&](auto part) {
      return std::ranges::any_of(own,
                                 [&](DeviceId other) { return all[device.index()].*part == all[other.index()].*part; });
    };
    return std::tuple(!same(&Device::type), !same(&Device::node), device);
  };
  std::ranges::stable_sort(spare, {}, unlike);
  spare.resize(position(count));
  std::ranges::sort(spare);
  return spare;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const MoveDevices& edit) {
  TRY(const auto source, source_of(plan, ground.cluster, edit.devices));
  if (!source && !edit.stage)
    return refuse(edit.devices.size() == 1 ? fmt::format("{} is used by no stage", list_of(edit.devices))
                                           : fmt::format("{} are used by no stage", list_of(edit.devices)));
  if (edit.stage) TRY_VOID(check_stage(plan, *edit.stage));
  const auto devices_at = [&](int stage) -> const Devices& { return plan.stages[position(stage)].devices; };
  if (source && edit.stage && devices_at(*source) == devices_at(*edit.stage))
    return reordered(std::move(plan), *edit.stage, edit.devices, edit.place);
  if (source) {
    Devices left = devices_at(*source);
    std::erase_if(left, [&](DeviceId device) { return has(edit.devices, device); });
    TRY_VOID(check_groups(*source, left.size(), plan.stages[position(*source)].tensor_parallel));
    assign_devices(plan, *source, left);
  }
  if (!edit.stage) return plan;
  Devices list = devices_at(*edit.stage);
  insert_at(list, edit.devices, edit.place);
  TRY_VOID(check_groups(*edit.stage, list.size(), plan.stages[position(*edit.stage)].tensor_parallel));
  assign_devices(plan, *edit.stage, list);
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const SwapDevices& edit) {
  for (DeviceId device : {edit.one, edit.other}) TRY_VOID(check_device(ground.cluster, device));
  if (edit.one == edit.other) return refuse(fmt::format("device {} can't be exchanged with itself", edit.one.value));
  if (!stage_of(plan, edit.one) && !stage_of(plan, edit.other))
    return refuse(fmt::format("{} are used by no stage", list_of({edit.one, edit.other})));
  const auto exchange = [&](Devices& devices) {
    for (DeviceId& device : devices)
      device = device == edit.one ? edit.other : device == edit.other ? edit.one : device;
  };
  for (Stage& stage : plan.stages) exchange(stage.devices);
  if (plan.chunks)
    for (StageCopy& chunk : *plan.chunks) exchange(chunk.devices);
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const SetReplicas& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  if (edit.replicas < 1) return refuse(fmt::format("stage {} needs one replica at least", edit.stage));
  const Stage& stage = plan.stages[position(edit.stage)];
  Devices devices = stage.devices;
  const std::int64_t wanted = std::int64_t{edit.replicas} * stage.tensor_parallel;
  const std::int64_t missing = wanted - static_cast<std::int64_t>(devices.size());
  if (missing > 0) {
    const std::size_t spare = unused_devices(plan, ground.cluster).size();
    if (missing > static_cast<std::int64_t>(spare))
      return refuse(fmt::format("{} replicas of stage {} need {}, and {}", edit.replicas, edit.stage,
                                missing == 1 ? "1 more device" : fmt::format("{} more devices", missing),
                                spare == 0   ? "none is spare"
                                : spare == 1 ? "1 is spare"
                                             : fmt::format("{} are spare", spare)));
    const Devices more = *allocate_unused_devices(plan, ground.cluster, edit.stage, static_cast<int>(missing));
    devices.insert(devices.end(), more.begin(), more.end());
  } else {
    devices.resize(static_cast<std::size_t>(wanted));
  }
  assign_devices(plan, edit.stage, devices);
  return plan;
}

/// Describes a layer of the stage that the profile has times for, but no sharding.
static std::optional<std::string> unshardable_layers(const Plan& plan, const Profile& profile,
                                                     const SetTensorParallel& edit) {
  const std::vector<LayerId> order = order_of(plan, profile);
  const Stage& stage = plan.stages[position(edit.stage)];
  for (int p = stage.first; p < stage.last; ++p) {
    const Layer& layer = profile.layers[order[position(p)].index()];
    if (point_of_degree(layer, edit.degree) && !is_shardable(layer, edit.degree)) return layer.name;
  }
  return std::nullopt;
}

Result<Plan> apply(Plan plan, const EditContext& ground, const SetTensorParallel& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  const std::vector<int> degrees = tensor_parallel_degrees(plan, ground.profile, edit.stage);
  if (const std::optional<std::string> layer = unshardable_layers(plan, ground.profile, edit))
    return refuse(
        fmt::format("layer '{}' of stage {} cannot be sharded over {} devices: the profile has no sharding with whole "
                    "inputs and outputs",
                    *layer, edit.stage, edit.degree));
  if (std::ranges::count(degrees, edit.degree) == 0)
    return refuse(
        degrees.size() == 1
            ? fmt::format("the profile has no times for the layers of stage {} cut over several devices", edit.stage)
            : fmt::format("the profile has no times for the layers of stage {} cut over {} devices; it has them for {}",
                          edit.stage, edit.degree, fmt::join(degrees, ", ")));
  Devices devices = plan.stages[position(edit.stage)].devices;
  const int count = static_cast<int>(devices.size());
  if (count < edit.degree) {
    const auto more = allocate_unused_devices(plan, ground.cluster, edit.stage, edit.degree - count);
    if (!more)
      return refuse(fmt::format("tensor parallelism {} of stage {} needs {} more devices than are spare", edit.degree,
                                edit.stage,
                                edit.degree - count - static_cast<int>(unused_devices(plan, ground.cluster).size())));
    devices.insert(devices.end(), more->begin(), more->end());
  } else if (count % edit.degree != 0) {
    return refuse(
        fmt::format("the {} devices of stage {} can't be taken {} by {}", count, edit.stage, edit.degree, edit.degree));
  }
  const std::vector<int> on_them = stages_on_devices_of(plan, edit.stage);
  for (int s : on_them) {
    Stage& stage = plan.stages[position(s)];
    if (stage.tensor_parallel != edit.degree) stage.shard_fractions.reset();
    stage.tensor_parallel = edit.degree;
  }
  assign_devices(plan, edit.stage, devices);
  return plan;
}

Result<Plan> apply(Plan plan, const EditContext&, const SetReplicaSamples& edit) {
  TRY_VOID(check_stage(plan, edit.stage));
  const Stage& stage = plan.stages[position(edit.stage)];
  const auto put = [&](const std::optional<std::vector<int>>& shares) {
    for (int s : stages_on_devices_of(plan, edit.stage)) plan.stages[position(s)].samples_per_replica = shares;
  };
  if (edit.samples.empty()) {
    put(std::nullopt);
    return plan;
  }
  if (!plan.synchronous())
    return refuse(
        fmt::format("'{}' gives each micro-batch to one replica whole: there are no shares", name_of(plan.schedule)));
  if (static_cast<int>(edit.samples.size()) != stage.replicas())
    return refuse(fmt::format("found {} shares for the {} replicas of stage {}: one for each is expected",
                              edit.samples.size(), stage.replicas(), edit.stage));
  if (std::ranges::any_of(edit.samples, [](int share) { return share < 1; }))
    return refuse("each replica needs one sample of a micro-batch at least");
  const auto sum = std::accumulate(edit.samples.begin(), edit.samples.end(), std::int64_t{0});
  if (sum != plan.micro_batch)
    return refuse(fmt::format("the shares are {} samples in all, and a micro-batch has {}", sum, plan.micro_batch));
  put(edit.samples);
  return plan;
}

}  // namespace pipedeck::plan::edits
