// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analytic/analytic_profile.hpp"

namespace pipedeck {

/// analytic_profile, which also says what it was computed from (transformer_json.hpp), so that other sizes of the model
/// can be computed from the profile alone.
Result<AnalyticProfile> computed_profile(const ReadTransformer& model, const DeviceModel& device,
                                         const AnalyticOptions& options);

}  // namespace pipedeck
