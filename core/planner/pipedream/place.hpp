// SPDX-License-Identifier: Apache-2.0
// Where a part of the cluster stands in PipeDream's hierarchy: all that its table depends on beside its layers.
//
// A stage of r replicas with a devices on later layers keeps K = ceil((r + a) / r) versions. In a component that an
// outer stage has m times, an inner stage of r has m r replicas and m b + a devices behind, b of them within, so that
// K = ceil((r + b + a / m) / r) = ceil((r + b + ceil(a / m)) / r): of the outer plan it is enough to know c = ceil(a /
// m). All that waits inside follows likewise (pipedream_outstanding scales with m). So a part counts as if it was there
// once with c devices behind, and the many places of one c share a table. What waits at its first stage depends on that
// stage's replicas and on the stage before the part; it is kept for every number of replicas that the first may have.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/model/pins.hpp"
#include "core/planner/pipedream/figures.hpp"
#include "core/planner/pipedream/levels.hpp"

namespace pipedeck::planner::pipedream {

/// What of memory counts: nothing; the versions and activations that a stage keeps; all that waits besides, as it is;
/// or the most that could wait.
enum class Memory { ignored, own, exact, cautious };

struct Part : Place {
  std::vector<int> waiting;                 ///< at the first stage, by its replicas within the part, from 1; if exact
  std::vector<std::pair<int, int>> ranges;  ///< its components, highest level first; where pins ask for devices
  auto operator<=>(const Part&) const = default;
};

class Places {
 public:
  Places(const Figures& figures, const std::vector<Level>& levels, const Pins& pins, Memory memory, int reach);

  /// The whole cluster.
  Part top() const;
  /// One component of a stage of `replicas` of them whose last is the m-th of `part`, counted from the front. `before`:
  /// replicas, within the part, of the stage in front; 0 where the stage begins the part.
  Part inner(std::size_t level, const Part& part, int m, int replicas, int before) const;

  /// Mini-batches of one replica that are counted to wait at a stage of one device of each copy.
  int waiting(const Part& device) const;
  /// How often, at most, a component of this level stands there: its time counts divided by that.
  int most_copies(std::size_t level, const Part& part) const;

  /// Replicas, within a part of this level, that its last stage can have, ascending: products of one number a level.
  /// Level 0 and, where they don't count: 1 alone.
  const std::vector<int>& sizes(std::size_t level) const { return sizes_[level]; }
  std::size_t number_of(std::size_t level, int size) const;

 private:
  bool exact() const { return memory_ == Memory::exact; }

  const Figures& figures_;
  std::vector<Level> levels_;
  Memory memory_;
  int reach_;
  bool ranges_;                                ///< pins ask where a part stands
  bool once_;                                  ///< parts count as if there was one copy
  std::vector<std::vector<int>> sizes_;        ///< by level
  std::vector<std::map<int, int>> copies_of_;  ///< by level, devices behind; where parts count once
};

}  // namespace pipedeck::planner::pipedream
