// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/nearest_runs.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/parallel_for.hpp"
#include "core/study/accuracy/question_of.hpp"

namespace pipedeck::study::accuracy {
namespace {

/// Returns the tokens of a step for each of its devices.
double tokens_of(const PublishedRun& run) {
  return double(run.sequence.value_or(0)) * run.global_batch.value_or(0) / run.gpus.value_or(1);
}

/// A choice of runs for a band, so that no source's model decides alone.
class BandRuns {
 public:
  bool is_full() const { return count_ == band_runs; }
  /// Returns false if enough runs of its source's model are taken.
  bool take(const PublishedRun& run) {
    if (++taken_[{run.source, run.model}] > band_runs_of_one) return false;
    ++count_;
    return true;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, int> taken_;
  int count_ = 0;
};

std::vector<std::size_t> banded(const KnownRuns& known, std::span<const std::size_t> near) {
  BandRuns runs;
  std::vector<std::size_t> all;
  for (const std::size_t position : near)
    if (!runs.is_full() && runs.take(known.run(position))) all.push_back(position);
  return all;
}

/// Returns measured over predicted tokens per second.
double ratio_of(const Outcome& outcome) { return 1 / (1 + *outcome.error()); }

}  // namespace

std::optional<ErrorBand> band_of(std::vector<double> ratios) {
  const std::size_t count = ratios.size();
  if (count < least_band_runs) return std::nullopt;
  std::ranges::sort(ratios);
  const std::size_t outside = std::max<std::size_t>(1, (count + 1) / 10);
  ErrorBand band;
  band.runs = static_cast<int>(count);
  band.low = ratios[outside - 1];
  band.high = ratios[count - outside];
  band.median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
  return band;
}

std::optional<BandCoverage> coverage_of(std::span<const Outcome> outcomes) {
  std::vector<const Outcome*> judged;
  for (const Outcome& outcome : outcomes)
    if (outcome.judged && outcome.traits && outcome.error()) judged.push_back(&outcome);
  BandCoverage coverage;
  int held = 0;
  for (const Outcome* const one : judged) {
    std::vector<std::pair<double, const Outcome*>> near;
    for (const Outcome* const other : judged) {
      if (other->run.model == one->run.model && other->run.gpu == one->run.gpu) continue;
      const double distance = distance_of(*one->traits, *other->traits);
      if (distance <= like_distance) near.emplace_back(distance, other);
    }
    std::ranges::stable_sort(near, {}, &std::pair<double, const Outcome*>::first);
    BandRuns runs;
    std::vector<double> ratios;
    for (const auto& [distance, other] : near)
      if (!runs.is_full() && runs.take(other->run)) ratios.push_back(ratio_of(*other));
    const auto band = band_of(std::move(ratios));
    if (!band) continue;
    ++coverage.runs;
    coverage.width += band->high / band->low - 1;
    held += ratio_of(*one) >= band->low && ratio_of(*one) <= band->high;
  }
  if (coverage.runs == 0) return std::nullopt;
  coverage.held = double(held) / coverage.runs;
  coverage.width /= coverage.runs;
  return coverage;
}

StepWaterfall waterfall_of(double measured_seconds, const mesh::Prediction& from, double from_tokens,
                           const mesh::Prediction& to, double to_tokens) {
  StepWaterfall fall;
  fall.from = measured_seconds / from_tokens;
  fall.error = (from.iteration.count - measured_seconds) / from_tokens;
  for (std::size_t p = 0; p < fall.parts.size(); ++p)
    fall.parts[p] = to.parts[p].count / to_tokens - from.parts[p].count / from_tokens;
  fall.to = to.iteration.count / to_tokens;
  return fall;
}

KnownRuns::KnownRuns(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue, int threads) {
  std::vector<std::optional<Traits>> traits(runs.size());
  parallel_for(runs.size(), threads, [&](std::size_t i) {
    if (!runs[i].newest || !runs[i].has_shape() || !runs[i].measured_seconds()) return;
    const Expressed expressed = question_of(runs[i], catalogue);
    if (expressed.question) traits[i] = traits_of(*expressed.question, expressed.type);
  });
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (traits[i]) known_.push_back({runs[i], std::move(*traits[i])});
}

std::vector<std::size_t> KnownRuns::near(const Traits& traits) const {
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (const double distance = distance_of(traits, known_[i].traits); distance <= like_distance)
      found.emplace_back(distance, i);
  std::ranges::sort(found);
  std::vector<std::size_t> positions;
  for (const auto& [distance, position] : found) positions.push_back(position);
  return positions;
}

LikeRuns like_runs(const KnownRuns& known, const PredictedStep& step, int count,
                   const std::vector<DeviceModel>& catalogue, const EfficiencyTable& rates, const Predict& predict,
                   int threads) {
  const Traits traits = traits_of(step.question, step.rates.type);
  const std::vector<std::size_t> near = known.near(traits);
  const std::vector<std::size_t> of_band = banded(known, near);
  std::vector<std::size_t> asked = of_band;
  const std::size_t nearest = std::min(near.size(), static_cast<std::size_t>(std::max(count, 0)));
  asked.insert(asked.end(), near.begin(), near.begin() + static_cast<std::ptrdiff_t>(nearest));
  std::vector<PublishedRun> runs;
  for (const std::size_t position : asked) runs.push_back(known.run(position));
  std::vector<Outcome> outcomes = outcomes_of(runs, catalogue, rates, predict, threads);

  LikeRuns like;
  like.like = static_cast<int>(near.size());
  std::vector<double> ratios;
  double first = 0, last = 0;
  for (std::size_t i = 0; i < of_band.size(); ++i) {
    if (!outcomes[i].error()) continue;
    last = distance_of(traits, known.traits(of_band[i]));
    if (ratios.empty()) first = last;
    ratios.push_back(ratio_of(outcomes[i]));
  }
  like.band = band_of(std::move(ratios));
  if (like.band) like.band->nearest = first, like.band->farthest = last;

  const double tokens =
      double(step.question.global_batch()) * step.question.layer.count.sequence / step.question.devices();
  for (std::size_t i = of_band.size(); i < outcomes.size(); ++i) {
    if (!outcomes[i].error()) continue;
    NearestRun run;
    run.differences = differences_of(traits, known.traits(asked[i]));
    run.distance = distance_of(traits, known.traits(asked[i]));
    run.waterfall = waterfall_of(*outcomes[i].measured_seconds, *outcomes[i].prediction, tokens_of(outcomes[i].run),
                                 step.prediction, tokens);
    run.outcome = std::move(outcomes[i]);
    like.nearest.push_back(std::move(run));
  }
  return like;
}

}  // namespace pipedeck::study::accuracy
