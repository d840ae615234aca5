// SPDX-License-Identifier: Apache-2.0
// The dimensions that a graph leaves open, and their meaning guessed from their names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analytic/graph/shaped_graph.hpp"

namespace pipedeck::analytic::graph {

struct DynamicDimension {
  enum class DimensionRole { batch, sequence, other };
  std::string name;   ///< "sequence"; "input_ids.1" if the file has no name
  std::string input;  ///< the first input with this dimension
  DimensionRole meaning = DimensionRole::other;
};

/// Returns each open dimension once, in the order of the inputs.
std::vector<DynamicDimension> open_dimensions(const OperatorGraph& graph);

/// Returns the number of samples fixed by a file without an open batch: the common first size of all its inputs.
std::optional<std::int64_t> fixed_batch(const OperatorGraph& graph);

struct DimensionValues {
  DimensionSizes named;        ///< by name
  std::int64_t sequence = 0;   ///< for dimensions that look like a sequence; 0: not given
  std::optional<int> samples;  ///< per micro-batch; absent: the file's number, otherwise 1
};

struct ResolvedDimensions {
  DimensionSizes sizes;
  std::optional<std::int64_t> batch;  ///< replaces the first size that the file fixes
  int samples = 1;
  std::vector<std::string> notes;  ///< assumptions
};

/// Returns bad_usage if an answer is missing (with the answer to give), is for no open dimension, or exceeds limits.
Result<ResolvedDimensions> resolve_dimensions(const OperatorGraph& graph, const DimensionValues& answers);

}  // namespace pipedeck::analytic::graph
