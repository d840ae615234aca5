// SPDX-License-Identifier: Apache-2.0
#include "core/model/memory_items.hpp"

namespace pipedeck {

MemoryBreakdown DeviceItems::at(std::size_t point) const {
  MemoryBreakdown parts = held;
  parts[MemoryItem::activations] = points[point].activations;
  parts[MemoryItem::boundary] = points[point].boundary;
  parts[MemoryItem::workspace] = points[point].workspace;
  return parts;
}

std::vector<DeviceItems> memory_items_of(const Simulation& simulation) {
  std::vector<DeviceItems> all;
  for (const SimulatedDevice& verdict : simulation.devices) {
    if (verdict.item_curve.empty()) continue;
    DeviceItems items{verdict.device, verdict.item_curve.front(), {}};
    for (const MemoryItem item : {MemoryItem::activations, MemoryItem::boundary, MemoryItem::workspace})
      items.held[item] = Bytes();
    items.points.reserve(verdict.curve.size());
    for (std::size_t i = 0; i < verdict.curve.size(); ++i) {
      const MemoryBreakdown& parts = verdict.item_curve[i];
      items.points.push_back({verdict.curve[i].time, parts[MemoryItem::activations], parts[MemoryItem::boundary],
                              parts[MemoryItem::workspace]});
    }
    all.push_back(std::move(items));
  }
  return all;
}

}  // namespace pipedeck
