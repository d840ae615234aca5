// SPDX-License-Identifier: Apache-2.0
// Cutting a chain of layers into contiguous chunks, several to a rank, so that the slowest rank is as quick as it can
// be.
#pragma once

#include <cstddef>
#include <vector>

namespace pipedeck {

/// `cost[r][p]`: of layer p on rank r. `rank_of[k]`: the rank of chunk k. The cuts: where each chunk but the first
/// begins, at least one layer a chunk (there are as many layers). The least largest sum of a rank wherever a bounded
/// search proves it, else the best found; of equals the one with
/// the smallest largest chunk, as far as it is found. The same every time.
std::vector<int> balanced_cuts(const std::vector<std::vector<double>>& cost, const std::vector<std::size_t>& rank_of);

}  // namespace pipedeck
