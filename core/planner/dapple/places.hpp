// SPDX-License-Identifier: Apache-2.0
// The devices that the next stage may get (section IV-B). Devices of a node are taken in order, so one count per node
// describes the used devices. For a next stage of m devices three policies pick nodes, each in cluster order:
//   fresh first    nodes without a used device, then the others;
//   append first   nodes with some used device, then the others;
//   scatter first  one device at a time from each used node in turn (from each node if all are fresh), then likewise
//                  from the others.
// So equal fresh nodes are taken in cluster order only.
//
// The next placements depend only on the used devices, which define a group. A state is one placement of the last stage
// of a group. Both are created on demand: 4 nodes of 8 have 3,267 groups and 129,168 states, and no search reaches most
// of them.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/cost/network.hpp"

namespace pipedeck::planner::dapple {

enum class PlacementPolicy { fresh_first, append_first, scatter_first };

/// Returns the number of devices taken from every node; nothing if fewer than `wanted` are free. `sizes`: devices per
/// node.
std::optional<std::vector<int>> place(PlacementPolicy policy, const std::vector<int>& sizes,
                                      const std::vector<int>& used, int wanted);

struct PlaceRules {
  bool allow_idle = false;
  int unit = 1;  ///< every stage gets a multiple of this number of devices, a divisor of their number
  std::optional<int> stages, max_stages, replicas;  ///< from the pins

  bool counts_stages() const { return stages || max_stages; }
  int stage_limit() const {
    constexpr int any = std::numeric_limits<int>::max();
    return std::min(stages.value_or(any), max_stages.value_or(any));
  }
};

class Places {
 public:
  /// A set of placements of the next stage with a given number of devices: at most one per policy.
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
  /// Returns the devices of the last stage, ascending.
  const std::vector<DeviceId>& devices(int state) const { return states_[static_cast<std::size_t>(state)].devices; }
  /// Returns the number of unused devices.
  int left(int state) const {
    return groups_[static_cast<std::size_t>(states_[static_cast<std::size_t>(state)].group)].left;
  }
  /// `replicas`: a multiple of the unit.
  Next next(int state, int replicas);
  bool may_end(int state) const;
  const PlaceRules& rules() const { return rules_; }
  int largest_node() const { return *std::max_element(sizes_.begin(), sizes_.end()); }
  /// Returns the number of units in this number of devices.
  std::size_t units(int devices) const { return static_cast<std::size_t>(devices / rules_.unit); }
  /// A summary of the paths between any two devices.
  struct Paths {
    double widest = 0, widest_between = 0, shortest = 0;  ///< between nodes; least latency
  };
  /// `interrupted`: gives up; then the result should not be used.
  const Paths& paths(const std::function<bool()>& interrupted);

  /// Returns the seconds of an all-reduce of `bytes` on the stage of `state`.
  double all_reduce(int state, Bytes bytes);

 private:
  struct AllReduceLines {
    double ring = 0, ring_slope = 0, tree = 0, tree_slope = 0;
  };
  struct Group {
    std::vector<int> used;  ///< per node
    int stages = 0;         ///< so far; 0 if no pin limits them
    int left = 0;
    std::vector<Next> next;  ///< by units of the next stage
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
  std::optional<Paths> paths_;
};

}  // namespace pipedeck::planner::dapple
