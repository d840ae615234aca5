// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does to a cluster that is drawn, as pure functions from one value to the next. What would break the
// cluster comes back as bad_input, in words for who did it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/session/project_state.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/cluster_layout.hpp"
#include "core/domain/result.hpp"

namespace pipedeck::app {

struct DrawnCluster {
  Cluster cluster;
  ClusterLayout layout;
  bool operator==(const DrawnCluster&) const = default;
};

using ClusterPlaces = std::map<std::string, ClusterLayout::Place>;  ///< by name of node or switch

/// Into the project, in place of the cluster of that id.
Replaced edited_cluster(const ProjectState& state, int id, DrawnCluster drawn);
/// Under an unused name, and chosen for the question where none is.
Added with_new_cluster(const ProjectState& state, DrawnCluster drawn);

// -- nodes and switches
/// "n3": `stem` with the lowest number that makes it unused.
std::string unused_place_name(const Cluster& cluster, const std::string& stem);
/// `node.name` is made unused.
Result<DrawnCluster> with_node(DrawnCluster drawn, Node node, ClusterLayout::Place place);
Result<DrawnCluster> with_switch(DrawnCluster drawn, const std::string& name, ClusterLayout::Place place);
/// One more device of the type in the node, joined to the others as nodes of the cluster are (`inside` where none is).
Result<DrawnCluster> with_device(DrawnCluster drawn, const std::string& node, const DeviceType& type, Link inside);
/// A switch, `nodes` nodes like `node`, the links between them, all in one new rack. `places`: the switch's, then
/// the nodes'.
Result<DrawnCluster> with_rack(DrawnCluster drawn, const Node& node, const std::vector<ClusterLayout::Place>& places,
                               Link uplink);
/// Nodes and switches go with their links.
Result<DrawnCluster> without(DrawnCluster drawn, const std::set<std::string>& places, const std::set<int>& links);
Result<DrawnCluster> renamed_place(DrawnCluster drawn, const std::string& name, const std::string& to);
Result<DrawnCluster> with_devices(DrawnCluster drawn, const std::vector<std::string>& nodes,
                                  const std::vector<DeviceGroup>& devices, Link inside);
struct LinkChange {
  std::optional<BytesPerSecond> bandwidth;
  std::optional<Seconds> latency;
};
Result<DrawnCluster> with_inside(DrawnCluster drawn, const std::vector<std::string>& nodes, LinkChange change);
Result<DrawnCluster> with_bus(DrawnCluster drawn, const std::vector<std::string>& nodes, bool bus);

// -- device types
/// The type under the same or another name; devices of it follow.
Result<DrawnCluster> with_type_changed(DrawnCluster drawn, const std::string& name, DeviceType type);
/// Of types that no node has.
Result<DrawnCluster> without_type(DrawnCluster drawn, const std::string& name);
/// The type under its name, or under an unused one where the name means another; there already: nothing changes.
std::string add_type(Cluster& cluster, DeviceType type);

// -- links
/// Why these two can't be joined; empty: they can.
std::string why_not_joined(const Cluster& cluster, const std::string& from, const std::string& to);
Result<DrawnCluster> with_link(DrawnCluster drawn, const std::string& from, const std::string& to, Link link);
Result<DrawnCluster> with_links_changed(DrawnCluster drawn, const std::vector<int>& links, LinkChange change);
/// As most links of the cluster are, else 25 Gbit/s.
Link usual_link(const Cluster& cluster);
/// As nodes with several devices of this type are joined inside, else as any are, else `other`.
Link usual_inside(const Cluster& cluster, const std::string& type, Link other);
/// A switch or links between all nodes instead of a bandwidth matrix, with the narrowest figures of each pair of nodes.
Result<DrawnCluster> with_links_for_matrix(DrawnCluster drawn);

// -- the drawing
DrawnCluster with_places(DrawnCluster drawn, const ClusterPlaces& places);
/// Members leave the racks that they were in.
Result<DrawnCluster> grouped(DrawnCluster drawn, const std::set<std::string>& members);
DrawnCluster ungrouped(DrawnCluster drawn, const std::set<std::string>& members);
DrawnCluster with_collapsed(DrawnCluster drawn, const std::string& rack, bool collapsed);
Result<DrawnCluster> renamed_rack(DrawnCluster drawn, const std::string& rack, const std::string& name);

// -- copy and paste (cluster_clipboard.cpp)
/// Our cluster JSON with the chosen nodes and switches, the links between them, and where they lie.
std::string fragment_of(const DrawnCluster& drawn, const std::set<std::string>& places);
struct PastedPlaces {
  DrawnCluster drawn;
  std::set<std::string> places;  ///< what was added, by the names that it got
};
/// Any cluster JSON; all of it is added beside what is there, moved by `offset`.
Result<PastedPlaces> with_fragment(DrawnCluster drawn, const std::string& text, ClusterLayout::Place offset);
/// The chosen nodes and switches again, joined to the same others as they are.
Result<PastedPlaces> duplicated(DrawnCluster drawn, const std::set<std::string>& places, ClusterLayout::Place offset);
/// The upper left corner of what a fragment holds; nothing: it is none.
std::optional<ClusterLayout::Place> fragment_corner(const std::string& text);

}  // namespace pipedeck::app
