// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/presets/machine_import.hpp"

namespace pipedeck {

/// Told by Slurm alone.
bool is_outline(const FoundMachine& machine);

/// Slurm tells which machines there are and what GPUs they have. What lies between those, and the network cards, they
/// have of a description of one of them: of the one by their own name, else of the first of as many GPUs that may be of
/// the same types. A description that was used is no machine of its own. A line each goes to `notes`.
void complete_outlines(std::vector<FoundMachine>& machines, const MachineImport& how, std::vector<std::string>& notes);

}  // namespace pipedeck
