// SPDX-License-Identifier: Apache-2.0
// Pinned layers (--pin LAYER=DEVICE) for planners whose stages are contiguous blocks of one number of devices each: a
// stage must have the devices that its layers are pinned to, and no layer outside may be pinned to one of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::search {

class PinnedStages {
 public:
  explicit PinnedStages(const Chain& chain);

  bool any() const { return !devices_.empty(); }
  /// The devices that a stage of layers [first, last) must have, ascending; nothing where it is none, whatever its
  /// devices.
  std::optional<std::vector<DeviceId>> wanted(int first, int last) const;
  /// So many devices for each stage that ends there, ascending: those that it must have, and the cluster's first ones
  /// that none must have, in order. Nothing where some stage can't have its own.
  std::optional<std::vector<std::vector<DeviceId>>> place(const std::vector<int>& ends, int replicas) const;

 private:
  int device_count_;
  std::vector<std::vector<DeviceId>> devices_;     ///< by position in the order; empty without pins
  std::map<DeviceId, std::pair<int, int>> spans_;  ///< first and last position that is pinned to it
};

/// Seconds of layers [first, last) on their pinned devices and, where the stage has more, as `others` says of those;
/// infinite where no stage of so many devices can be.
double pinned_block_time(Chain& chain, const PinnedStages& pinned, int samples, int replicas, const PassTimes& others,
                         int first, int last);

/// Ends of the blocks of which the slowest is quickest, by trying every one: time(stage, first, last) is infinite for a
/// block that must not be. Nothing where every cut has such a block. Ties: the later stages as large as can be.
std::optional<std::vector<int>> least_slowest_blocks(int stages, int layers,
                                                     const std::function<double(int, int, int)>& time);

}  // namespace pipedeck::planner::search
