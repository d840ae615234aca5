// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/domain/found_machine.hpp"

namespace pipedeck {

/// The first machine told by nvidia-smi and the first told by NCCL become one, and so on; machines that only one of
/// them tells stay. What the two contradict in goes to `notes`, a line each, at most a few a machine. Copies that were
/// measured between as many GPUs of the same type as another machine has are its own.
std::vector<FoundMachine> joined_descriptions(std::vector<FoundMachine> machines, std::vector<std::string>& notes);

}  // namespace pipedeck
