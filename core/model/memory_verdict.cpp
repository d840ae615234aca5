// SPDX-License-Identifier: Apache-2.0
#include "core/model/memory_verdict.hpp"

#include <algorithm>

namespace pipedeck {
namespace {

const SimulatedDevice* fullest(const Simulation& simulation, Bytes SimulatedDevice::*peak) {
  const auto& devices = simulation.devices;
  const auto worst = std::ranges::max_element(
      devices, {}, [peak](const SimulatedDevice& device) { return share_of_capacity(device.*peak, device); });
  return worst == devices.end() ? nullptr : &*worst;
}

}  // namespace

Fit fit_of(const SimulatedDevice& device) {
  if (device.peak > device.capacity) return Fit::no;
  return device.peak_upper_bound > device.capacity ? Fit::expected : Fit::surely;
}

Fit fit_of(const Simulation& simulation) {
  if (!simulation.fits) return Fit::no;
  return num_devices_over_capacity(simulation) > 0 ? Fit::expected : Fit::surely;
}

int num_devices_over_capacity(const Simulation& simulation) {
  return static_cast<int>(std::ranges::count_if(
      simulation.devices, [](const SimulatedDevice& device) { return device.peak_upper_bound > device.capacity; }));
}

double share_of_capacity(Bytes peak, const SimulatedDevice& device) {
  if (device.capacity.count == 0) return 0;
  return static_cast<double>(peak.count) / static_cast<double>(device.capacity.count);
}

const SimulatedDevice* most_loaded_device(const Simulation& simulation) {
  return fullest(simulation, &SimulatedDevice::peak);
}

const SimulatedDevice* fullest_device_at_most(const Simulation& simulation) {
  return fullest(simulation, &SimulatedDevice::peak_upper_bound);
}

}  // namespace pipedeck
