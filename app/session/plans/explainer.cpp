// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/plans/explainer.hpp"

#include <algorithm>
#include <utility>

#include <QThread>

#include "app/session/work/count_text.hpp"
#include "app/text/in_qt.hpp"
#include "core/base/checks.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/published_runs.hpp"
#include "core/sim/explain/critical_path.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/study/accuracy/published_step.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::session::plans {

namespace {

constexpr std::size_t max_remembered = 32;

template <class List, class Entry>
void remember_newest(List& list, Entry entry) {
  list.push_front(std::move(entry));
  if (list.size() > max_remembered) list.pop_back();
}

template <class List, class Key>
auto find(const List& list, const Key& key) -> decltype(list.front().value) {
  for (const auto& entry : list)
    if (entry.key == key) return entry.value;
  return nullptr;
}

Result<Explanation> explain(study::PlanSimulator& plan_simulator, const Problem& problem, const Plan& plan,
                            std::stop_token stop) {
  TRY(const auto simulator, plan_simulator.simulator(problem));
  TRY(auto path, sim::explain::critical_path(simulator, plan, stop));
  TRY(const auto simulation, plan_simulator.simulation(problem, plan, std::move(stop)));
  return Explanation{std::make_shared<const CriticalPath>(std::move(path)), simulation->parts, {}};
}

/// The runs that come with the program.
const study::accuracy::KnownRuns& known_runs() {
  static const auto known = [] {
    const auto runs = study::accuracy::runs_from_csv(presets::published_runs());
    ensure(runs.has_value(), "the published runs that come with the program are valid");
    return study::accuracy::KnownRuns(*runs, presets::device_catalogue(), QThread::idealThreadCount());
  }();
  return known;
}

Result<study::accuracy::LikeRuns> runs_like(study::PlanSimulator& plan_simulator, const Problem& problem,
                                            const Plan& plan) {
  constexpr int nearest = 5;
  TRY(const auto simulator, plan_simulator.simulator(problem));
  TRY(auto step, study::accuracy::published_step(plan, simulator, known_runs(), presets::device_catalogue(),
                                                 presets::efficiency(), nearest, QThread::idealThreadCount()));
  return std::move(step.like);
}

}  // namespace

Explainer::Explainer(study::PlanSimulator& plan_simulator, work::Jobs& jobs, QObject* parent)
    : QObject(parent), simulator_(plan_simulator), jobs_(jobs) {
  // A cancelled one may be requested again.
  connect(&jobs_, &work::Jobs::ended, this, [this](int job, work::JobState state) {
    if (state == work::JobState::cancelled) asked_.clear(), asked_published_.clear();
    end_band(job, state);
  });
}

std::shared_ptr<const Explanation> Explainer::explanation(const Problem& problem,
                                                          const std::shared_ptr<const Plan>& plan) {
  const Key key = key_of(problem, plan);
  if (const auto known = find(explanations_, key)) return known;
  if (std::ranges::find(asked_, key) != asked_.end()) return nullptr;
  asked_.push_back(key);
  jobs_.start(tr("Explain %1").arg(QString::fromStdString(plan->name)),
              [this, &simulator = simulator_, key, problem](const work::Jobs::Context& context) -> work::Jobs::Apply {
                auto result = explain(simulator, problem, *key.plan, context.stop);
                return [this, key, result = std::move(result)] {
                  asked_.remove(key);
                  Explanation known = result ? *result : Explanation{};
                  if (!result) known.unavailable_reason = text::to_qstring(result.error());
                  const QString told = known.unavailable_reason;
                  remember_newest(explanations_,
                                  CacheEntry<Explanation>{key, std::make_shared<const Explanation>(std::move(known))});
                  emit changed();
                  return told;
                };
              });
  return nullptr;
}

std::shared_ptr<const PublishedResult> Explainer::published(const Problem& problem,
                                                            const std::shared_ptr<const Plan>& plan) {
  const Key key = key_of(problem, plan);
  if (const auto known = find(published_, key)) return known;
  if (!has_mesh(*plan) || std::ranges::find(asked_published_, key) != asked_published_.end()) return nullptr;
  asked_published_.push_back(key);
  jobs_.start(tr("Published runs like %1").arg(QString::fromStdString(plan->name)),
              [this, &simulator = simulator_, key, problem](const work::Jobs::Context&) -> work::Jobs::Apply {
                auto result = runs_like(simulator, problem, *key.plan);
                return [this, key, result = std::move(result)] {
                  asked_published_.remove(key);
                  PublishedResult known;
                  if (result)
                    known.like = *result;
                  else
                    known.unavailable_reason = text::to_qstring(result.error());
                  const QString why = known.unavailable_reason;
                  remember_newest(published_, CacheEntry<PublishedResult>{
                                                  key, std::make_shared<const PublishedResult>(std::move(known))});
                  emit changed();
                  return why;
                };
              });
  return nullptr;
}

std::shared_ptr<const Sensitivity> Explainer::sensitivity(const Problem& problem,
                                                          const std::shared_ptr<const Plan>& plan) const {
  return find(sensitivities_, key_of(problem, plan));
}

void Explainer::find_sensitivity(const Problem& problem, const std::shared_ptr<const Plan>& plan) {
  jobs_.cancel(sensitivity_job_);
  sensitivity_job_ = jobs_.start(
      tr("Sensitivity of %1").arg(QString::fromStdString(plan->name)),
      [this, key = key_of(problem, plan), problem](const work::Jobs::Context& context) -> work::Jobs::Apply {
        auto result = sim::explain::sensitivity(problem, *key.plan, 1.1, context.progress, context.stop);
        return [this, key, result = std::move(result)]() -> QString {
          if (!result) {
            const QString why = text::to_qstring(result.error());
            emit failed(tr("Sensitivity"), why);
            return why;
          }
          remember_newest(sensitivities_,
                          CacheEntry<Sensitivity>{key, std::make_shared<const Sensitivity>(std::move(*result))});
          return work::format_count(static_cast<qint64>(sensitivities_.front().value->entries.size()),
                                    tr("link or device"), tr("links and devices"));
        };
      });
}

std::shared_ptr<const JitterResult> Explainer::band(const Problem& problem, const std::shared_ptr<const Plan>& plan,
                                                    const JitterOptions& options) {
  const JitterKey key{key_of(problem, plan), options};
  if (const auto known = find(bands_, key)) return known;
  drop_other_bands(options);
  if (std::ranges::find(band_jobs_, key, &BandJob::key) == band_jobs_.end()) find_band(key, problem);
  return nullptr;
}

void Explainer::find_band(const JitterKey& key, const Problem& problem) {
  const int job = jobs_.start(
      tr("Jitter of %1").arg(QString::fromStdString(key.of.plan->name)),
      [this, &simulators = simulator_, key, problem](const work::Jobs::Context& context) -> work::Jobs::Apply {
        const auto simulator = simulators.simulator(problem);
        auto result = simulator ? sim::explain::jitter_band(*simulator, *key.of.plan, key.options,
                                                            QThread::idealThreadCount(), context.progress, context.stop)
                                : Result<JitterBand>(tl::unexpected(simulator.error()));
        return [this, key, result = std::move(result)] {
          JitterResult known;
          if (result)
            known.band = *result;
          else
            known.unavailable_reason = text::to_qstring(result.error());
          const QString told = known.unavailable_reason;
          remember_newest(
              bands_, CacheEntry<JitterResult, JitterKey>{key, std::make_shared<const JitterResult>(std::move(known))});
          emit changed();
          return told;
        };
      });
  band_jobs_.push_back({key, job});
}

/// Ends a job. If the user cancelled it, it is not restarted until other options are requested.
void Explainer::end_band(int job, work::JobState state) {
  const auto ended = std::ranges::find(band_jobs_, job, &BandJob::job);
  if (ended == band_jobs_.end()) return;
  const JitterKey key = ended->key;
  band_jobs_.erase(ended);
  if (state == work::JobState::finished) return;
  const JitterResult none{{}, state == work::JobState::cancelled ? tr("Cancelled.") : tr("It could not be computed.")};
  remember_newest(bands_, CacheEntry<JitterResult, JitterKey>{key, std::make_shared<const JitterResult>(none)});
}

void Explainer::drop_other_bands(const JitterOptions& options) {
  std::erase_if(bands_, [&](const auto& entry) {
    return !entry.value->unavailable_reason.isEmpty() && entry.key.options != options;
  });
  std::list<BandJob> others;
  for (auto at = band_jobs_.begin(); at != band_jobs_.end();) {
    const auto next = std::next(at);
    if (at->key.options != options) others.splice(others.end(), band_jobs_, at);
    at = next;
  }
  for (const BandJob& other : others) jobs_.cancel(other.job);
}

}  // namespace pipedeck::session::plans
