// SPDX-License-Identifier: GPL-3.0-or-later
// The drawing of a cluster: places and racks.
#include "app/session/cluster/edits.hpp"

#include <algorithm>

#include "app/session/cluster/edit_steps.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session::cluster {

DrawnCluster with_places(DrawnCluster drawn, const Places& places) {
  for (const auto& [name, place] : places) drawn.layout.places[name] = place;
  return drawn;
}

Result<DrawnCluster> grouped(DrawnCluster drawn, const std::set<std::string>& members) {
  if (members.empty()) return refused(ClusterText::tr("Select nodes or switches to group them in a rack."));
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
  if (name.empty()) return refused(ClusterText::tr("A rack needs a name."));
  if (std::ranges::any_of(drawn.layout.racks, [&](const auto& entry) { return entry.second == name; }))
    return refused(ClusterText::tr("A rack named %1 already exists.").arg(text::to_qstring(name)));
  for (auto& [member, in] : drawn.layout.racks)
    if (in == rack) in = name;
  if (drawn.layout.collapsed.erase(rack) > 0) drawn.layout.collapsed.insert(name);
  return drawn;
}

}  // namespace pipedeck::session::cluster
