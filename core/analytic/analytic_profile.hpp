// SPDX-License-Identifier: Apache-2.0
// A profile computed from a transformer's shape, a device's data sheet and the training options, without measurements.
// Every value comes with its formula.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analytic/times/roofline.hpp"
#include "core/analytic/transformer/layers.hpp"
#include "core/base/import_share.hpp"
#include "core/base/result.hpp"
#include "core/model/device_model.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_config.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::analytic {

/// An explanation of a layer's values as text: "parameters 7 087 872 = h (a + 2 g) d + biases ...".
struct LayerExplanation {
  std::string layer;
  std::vector<std::string> figures;
};

struct AnalyticProfile {
  Profile profile;
  std::vector<std::string> notes;              ///< recognised parts and assumptions
  std::vector<std::size_t> explanation_of;     ///< index by layer
  std::vector<LayerExplanation> explanations;  ///< one per kind of layer that differs from the previous ones
  std::optional<DeviceEfficiency> efficiency;  ///< by which the times were computed; absent: by fractions of peaks
  ImportShare share{};                         ///< of the model's file; without parts: it is from no file
};

/// Layer times are those of core/analytic/transformer/shards/work_times for each tensor-parallel degree, if the
/// device's efficiency at the precision is known and the options have no fractions. Returns bad_usage if the device
/// lacks the precision or the options are out of range. Returns bad_input if values of the model exceed every limit.
Result<AnalyticProfile> analytic_profile(const ParsedTransformer& model, const DeviceModel& device,
                                         const AnalyticOptions& options);

}  // namespace pipedeck::analytic
