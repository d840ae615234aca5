// SPDX-License-Identifier: Apache-2.0
// NCCL's view of a machine, as NCCL_TOPO_DUMP_FILE writes it (RCCL alike): <system> of <cpu>s with a tree of <pci>
// bridges, <gpu>s with their <nvlink>s, and <net>s. Document types and entities are not looked at.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Returns true if the text is XML; only NCCL's is known.
bool looks_like_xml(const std::string& text);

/// Returns one machine per host, called `name`: a dump of several hosts distinguishes them. Errors carry the line.
Result<FoundMachines> machines_from_nccl(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
