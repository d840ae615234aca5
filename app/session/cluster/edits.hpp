// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of a drawn cluster as pure functions from one value to the next. An edit that would make the cluster invalid
// returns bad_input with a message for the user.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/session/project/state.hpp"
#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/cluster_layout.hpp"

namespace pipedeck::session::cluster {

struct DrawnCluster {
  Cluster cluster;
  ClusterLayout layout;
  bool operator==(const DrawnCluster&) const = default;
};

using Places = std::map<std::string, ClusterLayout::Place>;  ///< by name of node or switch

/// Replaces the project's cluster of that id.
project::Replaced edited_cluster(const project::State& state, int id, DrawnCluster drawn);
/// Adds the cluster under an unused name. Chooses it for the question if that has none.
project::Added with_new_cluster(const project::State& state, DrawnCluster drawn);

// -- nodes and switches
/// Returns an unused name such as "n3": `stem` with the lowest free number.
std::string unused_place_name(const Cluster& cluster, const std::string& stem);
/// Adds a node or switch under an unused name that is derived from its own.
Result<DrawnCluster> with_node(DrawnCluster drawn, Node node, ClusterLayout::Place place);
Result<DrawnCluster> with_switch(DrawnCluster drawn, const std::string& name, ClusterLayout::Place place);
/// Adds a device of the type to the node. Several devices are connected like those of similar nodes, or else by
/// `inside`.
Result<DrawnCluster> with_device(DrawnCluster drawn, const std::string& node, const DeviceType& type, Link inside);
/// Adds a new rack with a switch, nodes like `node`, and links between them. `places` are those of the switch and then
/// of the nodes.
Result<DrawnCluster> with_rack(DrawnCluster drawn, const Node& node, const std::vector<ClusterLayout::Place>& places,
                               Link uplink);
/// Removes nodes and switches with their links, and the given links.
Result<DrawnCluster> without(DrawnCluster drawn, const std::set<std::string>& places, const std::set<int>& links);
Result<DrawnCluster> renamed_place(DrawnCluster drawn, const std::string& name, const std::string& to);
Result<DrawnCluster> with_devices(DrawnCluster drawn, const std::vector<std::string>& nodes,
                                  const std::vector<DeviceGroup>& devices, Link inside);
struct LinkChange {
  std::optional<BytesPerSecond> bandwidth;
  std::optional<Seconds> latency;
};
Result<DrawnCluster> with_inside(DrawnCluster drawn, const std::vector<std::string>& nodes, LinkChange change);
/// Gives every device of the nodes network cards of this bandwidth; none: they share the node's links.
Result<DrawnCluster> with_nic(DrawnCluster drawn, const std::vector<std::string>& nodes,
                              std::optional<BytesPerSecond> bandwidth);
Result<DrawnCluster> with_bus(DrawnCluster drawn, const std::vector<std::string>& nodes, bool bus);

// -- device types
/// Changes a type and perhaps its name; its devices follow.
Result<DrawnCluster> with_type_changed(DrawnCluster drawn, const std::string& name, DeviceType type);
/// Removes a type that no node has.
Result<DrawnCluster> without_type(DrawnCluster drawn, const std::string& name);
/// Adds the type and returns its name. If another type has its name, an unused one is chosen. A type that exists is not
/// added again.
std::string add_type(Cluster& cluster, DeviceType type);

// -- links
/// Returns why these two cannot be connected; empty if they can.
std::string not_joinable_reason(const Cluster& cluster, const std::string& from, const std::string& to);
Result<DrawnCluster> with_link(DrawnCluster drawn, const std::string& from, const std::string& to, Link link);
Result<DrawnCluster> with_links_changed(DrawnCluster drawn, const std::vector<int>& links, LinkChange change);
/// Returns the link that most of the cluster's links have, or 25 Gbit/s.
Link usual_link(const Cluster& cluster);
/// Returns the link inside most nodes with several devices of this type, or else inside any nodes, or else `other`.
Link usual_inside(const Cluster& cluster, const std::string& type, Link other);
/// Replaces a bandwidth matrix by a switch or by links between all nodes. They have the minimum bandwidth of each pair
/// of nodes.
Result<DrawnCluster> with_links_for_matrix(DrawnCluster drawn);

// -- the drawing
DrawnCluster with_places(DrawnCluster drawn, const Places& places);
/// Members leave their former racks.
Result<DrawnCluster> grouped(DrawnCluster drawn, const std::set<std::string>& members);
DrawnCluster ungrouped(DrawnCluster drawn, const std::set<std::string>& members);
DrawnCluster with_collapsed(DrawnCluster drawn, const std::string& rack, bool collapsed);
Result<DrawnCluster> renamed_rack(DrawnCluster drawn, const std::string& rack, const std::string& name);

// -- copy and paste (clipboard.cpp)
/// Returns cluster JSON with the chosen nodes and switches, the links between them, and their places.
std::string fragment_of(const DrawnCluster& drawn, const std::set<std::string>& places);
struct PastedPlaces {
  DrawnCluster drawn;
  std::set<std::string> places;  ///< added elements by their new names
};
/// Adds all of a cluster JSON at its places shifted by `offset`.
Result<PastedPlaces> with_fragment(DrawnCluster drawn, const std::string& text, ClusterLayout::Place offset);
/// Duplicates the chosen nodes and switches with their links to others.
Result<PastedPlaces> duplicated(DrawnCluster drawn, const std::set<std::string>& places, ClusterLayout::Place offset);
/// Returns the top left corner of a fragment, or nullopt if the text is not one.
std::optional<ClusterLayout::Place> fragment_corner(const std::string& text);

}  // namespace pipedeck::session::cluster
