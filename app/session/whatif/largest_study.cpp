// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/whatif/largest_study.hpp"

#include <algorithm>

#include <QThread>

#include "app/session/whatif/what_if_edits.hpp"
#include "app/text/in_qt.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/capacity/sweep.hpp"

namespace pipedeck::session::whatif {

namespace {

/// Returns the origin of the profile; nullopt for sizes that any profile has.
Result<std::optional<TransformerOrigin>> origin_for(const Profile& profile, study::capacity::SizeKind kind) {
  if (!study::capacity::requires_transformer(kind)) return std::nullopt;
  return io::documents::origin_of(profile);
}

/// Adds the origin to the profile of the size that fits.
Profile with_origin_at(Profile profile, TransformerOrigin origin, study::capacity::SizeKind kind, int size) {
  if (const auto own = io::documents::origin_of(profile); own && *own) origin.efficiency = (*own)->efficiency;
  origin.device = profile.device;
  origin.options.micro_batch = profile.micro_batch;
  if (kind == study::capacity::SizeKind::sequence) origin.options.sequence = size;
  origin.config = kind == study::capacity::SizeKind::hidden ? study::capacity::with_hidden(origin.config, size)
                                                            : study::capacity::with_sequence(origin.config, size);
  return io::documents::with_origin(std::move(profile), origin);
}

Result<LargestFound> largest(const Problem& problem, study::capacity::SizeKind kind,
                             const study::capacity::SizeSteps& steps, const study::whatif::SearchOptions& how) {
  study::capacity::Request question{problem, {}, {}};
  TRY(const auto origin, origin_for(*problem.profile, kind));
  if (origin) {
    TRY(auto model, study::capacity::capacity_model(*origin, *problem.profile, presets::device_catalogue()));
    question.model = std::move(model);
  }
  CapacityPoint point;
  point.nodes = static_cast<int>(problem.cluster->nodes.size());
  point.global_batch = problem.workload.global_batch;
  point.micro_batch = problem.workload.micro_batch.value_or(0);
  TRY(const auto ladder, study::capacity::size_candidates(question, point, kind, steps, presets::device_catalogue()));
  auto answer =
      study::capacity::find_largest(ladder, point, study::capacity::capacity_planners(origin.has_value()), how);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  LargestFound found{kind, *std::move(answer), nullptr};
  if (!found.answer.size) return found;
  TRY(const auto at, ladder.make_problem(*found.answer.size));
  found.profile = at.profile;
  if (origin)
    found.profile = std::make_shared<const Profile>(
        with_origin_at(*at.profile, *origin, kind, static_cast<int>(*found.answer.size)));
  return found;
}

}  // namespace

LargestStudy::LargestStudy(work::Jobs& jobs, QObject* parent) : QObject(parent), jobs_(&jobs) {
  connect(&jobs, &work::Jobs::changed, this, [this] {
    if (running()) emit changed();
  });
  connect(&jobs, &work::Jobs::ended, this, [this](int job, work::JobState state) {
    if (job != job_) return;
    cancelled_ = state == work::JobState::cancelled;
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
  unavailable_reason_.clear();
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

void LargestStudy::find(study::capacity::SizeKind kind, const study::capacity::SizeSteps& steps) {
  if (!problem_) return;
  cancel();
  found_.reset();
  unavailable_reason_.clear();
  cancelled_ = false;
  const auto work = [problem = *problem_, kind, steps,
                     self = QPointer<LargestStudy>(this)](const work::Jobs::Context& context) -> work::Jobs::Apply {
    const study::whatif::SearchOptions how{
        std::max(1, QThread::idealThreadCount()), context.stop, {}, context.progress};
    return [self, found = largest(problem, kind, steps, how)] { return self ? self->take(found) : QString(); };
  };
  job_ = jobs_->start(tr("The largest %1 that fits").arg(size_text(kind)), work, work::Urgency::study);
  emit changed();
}

QString LargestStudy::take(const Result<LargestFound>& found) {
  if (!found) {
    unavailable_reason_ = text::to_qstring(found.error().message);
    return unavailable_reason_;
  }
  found_ = *found;
  const auto& size = found->answer.size;
  return size ? QString::number(*size) : tr("none fits");
}

QString LargestStudy::doing() const {
  if (!running()) return {};
  const std::vector<work::JobInfo> jobs = jobs_->list();
  const auto job = std::ranges::find(jobs, job_, &work::JobInfo::id);
  return job == jobs.end() ? QString() : job->detail;
}

QString size_text(study::capacity::SizeKind kind) {
  switch (kind) {
    case study::capacity::SizeKind::layers:
      return LargestStudy::tr("number of layers");
    case study::capacity::SizeKind::hidden:
      return LargestStudy::tr("hidden size");
    case study::capacity::SizeKind::sequence:
      return LargestStudy::tr("sequence");
    case study::capacity::SizeKind::micro_batch:
      return LargestStudy::tr("micro-batch");
    case study::capacity::SizeKind::global_batch:
      return LargestStudy::tr("global batch");
  }
  return {};
}

namespace {

/// Returns the model's name in the size that fits.
QString resized_name(const LargestFound& found, const std::string& model) {
  const QString name = QString::fromStdString(model);
  const auto size = static_cast<qlonglong>(*found.answer.size);
  if (found.kind == study::capacity::SizeKind::hidden)
    return LargestStudy::tr("%1, hidden size %2").arg(name).arg(size);
  if (found.kind == study::capacity::SizeKind::sequence) return LargestStudy::tr("%1, %2 tokens").arg(name).arg(size);
  return LargestStudy::tr("%1, %2 layers").arg(name).arg(static_cast<qlonglong>(found.profile->layers.size()));
}

}  // namespace

QString no_such_size(const Profile& profile, study::capacity::SizeKind kind) {
  const auto origin = origin_for(profile, kind);
  if (!origin) return text::to_qstring(origin.error().message);
  if (*origin || !study::capacity::requires_transformer(kind)) return {};
  return LargestStudy::tr(
             "%1 has no transformer configuration, so its %2 cannot change. Import the model's config.json (File > "
             "Import), choose it above, and try again.")
      .arg(QString::fromStdString(profile.name), size_text(kind));
}

project::Added with_largest(const project::State& state, const LargestFound& found) {
  PlanCandidate plan = *found.answer.found->plan;
  project::Added placed{state, state.question.profile};
  const project::ProfileEntry* asked = project::find_profile(state, state.question.profile);
  if (!asked || !(*asked->profile == *found.profile)) {
    Profile profile = *found.profile;
    profile.name = resized_name(found, asked ? asked->profile->name : profile.name).toStdString();
    placed = project::with_profile(state, std::move(profile));
    Plan named = *plan.plan;
    named.profile = project::find_profile(placed.state, placed.id)->profile->name;
    named.profile_sha256.clear();
    plan.plan = std::make_shared<const Plan>(std::move(named));
  }
  return with_found_plan(placed.state, plan, placed.id);
}

}  // namespace pipedeck::session::whatif
