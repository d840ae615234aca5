// SPDX-License-Identifier: Apache-2.0
#include "core/presets/computed_profile.hpp"

#include <utility>

#include "core/io/transformer_json.hpp"
#include "core/io/weight_type.hpp"

namespace pipedeck {

Result<AnalyticProfile> computed_profile(const ReadTransformer& model, const DeviceModel& device,
                                         const AnalyticOptions& options) {
  auto made = analytic_profile(model, device, options);
  if (made) made->profile = with_origin(std::move(made->profile), {model.config, device.type.name, options});
  return made;
}

Result<AnalyticProfile> computed_profile(const OperatorGraph& graph, const DeviceModel& device,
                                         const GraphOptions& options) {
  auto made = graph_profile(graph, device, options);
  if (made) made->profile = with_weight_type(std::move(made->profile), options.precision);
  return made;
}

}  // namespace pipedeck
