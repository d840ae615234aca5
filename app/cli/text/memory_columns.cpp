// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/memory_columns.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/model/memory_verdict.hpp"

namespace pipedeck::cli::text {
namespace {

std::string peak_text(const SimulatedDevice* device, Bytes SimulatedDevice::*peak, Bytes largest) {
  if (!device) return "-";
  return fmt::format("{} ({:.0f} %)", memory_text(device->*peak, largest),
                     share_of_capacity(device->*peak, *device) * 100);
}

}  // namespace

Bytes largest_peak(const Simulation& simulation) {
  Bytes largest;
  for (const SimulatedDevice& device : simulation.devices) largest = std::max(largest, device.peak_upper_bound);
  return largest;
}

std::string worst_peak_text(const Simulation& simulation, Bytes largest) {
  return peak_text(most_loaded_device(simulation), &SimulatedDevice::peak, largest);
}

std::string at_most_text(const Simulation& simulation, Bytes largest) {
  return peak_text(fullest_device_at_most(simulation), &SimulatedDevice::peak_upper_bound, largest);
}

std::string fits_word(const Simulation& simulation) {
  switch (fit_of(simulation)) {
    case Fit::surely:
      if (const double margin = memory_margin(simulation); margin < thin_margin) return "yes, " + margin_text(margin);
      return "yes";
    case Fit::expected:
      return "yes (at most: no)";
    case Fit::no:
      return "no";
  }
  return {};
}

std::string fits_text(const Simulation& simulation) {
  switch (fit_of(simulation)) {
    case Fit::surely:
      return fmt::format("fits in memory, {}, by the upper estimate too", margin_text(memory_margin(simulation)));
    case Fit::expected:
      return fmt::format("fits in memory, {}, but NOT by the upper estimate ({} of {} devices)",
                         margin_text(memory_margin(simulation)), num_devices_over_capacity(simulation),
                         simulation.devices.size());
    case Fit::no:
      return "does NOT fit in memory";
  }
  return {};
}

std::string items_table(const Simulation& simulation) {
  std::vector<MemoryItem> items;  // that some device holds
  std::vector<Table::Column> columns{{"device"}, {"peak"}};
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    const auto holds = [item](const SimulatedDevice& device) { return device.peak_breakdown[item].count > 0; };
    if (std::ranges::none_of(simulation.devices, holds)) continue;
    items.push_back(item);
    columns.push_back({std::string(name_of(item))});
  }
  Table table(columns);
  const Bytes largest = largest_peak(simulation);
  for (const SimulatedDevice& device : simulation.devices) {
    std::vector<std::string> cells{std::to_string(device.device.value), memory_text(device.peak, largest)};
    for (const MemoryItem item : items) cells.push_back(memory_text(device.peak_breakdown[item], largest));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace pipedeck::cli::text
