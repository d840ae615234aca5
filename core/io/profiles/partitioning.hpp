// SPDX-License-Identifier: Apache-2.0
// Workloads of two planners' released programs: "Efficient Algorithms for Device Placement of DNN Graph Operators"
// (msr-fiddle/dnn-partitioning) and "Piper" (msr-fiddle/piper). Their READMEs have both formats, under "Input format".
// Missing values of a profile are assumed, and listed in the profile's source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::profiles {

/// Identified by the limits of devices at the start of both.
bool looks_like_partitioning_json(const std::string& text);

struct WorkloadOptions {
  std::optional<Seconds> time_unit{};         ///< of the file's times; absent: a second for Piper, else a millisecond
  std::vector<std::string>* notes = nullptr;  ///< receives what was assumed, one sentence each
  ImportShare* share = nullptr;               ///< receives how much of the file was understood
};

/// dnn-partitioning: times of accelerators where a node may run there, else of a CPU. A backward node is joined with
/// the first forward node of its colour, else with that of the nearest node before it. Piper: of tensor parallelism the
/// degree 1, without recomputation. `name` is the profile's. Errors carry a JSON pointer.
Result<Profile> profile_from_partitioning_json(const std::string& text, const std::string& name,
                                               const WorkloadOptions& options = {});

}  // namespace pipedeck::io::profiles
