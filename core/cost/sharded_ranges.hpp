// SPDX-License-Identifier: Apache-2.0
// The memory of a device for a range of layers that is sharded, before the sharding of the neighbouring stages is known
// (simulator.md, "Cut over several devices"). The neighbours decide whether the range's first input and last output are
// column-sharded, and so the sharding of each layer. Values are the maximum over all cases and over all ranges inside,
// so a longer range never takes less. The values of a plan's own stages (stage_sharding) are never larger.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/model/profile.hpp"

namespace pipedeck::cost {

/// A sum of some layers' memory, for the profile's micro-batch.
struct ShardedRangeBytes {
  Bytes replicated_parameters, saved;  ///< sums
  Bytes workspace;                     ///< maximum
  bool operator==(const ShardedRangeBytes&) const = default;
};
ShardedRangeBytes figures_of(std::span<const ShardingCost* const> ways);

class ShardedRanges {
 public:
  /// Returns nothing if the profile isn't a chain, or doesn't list the shardings of every layer that has times for
  /// `degree` devices.
  static std::optional<ShardedRanges> of(const Profile& profile, std::span<const LayerId> order, int degree);

  /// Returns the maximum for the layers [first, last) of the order. Layers that can't be sharded over the degree
  /// (is_shardable) count as zero.
  ShardedRangeBytes most(int first, int last) const;

 private:
  using Row = std::vector<ShardedRangeBytes>;  ///< by number of layers, minus one
  std::vector<Row> rows_;                      ///< by first layer, for as many layers as can be sharded
};

}  // namespace pipedeck::cost
