// SPDX-License-Identifier: GPL-3.0-or-later
// Connections of devices and nodes: links added, changed, and made from a matrix.
#include "app/session/cluster/edits.hpp"

#include <algorithm>
#include <functional>

#include "app/session/cluster/edit_steps.hpp"
#include "app/text/in_qt.hpp"
#include "core/base/checks.hpp"
#include "core/presets/instance_types.hpp"

namespace pipedeck::session::cluster {

namespace {

template <class Value, class Found>
Value most_frequent(const std::vector<Value>& values, const Value& otherwise, const Found& equal) {
  std::size_t best = 0;
  Value result = otherwise;
  for (const Value& value : values) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(values, [&](const Value& other) { return equal(value, other); }));
    if (count > best) best = count, result = value;
  }
  return result;
}

// lupdate loses the context of texts in functions whose result is a std:: type.
QString two_ends_text() { return ClusterText::tr("A link joins two different ends."); }
QString joined_text(const QString& from, const QString& to) {
  return ClusterText::tr("%1 and %2 are already linked.").arg(from, to);
}

void take(Link& link, const LinkChange& change) {
  if (change.bandwidth) link.bandwidth = *change.bandwidth;
  if (change.latency) link.latency = *change.latency;
}

}  // namespace

Result<DrawnCluster> with_inside(DrawnCluster drawn, const std::vector<std::string>& nodes, LinkChange change) {
  for (Node& node : drawn.cluster.nodes) {
    if (std::ranges::find(nodes, node.name) == nodes.end()) continue;
    if (!node.link && !change.bandwidth)
      return refused(
          ClusterText::tr("Set the bandwidth inside %1 before its latency.").arg(text::to_qstring(node.name)));
    if (!node.link) node.link = Link{};
    take(*node.link, change);
  }
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_nic(DrawnCluster drawn, const std::vector<std::string>& nodes,
                              std::optional<BytesPerSecond> bandwidth) {
  for (Node& node : drawn.cluster.nodes)
    if (std::ranges::find(nodes, node.name) != nodes.end()) node.nic = bandwidth;
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_bus(DrawnCluster drawn, const std::vector<std::string>& nodes, bool bus) {
  for (Node& node : drawn.cluster.nodes)
    if (std::ranges::find(nodes, node.name) != nodes.end()) node.bus = bus;
  return checked(std::move(drawn));
}

std::string not_joinable_reason(const Cluster& cluster, const std::string& from, const std::string& to) {
  if (cluster.bandwidth_matrix) return check_no_matrix(cluster).error().message;
  if (from == to) return two_ends_text().toStdString();
  for (const NetworkLink& link : cluster.links)
    if ((link.from == from && link.to == to) || (link.from == to && link.to == from))
      return joined_text(text::to_qstring(from), text::to_qstring(to)).toStdString();
  return {};
}

Result<DrawnCluster> with_link(DrawnCluster drawn, const std::string& from, const std::string& to, Link link) {
  if (const std::string why = not_joinable_reason(drawn.cluster, from, to); !why.empty())
    return fail(ErrorCode::bad_input, why);
  drawn.cluster.links.push_back({from, to, link});
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_links_changed(DrawnCluster drawn, const std::vector<int>& links, LinkChange change) {
  for (const int link : links)
    if (link >= 0 && link < static_cast<int>(drawn.cluster.links.size()))
      take(drawn.cluster.links[static_cast<std::size_t>(link)].link, change);
  return checked(std::move(drawn));
}

Link usual_link(const Cluster& cluster) {
  std::vector<Link> links;
  for (const NetworkLink& link : cluster.links) links.push_back(link.link);
  Link unknown{gigabytes_per_second(3.125), microseconds(10)};
  // A machine for rent with such devices shows which network is usual.
  if (!cluster.device_types.empty())
    for (const presets::InstanceType& machine : presets::instance_types())
      if (machine.device == cluster.device_types.front().name && machine.network.count > unknown.bandwidth.count)
        unknown.bandwidth = machine.network;
  return most_frequent(links, unknown, std::equal_to<>());
}

Link usual_inside(const Cluster& cluster, const std::string& type, Link other) {
  std::vector<Link> same, any;
  for (const Node& node : cluster.nodes) {
    if (!node.link) continue;
    any.push_back(*node.link);
    if (!node.devices.empty() && node.devices.front().type == type) same.push_back(*node.link);
  }
  return most_frequent(same, most_frequent(any, other, std::equal_to<>()), std::equal_to<>());
}

namespace {

/// Returns the minimum bandwidth between devices of each pair of nodes; the diagonal is inside a node.
std::vector<std::vector<BytesPerSecond>> between_nodes(const Cluster& cluster) {
  const std::vector<Device> devices = devices_of(cluster);
  const std::size_t count = cluster.nodes.size();
  std::vector<std::vector<BytesPerSecond>> narrowest(count, std::vector<BytesPerSecond>(count));
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i == j) continue;
      BytesPerSecond& there = narrowest[devices[i].node.index()][devices[j].node.index()];
      const BytesPerSecond rate = (*cluster.bandwidth_matrix)[i][j];
      there = there.count == 0 ? rate : std::min(there, rate);
    }
  return narrowest;
}

/// Returns true if all pairs of nodes have equal bandwidth, so that one switch with a link to each node is equivalent.
bool all_equal(const std::vector<std::vector<BytesPerSecond>>& between) {
  for (std::size_t i = 0; i < between.size(); ++i)
    for (std::size_t j = 0; j < between.size(); ++j)
      if (i != j && between[i][j] != between[0][1]) return false;
  return true;
}

}  // namespace

Result<DrawnCluster> with_links_for_matrix(DrawnCluster drawn) {
  Cluster& cluster = drawn.cluster;
  if (!cluster.bandwidth_matrix) return refused(ClusterText::tr("This cluster already has links."));
  const auto between = between_nodes(cluster);
  const std::size_t nodes = cluster.nodes.size();
  for (std::size_t i = 0; i < nodes; ++i) {
    std::optional<Link>& inside = cluster.nodes[i].link;
    if (between[i][i].count > 0) inside = Link{between[i][i], inside ? inside->latency : Seconds()};
  }
  cluster.bandwidth_matrix.reset();
  if (nodes > 2 && all_equal(between)) {
    const std::string name = unused_place_name(cluster, "switch");
    cluster.switches.push_back({name});
    for (const Node& node : cluster.nodes) cluster.links.push_back({node.name, name, {between[0][1], {}}});
  } else {
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = i + 1; j < nodes; ++j)
        cluster.links.push_back({cluster.nodes[i].name, cluster.nodes[j].name, {between[i][j], {}}});
  }
  return checked(std::move(drawn));
}

}  // namespace pipedeck::session::cluster
