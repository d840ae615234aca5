// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/whatif/scaling_study.hpp"

#include <algorithm>

#include <QThread>

#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/question.hpp"

namespace pipedeck::session::whatif {

ScalingStudy::ScalingStudy(work::Jobs& jobs, QObject* parent)
    : QObject(parent), jobs_(&jobs), guard_(std::make_shared<work::CallbackGuard>()) {
  guard_->owner = this;
  connect(&jobs, &work::Jobs::ended, this, [this](int job, work::JobState) {
    if (job == job_) emit changed();
  });
}

ScalingStudy::~ScalingStudy() {
  guard_->close();
  if (!jobs_) return;
  jobs_->disconnect(this);
  cancel();
}

void ScalingStudy::forget() {
  cancel();
  problem_.reset();
  kind_.reset();
  sizes_.clear();
  found_.clear();
  unavailable_reason_.clear();
  emit changed();
}

void ScalingStudy::ask(const Problem& problem) {
  if (problem_ && problem_->profile == problem.profile && problem_->cluster == problem.cluster &&
      problem_->workload == problem.workload && problem_->pins == problem.pins)
    return;
  forget();
  problem_ = problem;
}

study::capacity::ProblemAt ScalingStudy::problem_at_points() const {
  return [question = study::capacity::Request{*problem_, {}, {}}](const CapacityPoint& point) {
    return study::capacity::problem_at(question, point, presets::device_catalogue());
  };
}

void ScalingStudy::keep(ScalingKind kind, const CapacityPoint& point, const ScalingPoint& found) {
  found_.insert_or_assign({kind, point}, found);
  emit changed();
}

void ScalingStudy::find(ScalingKind kind, int most_nodes) {
  if (!problem_) return;
  cancel();
  kind_ = kind;
  unavailable_reason_.clear();
  auto points = study::capacity::scaling_points(*problem_->cluster, problem_->workload.global_batch, kind,
                                                study::capacity::scaling_nodes(most_nodes));
  if (!points) {
    sizes_.erase(kind);
    unavailable_reason_ = text::to_qstring(points.error().message);
    return emit changed();
  }
  for (CapacityPoint& point : *points) point.micro_batch = problem_->workload.micro_batch.value_or(0);
  sizes_[kind] = *points;
  std::erase_if(*points, [&](const CapacityPoint& point) { return found_.contains({kind, point}); });
  const auto work = [this, kind, points = *std::move(points), at = problem_at_points(), door = guard_,
                     asked = study::capacity::scaling_planners(*problem_->profile)](
                        const work::Jobs::Context& context) -> work::Jobs::Apply {
    const std::stop_token stop = context.stop;
    const study::whatif::SearchOptions how{std::max(1, QThread::idealThreadCount()), stop, {}, context.progress};
    (void)study::capacity::find_scaling(points, at, asked, how, [&](std::size_t i, const ScalingPoint& found) {
      door->post([this, stop, kind, point = points[i], found] {
        if (!stop.stop_requested()) keep(kind, point, found);
      });
    });
    return [count = points.size()] {
      return work::format_count(static_cast<qint64>(count), ScalingStudy::tr("size"), ScalingStudy::tr("sizes"));
    };
  };
  job_ =
      jobs_->start(kind == ScalingKind::strong ? tr("Strong scaling") : tr("Weak scaling"), work, work::Urgency::study);
  emit changed();
}

std::vector<ScalingPoint> ScalingStudy::found(ScalingKind kind) const {
  std::vector<ScalingPoint> points;
  const auto sizes = sizes_.find(kind);
  if (sizes == sizes_.end()) return points;
  for (const CapacityPoint& point : sizes->second)
    if (const auto known = found_.find({kind, point}); known != found_.end()) points.push_back(known->second);
  return points;
}

std::size_t ScalingStudy::size_count(ScalingKind kind) const {
  const auto sizes = sizes_.find(kind);
  return sizes == sizes_.end() ? 0 : sizes->second.size();
}

bool ScalingStudy::has_first(ScalingKind kind) const {
  const auto sizes = sizes_.find(kind);
  if (sizes == sizes_.end()) return false;
  for (const CapacityPoint& point : sizes->second) {
    const auto known = found_.find({kind, point});
    if (known == found_.end()) return false;
    if (known->second.plan) return true;
  }
  return false;
}

std::string ScalingStudy::csv(ScalingKind kind) const { return study::capacity::scaling_csv(found(kind)).text(); }

}  // namespace pipedeck::session::whatif
