// SPDX-License-Identifier: Apache-2.0
#include "core/presets/computed_profile.hpp"

#include <utility>

#include "core/io/documents/transformer.hpp"
#include "core/io/documents/weight_type.hpp"

namespace pipedeck::presets {
namespace {

/// Ends the notes with the share of the file that was understood.
void end_with_share(analytic::AnalyticProfile& made) {
  if (made.share.parts() > 0) made.notes.push_back(line_of(made.share));
}

}  // namespace

Result<analytic::AnalyticProfile> computed_profile(const ParsedTransformer& model, const DeviceModel& device,
                                                   const AnalyticOptions& options) {
  auto made = analytic::analytic_profile(model, device, options);
  if (!made) return made;
  made->profile =
      io::documents::with_origin(std::move(made->profile), {model.config, device.type.name, options, made->efficiency});
  made->share = model.share;
  end_with_share(*made);
  return made;
}

Result<analytic::AnalyticProfile> computed_profile(const OperatorGraph& graph, const DeviceModel& device,
                                                   const analytic::graph::Options& options) {
  auto made = analytic::graph::graph_profile(graph, device, options);
  if (!made) return made;
  made->profile = io::documents::with_weight_type(std::move(made->profile), options.precision);
  end_with_share(*made);
  return made;
}

}  // namespace pipedeck::presets
