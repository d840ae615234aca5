// SPDX-License-Identifier: Apache-2.0
// The sharding of each layer of a tensor-parallel stage. Chooses the shardings whose layouts match and that move least
// data, as Whale does (Jia et al., ATC 2022, section 3.2.2). The runtime shards by it, and predictions use it to know
// the runtime's choice.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// Returns true if the layer can be sharded over `degree` devices wherever it is in a stage. The profile must have
/// times for it and, if it lists shardings, one from a replicated input to a replicated output. Every layer can be on
/// one device.
bool is_shardable(const Layer& layer, int degree);

/// A search for the cheapest path through layers that are added in sequence. Ties go to the path with fewer layers that
/// every device computes in full, then to the sharding that was listed first.
class ShardingPath {
 public:
  /// Starts a path. `begin` is the layout of the first layer's input.
  explicit ShardingPath(TensorLayout begin = TensorLayout::replicated) {
    now_[static_cast<std::size_t>(begin)].possible = true;
  }

  /// Adds the next layer with its possible shardings. Returns false if no path replicates its output.
  bool add(std::span<const ShardingStep> ways);

  /// Returns the index of each layer's sharding in the list that was added; empty if there is no path. The output is
  /// replicated, or column-sharded where that is allowed and moves less.
  std::vector<std::size_t> chosen(bool may_end_in_columns) const;
  /// Returns the indices of the cheapest path whose output has the layout `end`.
  const std::vector<std::size_t>& shardings_ending_in(TensorLayout end) const {
    return now_[static_cast<std::size_t>(end)].ways;
  }

 private:
  struct Path {
    bool possible = false;
    std::tuple<std::int64_t, int> cost{};  ///< values moved; layers that every device computes in full
    std::vector<std::size_t> ways;
  };
  std::array<Path, 2> now_;  ///< by layout of the last output
};

}  // namespace pipedeck::plan
