// SPDX-License-Identifier: Apache-2.0
// The links that flows of the `shared` network share, numbered as they come into use: of a device its port to the
// others of its domain in each direction, or the node's bus, and its network cards in each direction; of a cluster's
// link each direction; of a bandwidth matrix each directed pair.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "core/cost/network.hpp"
#include "core/sim/network/fluid_network.hpp"

namespace pipedeck::sim::network {

class LinkTable {
 public:
  explicit LinkTable(const cost::Network& network) : network_(network) {}

  /// Returns the links of a transfer between two devices.
  std::vector<LinkUse> path(DeviceId from, DeviceId to);
  /// Returns the links of a ring in one direction, from each device to the next and from the last to the first, each
  /// link once with its number of hops. Nothing for one device. A hop between domains passes the cards of all
  /// `members` in either domain and the links of their nodes, an equal part of its bytes each.
  std::vector<LinkUse> ring(std::span<const DeviceId> devices, std::span<const DeviceId> members);

  const std::vector<double>& capacities() const { return capacities_; }  ///< bytes/s
  /// Returns the maximum rate that every use of these links can have at once, bytes/s.
  double bottleneck(std::span<const LinkUse> uses) const;

 private:
  enum class Kind { out, in, bus, card_out, card_in, forwards, backwards, pair };
  using Key = std::tuple<Kind, int, int>;

  void add_hop(DeviceId from, DeviceId to, std::span<const DeviceId> members, std::vector<LinkUse>& uses);
  void add_cards(Kind kind, std::span<const DeviceId> members, std::vector<LinkUse>& uses);
  void add_links(std::span<const DeviceId> from, std::span<const DeviceId> to, std::vector<LinkUse>& uses);
  int number(const Key& key, BytesPerSecond capacity);

  const cost::Network& network_;
  std::map<Key, int> numbers_;
  std::vector<double> capacities_;
};

}  // namespace pipedeck::sim::network
