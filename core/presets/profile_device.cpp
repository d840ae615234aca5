// SPDX-License-Identifier: Apache-2.0
#include "core/presets/profile_device.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pipedeck::presets {
namespace {

constexpr double speeds_alike = 0.02;  // data sheets round

bool has_devices(const Cluster& cluster, const DeviceType& type) {
  return std::ranges::any_of(cluster.nodes, [&](const Node& node) {
    return std::ranges::any_of(node.devices, [&](const auto& devices) { return devices.type == type.name; });
  });
}

bool has_times_on(const Profile& profile, const std::string& type) {
  return std::ranges::all_of(profile.layers, [&](const Layer& layer) { return layer.on.contains(type); });
}

std::string note_on(const Profile& profile, const DeviceType& type, const std::vector<DeviceModel>& catalogue) {
  const DeviceModel *own = find_device_model(catalogue, profile.device),
                    *model = find_device_model(catalogue, type.name);
  const auto expected = own && model ? relative_speed(*model, *own) : std::nullopt;
  const double used = type.relative_speed;
  if (expected && std::abs(used / *expected - 1) <= speeds_alike) return {};
  if (expected)
    return fmt::format(
        "the profile is for {}, which the cluster does not list: {} counts as {:.3g} times as fast, but data sheets "
        "give {:.3g}; use a profile for {}",
        profile.device, type.name, used, *expected, type.name);
  if (used == 1) return {};
  return fmt::format("the profile is for {}, whose speed is unknown: {} counts as {:.3g} times as fast",
                     profile.device.empty() ? "a device that it does not name" : profile.device, type.name, used);
}

}  // namespace

std::string profile_device_note(const Profile& profile, const Cluster& cluster,
                                const std::vector<DeviceModel>& catalogue) {
  if (find_device_type(cluster, profile.device)) return {};
  for (const DeviceType& type : cluster.device_types) {
    if (!has_devices(cluster, type) || has_times_on(profile, type.name)) continue;
    if (std::string note = note_on(profile, type, catalogue); !note.empty()) return note;
  }
  return {};
}

}  // namespace pipedeck::presets
