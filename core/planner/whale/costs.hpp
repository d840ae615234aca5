// SPDX-License-Identifier: Apache-2.0
// What Whale's searches ask again and again, in constant time: how long a replica takes for so many samples of some
// layers, and how many samples it can hold. Replicas that are alike - devices of the same types, joined alike - are one
// kind.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/planner/search/chain.hpp"
#include "core/planner/whale/balance.hpp"
#include "core/planner/whale/columns.hpp"

namespace pipedeck::planner::whale {

class WhaleCosts {
 public:
  WhaleCosts(search::Chain& chain, bool ignore_memory);

  search::Chain& chain() { return chain_; }
  bool ignore_memory() const { return ignore_memory_; }

  /// The kind of a replica of these devices.
  int kind_of(std::span<const DeviceId> devices);
  int degree(int kind) const { return static_cast<int>(kinds_[index(kind)].devices.size()); }
  /// Can layers [first, last) be split over `degree` devices?
  bool splittable(int first, int last, int degree);

  /// Twice the samples take twice the time, on one device.
  bool proportional() const { return proportional_; }
  /// Its devices are of unlike types.
  bool unlike(int kind) const { return kinds_[index(kind)].unlike; }
  ColumnCosts& columns_of(int kind);
  /// Forward and backward of so many samples, the slowest device of each layer, all-reduces within the replica
  /// included.
  double time(int kind, int samples, int first, int last, const Columns& columns = {});
  /// Part of its memory that the fullest device needs.
  double memory_use(int kind, const Load& load, int samples, const Columns& columns = {});
  bool fits(int kind, const Load& load, int samples, const Columns& columns = {});
  /// False only where no range around this one fits: weights and what is kept, which more layers never make less.
  bool may_fit(int kind, const Load& load, int samples);
  /// Most samples of a micro-batch that fit, at most `limit`; 0 where not even one does.
  int most_samples(int kind, const Load& load, int limit, const Columns& columns = {});

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  struct Kind {
    std::vector<DeviceId> devices;  ///< of the first replica seen
    Bytes capacity;
    bool unlike = false;
    std::optional<ColumnCosts> columns{};  ///< where they were asked for
  };
  using Signature = std::vector<double>;

  Signature signature(std::span<const DeviceId> devices) const;
  const std::vector<double>& sums(int kind, int samples);
  double even_time(int kind, int samples, int first, int last);
  double pass_time(const Kind& kind, const Layer& layer, int samples) const;
  Bytes need(int kind, const Load& load, int samples);

  search::Chain& chain_;
  bool ignore_memory_, proportional_;
  std::vector<Kind> kinds_;
  std::map<Signature, int> known_;
  std::vector<std::vector<std::vector<double>>> sums_;  ///< by kind and samples, over the chain's order
  std::map<int, std::vector<int>> whole_;               ///< by degree: layers before a position that can't be split
};

}  // namespace pipedeck::planner::whale
