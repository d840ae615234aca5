// SPDX-License-Identifier: Apache-2.0
// Conversion of a counted layer to a profile's layer, and its values as text.
#pragma once

#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/time_formula.hpp"

namespace pipedeck {

/// Returns the layer without its tensor-parallel points. `element`: bytes of a weight.
Layer layer_from(const LayerCount& counted, const LayerSeconds& times, int element);
LayerExplanation explain(const LayerCount& layer, const LayerSeconds& times, const DeviceRate& device);

/// Returns bad_input that names the first layer with values beyond every limit.
Result<void> within_limits(const Profile& profile);

/// Truncates values above every limit, so that they are reported instead of overflowing.
Bytes whole_bytes(double bytes);

/// "7 087 872"
std::string spaced(double number);

}  // namespace pipedeck
