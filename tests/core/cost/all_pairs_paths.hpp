// SPDX-License-Identifier: Apache-2.0
// All paths at once, each found by its own search over the whole graph: a slow, plain oracle for WidestPaths.
#pragma once

#include <vector>

#include "core/model/cluster.hpp"

namespace pipedeck::test {

struct KnownPath {
  BytesPerSecond bandwidth;
  Seconds latency;
  std::vector<int> links;
};

/// Returns the paths, node x node, of a connected cluster: widest bottleneck, fewest hops, lexicographically smallest
/// links.
std::vector<KnownPath> all_pairs_paths(const Cluster& cluster);

}  // namespace pipedeck::test
