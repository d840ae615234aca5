// SPDX-License-Identifier: Apache-2.0
// Conversion of a counted layer to a profile's layer, and its values as text.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/times/time_formula.hpp"

namespace pipedeck::analytic {

/// Returns the layer without its tensor-parallel points. `element`: bytes of a weight.
Layer make_layer(const times::LayerCount& counted, const times::LayerSeconds& times, int element);
LayerExplanation explain(const times::LayerCount& layer, const times::LayerSeconds& times,
                         const times::DeviceRate& device);
/// `formulas`: of the times.
LayerExplanation explain(const times::LayerCount& layer, const times::LayerSeconds& times,
                         const std::vector<std::string>& formulas);

/// Returns bad_input that names the first layer with values beyond every limit.
Result<void> within_limits(const Profile& profile);

/// Truncates values above every limit, so that they are reported instead of overflowing.
Bytes whole_bytes(double bytes);

/// "7 087 872"
std::string group_digits(double number);

}  // namespace pipedeck::analytic
