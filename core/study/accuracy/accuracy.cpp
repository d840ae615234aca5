// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <iterator>
#include <numeric>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "core/analytic/times/layer_count.hpp"
#include "core/base/parallel_for.hpp"
#include "core/study/accuracy/engines.hpp"
#include "core/study/accuracy/question_of.hpp"

namespace pipedeck::study::accuracy {
namespace {

constexpr double gib = 0x1p30;

/// Returns the predicted bytes of the kind that the run prints: of tensors, of the framework's allocator, or of the
/// process. Colossal-AI's benchmark prints max_memory_allocated in MiB (examples/language/llama/benchmark.py).
Bytes figure_of(const PublishedRun& run, const mesh::Prediction& prediction) {
  const bool is_colossal = engine_of(run) == Engine::colossal && mentions(run.memory_kind, "MiB");
  if (is_colossal || mentions(run.memory_kind, "allocated")) return prediction.peak;
  return mentions(run.memory_kind, "reserved") ? prediction.reserved() : prediction.with_context;
}

/// Returns the bytes of one in the run's figure. nvidia-smi prints MiB, and whole GB are thousands of them: BigScience
/// prints 80 GB of a GPU that has 79.3 GiB, and InternEvo 39 GB for 38,300 MiB of weights.
double unit_of(const PublishedRun& run) { return mentions(run.memory_kind, "GB") ? 1000 * 0x1p20 : gib; }

/// Returns choices of recomputation from the cheapest on, where the row leaves them open.
std::vector<analytic::transformer::shards::Recomputed> recomputations_of(const PublishedRun& run) {
  using analytic::times::Part;
  std::vector<analytic::transformer::shards::Recomputed> all;
  if (run.experts) all.push_back({.parts = {Part::latent_up, Part::feed_forward, Part::expert_activation}});
  all.push_back({.blocks = true});
  return all;
}

/// Replaces the prediction by the first one that fits of what the row leaves open: the run took place.
void find_what_fits(Outcome& outcome, const mesh::Question& question, const mesh::Rates& rates,
                    const Predict& predict) {
  std::vector<mesh::Question> tried;
  const bool may_shard = mentions(outcome.run.notes, "flags not found") && question.sharding.level < 3;
  for (const bool sharded : {false, true}) {
    if (sharded && !may_shard) break;
    mesh::Question other = question;
    if (sharded) {
      other.sharding.level = 3;
      tried.push_back(other);
    }
    for (const auto& recomputed : recomputations_of(outcome.run)) {
      other.layer.recomputed = recomputed;
      other.layer.recomputed.count = -1;
      tried.push_back(other);
    }
  }
  for (const mesh::Question& other : tried) {
    const auto prediction = predict(other, rates);
    if (!prediction || !prediction->fits) continue;
    outcome.prediction = *prediction;
    if (other.sharding != question.sharding) outcome.notes.push_back("sharded weights are assumed, for it has to fit");
    if (other.layer.recomputed.blocks)
      outcome.notes.push_back("recomputation of every block is assumed, for it has to fit");
    else if (!other.layer.recomputed.parts.empty())
      outcome.notes.push_back("recomputation of modules is assumed, for it has to fit");
    return;
  }
}

Outcome outcome_of(const PublishedRun& run, const std::vector<DeviceModel>& catalogue, const EfficiencyTable& rates,
                   const Predict& predict) {
  Outcome outcome;
  outcome.run = run;
  outcome.measured_seconds = run.measured_seconds();
  outcome.judged = run.newest && outcome.measured_seconds && run.has_shape();
  Expressed expressed = question_of(run, catalogue);
  outcome.device = expressed.type.name;
  outcome.notes = std::move(expressed.notes);
  if (!expressed.question) {
    outcome.skipped = std::move(expressed.reason);
    return outcome;
  }
  outcome.traits = traits_of(*expressed.question, expressed.type);
  const DeviceEfficiency* const reached = find_efficiency(rates, expressed.type.name);
  if (!reached) {
    outcome.skipped = fmt::format("no efficiency is known of the device type {}", expressed.type.name);
    return outcome;
  }
  const mesh::Rates rates_of{expressed.type, *reached};
  auto prediction = predict(*expressed.question, rates_of);
  if (!prediction) {
    outcome.skipped = prediction.error().text();
  } else if (!(prediction->iteration.count > 0) || !std::isfinite(prediction->iteration.count)) {
    outcome.skipped = "the prediction is no time";
  } else {
    outcome.prediction = *prediction;
    if (!prediction->fits && expressed.open_recomputation)
      find_what_fits(outcome, *expressed.question, rates_of, predict);
  }
  return outcome;
}

/// Returns the ranks from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks[order[i]] = double(from + to + 1) / 2;
    from = to;
  }
  return ranks;
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

}  // namespace

std::optional<double> Outcome::error() const {
  if (!prediction || !measured_seconds) return std::nullopt;
  return *measured_seconds / prediction->iteration.count - 1;
}

std::optional<double> Outcome::predicted_gib() const {
  if (!prediction) return std::nullopt;
  return double(figure_of(run, *prediction).count) / unit_of(run);
}

std::optional<double> Outcome::memory_error() const {
  const auto predicted = predicted_gib();
  if (!predicted || run.memory_gib.value_or(0) <= 0 || !memory_left_out().empty()) return std::nullopt;
  return *predicted / *run.memory_gib - 1;
}

std::string Outcome::memory_left_out() const {
  if (!prediction || !run.memory_gib) return {};
  if (double(prediction->capacity.count) < *run.memory_gib * unit_of(run))
    return "the printed figure is more than the GPU has";
  if (!run.micro_batch && run.pipeline.value_or(1) > 1) return "the micro-batch of the pipeline is not printed";
  return {};
}

std::vector<Outcome> outcomes_of(std::span<const PublishedRun> runs, const std::vector<DeviceModel>& catalogue,
                                 const EfficiencyTable& rates, const Predict& predict, int threads) {
  std::vector<Outcome> outcomes(runs.size());
  parallel_for(runs.size(), threads, [&](std::size_t i) {
    try {
      outcomes[i] = outcome_of(runs[i], catalogue, rates, predict);
    } catch (const InvariantViolation& broken) {
      outcomes[i].run = runs[i];
      outcomes[i].measured_seconds = runs[i].measured_seconds();
      outcomes[i].judged = runs[i].newest && outcomes[i].measured_seconds && runs[i].has_shape();
      outcomes[i].skipped = fmt::format("internal error: {}", broken.what());
    }
  });
  return outcomes;
}

ErrorSummary summary_of(std::vector<double> errors) {
  ErrorSummary summary;
  summary.rows = static_cast<int>(errors.size());
  if (errors.empty()) return summary;
  summary.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size());
  std::ranges::transform(errors, errors.begin(), [](double e) { return std::abs(e); });
  std::ranges::sort(errors);
  summary.mean_absolute = std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size());
  const auto nine = static_cast<std::size_t>(std::ceil(0.9 * double(errors.size()) - 1e-9));
  summary.nine_in_ten = errors[std::max<std::size_t>(nine, 1) - 1];
  summary.largest = errors.back();
  return summary;
}

std::span<const std::string_view> group_keys() {
  static constexpr std::array<std::string_view, 12> keys{"source", "model", "gpu", "precision", "task",     "engine",
                                                         "tp",     "cp",    "ep",  "pp",        "sharding", "gpus"};
  return keys;
}

std::string key_of(const PublishedRun& run, std::string_view key) {
  if (key == "source") return run.source;
  if (key == "model") return run.model;
  if (key == "gpu") return run.gpu;
  if (key == "precision") return run.precision;
  if (key == "task") return run.task;
  if (key == "engine") return std::string(habits_of(engine_of(run)).name);
  if (key == "tp") return fmt::format("{}", run.tensor.value_or(1));
  if (key == "cp") return yes_or_no(run.context.value_or(1) > 1);
  if (key == "ep") return yes_or_no(run.expert.value_or(1) > 1);
  if (key == "pp") return yes_or_no(run.pipeline.value_or(1) > 1);
  if (key == "sharding") return run.sharding;
  if (key == "gpus") return fmt::format("{}", run.gpus.value_or(0));
  return {};
}

std::vector<ErrorGroup> groups_of(std::span<const Outcome> outcomes, std::span<const std::string> keys) {
  std::map<std::string, std::vector<double>> errors;
  for (const Outcome& outcome : outcomes) {
    const auto error = outcome.error();
    if (!outcome.judged || !error) continue;
    std::string name;
    for (const std::string& key : keys)
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, key_of(outcome.run, key));
    errors[name].push_back(*error);
  }
  std::vector<ErrorGroup> groups;
  for (auto& [key, of_group] : errors) groups.push_back({key, summary_of(std::move(of_group))});
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const ErrorGroup& group) { return group.errors.mean_absolute; });
  return groups;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  ensure(a.size() == b.size(), "both sides of a correlation have as many values");
  if (a.size() < 2) return std::nullopt;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = double(a.size() + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return xy / std::sqrt(xx * yy);
}

std::vector<RankGroup> rank_groups_of(std::span<const Outcome> outcomes, int least) {
  std::map<std::tuple<std::string, std::string, int>, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.judged || !outcome.prediction) continue;
    const double tokens =
        double(outcome.run.sequence.value_or(0)) * outcome.run.global_batch.value_or(0) / outcome.run.gpus.value_or(1);
    auto& [measured, predicted] = groups[{outcome.run.model, outcome.run.gpu, outcome.run.gpus.value_or(0)}];
    measured.push_back(tokens / *outcome.measured_seconds);
    predicted.push_back(tokens / outcome.prediction->iteration.count);
  }
  std::vector<RankGroup> ranks;
  for (const auto& [key, figures] : groups) {
    const auto rows = static_cast<int>(figures.first.size());
    const auto correlation = rank_correlation(figures.first, figures.second);
    if (rows < least || !correlation) continue;
    ranks.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), rows, *correlation});
  }
  std::ranges::stable_sort(ranks, {}, &RankGroup::correlation);
  return ranks;
}

AccuracySummary summary_of(std::span<const Outcome> outcomes) {
  AccuracySummary summary;
  summary.rows = static_cast<int>(outcomes.size());
  std::vector<double> times, memories;
  for (const Outcome& outcome : outcomes) {
    if (const auto error = outcome.memory_error()) memories.push_back(*error);
    if (!outcome.judged) continue;
    ++summary.judged;
    if (const auto error = outcome.error()) {
      times.push_back(*error);
      summary.refused += outcome.prediction->fits ? 0 : 1;
    } else {
      ++summary.skipped[outcome.skipped];
    }
  }
  summary.predicted = static_cast<int>(times.size());
  summary.time = summary_of(std::move(times));
  summary.memory = summary_of(std::move(memories));
  summary.ranks = rank_groups_of(outcomes);
  double sum = 0, rows = 0;
  for (const RankGroup& group : summary.ranks) sum += group.correlation * group.rows, rows += group.rows;
  if (rows > 0) summary.rank_mean = sum / rows;
  return summary;
}

}  // namespace pipedeck::study::accuracy
