// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/rates.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace pipedeck::mesh {

Result<Rates> rates_of(const Cluster& cluster, int devices, const std::vector<DeviceModel>& catalogue,
                       const EfficiencyTable& table) {
  const std::vector<Device> all = devices_of(cluster);
  if (devices < 1 || devices > static_cast<int>(all.size()))
    return fail(ErrorCode::bad_input,
                fmt::format("found a cluster of {} devices, expected the {} of the plan", all.size(), devices));
  const auto other = std::find_if(all.begin(), all.begin() + devices,
                                  [&](const Device& device) { return device.type != all.front().type; });
  if (other != all.begin() + devices)
    return fail(ErrorCode::bad_input,
                fmt::format("found device {} of another type than device 0, expected one type for the {} of the plan",
                            other - all.begin(), devices));
  Rates rates{cluster.device_types[static_cast<std::size_t>(all.front().type)], {}};
  std::string name = rates.type.name;
  if (const DeviceModel* const model = find_device_model(catalogue, name)) {
    name = model->type.name;
    rates.type.peak_tflops.insert(model->type.peak_tflops.begin(), model->type.peak_tflops.end());
    if (!rates.type.host_bandwidth && model->host_link) rates.type.host_bandwidth = model->host_link->bandwidth;
    if (!rates.type.memory_bandwidth) rates.type.memory_bandwidth = model->type.memory_bandwidth;
  }
  if (const DeviceEfficiency* const reached = find_efficiency(table, name)) rates.reached = *reached;
  return rates;
}

}  // namespace pipedeck::mesh
