// SPDX-License-Identifier: Apache-2.0
#include "core/model/efficiency.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace pipedeck {
namespace {

double reached(double size, double half) { return size / (size + half); }

}  // namespace

double aligned_share(double length) {
  constexpr std::array<double, 7> shares{0.1, 0.13, 0.18, 0.85, 0.93, 0.97, 1};  // 1, 2, 4 ... 64
  const auto whole = static_cast<std::uint64_t>(std::max(1.0, std::round(length)));
  return shares[static_cast<std::size_t>(std::min(6, std::countr_zero(whole)))];
}

double ProductEfficiency::of(double rows, double inner, double columns) const {
  return share * reached(rows, half_rows) * reached(inner, half_inner) * reached(columns, half_columns);
}

double AttentionEfficiency::of(bool backward_pass, double rows, double width) const {
  return (backward_pass ? backward : forward) * reached(rows, half_rows) * reached(width, half_width);
}

HardwareEfficiency hardware_efficiency(const DeviceEfficiency& row) {
  return {row.memory, row.link, row.network, row.link_call, row.network_call};
}

const DeviceEfficiency* find_efficiency(const EfficiencyTable& table, std::string_view device) {
  auto found = std::ranges::find(table.devices, device, &DeviceEfficiency::device);
  if (found == table.devices.end())
    found = std::ranges::find(table.devices, default_efficiency, &DeviceEfficiency::device);
  return found == table.devices.end() ? nullptr : &*found;
}

const PrecisionEfficiency* find_precision(const DeviceEfficiency& device, const std::string& precision,
                                          const std::string& recipe) {
  auto found = device.products.find(precision + "-" + recipe);
  if (found == device.products.end()) found = device.products.find(precision);
  return found == device.products.end() ? nullptr : &found->second;
}

const AttentionEfficiency* find_attention(const DeviceEfficiency& device, const std::string& kernel) {
  auto found = device.attention.find(kernel);
  if (found == device.attention.end()) found = device.attention.find(std::string(default_efficiency));
  return found == device.attention.end() ? nullptr : &found->second;
}

}  // namespace pipedeck
