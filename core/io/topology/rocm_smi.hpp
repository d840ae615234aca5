// SPDX-License-Identifier: Apache-2.0
// The output of `rocm-smi --showtopo`: a matrix of the types of links between any two GPUs, and their NUMA nodes. Lines
// of `--showproductname` in it name the GPUs. Other text is skipped.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

/// Returns true if the text has the title of such a matrix.
bool looks_like_rocm_smi_topology(const std::string& text);

/// Returns one machine for each matrix, called `name`. rocm-smi has no bandwidths: xGMI is the usual interconnect of
/// the GPUs' type. bad_input with the line of a row that does not fit.
Result<FoundMachines> machines_from_rocm_smi(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
