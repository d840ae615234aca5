// SPDX-License-Identifier: GPL-3.0-or-later
// The surroundings of a drawing: the palette, the cluster's strengths, and its bandwidths.
#include "app/ui/actions/topology_editing.hpp"

#include "app/session/cluster/bandwidths.hpp"
#include "app/session/cluster/device_options.hpp"
#include "app/session/cluster/strengths.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/topology_text.hpp"

namespace pipedeck::ui::actions {

/// Returns the importers, also for a project without a cluster.
views::topology::Palette::Section TopologyEditing::imports() {
  views::topology::Palette::Section section{tr("IMPORT"), {}};
  const std::tuple<views::topology::PaletteEntry::Kind, QString, QString, QString> sources[] = {
      {views::topology::PaletteEntry::import_files, tr("Files…"), tr("nvidia-smi, NCCL, Slurm"),
       tr("Output of nvidia-smi topo -m, lstopo, p2pBandwidthLatencyTest or nvbandwidth, NCCL's topology XML, Slurm's "
          "nodes and switches, a table of bandwidths, or a cluster's JSON. Several files are several nodes")},
      {views::topology::PaletteEntry::import_this_machine, tr("This machine"), tr("by NVML and hwloc"),
       tr("Examines the devices of this machine and their links")},
      {views::topology::PaletteEntry::import_cloud, tr("Cloud machines…"), tr("AWS, Azure, Google"),
       tr("Machine types of clouds by name: devices, network and price per hour")}};
  for (const auto& [kind, title, detail, tip] : sources) {
    views::topology::PaletteEntry entry;
    entry.kind = kind;
    entry.title = title;
    entry.detail = detail;
    entry.tip = tip;
    section.entries.push_back(entry);
  }
  return section;
}

void TopologyEditing::refresh_palette() {
  views::topology::Palette::Section own{tr("IN THIS CLUSTER"), {}}, catalogue{tr("CATALOGUE"), {}},
      parts{tr("CONNECT"), {}};
  views::topology::PaletteEntry filling;
  for (const session::cluster::DeviceOption& offer : session::cluster::device_offers(view_.cluster())) {
    views::topology::PaletteEntry entry = palette_entry(offer);
    const bool first = own.entries.empty() && catalogue.entries.empty();
    if (offer.own) entry.colour = static_cast<int>(own.entries.size());
    if (first) filling = entry;
    (offer.own ? own : catalogue).entries.push_back(entry);
  }
  const std::tuple<views::topology::PaletteEntry::Kind, QString, QString> connections[] = {
      {views::topology::PaletteEntry::node, tr("Node"),
       tr("%1 × %2").arg(views::topology::devices_of_a_new_node).arg(filling.title)},
      {views::topology::PaletteEntry::network_switch, tr("Switch"), {}},
      {views::topology::PaletteEntry::rack, tr("Rack"),
       tr("a switch and %1 nodes").arg(views::topology::nodes_of_a_new_rack)}};
  for (const auto& [kind, title, detail] : connections) {
    views::topology::PaletteEntry entry = filling;
    entry.kind = kind;
    entry.title = title;
    entry.detail = detail;
    entry.tip = tr("Drag onto the drawing, or press Enter");
    parts.entries.push_back(entry);
  }
  view_.palette_list().set_sections({parts, own, catalogue, imports()});
}

void TopologyEditing::refresh_strengths() {
  const Cluster* cluster = view_.cluster();
  if (!cluster) return;
  const session::project::State& state = session_.state();
  const session::project::ProfileEntry* profile = session::project::find_profile(state, state.question.profile);
  Bytes gradients(std::int64_t{1} << 30);
  if (profile) {
    gradients = Bytes();
    for (const Layer& layer : profile->profile->layers) gradients += layer.parameters;
  }
  SimulationOptions conventions = state.question.workload.conventions;
  if (const auto inputs = session::project::planning_inputs(state, state.question.profile, state.question.cluster))
    conventions.efficiency = inputs->efficiency;
  view_.summary_part().set_strengths(
      cluster_summary_texts(session::cluster::summarize_cluster(*cluster, gradients, conventions),
                            profile ? text::to_qstring(profile->profile->name) : QString()));
}

/// Computes the bandwidths in the background. Until then, the map of the previous cluster stays, so that the page does
/// not change its layout for a moment at each edit.
void TopologyEditing::refresh_bandwidths() {
  if (!view_.cluster()) return bandwidths_.cancel();
  bandwidths_.start([this, cluster = *view_.cluster()](const std::stop_token&) {
    return [this, table = session::cluster::bandwidths_of(cluster)] { view_.summary_part().set_bandwidths(table); };
  });
}

}  // namespace pipedeck::ui::actions
