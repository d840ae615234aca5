// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/capacity_study.hpp"

#include <algorithm>

#include <QMetaObject>
#include <QThread>

#include "app/session/count_text.hpp"
#include "core/io/capacity_csv.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/whatif/capacity_question.hpp"
#include "core/whatif/capacity_sweep.hpp"

namespace pipedeck::app {

CapacityStudy::CapacityStudy(Jobs& jobs, QObject* parent)
    : QObject(parent), jobs_(&jobs), door_(std::make_shared<Door>()) {
  door_->owner = this;
  connect(&jobs, &Jobs::ended, this, [this](int job, JobState) {
    if (job == job_) emit changed();
  });
}

CapacityStudy::~CapacityStudy() {
  const std::lock_guard lock(door_->mutex);
  door_->owner = nullptr;
  if (!jobs_) return;
  jobs_->disconnect(this);
  cancel();
}

void CapacityStudy::Door::post(std::function<void()> what) {
  const std::lock_guard lock(mutex);
  if (owner) QMetaObject::invokeMethod(owner, std::move(what), Qt::QueuedConnection);
}

void CapacityStudy::forget() {
  cancel();
  problem_.reset();
  reach_.reset();
  found_.clear();
  emit changed();
}

void CapacityStudy::ask(const Problem& problem) {
  if (problem_ && problem_->profile == problem.profile && problem_->cluster == problem.cluster &&
      problem_->workload == problem.workload && problem_->pins == problem.pins)
    return;
  forget();
  problem_ = problem;
}

std::vector<CapacityPoint> CapacityStudy::points() const {
  if (!problem_ || !reach_) return {};
  CapacitySpace space;
  space.types = reach_->types;
  space.nodes.clear();
  for (int nodes = 1; nodes <= reach_->most_nodes; ++nodes) space.nodes.push_back(nodes);
  space.global_batches = {problem_->workload.global_batch};
  space.micro_batches = {problem_->workload.micro_batch.value_or(0)};
  return capacity_points(space);
}

void CapacityStudy::keep(const CapacityFound& found) {
  found_.insert_or_assign(found.point, found);
  emit changed();
}

void CapacityStudy::find(const CapacityReach& reach) {
  if (!problem_) return;
  cancel();
  reach_ = reach;
  std::vector<std::optional<CapacityFound>> known;
  const std::vector<CapacityPoint> all = points();
  for (const CapacityPoint& point : all) {
    const auto found = found_.find(point);
    known.push_back(found == found_.end() ? std::nullopt : std::optional(found->second));
  }
  const auto work = [this, question = CapacityQuestion{*problem_, {}, {}}, all, known,
                     door = door_](const Jobs::Context& context) -> Jobs::Apply {
    const ProblemAt at = [&](const CapacityPoint& point) { return problem_at(question, point, device_catalogue()); };
    const std::stop_token stop = context.stop;
    const SearchHow how{std::max(1, QThread::idealThreadCount()), stop, {}, context.progress};
    const auto some = [this, door, stop](std::size_t, const CapacityFound& found) {
      door->post([this, stop, found] {
        if (!stop.stop_requested()) keep(found);
      });
    };
    (void)sweep_capacity(all, at, capacity_planners(), known, how, some);
    return [count = all.size()] {
      return count_text(static_cast<qint64>(count), CapacityStudy::tr("point"), CapacityStudy::tr("points"));
    };
  };
  job_ = jobs_->start(tr("How many devices"), work);
  emit changed();
}

std::vector<CapacityFound> CapacityStudy::found() const {
  std::vector<CapacityFound> some;
  for (const CapacityPoint& point : points())
    if (const auto found = found_.find(point); found != found_.end()) some.push_back(found->second);
  return some;
}

bool CapacityStudy::complete() const { return reach_ && found().size() == points().size(); }

std::string CapacityStudy::csv(const CapacityGoal& goal) const { return capacity_csv(goal, found()).text(); }

std::string CapacityStudy::currency() { return device_catalogue().front().price.currency; }

std::vector<std::string> CapacityStudy::catalogue_types() {
  std::vector<std::string> types;
  for (const DeviceModel& model : device_catalogue()) types.push_back(model.type.name);
  return types;
}

}  // namespace pipedeck::app
