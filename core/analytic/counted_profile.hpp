// SPDX-License-Identifier: Apache-2.0
// From a counted layer to one of a profile, and its figures in words.
#pragma once

#include <string>

#include "core/analytic/analytic_profile.hpp"
#include "core/analytic/time_formula.hpp"

namespace pipedeck {

/// Without what ranks of tensor parallelism hold. `element`: bytes of a weight.
Layer layer_from(const LayerCount& counted, const LayerSeconds& times, int element);
LayerExplanation explain(const LayerCount& layer, const LayerSeconds& times, const DeviceRate& device);

/// bad_input that names the first layer beyond every limit.
Result<void> within_limits(const Profile& profile);

/// What exceeds every limit is cut there, so that it is reported instead of overflowing.
Bytes whole_bytes(double bytes);

/// "7 087 872"
std::string spaced(double number);

}  // namespace pipedeck
