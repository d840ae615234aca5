// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/whatif/capacity_study.hpp"

#include <algorithm>
#include <chrono>

#include <QFile>
#include <QFileInfo>
#include <QThread>

#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/capacity_identity.hpp"
#include "core/io/csv/capacity.hpp"
#include "core/io/documents/capacity.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/files.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/question.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::session::whatif {

namespace {

constexpr qint64 looked_at = 1 << 12;
constexpr std::chrono::seconds between_writes{2};

/// A file of points that is written completely at intervals during a job and at its end.
class CapacityCache {
 public:
  CapacityCache(const QString& file, io::documents::CapacityPoints points)
      : file_(file.toStdString()), points_(std::move(points)) {}

  Result<void> add(const CapacityFound& found) {
    points_.found.insert_or_assign(found.point, found);
    const auto now = std::chrono::steady_clock::now();
    if (now - written_ < between_writes) return {};
    written_ = now;
    return write();
  }
  Result<void> write() const {
    return file_.empty() ? Result<void>() : io::write_file(file_, io::documents::capacity_points_to_json(points_));
  }

 private:
  std::string file_;
  io::documents::CapacityPoints points_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

std::vector<std::string> names_of(const std::vector<study::PlannerRequest>& planners) {
  std::vector<std::string> names;
  for (const study::PlannerRequest& one : planners) names.push_back(one.planner->name);
  return names;
}

}  // namespace

bool is_capacity_points(const QString& path) {
  QFile file(path);
  if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
  return io::documents::looks_like_capacity_points(file.read(looked_at).toStdString());
}

CapacityStudy::CapacityStudy(work::Jobs& jobs, QObject* parent)
    : QObject(parent), jobs_(&jobs), guard_(std::make_shared<work::CallbackGuard>()) {
  guard_->owner = this;
  connect(&jobs, &work::Jobs::ended, this, [this](int job, work::JobState) {
    if (job == job_) emit changed();
  });
}

CapacityStudy::~CapacityStudy() {
  guard_->close();
  if (!jobs_) return;
  jobs_->disconnect(this);
  cancel();
}

void CapacityStudy::forget() {
  cancel();
  problem_.reset();
  reach_.reset();
  found_.clear();
  file_.clear();
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
  study::capacity::Space space;
  space.types = reach_->types;
  space.nodes.clear();
  for (int nodes = 1; nodes <= reach_->max_nodes; ++nodes) space.nodes.push_back(nodes);
  space.global_batches = {problem_->workload.global_batch};
  space.micro_batches = {problem_->workload.micro_batch.value_or(0)};
  return study::capacity::capacity_cache(space);
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
  const auto work =
      [this, at = problem_at_points(), all, known, door = guard_, asked = planners(),
       file = CapacityCache(file_, {question(), found_})](const work::Jobs::Context& context) -> work::Jobs::Apply {
    const std::stop_token stop = context.stop;
    const study::whatif::SearchOptions how{std::max(1, QThread::idealThreadCount()), stop, {}, context.progress};
    CapacityCache kept = file;
    const auto told = [this, door](const Result<void>& written) {
      if (!written) door->post([this, text = text::to_qstring(written.error())] { emit failed(text); });
    };
    const auto some = [&](std::size_t, const CapacityFound& found) {
      told(kept.add(found));
      door->post([this, stop, found] {
        if (!stop.stop_requested()) keep(found);
      });
    };
    (void)study::capacity::sweep_capacity(all, at, asked, known, how, some);
    told(kept.write());
    return [count = all.size()] {
      return work::format_count(static_cast<qint64>(count), CapacityStudy::tr("point"), CapacityStudy::tr("points"));
    };
  };
  job_ = jobs_->start(tr("How many devices"), work, work::Urgency::study);
  emit changed();
}

study::capacity::ProblemAt CapacityStudy::problem_at_points() const {
  return [question = study::capacity::Request{*problem_, {}, {}}](const CapacityPoint& point) {
    return study::capacity::problem_at(question, point, presets::device_catalogue());
  };
}

std::vector<study::PlannerRequest> CapacityStudy::planners() const {
  return study::capacity::capacity_planners(study::is_language_model(*problem_->profile));
}

std::string CapacityStudy::question() const {
  return io::capacity_question_sha256({PIPEDECK_VERSION, *problem_, {}, {}}, names_of(planners()));
}

Result<void> CapacityStudy::keep_in(const QString& file) {
  if (!problem_) return fail(ErrorCode::bad_usage, tr("Choose a model and a cluster first.").toStdString());
  TRY_VOID(CapacityCache(file, {question(), found_}).write());
  file_ = file;
  emit changed();
  return {};
}

Result<void> CapacityStudy::resume_from(const QString& file) {
  if (!problem_) return fail(ErrorCode::bad_usage, tr("Choose a model and a cluster first.").toStdString());
  const std::string path = file.toStdString();
  const auto in_this = [&](Error error) {
    error.file = path;
    return tl::unexpected(std::move(error));
  };
  TRY(const auto content, io::read_file(path));
  auto points = io::documents::capacity_points_from_json(content);
  if (!points) return in_this(points.error());
  if (points->question != question())
    return in_this({ErrorCode::bad_input,
                    tr("found points of another question, expected those of this model, cluster, conventions, "
                       "planners, prices and program version")
                        .toStdString(),
                    {},
                    "/question_sha256"});
  if (auto restored = study::capacity::restore_clusters(points->found, problem_at_points()); !restored)
    return in_this(restored.error());
  CapacityReach reach{0, {}};
  for (const auto& [point, found] : points->found) {
    if (!is_of_batch(point)) continue;
    reach.max_nodes = std::max(reach.max_nodes, point.nodes);
    if (std::ranges::find(reach.types, point.type) == reach.types.end()) reach.types.push_back(point.type);
  }
  if (reach.types.empty())
    return in_this(
        {ErrorCode::bad_input, tr("the file has no points for this batch size").toStdString(), {}, "/points"});
  cancel();
  reach_ = reach;
  found_ = std::move(points->found);
  file_ = file;
  emit changed();
  return {};
}

bool CapacityStudy::is_of_batch(const CapacityPoint& point) const {
  const Workload& load = problem_->workload;
  return point.global_batch == load.global_batch && point.micro_batch == load.micro_batch.value_or(0);
}

std::vector<CapacityFound> CapacityStudy::found() const {
  std::vector<CapacityFound> some;
  for (const CapacityPoint& point : points())
    if (const auto found = found_.find(point); found != found_.end()) some.push_back(found->second);
  return some;
}

bool CapacityStudy::complete() const { return reach_ && found().size() == points().size(); }

std::string CapacityStudy::csv(const CapacityGoal& goal) const { return io::csv::capacity_csv(goal, found()).text(); }

std::optional<int> CapacityStudy::sample_tokens(const Profile& profile) {
  const auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin) return std::nullopt;
  return sequence_of((*origin)->config, (*origin)->options);
}

std::string CapacityStudy::currency() { return price_currency(presets::device_catalogue()); }

std::vector<std::string> CapacityStudy::catalogue_types() {
  std::vector<std::string> types;
  for (const DeviceModel& model : presets::device_catalogue()) types.push_back(model.type.name);
  return types;
}

}  // namespace pipedeck::session::whatif
