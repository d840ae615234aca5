// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/topology_actions.hpp"

#include <QAction>
#include <QMenu>

#include "app/ui/actions/availability.hpp"
#include "app/views/widgets/key_help.hpp"

namespace pipedeck::ui::actions {

TopologyActions::TopologyActions(TopologyEditing& editing, std::function<void()> show_page, QObject* parent)
    : QObject(parent), editing_(editing), show_page_(std::move(show_page)) {
  make_cluster_actions();
  make_edit_actions();
  make_drawing_actions();
  views::topology::Canvas* canvas = editing_.view().canvas();
  connect(canvas, &views::topology::Canvas::selection_changed, this, &TopologyActions::update);
  connect(canvas, &views::topology::Canvas::menu_requested, this, &TopologyActions::show_menu);
  connect(&editing_.view(), &views::topology::View::cluster_shown, this, &TopologyActions::update);
  views::widgets::describe_keys(*canvas, tr("In a cluster's drawing"),
                                {{"Left, Right, Up, Down", tr("Move the selection, with Shift by a pixel")},
                                 {"Alt+Left, Alt+Right, Alt+Up, Alt+Down", tr("Select the neighbour")},
                                 {"PgDown, PgUp", tr("Select the next or previous item")},
                                 {"Space", tr("Hold and drag to move the view, as with the middle button")},
                                 {"Ctrl, Shift", tr("With clicks and rectangles: select several")},
                                 {"Return", tr("Open or close alike nodes")},
                                 {"Esc", tr("Cancel a drag, clear the selection")}});
  update();
}

QAction* TopologyActions::make(const QString& text, const char* name, const QKeySequence& shortcut,
                               const std::function<void()>& run) {
  auto* action = new QAction(text, parent());
  action->setObjectName(QLatin1String(name));
  action->setShortcut(shortcut);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(action, &QAction::triggered, this, [this, run] {
    show_page_();
    run();
  });
  if (!shortcut.isEmpty()) editing_.view().canvas()->addAction(action);
  return action;
}

void TopologyActions::make_cluster_actions() {
  new_cluster_ = make(tr("&New cluster"), "action_new_cluster", {}, [this] { editing_.new_cluster(); });
  duplicate_cluster_ =
      make(tr("D&uplicate cluster"), "action_duplicate_cluster", {}, [this] { editing_.duplicate_cluster(); });
  rename_cluster_ = make(tr("Rena&me cluster"), "action_rename_cluster", {}, [this] {
    editing_.view().canvas()->select({});
    editing_.view().properties().start_editing();
  });
  links_for_matrix_ =
      make(tr("&Convert matrix into links"), "action_links_for_matrix", {}, [this] { editing_.links_for_matrix(); });
}

void TopologyActions::make_edit_actions() {
  views::topology::Canvas* canvas = editing_.view().canvas();
  cut_ = make(tr("Cu&t"), "action_topology_cut", QKeySequence::Cut, [this] { editing_.cut(); });
  copy_ = make(tr("&Copy"), "action_topology_copy", QKeySequence::Copy, [this] { editing_.copy(); });
  paste_ = make(tr("&Paste"), "action_topology_paste", QKeySequence::Paste, [this] { editing_.paste(); });
  duplicate_ = make(tr("&Duplicate"), "action_topology_duplicate", QKeySequence(Qt::CTRL | Qt::Key_D),
                    [this] { editing_.duplicate(); });
  duplicate_->setToolTip(tr("Duplicate the selection, linked to the same switches"));
  rename_ =
      make(tr("&Rename"), "action_topology_rename", QKeySequence(Qt::Key_F2), [canvas] { canvas->start_rename(); });
  remove_ = make(tr("D&elete"), "action_topology_delete", QKeySequence::Delete, [this] { editing_.remove(); });
  select_all_ = make(tr("Select &all"), "action_topology_select_all", QKeySequence::SelectAll,
                     [canvas] { canvas->select_all(); });
}

void TopologyActions::make_drawing_actions() {
  views::topology::Canvas* canvas = editing_.view().canvas();
  add_node_ =
      make(tr("Add n&ode"), "action_topology_add_node", QKeySequence(Qt::Key_N), [this] { editing_.add_node(); });
  add_switch_ =
      make(tr("Add &switch"), "action_topology_add_switch", QKeySequence(Qt::Key_S), [this] { editing_.add_switch(); });
  connect_ = make(tr("Lin&k selection"), "action_topology_connect", QKeySequence(Qt::Key_L),
                  [this] { editing_.connect_selected(); });
  group_ = make(tr("&Group in a rack"), "action_topology_group", QKeySequence(Qt::CTRL | Qt::Key_G),
                [this] { editing_.group(); });
  ungroup_ = make(tr("Ungr&oup"), "action_topology_ungroup", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G),
                  [this] { editing_.ungroup(); });
  collapse_ = make(tr("Co&llapse rack"), "action_topology_collapse", QKeySequence(Qt::Key_Minus),
                   [this] { editing_.set_collapsed(true); });
  open_ = make(tr("Open rac&k"), "action_topology_open", QKeySequence(Qt::Key_Plus),
               [this] { editing_.set_collapsed(false); });
  lay_out_ = make(tr("La&y out"), "action_topology_lay_out", QKeySequence(Qt::CTRL | Qt::Key_L),
                  [this] { editing_.lay_out(); });
  fit_ = make(tr("&Fit the view"), "action_topology_fit", QKeySequence(Qt::Key_F), [canvas] { canvas->fit(); });
  const std::tuple<models::topology::Alignment, QString, const char*> alignments[] = {
      {models::topology::Alignment::left, tr("Align &left"), "left"},
      {models::topology::Alignment::middle, tr("Align &centres"), "middle"},
      {models::topology::Alignment::right, tr("Align &right"), "right"},
      {models::topology::Alignment::top, tr("Align &top"), "top"},
      {models::topology::Alignment::centre, tr("Align &middles"), "centre"},
      {models::topology::Alignment::bottom, tr("Align &bottom"), "bottom"},
      {models::topology::Alignment::spread_across, tr("Spread &across"), "across"},
      {models::topology::Alignment::spread_down, tr("Spread &down"), "down"}};
  for (const auto& [alignment, text, name] : alignments)
    aligns_ << make(text, qPrintable(QStringLiteral("action_topology_align_") + QLatin1String(name)), {},
                    [this, alignment = alignment] { editing_.align(alignment); });
}

void TopologyActions::fill_menu(QMenu* menu) {
  menu->addActions({new_cluster_, duplicate_cluster_, rename_cluster_, links_for_matrix_});
  menu->addSeparator();
  menu->addActions({add_node_, add_switch_, connect_});
  menu->addSeparator();
  menu->addActions({cut_, copy_, paste_, duplicate_, rename_, remove_, select_all_});
  menu->addSeparator();
  menu->addActions({group_, ungroup_, collapse_, open_});
  QMenu* align = menu->addMenu(tr("&Align"));
  align->setObjectName(QStringLiteral("topology_align_menu"));
  align->addActions(aligns_);
  menu->addActions({lay_out_, fit_});
  update();
}

void TopologyActions::update() {
  const bool ready = editing_.ready();
  const Cluster* cluster = editing_.view().cluster();
  const models::topology::Selection& chosen = editing_.view().canvas()->selection();
  const std::set<std::string> racks = ready ? editing_.racks_selected() : std::set<std::string>();
  const auto need = [ready](const QList<QAction*>& actions, bool there, const QString& reason) {
    for (QAction* action : actions)
      set_available(*action, there ? QString() : ready ? reason : tr("Choose a cluster first."));
  };
  need({duplicate_cluster_, rename_cluster_, add_node_, add_switch_, paste_, select_all_, lay_out_, fit_}, ready, {});
  need({links_for_matrix_}, ready && cluster->bandwidth_matrix, tr("The cluster has no measured bandwidths."));
  const bool places = ready && !chosen.places.empty();
  const QString one = tr("Select a box on the Topology page first."),
                two = tr("Select two boxes on the Topology page first.");
  need({cut_, copy_, duplicate_, group_, rename_}, places, one);
  need({remove_}, ready && !chosen.empty(), tr("Select a box or a link on the Topology page first."));
  need(QList<QAction*>(aligns_) << connect_, ready && chosen.places.size() > 1, two);
  const QString rack = tr("Select a rack on the Topology page first.");
  need({ungroup_}, !racks.empty(), rack);
  need({collapse_, open_}, !racks.empty() || (ready && editing_.view().canvas()->group_selected()), rack);
}

void TopologyActions::show_menu(const QPoint& global) {
  const models::topology::Selection& chosen = editing_.view().canvas()->selection();
  auto* menu = new QMenu(editing_.view().canvas());
  menu->setObjectName(QStringLiteral("topology_context_menu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (chosen.empty()) {
    menu->addActions({add_node_, add_switch_, paste_, select_all_});
  } else {
    if (chosen.places.size() > 1) menu->addAction(connect_);
    if (!chosen.places.empty()) menu->addActions({cut_, copy_, paste_, duplicate_, rename_});
    menu->addAction(remove_);
    if (!chosen.places.empty()) {
      menu->addSeparator();
      menu->addActions({group_, ungroup_, collapse_, open_});
    }
    if (chosen.places.size() > 1) menu->addMenu(tr("&Align"))->addActions(aligns_);
  }
  menu->addSeparator();
  menu->addActions({lay_out_, fit_});
  menu->addSeparator();
  menu->addActions(editing_.view().actions());
  menu->popup(global);
}

}  // namespace pipedeck::ui::actions
