// SPDX-License-Identifier: Apache-2.0
// A profile computed from a graph of operators of any topology, cut into layers where one tensor crosses. Every value
// comes with its formula.
#pragma once

#include <optional>
#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/graph/dynamic_dimensions.hpp"
#include "core/model/operator_graph.hpp"

namespace pipedeck::analytic::graph {

struct Options {
  std::string precision = "bf16";  ///< one with a peak in the device's data sheet
  DimensionValues sizes;           ///< for dimensions that the file leaves open
  bool dropout = true;             ///< where the graph has it
  EfficiencyFactors reached{};
};

/// Returns bad_usage if the device lacks the precision, an open size has no number, or options are out of range.
/// Returns bad_input with the place in the file if sizes do not match or exceed every limit.
Result<AnalyticProfile> graph_profile(const OperatorGraph& graph, const DeviceModel& device, const Options& options);

}  // namespace pipedeck::analytic::graph
