// SPDX-License-Identifier: Apache-2.0
// A profile computed from a graph of operators: any topology, cut into layers where one tensor crosses; every figure of
// it with its formula.
#pragma once

#include <optional>
#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/open_dimensions.hpp"
#include "core/domain/operator_graph.hpp"

namespace pipedeck {

struct GraphOptions {
  std::string precision = "bf16";  ///< a peak of the device's data sheet
  SizeAnswers sizes;               ///< of what the file leaves open
  bool dropout = true;             ///< where the graph has it
  Reached reached{};
};

/// bad_usage where the device has no such precision, an open size has no number or options are out of range; bad_input,
/// with the place in the file, where sizes do not fit or are beyond every limit.
Result<AnalyticProfile> graph_profile(const OperatorGraph& graph, const DeviceModel& device,
                                      const GraphOptions& options);

}  // namespace pipedeck
