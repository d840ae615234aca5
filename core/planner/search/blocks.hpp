// SPDX-License-Identifier: Apache-2.0
// Partitions of a chain into contiguous blocks by number of layers or by time.
#pragma once

#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

/// Returns the ends of `stages` stages with numbers of layers as equal as possible, larger ones first.
std::vector<int> even_layers(int layers, int stages);

/// Returns the ends of the stages whose slowest forward + backward is least (block partition of sequences). Each stage
/// has its own table of times and at least one layer. Ties: the earlier stages as large as the slowest one allows.
std::vector<int> balanced_blocks(const std::vector<const PassTimes*>& stages, int layers);

}  // namespace pipedeck::planner::search
