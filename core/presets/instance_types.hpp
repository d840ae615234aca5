// SPDX-License-Identifier: Apache-2.0
// Machines that clouds rent out, by the names that they rent them out under (presets/clouds): what GPUs they have, what
// joins these, and how fast their network is as published. Compiled into the program.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::presets {

struct InstanceType {
  std::string name;                     ///< "p4d.24xlarge"
  std::string provider;                 ///< "AWS"
  std::string date;                     ///< of the figures: "2025-06"
  std::string source;                   ///< where they were published
  std::string device;                   ///< of the catalogue
  int count = 1;                        ///< of the devices
  std::vector<std::vector<int>> lanes;  ///< device x device, of NVLink; empty: PCI Express alone
  BytesPerSecond network;               ///< of the machine, each way
  int nics = 1;                         ///< network cards that have the bandwidth together
  std::string remark;
};

/// In the order of `list cloud-shapes`, always the same.
const std::vector<InstanceType>& instance_types();

/// By name, in upper or lower case, with Azure's "Standard_" or without; or by a family ("p4d") that has one shape
/// alone. Other names are bad_usage and list those that are meant, else all.
Result<FoundMachines> cloud_machine(const std::string& name);

/// One file's shapes, checked.
Result<std::vector<InstanceType>> cloud_shapes_from_json(const std::string& text);

/// One line for people: "AWS: 8 × A100-40GB, NVLink 3, network 400 Gbit/s (2025-06)".
std::string cloud_shape_summary(const InstanceType& shape);

}  // namespace pipedeck::presets
