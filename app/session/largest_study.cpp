// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/largest_study.hpp"

#include <algorithm>

#include <QThread>

#include "app/language/core_text.hpp"
#include "app/session/what_if_edits.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/whatif/capacity_sweep.hpp"

namespace pipedeck::app {

namespace {

Result<LargestFound> largest(const Problem& problem, SizeKind kind, const SizeSteps& steps, const SearchHow& how) {
  CapacityQuestion question{problem, {}, {}};
  CapacityPoint point;
  point.nodes = static_cast<int>(problem.cluster->nodes.size());
  point.global_batch = problem.workload.global_batch;
  point.micro_batch = problem.workload.micro_batch.value_or(0);
  const auto ladder = size_ladder(question, point, kind, steps, device_catalogue());
  if (!ladder) return tl::unexpected(ladder.error());
  auto answer = find_largest(*ladder, point, capacity_planners(), how);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  LargestFound found{kind, *std::move(answer), nullptr};
  if (!found.answer.size) return found;
  const auto at = ladder->problem_of(*found.answer.size);
  if (!at) return tl::unexpected(at.error());
  found.profile = at->profile;
  return found;
}

}  // namespace

LargestStudy::LargestStudy(Jobs& jobs, QObject* parent) : QObject(parent), jobs_(&jobs) {
  connect(&jobs, &Jobs::changed, this, [this] {
    if (running()) emit changed();
  });
  connect(&jobs, &Jobs::ended, this, [this](int job, JobState state) {
    if (job != job_) return;
    cancelled_ = state == JobState::cancelled;
    emit changed();
  });
}

LargestStudy::~LargestStudy() {
  if (!jobs_) return;
  jobs_->disconnect(this);
  cancel();
}

void LargestStudy::forget() {
  cancel();
  job_ = 0;
  problem_.reset();
  found_.reset();
  why_not_.clear();
  cancelled_ = false;
  emit changed();
}

void LargestStudy::ask(const Problem& problem) {
  if (problem_ && problem_->profile == problem.profile && problem_->cluster == problem.cluster &&
      problem_->workload == problem.workload && problem_->pins == problem.pins)
    return;
  forget();
  problem_ = problem;
}

void LargestStudy::find(SizeKind kind, const SizeSteps& steps) {
  if (!problem_) return;
  cancel();
  found_.reset();
  why_not_.clear();
  cancelled_ = false;
  const auto work = [problem = *problem_, kind, steps,
                     self = QPointer<LargestStudy>(this)](const Jobs::Context& context) -> Jobs::Apply {
    const SearchHow how{std::max(1, QThread::idealThreadCount()), context.stop, {}, context.progress};
    return [self, found = largest(problem, kind, steps, how)] { return self ? self->take(found) : QString(); };
  };
  job_ = jobs_->start(tr("The largest %1 that fits").arg(size_text(kind)), work);
  emit changed();
}

QString LargestStudy::take(const Result<LargestFound>& found) {
  if (!found) {
    why_not_ = core_text(found.error().message);
    return why_not_;
  }
  found_ = *found;
  const auto& size = found->answer.size;
  return size ? QString::number(*size) : tr("none fits");
}

QString LargestStudy::doing() const {
  if (!running()) return {};
  const std::vector<JobInfo> jobs = jobs_->list();
  const auto job = std::ranges::find(jobs, job_, &JobInfo::id);
  return job == jobs.end() ? QString() : core_text(job->detail);
}

QString size_text(SizeKind kind) {
  switch (kind) {
    case SizeKind::layers:
      return LargestStudy::tr("number of layers");
    case SizeKind::hidden:
      return LargestStudy::tr("hidden size");
    case SizeKind::sequence:
      return LargestStudy::tr("sequence");
    case SizeKind::micro_batch:
      return LargestStudy::tr("micro-batch");
    case SizeKind::global_batch:
      return LargestStudy::tr("global batch");
  }
  return {};
}

Added with_largest(const ProjectState& state, const LargestFound& found) {
  FoundPlan plan = *found.answer.found->plan;
  Added placed{state, state.question.profile};
  const ProfileEntry* asked = find_profile(state, state.question.profile);
  if (!asked || !(*asked->profile == *found.profile)) {
    Profile profile = *found.profile;
    profile.name = LargestStudy::tr("%1, %2 layers")
                       .arg(QString::fromStdString(profile.name))
                       .arg(static_cast<qlonglong>(profile.layers.size()))
                       .toStdString();
    placed = with_profile(state, std::move(profile));
    Plan named = *plan.plan;
    named.profile = find_profile(placed.state, placed.id)->profile->name;
    named.profile_sha256.clear();
    plan.plan = std::make_shared<const Plan>(std::move(named));
  }
  return with_found_plan(placed.state, plan, placed.id);
}

}  // namespace pipedeck::app
