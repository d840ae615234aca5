// SPDX-License-Identifier: Apache-2.0
// A profile computed from a transformer's shape, a device's data sheet and how it is to be trained, where nothing was
// measured; every figure of it with its formula.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/roofline.hpp"
#include "core/analytic/transformer_layers.hpp"
#include "core/domain/device_model.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/result.hpp"
#include "core/domain/transformer_config.hpp"
#include "core/domain/transformer_origin.hpp"

namespace pipedeck {

/// The figures of one layer in words: "parameters 7 087 872 = h (a + 2 g) d + biases ...".
struct LayerExplanation {
  std::string layer;
  std::vector<std::string> figures;
};

struct AnalyticProfile {
  Profile profile;
  std::vector<std::string> notes;              ///< what was understood and what was assumed
  std::vector<std::size_t> explanation_of;     ///< each layer's
  std::vector<LayerExplanation> explanations;  ///< one a kind of layer that differs from those before it
};

/// bad_usage where the device has no such precision or the options are out of range; bad_input where figures of the
/// model are beyond every limit.
Result<AnalyticProfile> analytic_profile(const ReadTransformer& model, const DeviceModel& device,
                                         const AnalyticOptions& options);

}  // namespace pipedeck
