// SPDX-License-Identifier: Apache-2.0
#include "core/model/memory_verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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
  std::size_t count = 0;
  for (const SimulatedDevice& device : simulation.devices)
    if (device.peak_upper_bound > device.capacity) count += 1 + device.twins.size();
  return static_cast<int>(count);
}

double share_of_capacity(Bytes peak, const SimulatedDevice& device) {
  if (device.capacity.count == 0) return 0;
  return static_cast<double>(peak.count) / static_cast<double>(device.capacity.count);
}

double memory_margin(const Simulation& simulation) {
  const SimulatedDevice* const fullest = most_loaded_device(simulation);
  return fullest ? 1 - share_of_capacity(fullest->peak, *fullest) : 1;
}

double margin_rounded_down(double margin) {
  const double per_mille = std::floor(1000 * margin);
  return per_mille < 100 ? per_mille / 1000 : std::floor(100 * margin) / 100;
}

std::string margin_text(double margin) {
  if (margin < 0) return fmt::format("{:.0f} % over", std::ceil(-100 * margin));
  const double percent = 100 * margin_rounded_down(margin);
  const int decimals = percent > 0 && percent < 9.95 ? 1 : 0;
  return fmt::format("{:.{}f} % left", percent, decimals);
}

MemoryMarks memory_marks(const SimulatedDevice& device, double fragmentation) {
  const MemoryBreakdown& peak = device.peak_breakdown;
  const Bytes outside = peak[MemoryItem::communication] + peak[MemoryItem::reserve];
  MemoryMarks marks;
  marks.allocated = device.peak - outside;
  marks.reserved = ceil_to_bytes(static_cast<double>(marks.allocated.count) / (1 - fragmentation));
  marks.nvidia_smi = marks.reserved + outside;
  return marks;
}

const SimulatedDevice* most_loaded_device(const Simulation& simulation) {
  return fullest(simulation, &SimulatedDevice::peak);
}

const SimulatedDevice* fullest_device_at_most(const Simulation& simulation) {
  return fullest(simulation, &SimulatedDevice::peak_upper_bound);
}

}  // namespace pipedeck
