// SPDX-License-Identifier: Apache-2.0
// The devices in pipeline order, and the kinds of contiguous blocks of them. Blocks of the same device types are of one
// kind, with one capacity and one speed.
#pragma once

#include <map>
#include <vector>

#include "core/cost/network.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::search {

/// A table of the blocks with a given number of devices.
class DeviceBlocks {
 public:
  DeviceBlocks(const cost::Network& network, const std::vector<DeviceId>& order, int devices);

  int devices() const { return devices_; }
  int kinds() const { return static_cast<int>(types_.size()); }
  int kind(int start) const { return kind_[at(start)]; }
  const std::vector<int>& types(int kind) const { return types_[at(kind)]; }  ///< ascending
  std::int64_t capacity(int kind) const { return capacity_[at(kind)]; }       ///< of the smallest device, bytes
  /// Returns the first position of the last block of the kind that ends at position `end` or before; -1 if there is
  /// none.
  int last(int kind, int end) const { return last_[at(kind)][at(end)]; }

 private:
  int devices_;
  std::vector<std::vector<int>> types_;
  std::vector<std::int64_t> capacity_;
  std::vector<int> kind_;               // by first position
  std::vector<std::vector<int>> last_;  // by kind, end
};

/// A list of device orders that differ in more than the order of equal devices, the cluster's own first.
struct DeviceOrders {
  std::vector<std::vector<DeviceId>> orders;
  bool all = true;  ///< else the cluster's, and the one with the largest memories first
};
/// All of them where they are at most `most`. Devices of `apart` are like no other.
DeviceOrders device_orders(const cost::Network& network, const std::vector<DeviceId>& apart, std::size_t most);

}  // namespace pipedeck::planner::search
