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
#include "app/session/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/calibration_dialog.hpp"
#include "app/ui/compare_page.hpp"
#include "app/ui/empty_states.hpp"
#include "app/ui/explain_page.hpp"
#include "app/ui/main_window.hpp"
#include "app/ui/plan_rows.hpp"
#include "app/ui/question_bar.hpp"
#include "app/ui/read_only_bar.hpp"
#include "app/ui/run_page.hpp"
#include "app/ui/what_if_page.hpp"
#include "app/views/inspector.hpp"
#include "app/views/notes_edit.hpp"
#include "app/views/profile_view.hpp"
#include "app/views/project_tree.hpp"
#include "app/views/start_panel.hpp"
#include "app/views/topology_view.hpp"

namespace pipedeck::app {

namespace {

template <class Entries, class Name>
QStringList names_with(const QStringList& presets, const Entries& entries, const Name& name) {
  QStringList names;
  for (const auto& entry : entries) names << in_qt(name(entry));
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
  const ProjectState& state = session_.state();
  for (int i = 0; i < project_section_count; ++i) {
    const auto section = static_cast<ProjectSection>(i);
    tree_model_->set_entries(section, tree_entries(state, section));
  }
  if (state.selected_plan > 0) tree_->follow(ProjectSection::plans, state.selected_plan);
}

void MainWindow::refresh_pages() {
  const ProjectState& state = session_.state();
  if (!find_profile(state, shown_profile_)) shown_profile_ = 0;
  if (!find_cluster(state, shown_cluster_)) shown_cluster_ = 0;
  const ProfileEntry* profile = find_profile(state, shown_profile_ > 0 ? shown_profile_ : state.question.profile);
  const ClusterEntry* cluster = find_cluster(state, shown_cluster_ > 0 ? shown_cluster_ : state.question.cluster);
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
  if (last) summary = tr("%1 in %2").arg(count_text(last->plans, tr("plan"), tr("plans")), format_time(last->duration));
  const auto facts = session_.facts();
  if (facts && facts->lower_bound.count > 0) {
    summary += (summary.isEmpty() ? QString() : QStringLiteral("\n")) +
               tr("lower bound %1").arg(format_time(facts->lower_bound));
  }
  return summary;
}

/// Shows the hardware that Launch trains on.
void MainWindow::refresh_devices() {
  const QString cores = count_text(QThread::idealThreadCount(), tr("processor core"), tr("processor cores"));
  devices_label_->setText(session_.state().backend.gpus ? tr("Launch trains on GPUs")
                                                        : tr("devices here: %1 — Launch trains on threads").arg(cores));
}

void MainWindow::refresh_bar() {
  bar_->show_state({session_.comparing(), session_.launching(), session_.why_not_comparable(), comparison_summary()});
  empty_states_->update();
  update_actions();
}

void MainWindow::refresh_start_panel() {
  const ProjectState& state = session_.state();
  if (!state.empty()) return;
  start_panel_->set_profiles(
      names_with(profile_preset_list(), state.profiles, [](const ProfileEntry& e) { return e.profile->name; }));
  start_panel_->set_clusters(
      names_with(cluster_preset_list(), state.clusters, [](const ClusterEntry& e) { return e.cluster->name; }));
  start_panel_->set_global_batch(state.question.workload.global_batch);
}

void MainWindow::refresh_title() {
  const QString name = session_.file().isEmpty() ? tr("untitled") : QFileInfo(session_.file()).fileName();
  const QString& why_read_only = session_.why_read_only();
  setWindowTitle(why_read_only.isEmpty() ? tr("%1[*] — Pipedeck").arg(name)
                                         : tr("%1[*] (read-only) — Pipedeck").arg(name));
  read_only_bar_->show_reason(why_read_only);
  setWindowModified(session_.modified());
  const int changes = session_.changes_since_save();
  if (session_.saver().busy()) {
    saved_label_->setText(tr("Saving… %1 %").arg(qRound(100 * session_.saver().progress())));
  } else if (session_.file().isEmpty()) {
    saved_label_->setText(session_.modified() ? tr("Not saved yet") : QString());
  } else {
    const QString saved = tr("Saved %1").arg(QFileInfo(session_.file()).lastModified().toString("HH:mm"));
    saved_label_->setText(changes == 0 ? saved
                          : changes > 0
                              ? tr("%1 · %2 since").arg(saved, count_text(changes, tr("change"), tr("changes")))
                              : tr("%1 · changed since").arg(saved));
  }
}

void MainWindow::refresh_inspector() {
  const ProjectState& state = session_.state();
  const PlanRow* row = compare_page_->row(state.selected_plan);
  const PlanEntry* entry = find_plan(state, state.selected_plan);
  notes_->show_notes(entry ? entry->id : 0, entry ? entry->remarks : QString());
  const ProfileEntry* profile = entry ? find_profile(state, entry->profile) : nullptr;
  const ClusterEntry* cluster = entry ? find_cluster(state, entry->cluster) : nullptr;
  if (row && profile && cluster) {
    inspector_->set_content(inspector_content(*row, *profile->profile, *cluster->cluster));
  } else {
    inspector_->clear(session_.state().empty() ? tr("Choose a model and a cluster, then press Compare.")
                                               : tr("Select a plan to see where its time and memory go, and why."));
  }
}

void MainWindow::show_entry(ProjectSection section, int id) {
  switch (section) {
    case ProjectSection::profiles:
      shown_profile_ = id;
      refresh_pages();
      show_page(Page::profile);
      break;
    case ProjectSection::clusters:
      shown_cluster_ = id;
      refresh_pages();
      show_page(Page::topology);
      break;
    case ProjectSection::plans:
      if (page() != Page::run) show_page(Page::compare);
      session_.select_plan(id);
      break;
    case ProjectSection::runs:
      show_page(Page::run);
      run_page_->show_run(id);
      break;
  }
}

void MainWindow::choose_planning() {
  const ProjectState& state = session_.state();
  const ProfileEntry* profile = find_profile(state, state.question.profile);
  const ClusterEntry* cluster = find_cluster(state, state.question.cluster);
  const auto chosen = seams_.dialogs.planning(this, state.question.planning, profile ? profile->profile : nullptr,
                                              cluster ? cluster->cluster : nullptr);
  if (chosen) session_.set_planning(*chosen);
}

void MainWindow::choose_training_state() {
  const Question& question = session_.state().question;
  const ProfileEntry* profile = find_profile(session_.state(), question.profile);
  const auto chosen =
      seams_.dialogs.training_state(this, training_state_of(question.workload), profile ? profile->profile : nullptr);
  if (chosen) session_.set_training_state(*chosen);
}

void MainWindow::show_calibration() {
  auto* dialog = new CalibrationDialog(session_, seams_.dialogs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
}

/// Shows on every page which calibration the predictions use, and how to switch it off.
void MainWindow::refresh_calibration_mark() {
  const CalibrationEntry& calibration = session_.state().calibration;
  calibration_mark_->setVisible(calibration.record != nullptr);
  if (!calibration.record) return;
  const QString text = calibration_text(*calibration.record);
  calibration_mark_->setChecked(calibration.on);
  calibration_mark_->setText(calibration.on ? tr("calibrated: %1").arg(calibration_origin(*calibration.record))
                                            : tr("calibration off"));
  calibration_mark_->setToolTip(calibration.on
                                    ? tr("Predictions are calibrated. %1.\nClick to predict without.").arg(text)
                                    : tr("%1.\nClick to predict with it.").arg(text));
}

void MainWindow::compare_from_start(const QString& profile, const QString& cluster, int batch) {
  // The cluster first: profiles of transformers are computed for its devices.
  const ClusterEntry* own_cluster = find_cluster_named(session_.state(), cluster.toStdString());
  own_cluster ? session_.choose_cluster(own_cluster->id) : session_.choose_cluster_preset(cluster);
  const ProfileEntry* own_profile = find_profile_named(session_.state(), profile.toStdString());
  own_profile ? session_.choose_profile(own_profile->id) : session_.choose_profile_preset(profile);
  session_.set_global_batch(batch);
  show_page(Page::compare);
  session_.compare();
  refresh_bar();
}

}  // namespace pipedeck::app
