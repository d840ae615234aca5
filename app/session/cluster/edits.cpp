// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/cluster/edits.hpp"

#include <algorithm>

#include "app/session/cluster/edit_steps.hpp"
#include "app/session/project/training_state.hpp"
#include "app/text/in_qt.hpp"
#include "core/base/checks.hpp"

namespace pipedeck::session::cluster {

namespace {

bool has_place(const Cluster& cluster, const std::string& name) {
  return std::ranges::find(cluster.nodes, name, &Node::name) != cluster.nodes.end() ||
         std::ranges::find(cluster.switches, name, &Switch::name) != cluster.switches.end();
}

void forget_place(ClusterLayout& layout, const std::string& name) {
  layout.places.erase(name);
  layout.racks.erase(name);
}

}  // namespace

// ---- the project

project::Replaced edited_cluster(const project::State& state, int id, DrawnCluster drawn) {
  return project::with_cluster_replaced(state, id, std::move(drawn.cluster), std::move(drawn.layout));
}

project::Added with_new_cluster(const project::State& state, DrawnCluster drawn) {
  project::Added added = project::with_cluster(state, std::move(drawn.cluster));
  for (project::ClusterEntry& entry : added.state.clusters)
    if (entry.id == added.id) entry.layout = std::move(drawn.layout);
  if (!project::find_cluster(added.state, added.state.question.cluster))
    added.state = project::with_selected_cluster(std::move(added.state), added.id);
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
  TRY_VOID(check_no_matrix(drawn.cluster));
  node.name = unused_place_name(drawn.cluster, node.name);
  drawn.layout.places[node.name] = place;
  drawn.cluster.nodes.push_back(std::move(node));
  return checked(std::move(drawn));
}

Result<DrawnCluster> with_switch(DrawnCluster drawn, const std::string& name, ClusterLayout::Place place) {
  TRY_VOID(check_no_matrix(drawn.cluster));
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
  TRY_VOID(check_no_matrix(drawn.cluster));
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
  TRY_VOID(check_no_matrix(drawn.cluster));
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
    TRY_VOID(check_no_matrix(cluster));
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
    return refused(ClusterText::tr("A cluster needs at least one node. To remove all nodes, delete the cluster."));
  return checked(std::move(drawn));
}

Result<DrawnCluster> renamed_place(DrawnCluster drawn, const std::string& name, const std::string& to) {
  if (name == to) return drawn;
  if (to.empty()) return refused(ClusterText::tr("Nodes and switches need a name."));
  if (has_place(drawn.cluster, to))
    return refused(ClusterText::tr("A node or switch named %1 already exists.").arg(text::to_qstring(to)));
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
  if (devices.empty()) return refused(ClusterText::tr("A node needs at least one device."));
  for (Node& node : drawn.cluster.nodes) {
    if (std::ranges::find(nodes, node.name) == nodes.end() || node.devices == devices) continue;
    const int before = device_count(node);
    node.devices = devices;
    if (device_count(node) != before) TRY_VOID(check_no_matrix(drawn.cluster));
    join_inside(drawn.cluster, node, inside);
  }
  return checked(std::move(drawn));
}

// ---- device types

std::string add_type(Cluster& cluster, DeviceType type) {
  const std::string wanted = type.name;
  for (int n = 2;; ++n) {
    const DeviceType* same = find_device_type(cluster, type.name);
    if (!same) break;
    if (*same == type) return type.name;
    // A user who takes this name from the palette still means the edited type.
    type.name = wanted + " (" + std::to_string(n) + ")";
  }
  cluster.device_types.push_back(type);
  return type.name;
}

Result<DrawnCluster> with_type_changed(DrawnCluster drawn, const std::string& name, DeviceType type) {
  if (type.name.empty()) return refused(ClusterText::tr("A device type needs a name."));
  if (type.name != name && find_device_type(drawn.cluster, type.name))
    return refused(ClusterText::tr("A device type named %1 already exists.").arg(text::to_qstring(type.name)));
  for (Node& node : drawn.cluster.nodes)
    for (DeviceGroup& group : node.devices)
      if (group.type == name) group.type = type.name;
  for (DeviceType& known : drawn.cluster.device_types)
    if (known.name == name) known = type;
  return checked(std::move(drawn));
}

Result<DrawnCluster> without_type(DrawnCluster drawn, const std::string& name) {
  for (const Node& node : drawn.cluster.nodes)
    if (std::ranges::find(node.devices, name, &DeviceGroup::type) != node.devices.end())
      return refused(ClusterText::tr("%1 has devices of type %2. Change them first.")
                         .arg(text::to_qstring(node.name), text::to_qstring(name)));
  if (std::erase_if(drawn.cluster.device_types, [&](const DeviceType& type) { return type.name == name; }) == 0)
    return refused(ClusterText::tr("No device type is named %1. Choose one from the list, or add it from the palette.")
                       .arg(text::to_qstring(name)));
  return checked(std::move(drawn));
}

}  // namespace pipedeck::session::cluster
