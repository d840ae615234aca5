// SPDX-License-Identifier: Apache-2.0
// Pinned layers (--pin LAYER=DEVICE) for planners whose stages are contiguous blocks with equal numbers of devices. A
// stage must have the devices of its pinned layers, and no layer outside may be pinned to one of them.
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
  /// Returns the devices that a stage of layers [first, last) must have, ascending. Nothing if such a stage is
  /// impossible on any devices.
  std::optional<std::vector<DeviceId>> wanted(int first, int last) const;
  /// Returns `replicas` devices for each stage that ends there, ascending: those that it must have, and the cluster's
  /// first ones without a pin, in order. Nothing if some stage can't have its own.
  std::optional<std::vector<std::vector<DeviceId>>> place(const std::vector<int>& ends, int replicas) const;

 private:
  int device_count_;
  std::vector<std::vector<DeviceId>> devices_;     ///< by position in the order; empty without pins
  std::map<DeviceId, std::pair<int, int>> spans_;  ///< first and last position pinned to it
};

/// Returns the seconds of layers [first, last) on their pinned devices and, if the stage has more, by the times
/// `others`. Infinite if no stage of that many devices is possible.
double pinned_block_time(Chain& chain, const PinnedStages& pinned, int samples, int replicas, const PassTimes& others,
                         int first, int last);

/// Returns the ends of the blocks whose slowest is quickest, trying all. time(stage, first, last) is infinite for a
/// forbidden block. Nothing if all partitions have one. Ties: later stages as large as possible.
std::optional<std::vector<int>> minimize_max_block(int stages, int layers,
                                                   const std::function<double(int, int, int)>& time);

}  // namespace pipedeck::planner::search
