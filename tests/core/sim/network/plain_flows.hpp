// SPDX-License-Identifier: Apache-2.0
// Transfers and all-reduces as flows of the `shared` network for the second opinion, with the names of their links.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/cost/network.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "tests/core/sim/network/plain_sharing.hpp"

namespace pipedeck::test {

class PlainFlows {
 public:
  PlainFlows(const Cluster& cluster, const cost::Network& network) : cluster_(cluster), network_(network) {}

  /// Between the leads of two replicas; queues are by ordered pair.
  PlainFlow transfer(DeviceId from, DeviceId to, pipedeck::Bytes bytes);
  /// One rank's all-reduce, part after part.
  PlainFlow all_reduce(std::vector<DeviceId> devices, pipedeck::Bytes bytes);

  /// Returns bytes per second of every link used so far.
  const std::map<std::string, double>& capacity() const { return capacity_; }

 private:
  std::string use(const std::string& name, double capacity);
  std::vector<std::string> links_of(DeviceId from, DeviceId to);
  void add_cards(const std::string& direction, NodeId node, std::span<const DeviceId> members, PlainPhase& phase);
  void add_hop(DeviceId from, DeviceId to, std::span<const DeviceId> members, PlainPhase& phase);
  void add_ring(std::span<const DeviceId> devices, std::span<const DeviceId> members, PlainPhase& phase);

  const Cluster& cluster_;
  const cost::Network& network_;
  std::map<std::string, double> capacity_;
};

}  // namespace pipedeck::test
