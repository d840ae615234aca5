// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster_edits.hpp"

#include <algorithm>

#include <QCoreApplication>

#include "core/domain/checks.hpp"
#include "core/domain/validate.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::ClusterEdits)
};

tl::unexpected<Error> refused(const QString& why) { return fail(ErrorCode::bad_input, why.toStdString()); }

QString in_qt(const std::string& text) { return QString::fromStdString(text); }

/// What the formats demand stands above all of it.
Result<DrawnCluster> checked(DrawnCluster drawn) {
  if (auto valid = validate(drawn.cluster); !valid) return tl::unexpected(std::move(valid).error());
  return drawn;
}

bool has_place(const Cluster& cluster, const std::string& name) {
  return std::ranges::find(cluster.nodes, name, &Node::name) != cluster.nodes.end() ||
         std::ranges::find(cluster.switches, name, &Switch::name) != cluster.switches.end();
}

int device_count(const Node& node) {
  int count = 0;
  for (const DeviceGroup& group : node.devices) count += group.count;
  return count;
}

/// A matrix has a row for each device: where devices come or go it can't stay.
Result<void> check_no_matrix(const Cluster& cluster) {
  if (!cluster.bandwidth_matrix) return {};
  return refused(
      Text::tr("The bandwidths of this cluster are a matrix, device by device. Turn it into links first "
               "(Cluster > Links instead of the matrix)."));
}

void forget_place(ClusterLayout& layout, const std::string& name) {
  layout.places.erase(name);
  layout.racks.erase(name);
}

void forget_empty_racks(ClusterLayout& layout) {
  std::erase_if(layout.collapsed, [&](const std::string& rack) {
    return std::ranges::none_of(layout.racks, [&](const auto& member) { return member.second == rack; });
  });
}

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
QString rack_name(int number) { return Text::tr("rack %1").arg(number); }
QString two_ends_text() { return Text::tr("A link joins two different ends."); }
QString joined_text(const QString& from, const QString& to) {
  return Text::tr("%1 and %2 are joined already.").arg(from, to);
}

std::string unused_rack_name(const ClusterLayout& layout) {
  for (int n = 1;; ++n) {
    const std::string name = rack_name(n).toStdString();
    if (std::ranges::none_of(layout.racks, [&](const auto& member) { return member.second == name; })) return name;
  }
}

}  // namespace

// ---- the project

Replaced edited_cluster(const ProjectState& state, int id, DrawnCluster drawn) {
  return with_cluster_replaced(state, id, std::move(drawn.cluster), std::move(drawn.layout));
}

Added with_new_cluster(const ProjectState& state, DrawnCluster drawn) {
  Added added = with_cluster(state, std::move(drawn.cluster));
  for (ClusterEntry& entry : added.state.clusters)
    if (entry.id == added.id) entry.layout = std::move(drawn.layout);
  if (!find_cluster(added.state, added.state.question.cluster)) added.state.question.cluster = added.id;
  return added;
}

// ---- nodes and switches

std::string unused_place_name(const Cluster& cluster, const std::string& stem) {
  const auto digits = stem.find_last_not_of("0123456789");
  const bool numbered = digits != std::string::npos && digits + 1 < stem.size();
  const std::string base = numbered ? stem.substr(0, digits + 1) : stem;
  if (!has_place(cluster, stem) && !stem.empty()) return stem;
  for (int n = numbered ? 0 : 2;; ++n) {
    const std::string name = base + std::to_string(n);
    if (!has_place(cluster, name)) return name;
  }
}

Result<DrawnCluster> with_node(DrawnCluster drawn, Node node, ClusterLayout::Place place) {
  PIPEDECK_CHECK(check_no_matrix(drawn.cluster));
  node.name = unused_place_name(drawn.cluster, node.name);
  drawn.layout.places[node.name] = place;
  drawn.cluster.nodes.push_back(std::move(node));
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_switch(DrawnCluster drawn, const std::string& name, ClusterLayout::Place place) {
  PIPEDECK_CHECK(check_no_matrix(drawn.cluster));
  const std::string unused = unused_place_name(drawn.cluster, name);
  drawn.layout.places[unused] = place;
  drawn.cluster.switches.push_back({unused});
  return checked(std::move(drawn));
}

namespace {

void join_inside(const Cluster& cluster, Node& node, Link inside) {
  if (device_count(node) > 1 && !node.link && !cluster.bandwidth_matrix)
    node.link = usual_inside(cluster, node.devices.front().type, inside);
}

}  // namespace

Result<DrawnCluster> with_device(DrawnCluster drawn, const std::string& name, const DeviceType& type, Link inside) {
  PIPEDECK_CHECK(check_no_matrix(drawn.cluster));
  const std::string added = add_type(drawn.cluster, type);
  const auto node = std::ranges::find(drawn.cluster.nodes, name, &Node::name);
  if (node == drawn.cluster.nodes.end()) return drawn;
  const auto group = std::ranges::find(node->devices, added, &DeviceGroup::type);
  if (group == node->devices.end()) {
    node->devices.push_back({added, 1});
  } else {
    ++group->count;
  }
  join_inside(drawn.cluster, *node, inside);
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_rack(DrawnCluster drawn, const Node& node, const std::vector<ClusterLayout::Place>& places,
                               Link uplink) {
  PIPEDECK_CHECK(check_no_matrix(drawn.cluster));
  const std::string rack = unused_rack_name(drawn.layout);
  const std::string top = unused_place_name(drawn.cluster, "tor1");
  drawn.cluster.switches.push_back({top});
  drawn.layout.places[top] = places.front();
  drawn.layout.racks[top] = rack;
  for (std::size_t i = 1; i < places.size(); ++i) {
    Node next = node;
    next.name = unused_place_name(drawn.cluster, node.name);
    drawn.layout.places[next.name] = places[i];
    drawn.layout.racks[next.name] = rack;
    drawn.cluster.links.push_back({next.name, top, uplink});
    drawn.cluster.nodes.push_back(std::move(next));
  }
  return checked(std::move(drawn));
}

Result<DrawnCluster> without(DrawnCluster drawn, const std::set<std::string>& places, const std::set<int>& links) {
  Cluster& cluster = drawn.cluster;
  if (std::ranges::any_of(cluster.nodes, [&](const Node& node) { return places.contains(node.name); }))
    PIPEDECK_CHECK(check_no_matrix(cluster));
  std::vector<NetworkLink> kept;
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const NetworkLink& link = cluster.links[i];
    if (!links.contains(static_cast<int>(i)) && !places.contains(link.from) && !places.contains(link.to))
      kept.push_back(link);
  }
  cluster.links = std::move(kept);
  std::erase_if(cluster.nodes, [&](const Node& node) { return places.contains(node.name); });
  std::erase_if(cluster.switches, [&](const Switch& s) { return places.contains(s.name); });
  for (const std::string& name : places) forget_place(drawn.layout, name);
  forget_empty_racks(drawn.layout);
  if (cluster.nodes.empty())
    return refused(Text::tr("A cluster keeps one node at least. To be rid of it all, delete the cluster."));
  return checked(std::move(drawn));
}

Result<DrawnCluster> renamed_place(DrawnCluster drawn, const std::string& name, const std::string& to) {
  if (name == to) return drawn;
  if (to.empty()) return refused(Text::tr("Nodes and switches need a name."));
  if (has_place(drawn.cluster, to))
    return refused(Text::tr("There is a node or switch named %1 already.").arg(in_qt(to)));
  for (Node& node : drawn.cluster.nodes)
    if (node.name == name) node.name = to;
  for (Switch& s : drawn.cluster.switches)
    if (s.name == name) s.name = to;
  for (NetworkLink& link : drawn.cluster.links) {
    if (link.from == name) link.from = to;
    if (link.to == name) link.to = to;
  }
  if (auto rack = drawn.layout.racks.extract(name)) rack.key() = to, drawn.layout.racks.insert(std::move(rack));
  if (auto place = drawn.layout.places.extract(name)) place.key() = to, drawn.layout.places.insert(std::move(place));
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_devices(DrawnCluster drawn, const std::vector<std::string>& nodes,
                                  const std::vector<DeviceGroup>& devices, Link inside) {
  if (devices.empty()) return refused(Text::tr("A node has one device at least."));
  for (Node& node : drawn.cluster.nodes) {
    if (std::ranges::find(nodes, node.name) == nodes.end() || node.devices == devices) continue;
    const int before = device_count(node);
    node.devices = devices;
    if (device_count(node) != before) PIPEDECK_CHECK(check_no_matrix(drawn.cluster));
    join_inside(drawn.cluster, node, inside);
  }
  return checked(std::move(drawn));
}

namespace {

void take(Link& link, const LinkChange& change) {
  if (change.bandwidth) link.bandwidth = *change.bandwidth;
  if (change.latency) link.latency = *change.latency;
}

}  // namespace

Result<DrawnCluster> with_inside(DrawnCluster drawn, const std::vector<std::string>& nodes, LinkChange change) {
  for (Node& node : drawn.cluster.nodes) {
    if (std::ranges::find(nodes, node.name) == nodes.end()) continue;
    if (!node.link && !change.bandwidth)
      return refused(Text::tr("Give %1 a bandwidth inside before its latency.").arg(in_qt(node.name)));
    if (!node.link) node.link = Link{};
    take(*node.link, change);
  }
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_bus(DrawnCluster drawn, const std::vector<std::string>& nodes, bool bus) {
  for (Node& node : drawn.cluster.nodes)
    if (std::ranges::find(nodes, node.name) != nodes.end()) node.bus = bus;
  return checked(std::move(drawn));
}

// ---- device types

std::string add_type(Cluster& cluster, DeviceType type) {
  const std::string wanted = type.name;
  for (int n = 2;; ++n) {
    const DeviceType* same = find_device_type(cluster, type.name);
    if (!same) break;
    if (*same == type) return type.name;
    // A type that was edited here is still meant by who takes it from the palette by its name.
    type.name = wanted + " (" + std::to_string(n) + ")";
  }
  cluster.device_types.push_back(type);
  return type.name;
}

Result<DrawnCluster> with_type_changed(DrawnCluster drawn, const std::string& name, DeviceType type) {
  if (type.name.empty()) return refused(Text::tr("A device type needs a name."));
  if (type.name != name && find_device_type(drawn.cluster, type.name))
    return refused(Text::tr("There is a device type named %1 already.").arg(in_qt(type.name)));
  for (Node& node : drawn.cluster.nodes)
    for (DeviceGroup& group : node.devices)
      if (group.type == name) group.type = type.name;
  for (DeviceType& known : drawn.cluster.device_types)
    if (known.name == name) known = type;
  return checked(std::move(drawn));
}

// ---- links

std::string why_not_joined(const Cluster& cluster, const std::string& from, const std::string& to) {
  if (cluster.bandwidth_matrix) return check_no_matrix(cluster).error().message;
  if (from == to) return two_ends_text().toStdString();
  for (const NetworkLink& link : cluster.links)
    if ((link.from == from && link.to == to) || (link.from == to && link.to == from))
      return joined_text(in_qt(from), in_qt(to)).toStdString();
  return {};
}

Result<DrawnCluster> with_link(DrawnCluster drawn, const std::string& from, const std::string& to, Link link) {
  if (const std::string why = why_not_joined(drawn.cluster, from, to); !why.empty())
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
  return most_frequent(links, Link{gigabytes_per_second(3.125), microseconds(10)}, std::equal_to<>());
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

/// The narrowest bandwidth between devices of any two nodes, and inside each on the diagonal.
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

/// Whether one switch with a link to each node says the same: all pairs of nodes are equally wide.
bool all_equal(const std::vector<std::vector<BytesPerSecond>>& between) {
  for (std::size_t i = 0; i < between.size(); ++i)
    for (std::size_t j = 0; j < between.size(); ++j)
      if (i != j && between[i][j] != between[0][1]) return false;
  return true;
}

}  // namespace

Result<DrawnCluster> with_links_for_matrix(DrawnCluster drawn) {
  Cluster& cluster = drawn.cluster;
  if (!cluster.bandwidth_matrix) return refused(Text::tr("This cluster has links already."));
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

// ---- the drawing

DrawnCluster with_places(DrawnCluster drawn, const ClusterPlaces& places) {
  for (const auto& [name, place] : places) drawn.layout.places[name] = place;
  return drawn;
}

Result<DrawnCluster> grouped(DrawnCluster drawn, const std::set<std::string>& members) {
  if (members.empty()) return refused(Text::tr("Select nodes or switches to group them in a rack."));
  const std::string rack = unused_rack_name(drawn.layout);
  for (const std::string& member : members) drawn.layout.racks[member] = rack;
  forget_empty_racks(drawn.layout);
  return drawn;
}

DrawnCluster ungrouped(DrawnCluster drawn, const std::set<std::string>& members) {
  std::set<std::string> racks;
  for (const std::string& member : members)
    if (const auto rack = drawn.layout.racks.find(member); rack != drawn.layout.racks.end()) racks.insert(rack->second);
  std::erase_if(drawn.layout.racks, [&](const auto& entry) { return racks.contains(entry.second); });
  forget_empty_racks(drawn.layout);
  return drawn;
}

DrawnCluster with_collapsed(DrawnCluster drawn, const std::string& rack, bool collapsed) {
  if (collapsed) {
    drawn.layout.collapsed.insert(rack);
  } else {
    drawn.layout.collapsed.erase(rack);
  }
  return drawn;
}

Result<DrawnCluster> renamed_rack(DrawnCluster drawn, const std::string& rack, const std::string& name) {
  if (rack == name) return drawn;
  if (name.empty()) return refused(Text::tr("A rack needs a name."));
  if (std::ranges::any_of(drawn.layout.racks, [&](const auto& entry) { return entry.second == name; }))
    return refused(Text::tr("There is a rack named %1 already.").arg(in_qt(name)));
  for (auto& [member, in] : drawn.layout.racks)
    if (in == rack) in = name;
  if (drawn.layout.collapsed.erase(rack) > 0) drawn.layout.collapsed.insert(name);
  return drawn;
}

}  // namespace pipedeck::app
