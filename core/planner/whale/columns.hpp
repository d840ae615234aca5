// SPDX-License-Identifier: Apache-2.0
// Uneven shards (Whale, section 3.3.1, for `split`): what part of every layer's columns each device of a replica gets
// where they are of unlike types. A device with a fraction f at degree t takes f t times what the profile says of that
// degree on its type, and holds f of the weights; activations are whole on every device.
//
// Where the types' speeds have one ratio for all layers (`relative_speed`), the replica takes as long as its slowest
// device, whose time is least where fractions are in proportion to speed; a device whose memory holds less gets what it
// can hold, and the others share the rest likewise. Where every layer has times of its own for a type (`on`), layers
// wait for different devices, and proportion to the speed over all layers is good but not proven.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::whale {

/// Of every layer's columns, the fraction of each device of a replica; empty: even.
using Columns = std::vector<double>;

/// Fractions above 0 and of 1 in all, none above its limit, such that the largest product of fraction and `seconds` is
/// least. Nothing where the limits leave no room.
std::optional<Columns> share_columns(const std::vector<double>& seconds, const std::vector<double>& most);

/// Layers [first, last) of a TaskGraph on `replicas` replicas, which keeps `warmup` micro-batches behind a TaskGraph
/// that keeps `before`.
struct Load {
  int first = 0, last = 0;
  int replicas = 1;
  int warmup = 1, before = 1;
};

/// A replica of unlike devices.
class ColumnCosts {
 public:
  ColumnCosts(search::Chain& chain, std::vector<DeviceId> devices, bool ignore_memory);

  /// The types' speeds have one ratio for all layers.
  bool one_ratio() const { return one_ratio_; }
  /// Forward and backward of the slowest device of each layer, all-reduces within the replica included.
  double time(int samples, int first, int last, const Columns& columns);
  /// No columns do it in less, nor do they for more layers.
  double at_least(int samples, int first, int last);
  /// As the head says; nothing where no columns fit.
  std::optional<Columns> best(const Load& load, int samples);
  /// Part of its memory that the fullest device needs.
  double memory_use(const Load& load, int samples, const Columns& columns) const;
  bool fits(const Load& load, int samples, const Columns& columns) const;
  /// False only where no columns fit, of this range and of any around it.
  bool may_fit(const Load& load, int samples) const;

 private:
  /// Of so many samples, by type: each layer, and all before a position; then what no type has a part in.
  struct Times {
    std::vector<std::vector<double>> forward, backward, before;
    std::vector<double> reduced_before, least_before;
  };

  const Times& times(int samples);
  void add_layer(Times& times, const Layer& layer, int samples) const;
  double reduced(const Layer& layer, int samples) const;
  /// How much longer than at an even cut the fullest device of each type takes.
  std::vector<double> factors(const Columns& columns) const;
  /// Most of the columns that each device can hold; below 0: not even the rest.
  std::vector<double> room(const Load& load, int samples, bool boundaries) const;
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
