// SPDX-License-Identifier: Apache-2.0
#include "core/study/whatif/change.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/checks.hpp"
#include "core/base/limits.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/plan/validate.hpp"
#include "core/study/whatif/scales.hpp"

namespace pipedeck::study::whatif {
namespace {

bool measured_on(const Profile& profile, const std::string& type) {
  return std::any_of(profile.layers.begin(), profile.layers.end(),
                     [&](const Layer& layer) { return layer.on.contains(type); });
}

/// A device whose speed is known in the cluster's own numbers, and that the catalogue has.
struct Reference {
  const DeviceModel* model = nullptr;
  double in_cluster = 1;
};

/// The profile's device where the catalogue has it (1 where the cluster has it not, as the cost model has it), else one
/// of the cluster.
std::optional<Reference> reference_of(const Problem& problem, const DeviceCatalogue& catalogue) {
  const Cluster& cluster = *problem.cluster;
  const std::string& own = problem.profile->device;
  if (const DeviceModel* known = find_device_model(catalogue, own)) {
    const DeviceType* in_cluster = find_device_type(cluster, own);
    return Reference{known, in_cluster ? in_cluster->relative_speed : 1};
  }
  for (const DeviceType& type : cluster.device_types)
    if (const DeviceModel* known = find_device_model(catalogue, type.name))
      return Reference{known, type.relative_speed};
  return {};
}

double speed_of_profile_device(const Problem& problem) {
  const DeviceType* own = find_device_type(*problem.cluster, problem.profile->device);
  return own ? own->relative_speed : 1;
}

/// How quick a type of the catalogue is in the cluster's numbers; absent: the two have nothing in common.
std::optional<double> speed_in_cluster(const Problem& problem, const DeviceType& type,
                                       const DeviceCatalogue& catalogue) {
  const DeviceModel* model = find_device_model(catalogue, type.name);
  const auto reference = reference_of(problem, catalogue);
  if (!model || !reference) return {};
  const auto ratio = relative_speed(*model, *reference->model);
  return ratio ? std::optional(*ratio * reference->in_cluster) : std::nullopt;
}

/// The type with its speed in the cluster's numbers. One that the cluster has is taken as it is there; of one that the
/// catalogue has not the speed is in the cluster's numbers already.
DeviceType in_cluster(const Problem& problem, const DeviceType& type, const DeviceCatalogue& catalogue) {
  if (const DeviceType* known = find_device_type(*problem.cluster, type.name)) return *known;
  DeviceType made = type;
  if (find_device_model(catalogue, type.name))
    made.relative_speed = speed_in_cluster(problem, type, catalogue).value_or(speed_of_profile_device(problem));
  return made;
}

Result<void> check(const WhatIf& change) {
  const auto bad = [](const std::string& what) { return fail(ErrorCode::bad_usage, what); };
  for (const auto& bandwidth : {change.inside, change.between})
    if (bandwidth && !checks::is_bandwidth(*bandwidth))
      return bad(fmt::format("found a bandwidth of {} bytes/s, expected from {:g} to {:g}", bandwidth->count,
                             limits::min_bytes_per_second, limits::bytes_per_second));
  if (change.memory && (change.memory->count < 1 || change.memory->count > limits::bytes))
    return bad(fmt::format("found {} bytes of memory, expected from 1 to {}", change.memory->count, limits::bytes));
  if (change.nodes && (*change.nodes < 1 || *change.nodes > limits::devices))
    return bad(fmt::format("found {} nodes, expected from 1 to {}", *change.nodes, limits::devices));
  if (change.global_batch && *change.global_batch < 1)
    return bad(fmt::format("found a global batch of {}, expected at least 1", *change.global_batch));
  for (const auto& [type, price] : change.prices)
    if (!(price >= 0 && std::isfinite(price)))
      return bad(fmt::format("found a price of {} for {}, expected a number from 0", price, type));
  return {};
}

std::vector<DeviceId> all_devices(const Cluster& cluster) {
  std::vector<DeviceId> devices(devices_of(cluster).size());
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i] = DeviceId(i);
  return devices;
}

/// Adds the catalogue's peaks, by which utilizations are computed, where the cluster has none.
void set_prices_and_peaks(Cluster& cluster, const WhatIf& change, const DeviceCatalogue& catalogue) {
  for (DeviceType& type : cluster.device_types) {
    if (const DeviceModel* known = find_device_model(catalogue, type.name))
      type.peak_tflops.insert(known->type.peak_tflops.begin(), known->type.peak_tflops.end());
    const auto given = change.prices.find(type.name);
    type.price_per_hour = given == change.prices.end() ? price_of(type, catalogue) : given->second;
  }
}

/// How fast the slowest device of a node is joined to its neighbours; absent: the catalogue has not all of them.
std::optional<BytesPerSecond> joined_by(const Node& node, const DeviceCatalogue& catalogue) {
  std::optional<BytesPerSecond> slowest;
  for (const DeviceGroup& group : node.devices) {
    const DeviceModel* model = find_device_model(catalogue, group.type);
    if (!model) return {};
    slowest = slowest ? std::min(*slowest, device_bandwidth(*model)) : device_bandwidth(*model);
  }
  return slowest;
}

/// Devices bring their links: a card on PCI Express does not get the NVLink of the one that it replaces. Bandwidths
/// scale in proportion, since measured links reach less than data sheets state.
void rejoin_nodes(Cluster& cluster, const Cluster& before, const DeviceCatalogue& catalogue) {
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
    const auto then = joined_by(before.nodes[n], catalogue), now = joined_by(cluster.nodes[n], catalogue);
    if (std::optional<Link>& link = cluster.nodes[n].link; link && then && now && *then != *now)
      link->bandwidth = link->bandwidth * (now->count / then->count);
  }
}

void change_devices(Cluster& cluster, const Problem& problem, const WhatIf& change, const DeviceCatalogue& catalogue) {
  const Cluster before = cluster;
  if (change.type) swap_devices(cluster, all_devices(cluster), in_cluster(problem, *change.type, catalogue));
  for (const TypeSwap& swap : change.swaps)
    swap_devices(cluster, swap.devices, in_cluster(problem, swap.type, catalogue));
  rejoin_nodes(cluster, before, catalogue);
  // Without the profile's own device in the cluster its speed would count as 1.
  const bool kept = speed_of_profile_device(problem) != 1;
  if (change.type || !change.swaps.empty()) drop_unused_types(cluster, kept ? problem.profile->device : std::string());
}

void change_scales(Cluster& cluster, const WhatIf& change) {
  for (const LinkScale& link : change.links) scale_link(cluster, link);
  const ClusterScales now = scales_of(cluster);
  if (change.inside && now.inside && *change.inside != *now.inside)
    scale_inside(cluster, change.inside->count / now.inside->count);
  if (change.between && now.between && *change.between != *now.between)
    scale_between(cluster, change.between->count / now.between->count);
  if (change.memory && *change.memory != now.memory)
    scale_memory(cluster, static_cast<double>(change.memory->count) / static_cast<double>(now.memory.count));
}

/// A micro-batch that no longer divides the batch would leave nothing to plan.
Result<void> change_workload(Workload& workload, const WhatIf& change) {
  if (change.global_batch) workload.global_batch = *change.global_batch;
  if (change.micro_batch)
    workload.micro_batch = *change.micro_batch > 0 ? std::optional(*change.micro_batch) : std::nullopt;
  if (workload.micro_batch && workload.global_batch % *workload.micro_batch != 0)
    return fail(ErrorCode::bad_usage, fmt::format("a micro-batch of {} does not divide the global batch of {}",
                                                  *workload.micro_batch, workload.global_batch));
  return {};
}

}  // namespace

std::optional<double> price_of(const DeviceType& type, const DeviceCatalogue& catalogue) {
  if (type.price_per_hour) return type.price_per_hour;
  const DeviceModel* known = find_device_model(catalogue, type.name);
  return known ? known->type.price_per_hour : std::nullopt;
}

Result<Problem> with_change(const Problem& problem, const WhatIf& change, const DeviceCatalogue& catalogue) {
  TRY_VOID(check(change));
  Problem changed = problem;
  TRY_VOID(change_workload(changed.workload, change));
  Cluster cluster = change.nodes ? with_node_count(*problem.cluster, *change.nodes) : *problem.cluster;
  change_devices(cluster, problem, change, catalogue);
  change_scales(cluster, change);
  set_prices_and_peaks(cluster, change, catalogue);
  TRY_VOID(plan::validate(cluster));
  const std::size_t devices = devices_of(cluster).size();
  std::erase_if(changed.pins.layers, [&](const auto& pin) { return pin.second.index() >= devices; });
  changed.workload.conventions.efficiency = io::documents::hardware_efficiencies(*changed.profile, cluster, catalogue);
  changed.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return changed;
}

TimeScale time_scale(const Problem& problem, const DeviceType& type, const DeviceCatalogue& catalogue) {
  const std::string& own = problem.profile->device;
  if (type.name == own) return {TimeScale::Source::same_device, 1, own, own};
  if (measured_on(*problem.profile, type.name)) return {TimeScale::Source::measured, 1, own, type.name};
  const double factor = in_cluster(problem, type, catalogue).relative_speed / speed_of_profile_device(problem);
  const bool known = find_device_type(*problem.cluster, type.name) || !find_device_model(catalogue, type.name) ||
                     speed_in_cluster(problem, type, catalogue);
  return {known ? TimeScale::Source::scaled : TimeScale::Source::unknown, factor, own, type.name};
}

DeviceType next_type(const Problem& problem, const DeviceType& type, const DeviceCatalogue& catalogue) {
  std::optional<DeviceType> next;
  double next_speed = 0;
  const auto offer = [&](const DeviceType& one, double speed) {
    const auto rank = [&](const DeviceType& t, double s) { return std::pair(t.memory < type.memory, s); };
    if (speed <= 1 || one.name == type.name || (next && rank(one, speed) >= rank(*next, next_speed))) return;
    next = one;
    next_speed = speed;
  };
  if (const DeviceModel* own = find_device_model(catalogue, type.name))
    for (const DeviceModel& one : catalogue)
      if (one.price) offer(one.type, relative_speed(one, *own).value_or(0));
  if (next) return *next;
  for (const DeviceType& one : problem.cluster->device_types) offer(one, one.relative_speed / type.relative_speed);
  if (next) return *next;
  next = type;
  next->name += " twice as fast";
  next->relative_speed *= 2;
  for (auto& [precision, peak] : next->peak_tflops) peak *= 2;
  if (next->memory_bandwidth) next->memory_bandwidth = *next->memory_bandwidth * 2;
  next->price_per_hour.reset();
  return *next;
}

}  // namespace pipedeck::study::whatif
