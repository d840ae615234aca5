// SPDX-License-Identifier: Apache-2.0
// Costs of Whale's searches in constant time: a replica's time for a number of samples and a range of layers, and the
// samples that it can hold. Replicas with equal device types and equal paths are one kind.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/planner/search/chain.hpp"
#include "core/planner/whale/balance.hpp"
#include "core/planner/whale/shard_fractions.hpp"

namespace pipedeck::planner::whale {

class WhaleCosts {
 public:
  WhaleCosts(search::Chain& chain, bool ignore_memory);

  search::Chain& chain() { return chain_; }
  bool ignore_memory() const { return ignore_memory_; }

  /// Returns the kind of a replica of these devices.
  int kind_of(std::span<const DeviceId> devices);
  int degree(int kind) const { return static_cast<int>(kinds_[index(kind)].devices.size()); }
  /// Returns true if layers [first, last) can be sharded over `degree` devices.
  bool splittable(int first, int last, int degree);

  /// Returns true if twice the samples take twice the time on one device.
  bool proportional() const { return proportional_; }
  /// Returns true if its devices differ in type.
  bool is_heterogeneous(int kind) const { return kinds_[index(kind)].is_heterogeneous; }
  ColumnCosts& columns_of(int kind);
  /// Returns forward and backward in seconds, the slowest device of each layer, including all-reduces within the
  /// replica.
  double time(int kind, int samples, int first, int last, const ShardFractions& columns = {});
  /// Returns the fraction of its memory that the fullest device needs.
  double memory_use(int kind, const Load& load, int samples, const ShardFractions& columns = {});
  bool fits(int kind, const Load& load, int samples, const ShardFractions& columns = {});
  /// Returns false only if no range around this one fits: weights and saved bytes never shrink with more layers.
  bool may_fit(int kind, const Load& load, int samples);
  /// Returns the maximum samples of a micro-batch that fit, at most `limit`; 0 if not even one fits.
  int max_samples(int kind, const Load& load, int limit, const ShardFractions& columns = {});

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  struct Kind {
    std::vector<DeviceId> devices;  ///< of the first replica seen
    Bytes capacity;
    bool is_heterogeneous = false;
    std::optional<ColumnCosts> columns{};  ///< computed on demand
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
  std::map<int, std::vector<int>> whole_;               ///< by degree: number of unshardable layers before a position
};

}  // namespace pipedeck::planner::whale
