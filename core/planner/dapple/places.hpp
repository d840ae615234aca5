// SPDX-License-Identifier: Apache-2.0
// Which devices the next stage may get (section IV-B). Devices of a node are taken in order, so who has been served is
// a count a node. For the next stage of m devices three policies pick nodes, each in cluster order:
//   fresh first    nodes without a device in use, then the others;
//   append first   nodes with some device in use, then the others;
//   scatter first  a device at a time from each node in use in turn (from each node, where all are fresh), then so
//                  from the others.
// Fresh nodes that are alike are thereby taken in cluster order only, never in any other.
//
// What may follow depends on who has been served alone, which makes a group; a state is one way to serve the last stage
// of a group. Both are found when asked for: on 4 nodes of 8 there are 3,267 groups and 129,168 states, most of which
// no search comes near.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/cost/network.hpp"

namespace pipedeck::planner::dapple {

enum class PlacementPolicy { fresh_first, append_first, scatter_first };

/// Devices taken of every node, or nothing where fewer than `wanted` are free. `sizes`: devices a node.
std::optional<std::vector<int>> place(PlacementPolicy policy, const std::vector<int>& sizes,
                                      const std::vector<int>& used, int wanted);

struct PlaceRules {
  bool allow_idle = false;
  std::optional<int> stages, max_stages, replicas;  ///< as pinned

  bool counts_stages() const { return stages || max_stages; }
  int most_stages() const {
    constexpr int any = std::numeric_limits<int>::max();
    return std::min(stages.value_or(any), max_stages.value_or(any));
  }
};

class Places {
 public:
  /// States that the next stage may have with so many devices: at most one a policy.
  struct Next {
    std::array<int, 3> states{};
    int count = 0;
    bool known = false;
    const int* begin() const { return states.data(); }
    const int* end() const { return states.data() + count; }
  };

  Places(const cost::Network& network, const PlaceRules& rules);

  static constexpr int start = 0;  ///< the state before the first stage
  int states() const { return static_cast<int>(states_.size()); }
  /// Of the last stage, ascending.
  const std::vector<DeviceId>& devices(int state) const { return states_[static_cast<std::size_t>(state)].devices; }
  /// Devices not yet in use.
  int left(int state) const {
    return groups_[static_cast<std::size_t>(states_[static_cast<std::size_t>(state)].group)].left;
  }
  Next next(int state, int replicas);
  bool may_end(int state) const;
  const PlaceRules& rules() const { return rules_; }
  int largest_node() const { return *std::max_element(sizes_.begin(), sizes_.end()); }

  /// Gradients of `bytes` on the stage of `state`.
  double all_reduce(int state, Bytes bytes);

 private:
  struct AllReduceLines {
    double ring = 0, ring_slope = 0, tree = 0, tree_slope = 0;
  };
  struct Group {
    std::vector<int> used;  ///< a node
    int stages = 0;         ///< so far; 0 where no pin asks
    int left = 0;
    std::vector<Next> next;  ///< by replicas
  };
  struct State {
    int group = 0;
    std::vector<DeviceId> devices;
    std::optional<AllReduceLines> lines;
  };

  int group_of(std::vector<int> used, int stages);
  Next placements(int from, int replicas);
  AllReduceLines lines_of(const std::vector<DeviceId>& devices) const;

  const cost::Network& network_;
  PlaceRules rules_;
  std::vector<std::vector<DeviceId>> nodes_;
  std::vector<int> sizes_;
  std::vector<Group> groups_;
  std::vector<State> states_;
  std::map<std::pair<std::vector<int>, int>, int> index_;
};

}  // namespace pipedeck::planner::dapple
