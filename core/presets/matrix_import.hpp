// SPDX-License-Identifier: Apache-2.0
// A table of bandwidths made into a cluster that keeps it.
#pragma once

#include "core/presets/machine_import.hpp"

namespace pipedeck::presets {

/// Devices whose names share a prefix up to '/' or ':' are in that node ("n0/gpu1"), all others in one. A node's
/// devices are adjacent in the table. The slower direction between a pair counts. A table without a unit needs
/// how.unit. how.device is the type of the devices, else one is assumed and noted.
Result<ImportedCluster> cluster_of_matrix(const FoundMatrix& matrix, const MachineImport& how);

}  // namespace pipedeck::presets
