// SPDX-License-Identifier: GPL-3.0-or-later
// Updates of the window after a change of the session.
#include <utility>

#include <QDateTime>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QThread>
#include <QToolButton>

#include "app/models/format.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "app/ui/dialogs/calibration_dialog.hpp"
#include "app/ui/layout/side_panels.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/plan_rows.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/ui/pages/what_if_page.hpp"
#include "app/ui/window/empty_states.hpp"
#include "app/ui/window/main_window.hpp"
#include "app/ui/window/main_window_actions.hpp"
#include "app/ui/window/setup_bar.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/compare/start_panel.hpp"
#include "app/views/profile/view.hpp"
#include "app/views/topology/view.hpp"
#include "app/views/widgets/hint_bar.hpp"
#include "app/views/widgets/notes_edit.hpp"

namespace pipedeck::ui::window {

void MainWindow::refresh() {
  stack_->setCurrentWidget(session_.state().empty() ? static_cast<QWidget*>(start_panel_) : tabs_);
  refresh_panels();
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

/// Shows the panels of the visible page. The start page has none.
void MainWindow::refresh_panels() {
  const bool started = stack_->currentWidget() == tabs_;
  if (!started) set_charts_only(false);
  bar_->setVisible(started && !actions_->charts_only->isChecked());
  panels_->set_context(started, started && page_table[static_cast<std::size_t>(page())].inspector);
}

/// A small window has low rows, no captions, and a folded split editor unless the user has unfolded it.
void MainWindow::refresh_density() {
  const bool dense = layout::is_dense(size());
  bar_->set_dense(dense);
  compare_page_->set_dense(dense);
  compare_page_->set_split_folded(seams_.settings->value(split_folded_key, dense).toBool());
  actions_->split->setChecked(!compare_page_->split_folded());
}

void MainWindow::refresh_tree() {
  const session::project::State& state = session_.state();
  tree_model_->set_questions(pages::tree_questions(state));
  using models::compare::ProjectSection;
  for (const auto section : {ProjectSection::profiles, ProjectSection::clusters, ProjectSection::runs}) {
    tree_model_->set_entries(section, pages::tree_entries(state, section));
  }
  if (state.selected_plan > 0) tree_->follow(models::compare::ProjectSection::plans, state.selected_plan);
}

void MainWindow::refresh_pages() {
  const session::project::State& state = session_.state();
  if (std::exchange(question_profile_, state.question.profile) != state.question.profile) shown_profile_ = 0;
  if (std::exchange(question_cluster_, state.question.cluster) != state.question.cluster) shown_cluster_ = 0;
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
  refresh_other_cluster();
}

/// Marks a cluster that is shown but not compared, and offers to compare with it.
void MainWindow::refresh_other_cluster() {
  const session::project::State& state = session_.state();
  const session::project::ClusterEntry* compared = session::project::find_cluster(state, state.question.cluster);
  const session::project::ClusterEntry* shown = session::project::find_cluster(state, shown_cluster_);
  const bool other = page() == Page::topology && shown && shown != compared;
  other_cluster_bar_->setVisible(other);
  if (!other) return;
  const QString name = text::to_qstring(shown->cluster->name);
  other_cluster_bar_->set_texts(
      compared ? tr("%1 is not the cluster that is compared (%2).").arg(name, text::to_qstring(compared->cluster->name))
               : tr("%1 is not the cluster that is compared.").arg(name),
      tr("Compare with this"));
}

QString MainWindow::comparison_summary() const {
  const auto last = session_.last_comparison();
  QString summary;
  if (session_.comparing()) {
    const auto open = static_cast<qint64>(session_.searches().size());
    if (open > 0) summary = session::work::format_count(open, tr("planner searches"), tr("planners search"));
  } else if (last) {
    summary = tr("%1 in %2")
                  .arg(session::work::format_count(last->plans, tr("plan"), tr("plans")),
                       models::format_time(last->duration));
  }
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
                                                        : tr("Small models can be trained on %1").arg(cores));
}

void MainWindow::refresh_bar() {
  bar_->show_state(
      {session_.comparing(), session_.launching(), session_.not_comparable_reason(), comparison_summary(),
       session_.launching() ? QString() : run_page_->not_launchable_reason(session_.state().selected_plan)});
  empty_states_->update();
  update_actions();
}

void MainWindow::refresh_title() {
  const QString name = session_.file().isEmpty() ? tr("untitled") : QFileInfo(session_.file()).fileName();
  const QString& read_only_reason = session_.read_only_reason();
  setWindowTitle(read_only_reason.isEmpty() ? tr("%1[*] — Pipedeck").arg(name)
                                            : tr("%1[*] (read-only) — Pipedeck").arg(name));
  read_only_bar_->set_texts(tr("Read-only: %1 Changes are not written to the file.").arg(read_only_reason),
                            tr("Save a copy…"));
  read_only_bar_->setVisible(!read_only_reason.isEmpty());
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
  const auto chosen = seams_.dialogs.training_state(this, session::project::training_state_of(session_.state()),
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

}  // namespace pipedeck::ui::window
