// SPDX-License-Identifier: Apache-2.0
// The sums of PipeDream's recurrences, over the ideals of the layer graph. A stage is the difference of two nested
// ideals, so its figures are differences of two numbers. They also decide if a stage's memory fits.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/planner/search/chain.hpp"
#include "core/planner/search/ideals.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::pipedream {

/// Where a stage's replicas stand: `copies` of them, with `behind` devices on later layers. Both decide how many weight
/// versions the stage keeps.
struct Place {
  int behind = 0, copies = 1;
  auto operator<=>(const Place&) const = default;
};

class Figures {
 public:
  /// `micro_batch`: samples of the mini-batch that one replica processes.
  Figures(search::Chain& chain, search::Ideals ideals, int micro_batch);

  const search::Ideals& ideals() const { return ideals_; }
  /// That a plan uses: at first all.
  int devices() const { return devices_; }
  void use(int devices) { devices_ = devices; }
  /// Return T_l (seconds) and |w_l| (bytes) summed over each ideal, and a_s (bytes) of the boundary behind it.
  const std::vector<double>& time() const { return time_; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& cut() const { return cut_; }

  /// Does one replica's device hold the layers between two ideals? A stage of r replicas with `behind` devices on later
  /// layers keeps K = ceil((r + behind) / r) versions and activations (planners.md). `waiting`: mini-batches of one
  /// replica that the stage before has under way; nothing waits at the boundaries where it is 0.
  bool fits(int inner, int outer, Place place, int waiting) const;
  /// Does a stage need no more for its weights with more replicas or less? (ZeRO shares them out.)
  bool replicas_alike() const { return workload_.zero == 0; }
  /// The most that a stage before of up to `reach` replicas can have under way of one replica's; 0 where that is 0.
  int max_in_flight(Place place, int reach) const;

 private:
  /// The memory of a stage in bytes, if independent of its replicas: with one version, one more version, one
  /// micro-batch.
  struct Need {
    std::int64_t fixed = -1, version = 0, kept = 0;
  };

  search::StageBytes bytes(int inner, int outer) const;
  Need need_of(int inner, int outer, int replicas) const;
  Need known_need(int inner, int outer, int replicas) const;

  search::Ideals ideals_;
  Workload workload_;
  int devices_;
  Bytes capacity_;  ///< of the smallest device
  std::vector<double> time_, weights_, cut_;
  std::vector<std::int64_t> parameters_, saved_;
  std::vector<Bytes> cut_bytes_;
  std::vector<std::pair<Bytes, LayerId>> workspaces_;  ///< descending, those above 0

  /// A cache by inner, outer ideal; of large graphs only one inner ideal's row.
  struct Needs {
    std::vector<std::vector<Need>> rows;
    int kept_row = -1;
  };
  mutable std::map<int, Needs> needs_;  ///< by replicas, if they matter; else of one
};

}  // namespace pipedeck::planner::pipedream
