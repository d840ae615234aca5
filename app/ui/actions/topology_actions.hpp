// SPDX-License-Identifier: GPL-3.0-or-later
// The Cluster menu and the drawing's context menu. Shortcuts work while the drawing has the focus.
#pragma once

#include <QObject>

#include "app/ui/actions/topology_editing.hpp"

class QAction;
class QMenu;

namespace pipedeck::ui::actions {

class TopologyActions : public QObject {
  Q_OBJECT

 public:
  /// Takes `show_page`, which brings the topology page to the front so that the effect of a menu is visible.
  TopologyActions(TopologyEditing& editing, std::function<void()> show_page, QObject* parent);

  void fill_menu(QMenu* menu);

 private:
  QAction* make(const QString& text, const char* name, const QKeySequence& shortcut, const std::function<void()>& run);
  void make_cluster_actions();
  void make_edit_actions();
  void make_drawing_actions();
  void update();
  void show_menu(const QPoint& global);

  TopologyEditing& editing_;
  std::function<void()> show_page_;
  QAction *new_cluster_, *duplicate_cluster_, *rename_cluster_, *links_for_matrix_;
  QAction *add_node_, *add_switch_, *connect_, *cut_, *copy_, *paste_, *duplicate_, *rename_, *remove_;
  QAction *select_all_, *fit_, *lay_out_, *group_, *ungroup_, *collapse_, *open_;
  QList<QAction*> aligns_;
};

}  // namespace pipedeck::ui::actions
