// SPDX-License-Identifier: Apache-2.0
// Copies between the GPUs of a machine, measured by NVIDIA's programs: p2pBandwidthLatencyTest of the CUDA samples, and
// nvbandwidth (gpu_copies_json.hpp has its JSON). Both print one table per kind of copy.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

bool looks_like_gpu_copies(const std::string& text);

/// A machine whose joints are as measured: of all ways of copying in one direction the fastest (peer to peer, by copy
/// engines), of the two directions the slower one, and the shortest latency likewise. Tables of both directions at once
/// are left out. `name` is the file's. Rows that are missing, values that are none and tables of different sizes are
/// bad_input with their line.
Result<FoundMachines> machines_from_gpu_copies(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::topology
