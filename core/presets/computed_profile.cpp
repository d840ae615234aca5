// SPDX-License-Identifier: Apache-2.0
#include "core/presets/computed_profile.hpp"

#include <utility>

#include "core/io/documents/transformer.hpp"
#include "core/io/documents/weight_type.hpp"

namespace pipedeck::presets {

Result<analytic::AnalyticProfile> computed_profile(const ParsedTransformer& model, const DeviceModel& device,
                                                   const AnalyticOptions& options) {
  auto made = analytic::analytic_profile(model, device, options);
  if (made)
    made->profile = io::documents::with_origin(std::move(made->profile),
                                               {model.config, device.type.name, options, made->efficiency});
  return made;
}

Result<analytic::AnalyticProfile> computed_profile(const OperatorGraph& graph, const DeviceModel& device,
                                                   const analytic::graph::Options& options) {
  auto made = analytic::graph::graph_profile(graph, device, options);
  if (made) made->profile = io::documents::with_weight_type(std::move(made->profile), options.precision);
  return made;
}

}  // namespace pipedeck::presets
