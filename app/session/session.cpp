// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session.hpp"

#include <QThread>

#include "app/session/project/training_state.hpp"
#include "app/session/work/error_hint.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session {

Session::Session(SessionServices seams, QObject* parent)
    : QObject(parent),
      seams_(std::move(seams)),
      autosave_(seams_.read_only ? QString() : seams_.state_folder,
                [this](const Error& why) {
                  QMetaObject::invokeMethod(
                      this, [this, why] { report_unsafe(why); }, Qt::QueuedConnection);
                }),
      jobs_(this),
      saver_(jobs_, this),
      opener_(jobs_, this),
      live_(simulator_, this),
      explainer_(simulator_, jobs_, this),
      item_curves_(simulator_, jobs_, this) {
  connect(this, &Session::state_changed, this, &Session::persist_edits);  // notified first
  connect(this, &Session::file_changed, this, &Session::persist_edits);
  release_timer_.setSingleShot(true);
  connect(this, &Session::state_changed, this, [this] { release_timer_.start(0); });
  connect(&release_timer_, &QTimer::timeout, this, &Session::release_replaced);
  connect(&saver_, &project::Saver::progressed, this, &Session::saving_changed);
  connect(&saver_, &project::Saver::ended, this, &Session::receive_saved);
  connect(&jobs_, &work::Jobs::internal_error, this, &Session::error);
  connect(&jobs_, &work::Jobs::ended, this, &Session::end_cancelled);
  constexpr int searches_interval_ms = 100;
  searches_ticker_.setInterval(searches_interval_ms);
  connect(&searches_ticker_, &QTimer::timeout, this, &Session::searches_changed);
  new_project();
}

Session::~Session() {
  launch_.reset();
  // Prevents new requests during the destruction of the members.
  QObject::disconnect(this, nullptr, nullptr, nullptr);
  QObject::disconnect(&jobs_, nullptr, nullptr, nullptr);
  QObject::disconnect(&explainer_, nullptr, nullptr, nullptr);
  QObject::disconnect(&item_curves_, nullptr, nullptr, nullptr);
  saver_.settle();
  jobs_.cancel_all();
}

void Session::report(const QString& title, const Error& error) {
  if (error.code != ErrorCode::cancelled) emit this->error(title, work::text_with_next_step(error));
}

bool Session::change(const QString& name, project::State next) {
  if (!history_.push(name, std::move(next))) return false;
  emit state_changed();
  return true;
}

/// A function that waits for a dialog may have a reference to a replaced state until the dialog is closed.
void Session::release_replaced() {
  constexpr int interval_ms = 1000;
  if (QThread::currentThread()->loopLevel() <= 1) return history_.release_replaced();
  release_timer_.start(interval_ms);
}

void Session::undo() {
  if (!can_undo()) return;
  const int next_id = state().next_id;
  history_.undo();
  history_.amend([&](project::State& state) { state.next_id = next_id; });
  emit state_changed();
}

void Session::redo() {
  if (!can_redo()) return;
  const int next_id = state().next_id;
  history_.redo();
  history_.amend([&](project::State& state) { state.next_id = std::max(state.next_id, next_id); });
  emit state_changed();
}

void Session::choose_profile(int id) {
  if (!project::find_profile(state(), id)) return;
  change(tr("Choose model"), project::with_selected_profile(state(), id));
}

void Session::choose_profile_preset(const QString& name) {
  auto next = project::with_profile_preset(state(), name.toStdString());
  next ? (void)change(tr("Choose model %1").arg(name), std::move(*next)) : report(tr("Model preset"), next.error());
}

void Session::choose_cluster(int id) {
  if (!project::find_cluster(state(), id)) return;
  change(tr("Choose cluster"), project::with_selected_cluster(state(), id));
}

void Session::choose_cluster_preset(const QString& name) {
  auto next = project::with_cluster_preset(state(), name.toStdString());
  next ? (void)change(tr("Choose cluster %1").arg(name), std::move(*next)) : report(tr("Cluster preset"), next.error());
}

void Session::set_global_batch(int samples) {
  if (samples < 1) return;
  project::State next = state();
  next.question.workload.global_batch = samples;
  change(tr("Set global batch %1").arg(samples), std::move(next));
}

void Session::set_micro_batch(std::optional<int> samples) {
  if (samples && *samples < 1) return;
  project::State next = state();
  next.question.workload.micro_batch = samples;
  change(samples ? tr("Set micro-batch %1").arg(*samples) : tr("Leave micro-batch to planners"), std::move(next));
}

void Session::set_planning(const project::Planning& planning) {
  if (planning == state().question.planning) return;
  project::State next = state();
  next.question.planning = planning;
  change(tr("Change planner options"), std::move(next));
}

void Session::set_conventions(const SimulationOptions& conventions) {
  project::State next = state();
  next.question.workload.conventions = conventions;
  change(tr("Change conventions"), std::move(next));
}

void Session::set_training_state(const project::TrainingState& training) {
  if (training == project::training_state_of(state())) return;
  change(tr("Change training memory"), project::with_training_state(state(), training));
}

QString Session::not_comparable_reason() const {
  const project::PlanningSetup& question = state().question;
  if (!project::find_profile(state(), question.profile)) return tr("Choose a model profile first.");
  if (!project::find_cluster(state(), question.cluster)) return tr("Choose a cluster first.");
  const Workload& workload = question.workload;
  if (workload.micro_batch && workload.global_batch % *workload.micro_batch != 0) {
    return tr("Micro-batch %1 does not divide global batch %2.").arg(*workload.micro_batch).arg(workload.global_batch);
  }
  if (project::chosen_planners(question.planning, project::find_profile(state(), question.profile)->profile.get())
          .empty())
    return tr("Choose a planner first (Plan > Planners and options).");
  const auto inputs = project::planning_inputs(state(), question.profile, question.cluster);
  if (!inputs->refusal.empty()) return text::to_qstring(inputs->refusal);
  const auto pinned = check(question.planning.pins, *project::find_profile(state(), question.profile)->profile,
                            *project::find_cluster(state(), question.cluster)->cluster);
  if (!pinned) return text::to_qstring(pinned.error().message);
  return {};
}

}  // namespace pipedeck::session
