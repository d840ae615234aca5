// SPDX-License-Identifier: Apache-2.0
// The position of a part of the cluster in PipeDream's hierarchy: together with the layers it determines the part's
// table.
//
// A stage of r replicas with a devices on later layers holds K = ceil((r + a) / r) versions. In a component with m
// copies in an outer stage, an inner stage of r has m r replicas and m b + a devices behind, b of them inside. So K =
// ceil((r + b + a / m) / r) = ceil((r + b + ceil(a / m)) / r), and c = ceil(a / m) describes the outer plan. The
// waiting tensors inside follow likewise (pipedream_in_flight scales with m). So a part counts as a single copy with
// c devices behind, and all positions with equal c share a table. At its first stage the waiting tensors depend on that
// stage's replicas and on the stage before the part. They are stored for every possible number of replicas of the first
// stage.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/model/plan_constraints.hpp"
#include "core/planner/pipedream/figures.hpp"
#include "core/planner/pipedream/levels.hpp"

namespace pipedeck::planner::pipedream {

/// The memory that counts: none; the held versions and activations; also all waiting tensors, exactly; or the maximum
/// of waiting tensors.
enum class Memory { ignored, own, exact, upper_bound };

struct Part : Place {
  std::vector<int> in_flight;               ///< at the first stage, by its replicas within the part, from 1; if exact
  std::vector<std::pair<int, int>> ranges;  ///< its components, highest level first; where pins ask for devices
  auto operator<=>(const Part&) const = default;
};

class Places {
 public:
  Places(const Figures& figures, const std::vector<Level>& levels, const PlanConstraints& pins, Memory memory,
         int reach);

  /// The whole cluster.
  Part top() const;
  /// One component of a stage of `replicas` of them whose last is the m-th of `part`, counted from the front. `before`:
  /// replicas, within the part, of the stage in front; 0 where the stage begins the part.
  Part inner(std::size_t level, const Part& part, int m, int replicas, int before) const;

  /// Mini-batches of one replica that are counted to wait at a stage of one device of each copy.
  int in_flight(const Part& device) const;
  /// How often, at most, a component of this level stands there: its time counts divided by that.
  int max_copies(std::size_t level, const Part& part) const;

  /// Returns the possible replicas, within a part of this level, of its last stage, ascending: products of one number
  /// per level. Only 1 on level 0, and if they don't count.
  const std::vector<int>& sizes(std::size_t level) const { return sizes_[level]; }
  std::size_t number_of(std::size_t level, int size) const;

 private:
  bool exact() const { return memory_ == Memory::exact; }

  const Figures& figures_;
  std::vector<Level> levels_;
  Memory memory_;
  int reach_;
  bool ranges_;                                ///< layers are pinned
  bool once_;                                  ///< parts count as one copy
  std::vector<std::vector<int>> sizes_;        ///< by level
  std::vector<std::map<int, int>> copies_of_;  ///< by level, devices behind; if parts count once
};

}  // namespace pipedeck::planner::pipedream
