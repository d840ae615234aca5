// SPDX-License-Identifier: GPL-3.0-or-later
// Plans, and the other entries of the project tree, as objects: cut, copied, pasted, duplicated, renamed in their
// place, noted about, deleted. What an action is about is what is selected where the focus is: in the tree, else in the
// table.
#pragma once

#include <QObject>

#include "app/session/entry_edits.hpp"
#include "app/ui/dialogs.hpp"

class QAction;
class QMenu;

namespace pipedeck::app {

class NotesEdit;
class PlanTable;
class ProjectTree;
class ProjectTreeModel;

/// The parts of the window that the actions are about.
struct PlanScene {
  Session* session = nullptr;
  QWidget* window = nullptr;
  PlanTable* table = nullptr;
  ProjectTree* tree = nullptr;
  ProjectTreeModel* tree_model = nullptr;
  NotesEdit* notes = nullptr;
  Dialogs dialogs;
};

class PlanActions : public QObject {
  Q_OBJECT

 public:
  explicit PlanActions(PlanScene scene);

  /// Undo's neighbours: cut, copy, paste, select all.
  void fill_edit_menu(QMenu* menu);
  void fill_plan_menu(QMenu* menu);
  /// Their shortcuts hold in these widgets and what is in them; other pages have objects of their own.
  void hold_in(const QList<QWidget*>& widgets);
  /// For context menus of plans: all of them.
  QList<QAction*> for_plans() const;
  /// After a change of the project, of the selection or of the focus.
  void update();

 private:
  struct Chosen {
    Ids profiles, clusters, plans, runs;
    bool empty() const { return profiles.empty() && clusters.empty() && plans.empty() && runs.empty(); }
    std::size_t size() const { return profiles.size() + clusters.size() + plans.size() + runs.size(); }
  };

  QAction* make(const QString& text, const char* name, const QKeySequence& shortcut, void (PlanActions::*run)());
  bool in_tree() const;
  Chosen chosen() const;
  void cut();
  void copy();
  void paste();
  void select_all();
  void duplicate();
  void rename();
  void note();
  void tick();
  void remove();
  void rename_entry(int section, int id, const QString& name);

  PlanScene scene_;
  QAction *cut_, *copy_, *paste_, *select_all_, *duplicate_, *rename_, *note_, *tick_, *remove_;
};

}  // namespace pipedeck::app
