// SPDX-License-Identifier: GPL-3.0-or-later
// Runs: launching a plan on this machine and storing its measurements.
#include "app/session/count_text.hpp"
#include "app/session/session.hpp"

namespace pipedeck::app {

QString Session::why_not_launchable(int plan, const ModelSpec* model) const {
  const PlanEntry* entry = find_plan(state(), plan);
  if (!entry) return tr("Select a plan first.");
  const ProfileEntry* profile = find_profile(state(), entry->profile);
  return app::why_not_launchable(*entry->plan,
                                 model     ? model
                                 : profile ? profile->model.get()
                                           : nullptr,
                                 state().backend);
}

bool Session::launch(const LaunchOrder& order) {
  if (launching()) {
    emit error(tr("Launch"), tr("A run is under way: stop it first."));
    return false;
  }
  if (const QString why = why_not_launchable(order.plan, order.model.get()); !why.isEmpty()) {
    emit error(tr("Launch"), why);
    return false;
  }
  const PlanEntry* entry = find_plan(state(), order.plan);
  LaunchSpec spec{seams_.runner, *entry->plan, *problem_of(state(), *entry),
                  order.model ? order.model : find_profile(state(), entry->profile)->model, order.settings};
  launch_ = std::make_unique<Launch>(std::move(spec), judge_);
  tells_failure_ = !order.one_of_several;
  Launch* launch = launch_.get();
  launch_job_ = jobs_.start_external(tr("Train %1 with %2").arg(launch->record().model, launch->record().name),
                                     [this] { stop_launch(); });
  connect(launch, &Launch::progress, this,
          [this](double done, const QString& what) { jobs_.update_external(launch_job_, done, what); });
  connect(launch, &Launch::message, this, &Session::launch_message);
  connect(launch, &Launch::event, this, &Session::launch_event);
  connect(launch, &Launch::measured, this, &Session::take_measured);
  connect(launch, &Launch::predicted, this, [this] { emit launch_predicted(); });
  connect(launch, &Launch::ended, this, &Session::take_run);
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

void Session::take_measured(const std::shared_ptr<const Profile>& profile,
                            const std::shared_ptr<const Cluster>& machine) {
  ProjectState next = with_measured_profile(state(), *profile, launch_->spec().model).state;
  next = with_measured_cluster(std::move(next), *machine).state;
  change(tr("Measure %1").arg(launch_->record().model), std::move(next));
}

void Session::take_run(const std::shared_ptr<const RunRecord>& record) {
  Added added = with_run(state(), record);
  const bool failed = record->state == RunOutcome::failed;
  jobs_.end_external(launch_job_,
                     failed                                 ? JobState::failed
                     : record->state == RunOutcome::stopped ? JobState::cancelled
                                                            : JobState::finished,
                     record->message.isEmpty() ? count_text(record->steps, tr("step"), tr("steps")) : record->message);
  change(tr("Run %1").arg(record->name), std::move(added.state));
  emit launch_ended(added.id);
  if (failed && tells_failure_) emit error(tr("The run failed"), record->message);
}

void Session::delete_run(int id) {
  const RunEntry* entry = find_run(state(), id);
  if (entry) change(tr("Delete run %1").arg(entry->run->name), without_run(state(), id));
}

}  // namespace pipedeck::app
