// SPDX-License-Identifier: Apache-2.0
// Divides a chain of layers into contiguous chunks, several per rank, so that the slowest rank is as fast as possible.
#pragma once

#include <cstddef>
#include <vector>

namespace pipedeck::plan {

/// Returns the cuts: the position where each chunk but the first begins. `cost[r][p]` is the cost of layer p on rank r;
/// `rank_of[k]` is the rank of chunk k. Each chunk gets at least one layer, and there must be at least as many layers
/// as chunks. If a bounded search completes, the result minimizes the largest total cost of a rank; otherwise it is the
/// best one found. Ties go to the smallest largest chunk, as far as the search finds it. Deterministic.
std::vector<int> balanced_boundaries(const std::vector<std::vector<double>>& cost,
                                     const std::vector<std::size_t>& rank_of);

/// Returns cuts that give each chunk an equal share of the layers' cost on their cheapest ranks, without a search.
std::vector<int> equal_boundaries(const std::vector<std::vector<double>>& cost,
                                  const std::vector<std::size_t>& rank_of);

}  // namespace pipedeck::plan
