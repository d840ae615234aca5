// SPDX-License-Identifier: Apache-2.0
// Times of a layer's compute on a rank (work_times.hpp) as formulas that users can check.
#pragma once

#include <string>
#include <vector>

#include "core/analytic/transformer/shards/work_times.hpp"

namespace pipedeck::analytic::transformer::shards {

/// Returns a formula for each product, for attention and for all else of forward and backward: "forward, feed-forward
/// in: 481 G operations / (989.4 TFLOP/s x 58.4 %) = 0.8325 ms". The percentage is what the part reaches in all, with
/// its shape and the least time of a kernel. A sentence names each pass that the host
/// launches more slowly than the device computes it.
std::vector<std::string> work_formulas(const LayerShard& layer, const LayerWork& work, const Rates& rates);

}  // namespace pipedeck::analytic::transformer::shards
