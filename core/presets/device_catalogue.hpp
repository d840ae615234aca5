// SPDX-License-Identifier: Apache-2.0
// The devices of presets/devices, compiled into the program: what the topology's palette offers, what imports look
// names up in, what "which device to buy first" chooses from. Figures are those of data sheets; prices are editable
// defaults, about what a public cloud asked on their date.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/device_model.hpp"

namespace pipedeck::presets {

/// In the order of `list device-types`, always the same. relative_speed of each is against the first, the V100-16GB.
const std::vector<DeviceModel>& device_catalogue();

/// The type that is assumed if a value needs one and none is given.
inline constexpr std::string_view assumed_device_type = "A100-80GB";

/// By name, alias or what the driver calls it. Unknown names are bad_usage and list the known ones.
Result<DeviceModel> catalogue_device(const std::string& name);

/// Returns the catalogue's name of the first of the cluster's device types that is known; empty if none is.
std::string known_device_type(const Cluster& cluster);

/// Returns the largest memory defaults of the cluster's device types, found by name, and where they come from; all 0 if
/// the catalogue has none.
MemoryDefaults memory_defaults(const Cluster& cluster);

/// One entry's text, as the files have it; their names and aliases are not compared with others' here.
Result<DeviceModel> device_model_from_json(const std::string& text);

/// One line for people: "16 GiB at 900 GB/s; fp32 15.7, fp16 125 TFLOP/s; NVLink 2, 150 GB/s each way; ...".
std::string device_summary(const DeviceModel& model);

}  // namespace pipedeck::presets
