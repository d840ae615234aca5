// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/topology_editing.hpp"

#include <algorithm>

#include "app/models/topology/arrange.hpp"
#include "app/models/topology/room.hpp"
#include "app/session/cluster/device_options.hpp"
#include "app/session/project/entry_edits.hpp"
#include "app/session/project/transformer_files.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/actions/topology_text.hpp"

namespace pipedeck::ui::actions {

namespace {

Node node_of(const views::topology::PaletteEntry& entry, int devices) {
  Node node;
  node.name = "n0";
  node.devices = {{entry.type.name, devices}};
  if (devices > 1) node.link = entry.inside;
  return node;
}

/// Opens a rack. In a manual layout, boxes next to the closed rack move out of its way.
session::cluster::DrawnCluster opened(session::cluster::DrawnCluster drawn, const std::string& rack) {
  session::cluster::DrawnCluster next = session::cluster::with_collapsed(std::move(drawn), rack, false);
  if (!next.layout.places.empty())
    next.layout.places =
        models::topology::with_room_for(models::topology::topology_layout(next.cluster, next.layout), rack);
  return next;
}

}  // namespace

TopologyEditing::TopologyEditing(session::Session& session, views::topology::View& view, std::function<void(int)> show,
                                 QObject* parent)
    : QObject(parent), session_(session), view_(view), show_(std::move(show)) {
  connect_view();
  connect_properties();
}

void TopologyEditing::connect_view() {
  views::topology::Canvas* canvas = view_.canvas();
  connect(&view_, &views::topology::View::cluster_shown, this, [this] {
    refresh_palette();
    refresh_strengths();
    refresh_bandwidths();
  });
  connect(&session_, &session::Session::state_changed, this, &TopologyEditing::refresh_strengths);
  connect(&view_, &views::topology::View::new_requested, this, &TopologyEditing::new_cluster);
  connect(&view_, &views::topology::View::drop_requested, this, &TopologyEditing::drop);
  connect(&view_.palette_list(), &views::topology::Palette::import_requested, this,
          [this](views::topology::PaletteEntry::Kind kind) {
            if (kind == views::topology::PaletteEntry::import_files) emit import_requested();
            if (kind == views::topology::PaletteEntry::import_this_machine) emit import_of_this_machine_requested();
            if (kind == views::topology::PaletteEntry::import_cloud) emit import_of_cloud_requested();
          });
  connect(canvas, &views::topology::Canvas::move_requested, this, [this](const models::topology::Places& places) {
    const QString name = places.size() == 1 ? tr("Move %1").arg(text::to_qstring(places.begin()->first))
                                            : tr("Move %1 boxes").arg(static_cast<qlonglong>(places.size()));
    take(name, session::cluster::with_places(drawn(), places));
  });
  connect(canvas, &views::topology::Canvas::link_requested, this, [this](const QString& from, const QString& to) {
    const Cluster before = *view_.cluster();
    if (take(tr("Link %1 – %2").arg(from, to),
             session::cluster::with_link(drawn(), from.toStdString(), to.toStdString(),
                                         session::cluster::usual_link(before))))
      view_.canvas()->select({{}, {static_cast<int>(view_.cluster()->links.size()) - 1}});
  });
  connect(canvas, &views::topology::Canvas::link_selection_requested, this, &TopologyEditing::connect_selected);
  connect(canvas, &views::topology::Canvas::toggle_requested, this, [this](const QString& rack) {
    const bool collapsed = view_.layout_shown().collapsed.contains(rack.toStdString());
    take(collapsed ? tr("Open %1").arg(rack) : tr("Collapse %1").arg(rack),
         collapsed ? opened(kept(), rack.toStdString())
                   : session::cluster::with_collapsed(kept(), rack.toStdString(), true));
  });
  canvas->not_joinable_reason = [this](const QString& from, const QString& to) {
    return text::to_qstring(
        session::cluster::not_joinable_reason(*view_.cluster(), from.toStdString(), to.toStdString()));
  };
  canvas->rename = [this](const views::topology::Name& name, const QString& to) -> QString {
    auto next = name.rack ? session::cluster::renamed_rack(kept(), name.name.toStdString(), to.toStdString())
                          : session::cluster::renamed_place(kept(), name.name.toStdString(), to.toStdString());
    if (!next) return message(next.error());
    take(tr("Rename %1 to %2").arg(name.name, to), std::move(next));
    if (!name.rack) view_.canvas()->select({{to.toStdString()}, {}});
    return {};
  };
}

void TopologyEditing::connect_properties() {
  views::topology::Properties& fields = view_.properties();
  connect(&fields, &views::topology::Properties::name_edited, this, [this](const QString& name) {
    const models::topology::Selection chosen = view_.canvas()->selection();
    if (chosen.places.empty()) return rename_cluster(name);
    const std::string old = *chosen.places.begin();
    if (take(tr("Rename %1 to %2").arg(text::to_qstring(old), name),
             session::cluster::renamed_place(kept(), old, name.toStdString())))
      view_.canvas()->select({{name.toStdString()}, {}});
  });
  connect(&fields, &views::topology::Properties::devices_edited, this, [this](const std::vector<DeviceGroup>& devices) {
    const std::string type = devices.empty() ? std::string() : devices.front().type;
    Link inside{gigabytes_per_second(16), microseconds(5)};
    for (const session::cluster::DeviceOption& offer : session::cluster::device_offers(view_.cluster()))
      if (offer.type.name == type) inside = offer.inside;
    take(tr("Change devices"), session::cluster::with_devices(kept(), selected_nodes(), devices, inside));
  });
  const auto change = [](std::optional<double> bandwidth, std::optional<double> latency) {
    session::cluster::LinkChange result;
    if (bandwidth) result.bandwidth = BytesPerSecond(*bandwidth);
    if (latency) result.latency = Seconds(*latency);
    return result;
  };
  connect(&fields, &views::topology::Properties::inside_edited, this,
          [this, change](std::optional<double> bandwidth, std::optional<double> latency) {
            take(bandwidth ? tr("Bandwidth inside %1").arg(models::topology::inside_text(BytesPerSecond(*bandwidth)))
                           : tr("Latency inside"),
                 session::cluster::with_inside(kept(), selected_nodes(), change(bandwidth, latency)));
          });
  connect(&fields, &views::topology::Properties::nic_edited, this, [this](std::optional<double> bandwidth) {
    const auto rate = bandwidth ? std::optional(BytesPerSecond(*bandwidth)) : std::nullopt;
    take(rate ? tr("Network card per device %1").arg(models::topology::network_text(*rate))
              : tr("No network card per device"),
         session::cluster::with_nic(kept(), selected_nodes(), rate));
  });
  connect(&fields, &views::topology::Properties::bus_edited, this, [this](bool bus) {
    take(bus ? tr("Shared bus") : tr("One port per device"), session::cluster::with_bus(kept(), selected_nodes(), bus));
  });
  connect(&fields, &views::topology::Properties::link_edited, this,
          [this, change](std::optional<double> bandwidth, std::optional<double> latency) {
            take(bandwidth ? tr("Bandwidth %1").arg(models::topology::network_text(BytesPerSecond(*bandwidth)))
                           : tr("Change latency"),
                 session::cluster::with_links_changed(kept(), selected_links(), change(bandwidth, latency)));
          });
  connect(&fields, &views::topology::Properties::type_edited, this,
          [this](const QString& name, const DeviceType& type) {
            take(tr("Change device type %1").arg(name),
                 session::cluster::with_type_changed(kept(), name.toStdString(), type));
          });
  connect(&fields, &views::topology::Properties::type_removal_wanted, this, [this](const QString& name) {
    take(tr("Remove device type %1").arg(name), session::cluster::without_type(kept(), name.toStdString()));
  });
}

// ---- into the project

session::cluster::DrawnCluster TopologyEditing::drawn() const {
  session::cluster::DrawnCluster drawn = kept();
  drawn.layout.places = view_.scene().places;
  return drawn;
}

session::cluster::DrawnCluster TopologyEditing::kept() const { return {*view_.cluster(), view_.layout_shown()}; }

void TopologyEditing::refuse(const Error& error) {
  view_.canvas()->show_message(message(error));
  emit session_.notice(message(error));
  view_.refresh_properties();
}

bool TopologyEditing::take(const QString& name, Result<session::cluster::DrawnCluster> next) {
  if (!ready()) return false;
  if (!next) {
    refuse(next.error());
    return false;
  }
  session::project::Replaced replaced =
      session::cluster::edited_cluster(session_.state(), view_.cluster_id(), std::move(*next));
  const int dropped = replaced.dropped;
  const bool changed = session_.change(name, std::move(replaced.state));
  if (dropped > 0)
    emit session_.notice(
        dropped == 1
            ? tr("1 plan no longer fits the changed cluster and was removed. Undo restores it.")
            : tr("%1 plans no longer fit the changed cluster and were removed. Undo restores them.").arg(dropped));
  view_.refresh_properties();
  return changed;
}

std::vector<std::string> TopologyEditing::selected_nodes() const {
  std::vector<std::string> nodes;
  for (const Node& node : view_.cluster()->nodes)
    if (view_.canvas()->selection().places.contains(node.name)) nodes.push_back(node.name);
  return nodes;
}

std::vector<int> TopologyEditing::selected_links() const {
  const auto& links = view_.canvas()->selection().links;
  return {links.begin(), links.end()};
}

void TopologyEditing::select_added(const Cluster& before) {
  models::topology::Selection added;
  const Cluster& now = *view_.cluster();
  for (std::size_t i = before.nodes.size(); i < now.nodes.size(); ++i) added.places.insert(now.nodes[i].name);
  for (std::size_t i = before.switches.size(); i < now.switches.size(); ++i) added.places.insert(now.switches[i].name);
  view_.canvas()->show_selection(added);
}

// ---- clusters

void TopologyEditing::new_cluster() {
  const std::vector<session::cluster::DeviceOption> offers = session::cluster::device_offers(nullptr);
  // The type of the question's cluster, else a common one of today.
  std::string type = session::project::known_device_type(session_.state());
  if (type.empty()) type = "H100-SXM";
  const auto known = std::ranges::find_if(
      offers, [&](const session::cluster::DeviceOption& offer) { return offer.type.name == type; });
  const session::cluster::DeviceOption& offer = known == offers.end() ? offers.front() : *known;
  session::cluster::DrawnCluster fresh;
  fresh.cluster.name = tr("New cluster").toStdString();
  fresh.cluster.device_types = {offer.type};
  fresh.cluster.nodes = {{"n0", {{offer.type.name, views::topology::devices_of_a_new_node}}, offer.inside, false, {}}};
  session::project::Added added = session::cluster::with_new_cluster(session_.state(), std::move(fresh));
  const int id = added.id;
  session_.change(tr("New cluster"), std::move(added.state));
  show_(id);
  view_.canvas()->setFocus(Qt::OtherFocusReason);
}

void TopologyEditing::duplicate_cluster() {
  if (!ready()) return;
  session::project::Added added = session::project::with_cluster_duplicated(session_.state(), view_.cluster_id());
  const int id = added.id;
  if (session_.change(tr("Duplicate cluster"), std::move(added.state))) show_(id);
}

void TopologyEditing::rename_cluster(const QString& name) {
  if (ready())
    session_.change(tr("Rename cluster to %1").arg(name),
                    session::project::with_cluster_renamed(session_.state(), view_.cluster_id(), name));
  view_.refresh_properties();
}

void TopologyEditing::links_for_matrix() {
  if (ready()) take(tr("Convert matrix into links"), session::cluster::with_links_for_matrix(kept()));
}

// ---- adding

void TopologyEditing::drop(const views::topology::PaletteEntry& entry, const ClusterLayout::Place& place,
                           const QString& onto) {
  if (!ready()) return;
  const Cluster before = *view_.cluster();
  if (!onto.isEmpty()) {
    if (take(tr("Add a %1 to %2").arg(text::to_qstring(entry.type.name), onto),
             session::cluster::with_device(drawn(), onto.toStdString(), entry.type, entry.inside)))
      view_.canvas()->select({{onto.toStdString()}, {}});
    return;
  }
  session::cluster::DrawnCluster now = drawn();
  bool done = false;
  if (entry.kind == views::topology::PaletteEntry::network_switch) {
    done = take(tr("Add switch"), session::cluster::with_switch(std::move(now), "s0", place));
  } else {
    views::topology::PaletteEntry filled = entry;
    filled.type.name = session::cluster::add_type(now.cluster, entry.type);
    const Node node = node_of(filled, views::topology::devices_of_a_new_node);
    if (entry.kind == views::topology::PaletteEntry::rack) {
      const QSizeF one = models::topology::topology_size(node);
      std::vector<ClusterLayout::Place> places{
          {place.x + models::topology::on_grid(one.width() / 2), place.y + 3 * models::topology::topology_grid}};
      for (int i = 0; i < views::topology::nodes_of_a_new_rack; ++i)
        places.push_back({place.x + models::topology::topology_grid +
                              i % 2 * models::topology::on_grid(one.width() + 2 * models::topology::topology_grid),
                          place.y + 12 * models::topology::topology_grid +
                              i / 2 * models::topology::on_grid(one.height() + 4 * models::topology::topology_grid)});
      done = take(tr("Add rack"),
                  session::cluster::with_rack(std::move(now), node, places, session::cluster::usual_link(before)));
    } else {
      done = take(tr("Add node"), session::cluster::with_node(std::move(now), node, place));
    }
  }
  if (done) select_added(before);
}

void TopologyEditing::add_node() {
  if (QListWidgetItem* item = view_.palette_list().find_item(tr("Node"))) emit view_.palette_list().itemActivated(item);
}

void TopologyEditing::add_switch() {
  if (QListWidgetItem* item = view_.palette_list().find_item(tr("Switch")))
    emit view_.palette_list().itemActivated(item);
}

// ---- the selection

void TopologyEditing::remove() {
  const models::topology::Selection chosen = view_.canvas()->selection();
  if (!ready() || chosen.empty()) return;
  const auto count = chosen.places.size() + chosen.links.size();
  const QString name =
      chosen.places.size() == 1 && chosen.links.empty() ? tr("Delete %1").arg(text::to_qstring(*chosen.places.begin()))
      : chosen.places.empty() && chosen.links.size() == 1 ? tr("Delete link")
                                                          : tr("Delete %1 parts").arg(static_cast<qlonglong>(count));
  take(name, session::cluster::without(drawn(), chosen.places, chosen.links));
}

void TopologyEditing::connect_selected() {
  if (!ready()) return;
  const models::topology::Selection chosen = view_.canvas()->selection();
  const Cluster& cluster = *view_.cluster();
  std::vector<std::string> nodes = selected_nodes(), hubs;
  for (const Switch& s : cluster.switches)
    if (chosen.places.contains(s.name)) hubs.push_back(s.name);
  if (hubs.empty() && nodes.size() == 2) hubs = {nodes[1]}, nodes = {nodes[0]};
  if (nodes.empty() && hubs.size() == 2) nodes = {hubs[0]}, hubs = {hubs[1]};
  if (hubs.empty() || nodes.empty())
    return view_.canvas()->show_message(tr("Select two ends, or a switch and the nodes to link to it."));
  session::cluster::DrawnCluster next = drawn();
  const Link link = session::cluster::usual_link(cluster);
  std::string why;
  for (const std::string& hub : hubs)
    for (const std::string& node : nodes) {
      const std::string problem = session::cluster::not_joinable_reason(next.cluster, node, hub);
      if (problem.empty())
        next.cluster.links.push_back({node, hub, link});
      else
        why = problem;
    }
  if (next.cluster.links.size() == cluster.links.size()) return view_.canvas()->show_message(text::to_qstring(why));
  take(tr("Link selection"), std::move(next));
}

void TopologyEditing::align(models::topology::Alignment alignment) {
  if (!ready()) return;
  std::map<std::string, QRectF> boxes;
  for (const std::string& place : view_.canvas()->selection().places)
    if (const auto end = view_.scene().find_end(place); end && end->kind != models::topology::End::rack)
      boxes[place] = view_.scene().rect_of(*end);
  if (boxes.size() < 2) return view_.canvas()->show_message(tr("Select at least two boxes to align."));
  take(tr("Align"), session::cluster::with_places(drawn(), models::topology::aligned(boxes, alignment)));
}

/// Discards all places: everything is arranged anew at each change, until an item is moved by hand.
void TopologyEditing::lay_out() {
  if (!ready()) return;
  session::cluster::DrawnCluster next = kept();
  next.layout.places.clear();
  take(tr("Lay out"), std::move(next));
  view_.canvas()->fit();
}

std::set<std::string> TopologyEditing::racks_selected() const {
  std::set<std::string> racks;
  for (const std::string& place : view_.canvas()->selection().places)
    if (const auto rack = view_.layout_shown().racks.find(place); rack != view_.layout_shown().racks.end())
      racks.insert(rack->second);
  return racks;
}

void TopologyEditing::group() {
  if (ready()) take(tr("Group in a rack"), session::cluster::grouped(kept(), view_.canvas()->selection().places));
}

void TopologyEditing::ungroup() {
  if (ready() && !racks_selected().empty())
    take(tr("Ungroup"), session::cluster::ungrouped(kept(), view_.canvas()->selection().places));
}

void TopologyEditing::set_collapsed(bool collapsed) {
  if (!ready()) return;
  view_.canvas()->set_groups_open(!collapsed);
  if (racks_selected().empty()) return;
  session::cluster::DrawnCluster next = kept();
  for (const std::string& rack : racks_selected())
    next = collapsed ? session::cluster::with_collapsed(std::move(next), rack, true) : opened(std::move(next), rack);
  take(collapsed ? tr("Collapse racks") : tr("Open racks"), std::move(next));
}

}  // namespace pipedeck::ui::actions
