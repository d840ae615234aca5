// SPDX-License-Identifier: Apache-2.0
// The place of a run's processes in a plan: stage, coordinates in its groups, node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"

namespace pipedeck::study::autopsy {

/// A process's place. Coordinates count from 0.
struct RankPlace {
  DeviceId device;
  int stage = 0;  ///< the first one that it holds
  int tensor = 0, context = 0, data = 0;
  std::string node{};  ///< empty: no cluster is known
};

class RankPlaces {
 public:
  /// No plan: ranks have numbers alone.
  RankPlaces() = default;
  /// Numbers processes as engines do (plan::devices_by_process). `cluster`: null if it is not known.
  static Result<RankPlaces> of(const Plan& plan, const Cluster* cluster);

  std::size_t size() const { return places_.size(); }
  /// Returns null for a rank that the plan does not have.
  const RankPlace* find(int rank) const;
  /// Returns "rank 5 (stage 1, TP 1, DP 0, n1)": coordinates of dimensions with several ranks.
  std::string text(int rank) const;
  /// Returns "rank 5 (...)", "ranks 1, 4 and 5", "ranks 8 to 15 and 20"; places if they are at most two.
  std::string text(std::span<const int> ranks) const;

 private:
  std::vector<RankPlace> places_;
  int stages_ = 1, tensor_ = 1, context_ = 1, data_ = 1;
};

/// Returns "1, 4 and 5", or "8 to 15 and 20". `ranks`: ascending.
std::string number_list(std::span<const int> ranks);

}  // namespace pipedeck::study::autopsy
