// SPDX-License-Identifier: Apache-2.0
// Workloads of two planners' released programs: "Efficient Algorithms for Device Placement of DNN Graph Operators"
// (msr-fiddle/dnn-partitioning) and "Piper" (msr-fiddle/piper). Their READMEs have both formats, under "Input format".
// Missing values of a profile are assumed, and listed in the profile's source.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::profiles {

/// Identified by the limits of devices at the start of both.
bool looks_like_partitioning_json(const std::string& text);

/// dnn-partitioning: times in milliseconds, of accelerators where a node may run there, else of a CPU; backward nodes
/// joined with the first forward node of their colour. Piper: seconds; of tensor parallelism the degree 1, without
/// recomputation. `name` is the profile's. Errors carry a JSON pointer.
Result<Profile> profile_from_partitioning_json(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::profiles
