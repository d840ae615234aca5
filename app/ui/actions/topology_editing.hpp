// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of the topology page as undo steps; every edit of the visible cluster passes through here.
#pragma once

#include <functional>

#include <QObject>

#include "app/models/background_task.hpp"
#include "app/session/cluster/edits.hpp"
#include "app/session/session.hpp"
#include "app/ui/dialogs/dialogs.hpp"
#include "app/views/topology/view.hpp"

namespace pipedeck::ui::actions {

class TopologyEditing : public QObject {
  Q_OBJECT

 public:
  /// Takes `show`, which shows a cluster of the project on the page.
  TopologyEditing(session::Session& session, views::topology::View& view, std::function<void(int id)> show,
                  QObject* parent);

  views::topology::View& view() const { return view_; }
  /// Returns true if a cluster is shown that can be edited.
  bool ready() const { return view_.cluster() && view_.cluster_id() > 0; }

  // -- clusters
  void new_cluster();
  void duplicate_cluster();
  void rename_cluster(const QString& name);
  void links_for_matrix();

  // -- the selection
  void add_node();
  void add_switch();
  void remove();
  void copy() const;
  void cut();
  void paste();
  void duplicate();
  /// Connects two selected ends, or one switch with everything else selected.
  void connect_selected();
  void align(models::topology::Alignment alignment);
  void lay_out();
  void group();
  void ungroup();
  void set_collapsed(bool collapsed);
  /// Returns the racks that contain selected items.
  std::set<std::string> racks_selected() const;

 signals:
  void import_requested();
  void import_of_this_machine_requested();
  void import_of_cloud_requested();

 private:
  void connect_view();
  void connect_properties();
  /// Returns the cluster as drawn, with the places of all items, including automatic ones.
  session::cluster::DrawnCluster drawn() const;
  /// Returns the cluster as stored, so that a change of values keeps the drawing automatic.
  session::cluster::DrawnCluster kept() const;
  /// Applies one undo step, or shows why it cannot. Returns true if it was applied.
  bool take(const QString& name, Result<session::cluster::DrawnCluster> next);
  void refuse(const Error& error);
  void drop(const views::topology::PaletteEntry& entry, const ClusterLayout::Place& place, const QString& onto);
  void apply_pasted(const QString& name, Result<session::cluster::PastedPlaces> pasted);
  static views::topology::Palette::Section imports();
  void refresh_palette();
  void refresh_strengths();
  void refresh_bandwidths();
  void select_added(const Cluster& before);
  std::vector<std::string> selected_nodes() const;
  std::vector<int> selected_links() const;

  session::Session& session_;
  views::topology::View& view_;
  std::function<void(int)> show_;
  models::BackgroundTask bandwidths_;
};

}  // namespace pipedeck::ui::actions
