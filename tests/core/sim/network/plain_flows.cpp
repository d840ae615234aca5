// SPDX-License-Identifier: Apache-2.0
#include "tests/core/sim/network/plain_flows.hpp"

#include <algorithm>
#include <array>

#include "core/cost/all_reduce.hpp"

namespace pipedeck::test {

std::string PlainFlows::use(const std::string& name, double capacity) {
  capacity_[name] = capacity;
  return name;
}

/// Returns the links of one hop: ports or the bus of a node, each direction of a cluster's link, each pair of a matrix.
std::vector<std::string> PlainFlows::links_of(DeviceId from, DeviceId to) {
  const NodeId node = network_.node_of(from);
  const std::string a = std::to_string(from.value), b = std::to_string(to.value);
  const double own = network_.data_sheet().path(from, to).bandwidth.count;  // two flows may share all of it
  if (cluster_.bandwidth_matrix) return {use("pair " + a + " " + b, own)};
  if (node == network_.node_of(to)) {
    if (cluster_.nodes[node.index()].bus) return {use("bus " + std::to_string(node.value), own)};
    return {use("out " + a, own), use("in " + b, own)};
  }
  std::vector<std::string> names;
  std::string at = cluster_.nodes[node.index()].name;
  for (const int index : network_.links(from, to)) {
    const NetworkLink& link = cluster_.links[static_cast<std::size_t>(index)];
    const bool forth = link.from == at;
    at = forth ? link.to : link.from;
    names.push_back(use("link " + std::to_string(index) + (forth ? " forth" : " back"), link.link.bandwidth.count));
  }
  return names;
}

void PlainFlows::add_cards(const std::string& direction, NodeId node, std::span<const DeviceId> members,
                           PlainPhase& phase) {
  const auto& nic = cluster_.nodes[node.index()].nic;
  if (!nic) return;
  std::vector<DeviceId> here;
  for (const DeviceId member : members)
    if (network_.node_of(member) == node) here.push_back(member);
  for (const DeviceId member : here)
    phase.uses[use("card " + direction + " " + std::to_string(member.value), nic->count)] +=
        1.0 / static_cast<double>(here.size());
}

void PlainFlows::add_hop(DeviceId from, DeviceId to, std::span<const DeviceId> members, PlainPhase& phase) {
  for (const std::string& link : links_of(from, to)) ++phase.uses[link];
  const NodeId a = network_.node_of(from), b = network_.node_of(to);
  if (a == b) return;
  add_cards("out", a, members, phase);
  add_cards("in", b, members, phase);
}

PlainFlow PlainFlows::transfer(DeviceId from, DeviceId to, pipedeck::Bytes bytes) {
  PlainFlow flow;
  flow.queue = std::to_string(from.value) + " to " + std::to_string(to.value);
  const cost::Path path = network_.path(from, to);
  PlainPhase phase{path.latency.count * 1e9, static_cast<double>(bytes.count), path.bandwidth.count, {}};
  add_hop(from, to, std::array{from, to}, phase);
  flow.phases = {phase};
  return flow;
}

void PlainFlows::add_ring(std::span<const DeviceId> devices, std::span<const DeviceId> members, PlainPhase& phase) {
  for (std::size_t i = 0; devices.size() > 1 && i < devices.size(); ++i)
    add_hop(devices[i], devices[(i + 1) % devices.size()], members, phase);
}

PlainFlow PlainFlows::all_reduce(std::vector<DeviceId> devices, pipedeck::Bytes bytes) {
  std::sort(devices.begin(), devices.end());
  std::map<NodeId, std::vector<DeviceId>> by_node;
  for (const DeviceId device : devices) by_node[network_.node_of(device)].push_back(device);
  std::vector<DeviceId> leaders;
  for (const auto& [node, members] : by_node) leaders.push_back(members.front());
  PlainFlow flow;
  for (const cost::AllReducePart& part : cost::AllReduce(network_, devices, Collectives::best_ring).parts(bytes)) {
    PlainPhase phase{part.delay.count * 1e9, part.volume(), part.rate.count, {}};
    if (part.over == cost::RingLinks::flat) add_ring(devices, devices, phase);
    if (part.over == cost::RingLinks::inter_node) add_ring(leaders, devices, phase);
    if (part.over == cost::RingLinks::intra_node)
      for (const auto& [node, members] : by_node) add_ring(members, members, phase);
    for (const auto& [link, times] : phase.uses) phase.rate = std::min(phase.rate, capacity_.at(link) / times);
    flow.phases.push_back(phase);
  }
  return flow;
}

}  // namespace pipedeck::test
