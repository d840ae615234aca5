// SPDX-License-Identifier: GPL-3.0-or-later
// What the topology page asks for, made steps of undo: every edit of the cluster that is shown comes through here.
#pragma once

#include <functional>

#include <QObject>

#include "app/session/cluster_edits.hpp"
#include "app/session/session.hpp"
#include "app/ui/dialogs.hpp"
#include "app/views/topology_view.hpp"

namespace pipedeck::app {

class TopologyEditing : public QObject {
  Q_OBJECT

 public:
  /// `show` brings a cluster of the project onto the page.
  TopologyEditing(Session& session, TopologyView& view, std::function<void(int id)> show, QObject* parent);

  TopologyView& view() const { return view_; }
  /// A cluster is shown and can be edited.
  bool ready() const { return view_.cluster() && view_.cluster_id() > 0; }

  // -- clusters
  void new_cluster();
  void duplicate_cluster();
  void rename_cluster(const QString& name);
  void links_for_matrix();

  // -- what is selected
  void add_node();
  void add_switch();
  void remove();
  void copy() const;
  void cut();
  void paste();
  void duplicate();
  /// Two ends, or one switch and everything else selected.
  void connect_selected();
  void align(Alignment alignment);
  void lay_out();
  void group();
  void ungroup();
  void set_collapsed(bool collapsed);
  /// The racks of what is selected.
  std::set<std::string> racks_selected() const;

 signals:
  void import_requested();
  void import_of_this_machine_requested();
  void import_of_cloud_requested();

 private:
  void connect_view();
  void connect_properties();
  /// As it is drawn: places of everything, also where they were arranged automatically.
  DrawnCluster drawn() const;
  /// As it is kept: a change of figures leaves the drawing automatic.
  DrawnCluster kept() const;
  /// One step, or words why not. True: done.
  bool take(const QString& name, Result<DrawnCluster> next);
  void refuse(const Error& error);
  void drop(const PaletteEntry& entry, const ClusterLayout::Place& place, const QString& onto);
  void take_pasted(const QString& name, Result<PastedPlaces> pasted);
  static TopologyPalette::Section imports();
  void refresh_palette();
  void refresh_strengths();
  void select_added(const Cluster& before);
  std::vector<std::string> selected_nodes() const;
  std::vector<int> selected_links() const;

  Session& session_;
  TopologyView& view_;
  std::function<void(int)> show_;
};

}  // namespace pipedeck::app
