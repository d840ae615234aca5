// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/graph/profile.hpp"

namespace pipedeck::presets {

/// Returns analytic_profile with its source (io/documents/transformer.hpp), so that other sizes of the model can be
/// computed from the profile alone. The last note is the share of the model's file that was understood.
Result<analytic::AnalyticProfile> computed_profile(const ParsedTransformer& model, const DeviceModel& device,
                                                   const AnalyticOptions& options);

/// Returns graph_profile with the type of its weights (weight_type.hpp). The last note is as above.
Result<analytic::AnalyticProfile> computed_profile(const OperatorGraph& graph, const DeviceModel& device,
                                                   const analytic::graph::Options& options);

}  // namespace pipedeck::presets
