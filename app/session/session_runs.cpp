// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: launching a plan on this machine and storing its measurements.
#include "app/session/session.hpp"
#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::session {

QString Session::not_launchable_reason(int plan, const ModelSpec* model) const {
  const project::PlanEntry* entry = project::find_plan(state(), plan);
  if (!entry) return tr("Select a plan first.");
  const project::ProfileEntry* profile = project::find_profile(state(), entry->profile);
  return runs::not_launchable_reason(*entry->plan,
                                     model     ? model
                                     : profile ? profile->model.get()
                                               : nullptr,
                                     state().backend);
}

bool Session::launch(const runs::LaunchParameters& order) {
  if (launching()) {
    emit error(tr("Launch"), tr("A run is active. Stop it first."));
    return false;
  }
  if (const QString why = not_launchable_reason(order.plan, order.model.get()); !why.isEmpty()) {
    emit error(tr("Launch"), why);
    return false;
  }
  const project::PlanEntry* entry = project::find_plan(state(), order.plan);
  auto problem = project::make_problem(state(), *entry);
  if (!problem) {
    const auto inputs = project::planning_inputs(state(), entry->profile, entry->cluster);
    emit error(tr("Launch"),
               inputs ? text::to_qstring(inputs->refusal) : tr("The plan's model or cluster is missing."));
    return false;
  }
  runs::LaunchSpec spec{seams_.runner, *entry->plan, *std::move(problem),
                        order.model ? order.model : project::find_profile(state(), entry->profile)->model,
                        order.settings};
  launch_ = std::make_unique<runs::Launch>(std::move(spec), simulator_);
  tells_failure_ = !order.one_of_several;
  runs::Launch* launch = launch_.get();
  launch_job_ = jobs_.start_external(tr("Train %1 with %2").arg(launch->record().model, launch->record().name),
                                     [this] { stop_launch(); });
  connect(launch, &runs::Launch::progress, this,
          [this](double done, const QString& what) { jobs_.update_external(launch_job_, done, what); });
  connect(launch, &runs::Launch::message, this, &Session::launch_message);
  connect(launch, &runs::Launch::event, this, &Session::launch_event);
  connect(launch, &runs::Launch::measured, this, &Session::receive_measured);
  connect(launch, &runs::Launch::predicted, this, [this] { emit launch_predicted(); });
  connect(launch, &runs::Launch::ended, this, &Session::receive_run);
  emit launch_started();
  launch->start();
  return true;
}

void Session::stop_launch() {
  if (launching()) launch_->stop();
}

void Session::pause_launch(bool paused) {
  if (launching()) launch_->pause(paused);
}

void Session::receive_measured(const std::shared_ptr<const Profile>& profile,
                               const std::shared_ptr<const Cluster>& machine) {
  project::State next = project::with_measured_profile(state(), *profile, launch_->spec().model).state;
  next = project::with_measured_cluster(std::move(next), *machine).state;
  change(tr("Measure %1").arg(launch_->record().model), std::move(next));
}

void Session::receive_run(const std::shared_ptr<const project::RunRecord>& record) {
  project::Added added = project::with_run(state(), record);
  const bool failed = record->state == project::RunOutcome::failed;
  jobs_.end_external(
      launch_job_,
      failed                                          ? work::JobState::failed
      : record->state == project::RunOutcome::stopped ? work::JobState::cancelled
                                                      : work::JobState::finished,
      record->message.isEmpty() ? work::format_count(record->steps, tr("step"), tr("steps")) : record->message);
  change(tr("Run %1").arg(record->name), std::move(added.state));
  emit launch_ended(added.id);
  if (failed && tells_failure_) emit error(tr("The run failed"), record->message);
}

void Session::delete_run(int id) {
  const project::RunEntry* entry = project::find_run(state(), id);
  if (entry) change(tr("Delete run %1").arg(entry->run->name), project::without_run(state(), id));
}

}  // namespace pipedeck::session
