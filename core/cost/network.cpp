// SPDX-License-Identifier: Apache-2.0
#include "core/cost/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "core/base/checks.hpp"

namespace pipedeck::cost {
namespace {

constexpr std::size_t few_nodes = 64;

using EfficiencyByType = std::map<std::string, HardwareEfficiency>;

HardwareEfficiency of_type(const EfficiencyByType& by_type, const std::string& type) {
  const auto found = by_type.find(type);
  return found == by_type.end() ? HardwareEfficiency() : found->second;
}

/// Returns the cluster with a share of all bandwidths of links, and the types' shares of their memory bandwidth.
Cluster slowed(Cluster cluster, double links, const EfficiencyByType& by_type) {
  for (Node& node : cluster.nodes) {
    if (node.link) node.link->bandwidth = node.link->bandwidth * links;
    if (node.nic) node.nic = *node.nic * links;
  }
  for (NetworkLink& link : cluster.links) link.link.bandwidth = link.link.bandwidth * links;
  if (cluster.bandwidth_matrix)
    for (auto& row : *cluster.bandwidth_matrix)
      for (BytesPerSecond& bandwidth : row) bandwidth = bandwidth * links;
  for (DeviceType& type : cluster.device_types)
    if (type.memory_bandwidth) type.memory_bandwidth = *type.memory_bandwidth * of_type(by_type, type.name).memory;
  return cluster;
}

}  // namespace

Result<void> Network::Shared::load_matrix(const Cluster& cluster) {
  const std::size_t count = devices.size();
  const auto is_row = [&](const std::vector<BytesPerSecond>& row) { return row.size() == count; };
  if (cluster.bandwidth_matrix->size() != count ||
      !std::all_of(cluster.bandwidth_matrix->begin(), cluster.bandwidth_matrix->end(), is_row))
    return fail(ErrorCode::bad_input, fmt::format("expected {0} rows of {0} figures, one a device", count),
                "/bandwidth_matrix_gb_per_s");
  matrix = *cluster.bandwidth_matrix;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      if (i != j && matrix[i][j].count <= 0)
        return fail(ErrorCode::bad_input, "found 0, expected a bandwidth between every two devices",
                    fmt::format("/bandwidth_matrix_gb_per_s/{}/{}", i, j));
  representative_devices.resize(count);
  for (std::size_t i = 0; i < count; ++i) representative_devices[i] = DeviceId(i);
  return {};
}

Result<void> Network::Shared::load_links(const Cluster& cluster) {
  TRY(auto paths, WidestPaths::of(cluster));
  between = std::move(paths);
  keep_links(cluster);
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
    const Node& node = cluster.nodes[n];
    if (!node.link && pipedeck::device_count(node) > 1)
      return fail(ErrorCode::bad_input,
                  fmt::format("found node '{}' of {} devices without a link, expected \"link\"", node.name,
                              pipedeck::device_count(node)),
                  fmt::format("/nodes/{}", n));
    inside.push_back(node.link ? Path{node.link->bandwidth, node.link->latency} : Path{});
  }
  fill_table();
  find_representatives();
  return {};
}

void Network::Shared::keep_links(const Cluster& cluster) {
  std::unordered_map<std::string_view, int> vertices;
  for (const Node& node : cluster.nodes) vertices.emplace(node.name, static_cast<int>(vertices.size()));
  for (const Switch& other : cluster.switches) vertices.emplace(other.name, static_cast<int>(vertices.size()));
  for (const NetworkLink& each : cluster.links) {
    links.push_back(each.link);
    ends.emplace_back(vertices.at(each.from), vertices.at(each.to));
  }
}

void Network::Shared::number_domains(const Cluster& cluster) {
  std::unordered_map<std::string_view, int> numbers;
  for (const Node& node : cluster.nodes) {
    int number = static_cast<int>(domain_nodes.size());
    if (!node.domain.empty()) number = numbers.try_emplace(node.domain, number).first->second;
    if (number == static_cast<int>(domain_nodes.size())) domain_nodes.push_back(0);
    ++domain_nodes[static_cast<std::size_t>(number)];
    domains.push_back(number);
  }
}

/// Returns the path between two different nodes, without network cards.
Path Network::Shared::between_nodes(std::size_t from, std::size_t to) const {
  if (domains[from] != domains[to]) return between->between(from, to);
  return {std::min(inside[from].bandwidth, inside[to].bandwidth), std::max(inside[from].latency, inside[to].latency)};
}

/// The fewer nodes there are, the more often each pair is requested.
void Network::Shared::fill_table() {
  const std::size_t nodes = inside.size();
  if (nodes > few_nodes) return;
  for (std::size_t from = 0; from < nodes; ++from)
    for (std::size_t to = 0; to < nodes; ++to) table.push_back(from == to ? inside[from] : between_nodes(from, to));
}

/// Chooses the first two domains of the same nodes, in each the first two nodes of each kind and inner link, and at
/// most two devices of each. Nodes with the most devices come first, so that a node of one device never represents a
/// node with inner paths.
void Network::Shared::find_representatives() {
  using Class = std::tuple<int, double, double, double>;
  std::vector<std::vector<DeviceId>> held(inside.size());
  for (std::size_t d = 0; d < devices.size(); ++d) held[devices[d].node.index()].push_back(DeviceId(d));
  std::vector<std::size_t> larger_first(inside.size());
  std::iota(larger_first.begin(), larger_first.end(), std::size_t{0});
  std::stable_sort(larger_first.begin(), larger_first.end(), [&](std::size_t a, std::size_t b) {
    return std::min<std::size_t>(held[a].size(), 2) > std::min<std::size_t>(held[b].size(), 2);
  });
  const std::vector<int> kinds = between->kinds();
  struct Domain {
    std::map<Class, int> taken;
    std::vector<DeviceId> devices;
  };
  std::vector<Domain> all(domain_nodes.size());
  std::vector<std::size_t> in_order;  // of their first nodes
  for (const std::size_t n : larger_first) {
    Domain& own = all[static_cast<std::size_t>(domains[n])];
    if (own.taken.empty()) in_order.push_back(static_cast<std::size_t>(domains[n]));
    const double card = nics[n].value_or(BytesPerSecond()).count;
    int& taken = own.taken[{kinds[n], inside[n].bandwidth.count, inside[n].latency.count, card}];
    if (held[n].empty() || taken == 2) continue;
    ++taken;
    own.devices.push_back(held[n][0]);
    if (held[n].size() > 1) own.devices.push_back(held[n][1]);
  }
  std::map<std::map<Class, int>, int> alike;
  for (const std::size_t domain : in_order)
    if (alike[all[domain].taken]++ < 2)
      representative_devices.insert(representative_devices.end(), all[domain].devices.begin(),
                                    all[domain].devices.end());
  std::sort(representative_devices.begin(), representative_devices.end());
}

Result<Network> Network::of(const Cluster& cluster) {
  const auto shared = std::make_shared<Shared>();
  shared->devices = devices_of(cluster);
  shared->types = cluster.device_types;
  shared->node_count = static_cast<int>(cluster.nodes.size());
  for (const Node& node : cluster.nodes) shared->buses.push_back(node.bus), shared->nics.push_back(node.nic);
  for (const Node& node : cluster.nodes) shared->measured_inside.push_back(node.link && node.link->measured);
  shared->measured_between = !cluster.links.empty() && std::ranges::all_of(cluster.links, [](const NetworkLink& link) {
    return link.link.measured;
  });
  shared->number_domains(cluster);
  TRY_VOID(cluster.bandwidth_matrix ? shared->load_matrix(cluster) : shared->load_links(cluster));
  return Network(shared);
}

Result<Network> Network::of(const Cluster& cluster, const SimulationOptions& conventions) {
  const double links = conventions.calibration.link_efficiency;
  ensure(links > 0, "links move something");
  const auto& by_type = conventions.efficiency;
  TRY(Network network, links == 1 && by_type.empty() ? of(cluster) : of(slowed(cluster, links, by_type)));
  if (by_type.empty()) return network;
  Efficiencies reached;
  std::optional<Reached> slowest;  // between domains: of any type
  for (const Node& node : cluster.nodes) {
    Reached& inside = reached.inside.emplace_back();
    for (std::size_t g = 0; g < node.devices.size(); ++g) {
      const HardwareEfficiency own = of_type(by_type, node.devices[g].type);
      inside = {g == 0 ? own.link : std::min(inside.share, own.link), std::max(inside.call, own.link_call)};
      slowest = {slowest ? std::min(slowest->share, own.network) : own.network,
                 slowest ? std::max(slowest->call, own.network_call) : own.network_call};
    }
  }
  reached.between = slowest.value_or(Reached());
  network.efficiencies_ = std::make_shared<const Efficiencies>(std::move(reached));
  return network;
}

Network::Reached Network::reached(NodeId node, bool leaves) const {
  if (!efficiencies_ || is_measured(node, leaves)) return {};
  return leaves ? efficiencies_->between : efficiencies_->inside[node.index()];
}

Path Network::path(DeviceId from, DeviceId to) const {
  const Reached by = reached(node_of(from), !in_one_domain(node_of(from), node_of(to)));
  Path path = reached_path(ring_path(from, to, {}, {}), by.share);
  path.latency += by.call;
  return path;
}

Path Network::ring_path(DeviceId from, DeviceId to, RingEnd from_end, RingEnd to_end) const {
  if (!shared_->matrix.empty()) return {shared_->matrix[from.index()][to.index()], {}};
  const std::size_t a = node_of(from).index(), b = node_of(to).index();
  if (a == b) return shared_->inside[a];
  Path path = shared_->table.empty() ? shared_->between_nodes(a, b) : shared_->table[a * shared_->inside.size() + b];
  if (shared_->domains[a] == shared_->domains[b]) return path;
  path.bandwidth = path.bandwidth * std::min(from_end.nodes, to_end.nodes);
  if (shared_->nics[a]) path.bandwidth = std::min(path.bandwidth, *shared_->nics[a] * from_end.devices);
  if (shared_->nics[b]) path.bandwidth = std::min(path.bandwidth, *shared_->nics[b] * to_end.devices);
  return path;
}

Path Network::widest_ring_path(DeviceId from, DeviceId to) const {
  const auto all_of = [&](DeviceId device) {
    return RingEnd{device_count(), shared_->domain_nodes[static_cast<std::size_t>(domain_of(device))]};
  };
  const NodeId node = node_of(from);
  return reached_path(ring_path(from, to, all_of(from), all_of(to)),
                      std::max(reached(node, false).share, reached(node, true).share));
}

std::vector<int> Network::links(DeviceId from, DeviceId to) const {
  if (!shared_->matrix.empty() || in_one_domain(node_of(from), node_of(to))) return {};
  return shared_->between->links_between(node_of(from).index(), node_of(to).index());
}

std::vector<DirectedLink> Network::directed_links(DeviceId from, DeviceId to) const {
  std::vector<DirectedLink> directed;
  int at = node_of(from).value;
  for (const int position : links(from, to)) {
    const auto& [first, second] = shared_->ends[static_cast<std::size_t>(position)];
    directed.push_back({position, first != at});
    at = first == at ? second : first;
  }
  return directed;
}

Seconds Network::transfer(DeviceId from, DeviceId to, Bytes bytes) const {
  const Path over = path(from, to);
  return over.latency + bytes / over.bandwidth;
}

}  // namespace pipedeck::cost
