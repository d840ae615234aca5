// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/rates.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace pipedeck::mesh {
namespace {

TypeRates rates_of_type(const DeviceType& type, const std::vector<DeviceModel>& catalogue,
                        const EfficiencyTable& table) {
  TypeRates rates{type, {}};
  std::string name = type.name;
  if (const DeviceModel* const model = find_device_model(catalogue, name)) {
    name = model->type.name;
    rates.type.peak_tflops.insert(model->type.peak_tflops.begin(), model->type.peak_tflops.end());
    if (!rates.type.host_bandwidth && model->host_link) rates.type.host_bandwidth = model->host_link->bandwidth;
    if (!rates.type.memory_bandwidth) rates.type.memory_bandwidth = model->type.memory_bandwidth;
  }
  if (const DeviceEfficiency* const reached = find_efficiency(table, name)) rates.reached = *reached;
  return rates;
}

}  // namespace

Result<Rates> rates_of(const Cluster& cluster, int devices, const std::vector<DeviceModel>& catalogue,
                       const EfficiencyTable& table) {
  const std::vector<Device> all = devices_of(cluster);
  if (devices < 1 || devices > static_cast<int>(all.size()))
    return fail(ErrorCode::bad_input,
                fmt::format("found a cluster of {} devices, expected the {} of the plan", all.size(), devices));
  const int first = all.front().type;
  Rates rates{rates_of_type(cluster.device_types[static_cast<std::size_t>(first)], catalogue, table)};
  if (std::ranges::all_of(all, [&](const Device& device) { return device.type == first; })) return rates;
  for (const DeviceType& type : cluster.device_types) rates.types.push_back(rates_of_type(type, catalogue, table));
  return rates;
}

}  // namespace pipedeck::mesh
