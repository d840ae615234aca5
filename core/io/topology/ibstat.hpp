// SPDX-License-Identifier: Apache-2.0
// The output of ibstat: the network cards of a machine and the rates of their ports.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Identified by a line "CA 'mlx5_0'" above one on its ports.
bool looks_like_ibstat(const std::string& text);

/// Returns a machine without GPUs, whose cards go to the machine that is described with it. Ports that are not active
/// are left out; so is Ethernet where there is InfiniBand. A card with several ports has the sum of their rates.
/// bad_input with the line: a rate that is none, ports outside of a card, no active port. At most 1 MiB and 256 ports.
Result<FoundMachines> machines_from_ibstat(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
