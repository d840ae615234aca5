// SPDX-License-Identifier: Apache-2.0
// Uneven shards (Whale, section 3.3.1, for `split`): the fraction of every layer's columns on each device of a replica
// with different device types. A device with fraction f at degree t takes f t times the profile's time for that degree
// on its type, and holds f of the weights. Activations are replicated on every device.
//
// If the types' speeds have one ratio for all layers (`relative_speed`), the replica takes as long as its slowest
// device. That time is least with fractions in proportion to speed. A device with too little memory gets its limit, and
// the others share the rest likewise. If layers have their own times for a type (`on`), they wait for different
// devices. Then fractions in proportion to the speed over all layers are good, but not proven.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::whale {

/// The fraction of every layer's columns on each device of a replica; empty: even.
using ShardFractions = std::vector<double>;

/// Returns positive fractions with sum 1, each within its limit, that minimise the largest product of fraction and
/// `seconds`. Nothing if the limits leave no room.
std::optional<ShardFractions> share_columns(const std::vector<double>& seconds, const std::vector<double>& most);

/// A load: layers [first, last) of a TaskGraph on `replicas` replicas. It holds `warmup` micro-batches, and the
/// TaskGraph before it `before`.
struct Load {
  int first = 0, last = 0;
  int replicas = 1;
  int warmup = 1, before = 1;
  bool recompute = false;
};

/// A replica of different devices.
class ColumnCosts {
 public:
  ColumnCosts(search::Chain& chain, std::vector<DeviceId> devices, bool ignore_memory);

  /// Returns true if the types' speeds have one ratio for all layers.
  bool one_ratio() const { return one_ratio_; }
  /// Returns forward and backward of the slowest device of each layer, seconds, including all-reduces within the
  /// replica.
  double time(int samples, int first, int last, const ShardFractions& columns);
  /// Returns a lower bound for all columns, seconds; it never falls with more layers.
  double at_least(int samples, int first, int last);
  /// Returns the columns as the file's head describes; nothing if none fit.
  std::optional<ShardFractions> best(const Load& load, int samples);
  /// Returns the fraction of its memory that the fullest device needs.
  double memory_use(const Load& load, int samples, const ShardFractions& columns) const;
  bool fits(const Load& load, int samples, const ShardFractions& columns) const;
  /// Returns false only if no columns fit, for this range and any range around it.
  bool may_fit(const Load& load, int samples) const;

 private:
  /// A table for a number of samples, by type: each layer, and all before a position; then the times independent of
  /// type.
  struct Times {
    std::vector<std::vector<double>> forward, backward, before;
    std::vector<double> reduced_before, min_before;
  };

  const Times& times(int samples);
  void add_layer(Times& times, const Layer& layer, int samples) const;
  double reduced(const Layer& layer, int samples) const;
  /// Returns, by type, the time of its fullest device relative to even shards.
  std::vector<double> factors(const ShardFractions& columns) const;
  /// Returns the maximum fraction of columns that each device can hold; below 0: not even the rest fits.
  std::vector<double> max_fraction(const Load& load, int samples, bool boundaries) const;
  Bytes need(const Load& load, int samples, Bytes weights) const;
  std::size_t degree() const { return devices_.size(); }

  search::Chain& chain_;
  std::vector<DeviceId> devices_;
  std::vector<const DeviceType*> types_;
  std::vector<std::size_t> type_of_;  ///< by rank
  bool ignore_memory_, one_ratio_ = true;
  std::map<int, Times> times_;  ///< by samples
};

}  // namespace pipedeck::planner::whale
