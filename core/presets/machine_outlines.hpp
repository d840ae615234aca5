// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck::presets {

/// Returns true for a machine without a description of its links: of Slurm or Kubernetes, or of nccl-tests between
/// hosts alone.
bool is_incomplete(const DetectedMachine& machine);

/// Slurm lists machines and their GPUs. Interconnects and network cards come from a description of one of them: of the
/// machine with the same name, else of the first with as many GPUs of possibly the same types. A used description is no
/// machine of its own. Adds one line per machine to `notes`.
void complete_nodes(std::vector<DetectedMachine>& machines, const MachineImport& how, std::vector<std::string>& notes);

}  // namespace pipedeck::presets
