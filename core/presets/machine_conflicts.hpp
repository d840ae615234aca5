// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck::presets {

/// Joins the first machine of nvidia-smi with the first of NCCL, and so on; machines that only one of them describes
/// stay. Contradictions go to `notes`, one line each, a few per machine at most. Measured copies belong to the machine
/// with as many GPUs of the same type. Slurm's machines take the description of a machine with as many GPUs of the same
/// type (machine_outlines). Cards of ibstat belong to the machine of that name, or to all.
std::vector<DetectedMachine> merge_descriptions(std::vector<DetectedMachine> machines, const MachineImport& how,
                                                std::vector<std::string>& notes);

}  // namespace pipedeck::presets
