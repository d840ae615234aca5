// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck {

/// The first machine told by nvidia-smi and the first told by NCCL become one, and so on; machines that only one of
/// them tells stay. What the two contradict in goes to `notes`, a line each, at most a few a machine. Copies that were
/// measured between as many GPUs of the same type as another machine has are its own; Slurm's machines are like the
/// one of as many GPUs of the same type that is described (machine_outlines).
std::vector<FoundMachine> joined_descriptions(std::vector<FoundMachine> machines, const MachineImport& how,
                                              std::vector<std::string>& notes);

}  // namespace pipedeck
