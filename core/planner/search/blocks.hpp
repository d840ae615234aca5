// SPDX-License-Identifier: Apache-2.0
// Cuts of a chain into contiguous blocks for planners that look at nothing else: by number of layers, or by time.
#pragma once

#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

/// Ends of `stages` stages of as equal numbers of layers as possible, the larger ones first.
std::vector<int> even_layers(int layers, int stages);

/// Ends of the stages whose slowest forward + backward is least (block partition of sequences), each stage timed by its
/// own table; every stage has a layer at least. Ties: the earlier stages as large as the slowest one allows.
std::vector<int> balanced_blocks(const std::vector<const PassTimes*>& stages, int layers);

}  // namespace pipedeck::planner::search
