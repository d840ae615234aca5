// SPDX-License-Identifier: Apache-2.0
// Workloads of the programs that the authors of two planners released: "Efficient Algorithms for Device Placement of
// DNN Graph Operators" (msr-fiddle/dnn-partitioning) and "Piper" (msr-fiddle/piper); both formats are in their README,
// "Input format". What a profile needs and they do not tell is assumed, and stands in the profile's source.
#pragma once

#include <string>

#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// Told by the limits of devices that both begin with.
bool looks_like_partitioning_json(const std::string& text);

/// dnn-partitioning: times in milliseconds, of accelerators where a node may run there, else of a CPU; backward nodes
/// joined with the first forward node of their colour. Piper: seconds; of tensor parallelism the degree 1, without
/// recomputation. `name` is the profile's. Errors carry a JSON pointer.
Result<Profile> profile_from_partitioning_json(const std::string& text, const std::string& name);

}  // namespace pipedeck
