// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trials.hpp"

#include <tuple>

#include <QTimer>

namespace pipedeck::session {

bool trains_alike(const Plan& a, const Plan& b) {
  const auto what = [](const Plan& plan) {
    return std::tie(plan.global_batch, plan.micro_batch, plan.micro_batches, plan.schedule, plan.warmup,
                    plan.warmup_counts, plan.optimizer, plan.precision, plan.zero, plan.order, plan.stages, plan.chunks,
                    plan.operations, plan.sharding);
  };
  return what(a) == what(b);
}

std::optional<Seconds> measured_iteration(const project::RunRecord& run) {
  if (!run.samples_per_second || *run.samples_per_second <= 0) return std::nullopt;
  return Seconds(run.plan.global_batch / *run.samples_per_second);
}

std::optional<Seconds> measured_iteration(const project::State& state, const project::PlanEntry& entry) {
  const project::ProfileEntry* profile = project::find_profile(state, entry.profile);
  if (!profile || !profile->model) return std::nullopt;
  const QString model = QString::fromStdString(profile->model->name);
  for (auto run = state.runs.rbegin(); run != state.runs.rend(); ++run)
    if (run->run->state == project::RunOutcome::finished && run->run->model == model &&
        trains_alike(run->run->plan, *entry.plan))
      return measured_iteration(*run->run);
  return std::nullopt;
}

Trials::Trials(Session& session, QObject* parent) : QObject(parent), session_(session) {
  connect(&session_, &Session::launch_ended, this, &Trials::take);
}

void Trials::start(const std::vector<int>& plans, const runs::RunSettings& settings,
                   std::shared_ptr<const ModelSpec> model) {
  if (running_ || session_.launching() || plans.empty()) return;
  plans_ = plans;
  order_ = {0, std::move(model), settings, true};
  done_.clear();
  running_ = true, stopped_ = false;
  next();
}

void Trials::stop() {
  stopped_ = true;
  session_.stop_launch();
}

void Trials::next() {
  if (stopped_ || done_.size() == plans_.size()) {
    running_ = false;
    if (const study::Trial* best = fastest()) session_.select_plan(best->plan);
    emit ended();
    return;
  }
  order_.plan = plans_[done_.size()];
  if (const QString why = session_.not_launchable_reason(order_.plan, order_.model.get()); !why.isEmpty())
    return skip(why);
  emit began(static_cast<int>(done_.size()));
  if (!session_.launch(order_)) skip(tr("it could not be started"));
}

void Trials::skip(const QString& why) {
  const project::PlanEntry* entry = project::find_plan(session_.state(), order_.plan);
  done_.push_back(
      {.plan = order_.plan, .name = entry ? entry->plan->name : std::string(), .failure = why.toStdString()});
  QTimer::singleShot(0, this, &Trials::next);
}

/// Starts the next trial in the next turn of the event loop, since the session still has to finish the run.
void Trials::take(int id) {
  const project::RunEntry* entry = project::find_run(session_.state(), id);
  if (!running_ || !entry) return;
  const project::RunRecord& run = *entry->run;
  study::Trial trial{.plan = order_.plan, .name = run.name.toStdString()};
  if (run.plan.predicted) trial.predicted = run.plan.predicted->iteration;
  if (run.state == project::RunOutcome::finished) trial.measured = measured_iteration(run);
  if (!trial.measured) trial.failure = (run.message.isEmpty() ? tr("no step was measured") : run.message).toStdString();
  done_.push_back(std::move(trial));
  stopped_ = stopped_ || run.state == project::RunOutcome::stopped;  // by any button
  QTimer::singleShot(0, this, &Trials::next);
}

}  // namespace pipedeck::session
