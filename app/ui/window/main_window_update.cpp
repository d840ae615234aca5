// SPDX-License-Identifier: GPL-3.0-or-later
// Updates of the window after a change of the session.
#include <QDateTime>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QThread>
#include <QToolButton>

#include "app/models/format.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/dialogs/calibration_dialog.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/ui/window/empty_states.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/ui/window/read_only_bar.hpp"
#include "app/ui/window/setup_bar.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/notes_edit.hpp"

namespace pipedeck::ui::window {

namespace {

template <class Entries, class Name>
QStringList names_with(const QStringList& presets, const Entries& entries, const Name& name) {
  QStringList names;
  for (const auto& entry : entries) names << text::to_qstring(name(entry));
  for (const QString& preset : presets) {
    if (!names.contains(preset)) names << preset;
  }
  return names;
}

}  // namespace

void MainWindow::refresh() {
  stack_->setCurrentWidget(session_.state().empty() ? static_cast<QWidget*>(start_panel_) : tabs_);
  bar_->show_project(session_.state());
  refresh_tree();
  refresh_start_panel();
  compare_page_->refresh();
  explain_page_->refresh();
  what_if_page_->refresh();
  refresh_pages();
  run_page_->refresh();
  refresh_bar();
  refresh_title();
  refresh_inspector();
  refresh_calibration_mark();
  refresh_devices();
  update_actions();
}

void MainWindow::refresh_tree() {
  const session::project::State& state = session_.state();
  for (int i = 0; i < models::compare::project_section_count; ++i) {
    const auto section = static_cast<models::compare::ProjectSection>(i);
    tree_model_->set_entries(section, pages::tree_entries(state, section));
  }
  if (state.selected_plan > 0) tree_->follow(models::compare::ProjectSection::plans, state.selected_plan);
}

void MainWindow::refresh_pages() {
  const session::project::State& state = session_.state();
  if (!session::project::find_profile(state, shown_profile_)) shown_profile_ = 0;
  if (!session::project::find_cluster(state, shown_cluster_)) shown_cluster_ = 0;
  const session::project::ProfileEntry* profile =
      session::project::find_profile(state, shown_profile_ > 0 ? shown_profile_ : state.question.profile);
  const session::project::ClusterEntry* cluster =
      session::project::find_cluster(state, shown_cluster_ > 0 ? shown_cluster_ : state.question.cluster);
  if (!profile) {
    profile_view_->clear();
  } else if (profile_view_->profile() != profile->profile.get()) {
    profile_view_->set_profile(profile->profile);
  }
  if (!cluster) {
    topology_view_->clear();
  } else {
    topology_view_->set_cluster(cluster->cluster, cluster->layout, cluster->id);
  }
}

QString MainWindow::comparison_summary() const {
  const auto& last = session_.last_comparison();
  QString summary;
  if (last)
    summary = tr("%1 in %2")
                  .arg(session::work::format_count(last->plans, tr("plan"), tr("plans")),
                       models::format_time(last->duration));
  const auto facts = session_.facts();
  if (facts && facts->lower_bound.count > 0) {
    summary += (summary.isEmpty() ? QString() : QStringLiteral("\n")) +
               tr("lower bound %1").arg(models::format_time(facts->lower_bound));
  }
  return summary;
}

/// Shows the hardware that Launch trains on.
void MainWindow::refresh_devices() {
  const QString cores =
      session::work::format_count(QThread::idealThreadCount(), tr("processor core"), tr("processor cores"));
  devices_label_->setText(session_.state().backend.gpus ? tr("Launch trains on GPUs")
                                                        : tr("Devices here: %1 — Launch trains on threads").arg(cores));
}

void MainWindow::refresh_bar() {
  bar_->show_state(
      {session_.comparing(), session_.launching(), session_.not_comparable_reason(), comparison_summary()});
  empty_states_->update();
  update_actions();
}

void MainWindow::refresh_start_panel() {
  const session::project::State& state = session_.state();
  if (!state.empty()) return;
  start_panel_->set_profiles(names_with(session::project::profile_preset_list(), state.profiles,
                                        [](const session::project::ProfileEntry& e) { return e.profile->name; }));
  start_panel_->set_clusters(names_with(session::project::cluster_preset_list(), state.clusters,
                                        [](const session::project::ClusterEntry& e) { return e.cluster->name; }));
  start_panel_->set_global_batch(state.question.workload.global_batch);
}

void MainWindow::refresh_title() {
  const QString name = session_.file().isEmpty() ? tr("untitled") : QFileInfo(session_.file()).fileName();
  const QString& read_only_reason = session_.read_only_reason();
  setWindowTitle(read_only_reason.isEmpty() ? tr("%1[*] — Pipedeck").arg(name)
                                            : tr("%1[*] (read-only) — Pipedeck").arg(name));
  read_only_bar_->show_reason(read_only_reason);
  setWindowModified(session_.modified());
  const int changes = session_.changes_since_save();
  if (session_.saver().busy()) {
    saved_label_->setText(tr("Saving… %1 %").arg(qRound(100 * session_.saver().progress())));
  } else if (session_.file().isEmpty()) {
    saved_label_->setText(session_.modified() ? tr("Not saved yet") : QString());
  } else {
    const QString saved = tr("Saved %1").arg(QFileInfo(session_.file()).lastModified().toString("HH:mm"));
    saved_label_->setText(
        changes == 0 ? saved
        : changes > 0
            ? tr("%1 · %2 since").arg(saved, session::work::format_count(changes, tr("change"), tr("changes")))
            : tr("%1 · changed since").arg(saved));
  }
}

void MainWindow::refresh_inspector() {
  const session::project::State& state = session_.state();
  const models::compare::PlanRow* row = compare_page_->row(state.selected_plan);
  const session::project::PlanEntry* entry = session::project::find_plan(state, state.selected_plan);
  notes_->show_notes(entry ? entry->id : 0, entry ? entry->remarks : QString());
  if (row && entry) {
    inspector_->set_content(models::compare::inspector_content(*row));
  } else {
    inspector_->clear(session_.state().empty() ? tr("Choose a model and a cluster, then press Compare.")
                                               : tr("Select a plan to see its use of time and memory, with reasons."));
  }
}

void MainWindow::show_entry(models::compare::ProjectSection section, int id) {
  switch (section) {
    case models::compare::ProjectSection::profiles:
      shown_profile_ = id;
      refresh_pages();
      show_page(Page::profile);
      break;
    case models::compare::ProjectSection::clusters:
      shown_cluster_ = id;
      refresh_pages();
      show_page(Page::topology);
      break;
    case models::compare::ProjectSection::plans:
      if (page() != Page::run) show_page(Page::compare);
      session_.select_plan(id);
      break;
    case models::compare::ProjectSection::runs:
      show_page(Page::run);
      run_page_->show_run(id);
      break;
  }
}

void MainWindow::choose_planning() {
  const session::project::State& state = session_.state();
  const session::project::ProfileEntry* profile = session::project::find_profile(state, state.question.profile);
  const session::project::ClusterEntry* cluster = session::project::find_cluster(state, state.question.cluster);
  const auto chosen = seams_.dialogs.planning(this, state.question.planning, profile ? profile->profile : nullptr,
                                              cluster ? cluster->cluster : nullptr);
  if (chosen) session_.set_planning(*chosen);
}

void MainWindow::choose_training_state() {
  const session::project::PlanningSetup& question = session_.state().question;
  const session::project::ProfileEntry* profile = session::project::find_profile(session_.state(), question.profile);
  const auto chosen = seams_.dialogs.training_state(this, session::project::training_state_of(question.workload),
                                                    profile ? profile->profile : nullptr);
  if (chosen) session_.set_training_state(*chosen);
}

void MainWindow::show_calibration() {
  auto* dialog = new dialogs::CalibrationDialog(session_, seams_.dialogs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
}

/// Shows on every page which calibration the predictions use, and how to switch it off.
void MainWindow::refresh_calibration_mark() {
  const session::project::CalibrationEntry& calibration = session_.state().calibration;
  calibration_mark_->setVisible(calibration.record != nullptr);
  if (!calibration.record) return;
  const QString text = dialogs::calibration_text(*calibration.record);
  calibration_mark_->setChecked(calibration.on);
  calibration_mark_->setText(calibration.on ? tr("calibrated: %1").arg(dialogs::calibration_origin(*calibration.record))
                                            : tr("calibration off"));
  calibration_mark_->setToolTip(calibration.on
                                    ? tr("Predictions are calibrated. %1.\nClick to predict without.").arg(text)
                                    : tr("%1.\nClick to predict with it.").arg(text));
}

void MainWindow::compare_from_start(const QString& profile, const QString& cluster, int batch) {
  // The cluster first: profiles of transformers are computed for its devices.
  const session::project::ClusterEntry* own_cluster =
      session::project::find_cluster(session_.state(), cluster.toStdString());
  own_cluster ? session_.choose_cluster(own_cluster->id) : session_.choose_cluster_preset(cluster);
  const session::project::ProfileEntry* own_profile =
      session::project::find_profile(session_.state(), profile.toStdString());
  own_profile ? session_.choose_profile(own_profile->id) : session_.choose_profile_preset(profile);
  session_.set_global_batch(batch);
  show_page(Page::compare);
  session_.compare();
  refresh_bar();
}

}  // namespace pipedeck::ui::window
