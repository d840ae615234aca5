// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/actions/profile_actions.hpp"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QTableView>

#include "app/models/profile/profile_table_model.hpp"
#include "app/session/project/entry_edits.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/views/profile/view.hpp"
#include "core/base/quantity_text.hpp"

namespace pipedeck::ui::actions {

namespace {

std::optional<session::profile::LayerFigure> figure_in(int column) {
  if (column < models::profile::TableModel::forward || column > models::profile::TableModel::parameters)
    return std::nullopt;
  return static_cast<session::profile::LayerFigure>(column - models::profile::TableModel::forward);
}

QuantityKind measure_of(session::profile::LayerFigure figure) {
  return figure <= session::profile::LayerFigure::backward ? QuantityKind::time : QuantityKind::bytes;
}

QString count_of(const session::profile::Layers& layers) {
  return session::work::format_count(static_cast<qint64>(layers.size()), ProfileActions::tr("layer"),
                                     ProfileActions::tr("layers"));
}

}  // namespace

ProfileActions::ProfileActions(ProfileContext scene)
    : QObject(scene.window),
      scene_(std::move(scene)),
      measurement_(*scene_.session, scene_.runner),
      set_(
          make(tr("&Set…"), "action_layers_set", QKeySequence(Qt::CTRL | Qt::Key_Return), &ProfileActions::set_figure)),
      scale_(make(tr("S&cale…"), "action_layers_scale", QKeySequence(Qt::Key_Asterisk), &ProfileActions::scale)),
      insert_(make(tr("&Insert layer above"), "action_layers_insert", QKeySequence(Qt::Key_Insert),
                   &ProfileActions::insert)),
      duplicate_(make(tr("&Duplicate layers"), "action_layers_duplicate", QKeySequence(Qt::CTRL | Qt::Key_D),
                      &ProfileActions::duplicate)),
      merge_(
          make(tr("&Merge layers"), "action_layers_merge", QKeySequence(Qt::CTRL | Qt::Key_M), &ProfileActions::merge)),
      remove_(make(tr("D&elete layers"), "action_layers_delete", QKeySequence::Delete, &ProfileActions::remove)),
      copy_(make(tr("C&opy layers"), "action_layers_copy", QKeySequence::Copy, &ProfileActions::copy)),
      paste_(make(tr("&Paste layers"), "action_layers_paste", QKeySequence::Paste, &ProfileActions::paste)),
      rename_(make(tr("&Rename model…"), "action_profile_rename", {}, &ProfileActions::rename)),
      duplicate_profile_(
          make(tr("D&uplicate model"), "action_profile_duplicate", {}, &ProfileActions::duplicate_profile)),
      measure_(make(tr("&Measure on this machine"), "action_profile_measure", {}, &ProfileActions::measure)) {
  set_->setToolTip(tr("Set the current column to one value for all selected layers"));
  scale_->setToolTip(tr("Multiply the current column by a factor for all selected layers"));
  merge_->setToolTip(tr("Replace the selected layers by one layer with their sums"));
  copy_->setToolTip(tr("Copy the selected layers as rows for a spreadsheet"));
  paste_->setToolTip(
      tr("Paste rows of a spreadsheet: with a heading, matched by layer names; without, from the current cell on"));
  connect(scene_.view, &views::profile::View::edited, this, &ProfileActions::apply_edit);
  connect(scene_.view, &views::profile::View::selection_changed, this, &ProfileActions::update);
  connect(scene_.view, &views::profile::View::quick_fix_requested, this, &ProfileActions::quick_fix);
  connect(scene_.session, &session::Session::state_changed, this, &ProfileActions::update, Qt::QueuedConnection);
  offer_measurement();
  update();
}

void ProfileActions::offer_measurement() {
  scene_.view->offer(measure_);
  connect(&measurement_, &session::Measurement::running_changed, this, &ProfileActions::update_measurement);
}

/// Updates the action; its tooltip explains it, or why it is unavailable.
void ProfileActions::update_measurement() {
  const QString why = measurement_.running() ? tr("A measurement is active.")
                                             : session::not_measurable_reason(scene_.session->state(), scene_.shown());
  measure_->setEnabled(why.isEmpty());
  measure_->setToolTip(
      !why.isEmpty() ? why
      : scene_.session->state().backend.gpus
          ? tr("Measures every layer on the first GPU at several micro-batch sizes, with the settings of the Run page, "
               "and the links between this machine's GPUs. Both are chosen for the next comparison")
          : tr("Measures every layer here at several micro-batch sizes, and this machine's links and memory. Both are "
               "chosen for the next comparison"));
}

void ProfileActions::measure() { measurement_.start(scene_.shown()); }

QAction* ProfileActions::make(const QString& text, const char* name, const QKeySequence& shortcut,
                              void (ProfileActions::*run)()) {
  auto* action = new QAction(text, scene_.window);
  action->setObjectName(QLatin1String(name));
  action->setShortcut(shortcut);
  action->setShortcutContext(Qt::WidgetShortcut);
  connect(action, &QAction::triggered, this, run);
  scene_.view->table()->addAction(action);
  return action;
}

std::shared_ptr<const Profile> ProfileActions::profile() const {
  const session::project::ProfileEntry* entry = session::project::find_profile(scene_.session->state(), scene_.shown());
  return entry && entry->profile.get() == scene_.view->profile() ? entry->profile : nullptr;
}

void ProfileActions::update() {
  const bool there = profile() != nullptr;
  const std::size_t layers = there ? scene_.view->selected_layers().size() : 0;
  for (QAction* action : {set_, scale_, duplicate_, remove_, copy_}) action->setEnabled(layers > 0);
  merge_->setEnabled(layers > 1);
  for (QAction* action : {insert_, paste_, rename_, duplicate_profile_}) action->setEnabled(there);
  update_measurement();
}

/// Applies one undo step, or reports the error.
void ProfileActions::change(const QString& name, const Result<Profile>& edited) {
  if (!edited) return emit scene_.session->error(name, text::to_qstring(edited.error()));
  if (*edited == *profile()) return;
  session::project::Replaced replaced =
      session::profile::with_profile_edited(scene_.session->state(), scene_.shown(), *edited);
  const int dropped = replaced.dropped;
  scene_.session->change(name, std::move(replaced.state));
  if (dropped > 0)
    emit scene_.session->notice(tr("%1 no longer fit the model and were removed. Undo restores them.")
                                    .arg(session::work::format_count(dropped, tr("plan"), tr("plans"))));
}

void ProfileActions::apply_edit(int layer, int column, const QVariant& value) {
  if (!profile() || layer >= static_cast<int>(profile()->layers.size())) return;
  const QString name = QString::fromStdString(profile()->layers[static_cast<std::size_t>(layer)].name);
  if (column == models::profile::TableModel::name)
    return change(tr("Rename layer %1").arg(name), session::profile::rename_layer(*profile(), layer, value.toString()));
  if (column == models::profile::TableModel::kind)
    return change(tr("Kind of layer %1").arg(name),
                  session::profile::with_layer_kind(*profile(), {layer}, value.toString()));
  if (const auto figure = figure_in(column))
    change(tr("Edit layer %1").arg(name),
           session::profile::with_figure(*profile(), {layer}, *figure, value.toDouble()));
}

void ProfileActions::set_figure() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  const auto figure = figure_in(scene_.view->current_column());
  const auto asked = profile();
  if (!asked || layers.empty()) return;
  if (!figure || layers.size() == 1) return scene_.view->edit_current();
  const QString title = tr("Set %1").arg(count_of(layers));
  const bool time = measure_of(*figure) == QuantityKind::time;
  const auto typed = scene_.dialogs.text(
      scene_.window, title, time ? tr("Time per layer, such as 8.1 ms") : tr("Bytes per layer, such as 12 MiB"), {});
  if (!typed || profile() != asked) return;  // the profile changed meanwhile
  const auto value = parse_quantity(measure_of(*figure), typed->toStdString(), time ? "ms" : "B");
  if (!value) return emit scene_.session->error(title, text::to_qstring(value.error()));
  change(title, session::profile::with_figure(*profile(), layers, *figure, *value));
}

void ProfileActions::scale() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  const auto figure = figure_in(scene_.view->current_column());
  const auto asked = profile();
  if (!asked || layers.empty()) return;
  const QString title = tr("Scale %1").arg(count_of(layers));
  if (!figure)
    return emit scene_.session->error(title, tr("First choose a cell of the column to scale: a time or bytes."));
  const auto typed = scene_.dialogs.text(scene_.window, title, tr("Factor"), QStringLiteral("1.1"));
  if (!typed || profile() != asked) return;  // the profile changed meanwhile
  const auto factor = parse_quantity(QuantityKind::number, typed->toStdString());
  if (!factor) return emit scene_.session->error(title, text::to_qstring(factor.error()));
  change(title, session::profile::with_figure_scaled(*profile(), layers, *figure, *factor));
}

void ProfileActions::insert() {
  if (!profile()) return;
  const int selected = scene_.view->selected_layer();
  const int position = selected < 0 ? static_cast<int>(profile()->layers.size()) : selected;
  change(tr("Insert layer"), session::profile::with_layer_inserted(*profile(), position));
  scene_.view->select_layer(position);
}

void ProfileActions::duplicate() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  if (profile() && !layers.empty())
    change(tr("Duplicate %1").arg(count_of(layers)), session::profile::with_layers_duplicated(*profile(), layers));
}

void ProfileActions::merge() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  if (!profile() || layers.size() < 2) return;
  change(tr("Merge %1").arg(count_of(layers)), session::profile::with_layers_merged(*profile(), layers));
  scene_.view->select_layer(layers.front());
}

void ProfileActions::remove() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  if (profile() && !layers.empty())
    change(tr("Delete %1").arg(count_of(layers)), session::profile::without_layers(*profile(), layers));
}

void ProfileActions::copy() {
  const session::profile::Layers layers = scene_.view->selected_layers();
  if (profile() && !layers.empty())
    QApplication::clipboard()->setText(session::profile::layers_to_text(*profile(), layers));
}

void ProfileActions::paste() {
  if (!profile()) return;
  const QString text = QApplication::clipboard()->text();
  const int column = scene_.view->current_column() - models::profile::TableModel::name;
  change(tr("Paste layers"),
         session::profile::with_text_pasted(*profile(), std::max(scene_.view->selected_layer(), 0), column, text));
}

void ProfileActions::rename() {
  if (!profile()) return;
  const QString now = QString::fromStdString(profile()->name);
  const auto name = scene_.dialogs.text(scene_.window, tr("Rename model"), tr("Name"), now);
  if (name)
    scene_.session->change(tr("Rename %1").arg(now),
                           session::project::with_profile_renamed(scene_.session->state(), scene_.shown(), *name));
}

void ProfileActions::duplicate_profile() {
  if (!profile()) return;
  const QString name = QString::fromStdString(profile()->name);
  session::project::Added added = session::project::with_profile_duplicated(scene_.session->state(), scene_.shown());
  const int id = added.id;
  if (scene_.session->change(tr("Duplicate %1").arg(name), std::move(added.state))) scene_.show(id);
}

void ProfileActions::quick_fix(int kind) {
  const auto asked = profile();
  if (!asked) return;
  for (const models::profile::Gap& gap : models::profile::missing_data(*asked)) {
    if (gap.kind != kind) continue;
    switch (gap.kind) {
      case models::profile::Gap::one_size:
        return;
      case models::profile::Gap::no_splits:
        return change(tr("Assume even shares"), session::profile::with_even_splits(*profile(), gap.layers));
      case models::profile::Gap::no_time:
        return change(tr("Delete layers without time"), session::profile::without_layers(*profile(), gap.layers));
      case models::profile::Gap::no_device: {
        const auto name = scene_.dialogs.text(scene_.window, tr("Device of the times"),
                                              tr("Device type, such as V100-16GB"), QStringLiteral("V100-16GB"));
        if (name && profile() == asked)
          change(tr("Name the device"), session::profile::rename_device(*profile(), *name));
        return;
      }
    }
  }
}

}  // namespace pipedeck::ui::actions
