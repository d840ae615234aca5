// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of clusters as text for the clipboard: cluster JSON with the additional key "drawing".
#include <algorithm>
#include <limits>

#include <QCoreApplication>

#include <nlohmann/json.hpp>

#include "app/session/cluster/edits.hpp"
#include "core/base/checks.hpp"
#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::session::cluster {

namespace {

using nlohmann::json;

struct ClipboardText {
  Q_DECLARE_TR_FUNCTIONS(ClusterEdits)
};

tl::unexpected<Error> no_fragment() {
  return fail(ErrorCode::bad_input,
              ClipboardText::tr("The clipboard has no part of a cluster. Copy nodes or switches first.").toStdString());
}

json drawing_of(const ClusterLayout& layout, const std::set<std::string>& places) {
  json drawing{{"places", json::object()}, {"racks", json::object()}, {"collapsed", json::array()}};
  for (const std::string& name : places) {
    if (const auto place = layout.places.find(name); place != layout.places.end())
      drawing["places"][name] = {place->second.x, place->second.y};
    const auto rack = layout.racks.find(name);
    if (rack == layout.racks.end()) continue;
    drawing["racks"][name] = rack->second;
    if (layout.collapsed.contains(rack->second)) drawing["collapsed"].push_back(rack->second);
  }
  return drawing;
}

ClusterLayout layout_of(const json& drawing) {
  ClusterLayout layout;
  const auto number = [](const json& value) { return value.is_number() ? value.get<double>() : 0.0; };
  if (!drawing.is_object()) return layout;
  const json places = drawing.value("places", json::object()), racks = drawing.value("racks", json::object());
  const json collapsed = drawing.value("collapsed", json::array());
  for (const auto& [name, place] : places.items())
    if (place.is_array() && place.size() == 2) layout.places[name] = {number(place[0]), number(place[1])};
  for (const auto& [name, rack] : racks.items())
    if (rack.is_string()) layout.racks[name] = rack.get<std::string>();
  for (const json& rack : collapsed)
    if (rack.is_string()) layout.collapsed.insert(rack.get<std::string>());
  return layout;
}

/// A placeholder node for parsing a fragment without nodes, since a cluster needs at least one.
constexpr const char* stand_in = "\x01";

Result<DrawnCluster> read_fragment(const std::string& text) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("format", json()) != "pipedeck.cluster") return no_fragment();
  const bool without_nodes = document.contains("nodes") && document["nodes"].is_array() && document["nodes"].empty();
  if (without_nodes) {
    document["device_types"] = {{{"name", stand_in}, {"memory_bytes", 1}}};
    document["nodes"] = {{{"name", stand_in}, {"devices", {{{"type", stand_in}, {"count", 1}}}}}};
  }
  const ClusterLayout layout = layout_of(document.value("drawing", json()));
  document.erase("drawing");
  TRY(auto cluster, io::documents::cluster_from_json(document.dump()));
  if (without_nodes) cluster.nodes.clear(), cluster.device_types.clear();
  return DrawnCluster{std::move(cluster), layout};
}

Cluster part_of(const Cluster& cluster, const std::set<std::string>& places) {
  Cluster part;
  part.name = cluster.name;
  for (const Node& node : cluster.nodes)
    if (places.contains(node.name)) part.nodes.push_back(node);
  for (const DeviceType& type : cluster.device_types)
    if (std::ranges::any_of(part.nodes, [&](const Node& node) {
          return std::ranges::find(node.devices, type.name, &DeviceGroup::type) != node.devices.end();
        }))
      part.device_types.push_back(type);
  for (const Switch& s : cluster.switches)
    if (places.contains(s.name)) part.switches.push_back(s);
  for (const NetworkLink& link : cluster.links)
    if (places.contains(link.from) && places.contains(link.to)) part.links.push_back(link);
  return part;
}

/// A helper that adds the part under unused names and returns the new names by the old ones.
class Adder {
 public:
  Adder(DrawnCluster& to, const DrawnCluster& part, ClusterLayout::Place offset)
      : to_(to), part_(part), offset_(offset) {}

  const std::map<std::string, std::string>& add() {
    for (const DeviceType& type : part_.cluster.device_types) types_[type.name] = add_type(to_.cluster, type);
    for (Node node : part_.cluster.nodes) {
      for (DeviceGroup& group : node.devices) group.type = types_[group.type];
      node.name = place(node.name);
      to_.cluster.nodes.push_back(std::move(node));
    }
    for (const Switch& s : part_.cluster.switches) to_.cluster.switches.push_back({place(s.name)});
    for (const NetworkLink& link : part_.cluster.links)
      to_.cluster.links.push_back({names_[link.from], names_[link.to], link.link});
    return names_;
  }

 private:
  std::string place(const std::string& name) {
    const std::string unused = unused_place_name(to_.cluster, name);
    names_[name] = unused;
    if (const auto at = part_.layout.places.find(name); at != part_.layout.places.end())
      to_.layout.places[unused] = {at->second.x + offset_.x, at->second.y + offset_.y};
    if (const auto rack = part_.layout.racks.find(name); rack != part_.layout.racks.end())
      to_.layout.racks[unused] = this->rack(rack->second);
    return unused;
  }

  std::string rack(const std::string& name) {
    const auto known = racks_.find(name);
    if (known != racks_.end()) return known->second;
    std::string unused = name;
    const auto taken = [&] {
      return std::ranges::any_of(to_.layout.racks, [&](const auto& member) { return member.second == unused; });
    };
    for (int n = 2; taken(); ++n) unused = name + " (" + std::to_string(n) + ")";
    if (part_.layout.collapsed.contains(name)) to_.layout.collapsed.insert(unused);
    return racks_[name] = unused;
  }

  DrawnCluster& to_;
  const DrawnCluster& part_;
  ClusterLayout::Place offset_;
  std::map<std::string, std::string> types_, names_, racks_;
};

Result<PastedPlaces> pasted(DrawnCluster drawn, const std::map<std::string, std::string>& names) {
  TRY_VOID(plan::validate(drawn.cluster));
  PastedPlaces result{std::move(drawn), {}};
  for (const auto& [old, name] : names) result.places.insert(name);
  return result;
}

Result<void> check_pasted_matrix(const Cluster& cluster) {
  if (!cluster.bandwidth_matrix) return {};
  return fail(
      ErrorCode::bad_input,
      ClipboardText::tr("A cluster with a bandwidth matrix cannot be extended. Convert the matrix into links first.")
          .toStdString());
}

}  // namespace

std::string fragment_of(const DrawnCluster& drawn, const std::set<std::string>& places) {
  json document = json::parse(io::documents::cluster_to_json(part_of(drawn.cluster, places)));
  document["drawing"] = drawing_of(drawn.layout, places);
  return document.dump(2) + "\n";
}

Result<PastedPlaces> with_fragment(DrawnCluster drawn, const std::string& text, ClusterLayout::Place offset) {
  TRY(auto part, read_fragment(text));
  TRY_VOID(check_pasted_matrix(drawn.cluster));
  TRY_VOID(check_pasted_matrix(part.cluster));
  const auto names = Adder(drawn, part, offset).add();
  return pasted(std::move(drawn), names);
}

Result<PastedPlaces> duplicated(DrawnCluster drawn, const std::set<std::string>& places, ClusterLayout::Place offset) {
  TRY_VOID(check_pasted_matrix(drawn.cluster));
  const DrawnCluster part{part_of(drawn.cluster, places), drawn.layout};
  const std::vector<NetworkLink> links = drawn.cluster.links;
  const auto names = Adder(drawn, part, offset).add();
  for (const NetworkLink& link : links) {
    const bool from = places.contains(link.from), to = places.contains(link.to);
    if (from != to)
      drawn.cluster.links.push_back(
          {from ? names.at(link.from) : link.from, to ? names.at(link.to) : link.to, link.link});
  }
  return pasted(std::move(drawn), names);
}

std::optional<ClusterLayout::Place> fragment_corner(const std::string& text) {
  const auto part = read_fragment(text);
  if (!part) return std::nullopt;
  constexpr double far = std::numeric_limits<double>::max();
  ClusterLayout::Place corner{far, far};
  for (const auto& [name, place] : part->layout.places)
    corner = {std::min(corner.x, place.x), std::min(corner.y, place.y)};
  return corner.x == far ? ClusterLayout::Place{} : corner;
}

}  // namespace pipedeck::session::cluster
