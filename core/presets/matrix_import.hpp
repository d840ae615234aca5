// SPDX-License-Identifier: Apache-2.0
// A table of bandwidths made into a cluster that keeps it.
#pragma once

#include "core/presets/machine_import.hpp"

namespace pipedeck {

/// Devices whose names have something before a '/' or ':' in common sit in that node ("n0/gpu1"), all others in one; a
/// node's devices stand side by side in the table. Of the two ways between a pair the slower one is kept. A table
/// without a unit needs how.unit; how.device is what the devices are, else one is assumed and noted.
Result<ImportedCluster> cluster_of_matrix(const FoundMatrix& matrix, const MachineImport& how);

}  // namespace pipedeck
