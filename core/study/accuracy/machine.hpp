// SPDX-License-Identifier: Apache-2.0
// The machine of a published run, built from its row and the catalogue of devices.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

struct Machine {
  std::shared_ptr<const Cluster> cluster;
  DeviceType type;                 ///< with the memory of the row
  std::string reason;              ///< why there is none
  std::vector<std::string> notes;  ///< on what was assumed
};

/// Returns as many GPUs as the row has, in nodes behind one switch. Nodes of an NVLink domain are joined.
Machine machine_of(const PublishedRun& run, const std::vector<DeviceModel>& catalogue);

}  // namespace pipedeck::study::accuracy
