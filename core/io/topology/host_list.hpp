// SPDX-License-Identifier: Apache-2.0
// Names of hosts as Slurm writes them: "node[01-16,20],login1" (slurm.conf(5), "NODE CONFIGURATION").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace pipedeck::io::topology {

/// Every name, in the order of the list; leading zeros stay. More than `most` names, brackets that do not close and
/// ranges that run backwards are bad_input.
Result<std::vector<std::string>> expand_hostlist(std::string_view list, std::size_t most);

}  // namespace pipedeck::io::topology
