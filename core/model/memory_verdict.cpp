// SPDX-License-Identifier: Apache-2.0
#include "core/model/memory_verdict.hpp"

#include <algorithm>

namespace pipedeck {
namespace {

const DeviceVerdict* fullest(const Simulation& simulation, Bytes DeviceVerdict::*peak) {
  const auto& devices = simulation.devices;
  const auto worst = std::ranges::max_element(
      devices, {}, [peak](const DeviceVerdict& device) { return share_of_capacity(device.*peak, device); });
  return worst == devices.end() ? nullptr : &*worst;
}

}  // namespace

Fit fit_of(const DeviceVerdict& device) {
  if (device.peak > device.capacity) return Fit::no;
  return device.peak_upper > device.capacity ? Fit::expected : Fit::surely;
}

Fit fit_of(const Simulation& simulation) {
  if (!simulation.fits) return Fit::no;
  return devices_beyond(simulation) > 0 ? Fit::expected : Fit::surely;
}

int devices_beyond(const Simulation& simulation) {
  return static_cast<int>(std::ranges::count_if(
      simulation.devices, [](const DeviceVerdict& device) { return device.peak_upper > device.capacity; }));
}

double share_of_capacity(Bytes peak, const DeviceVerdict& device) {
  if (device.capacity.count == 0) return 0;
  return static_cast<double>(peak.count) / static_cast<double>(device.capacity.count);
}

const DeviceVerdict* fullest_device(const Simulation& simulation) { return fullest(simulation, &DeviceVerdict::peak); }

const DeviceVerdict* fullest_device_at_most(const Simulation& simulation) {
  return fullest(simulation, &DeviceVerdict::peak_upper);
}

}  // namespace pipedeck
