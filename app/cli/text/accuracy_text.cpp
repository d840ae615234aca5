// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/accuracy_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/study/accuracy/nearest_runs.hpp"

namespace pipedeck::cli::text {
namespace {

using nlohmann::ordered_json;
using study::accuracy::AccuracySummary;
using study::accuracy::BandCoverage;
using study::accuracy::ErrorSummary;
using study::accuracy::Outcome;
using study::accuracy::OwnRunsFit;
using study::accuracy::PublishedRun;

constexpr std::size_t worst_rows = 15;

std::string percents(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }
std::string signed_percents(double fraction) { return fmt::format("{:+.1f} %", fraction * 100); }

template <class Value>
std::string figure(const std::optional<Value>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

std::string errors_text(const ErrorSummary& errors) {
  return fmt::format("mean {}, nine in ten within {}, signed {}, largest {}", percents(errors.mean_absolute),
                     percents(errors.nine_in_ten), signed_percents(errors.mean), percents(errors.largest));
}

std::string summary_text(const AccuracySummary& summary, const std::optional<BandCoverage>& coverage) {
  std::string text = fmt::format(
      "{} runs; {} judged: the newest of their mapping with a time and a full shape; {} of them predicted\n",
      summary.rows, summary.judged, summary.predicted);
  if (summary.time.rows > 0) text += fmt::format("tokens/s/GPU: {}\n", errors_text(summary.time));
  if (summary.memory.rows > 0)
    text += fmt::format("memory ({} runs): {}\n", summary.memory.rows, errors_text(summary.memory));
  if (const auto& band = coverage)
    text += fmt::format("bands of runs like them, without those of the same model and GPU: hold {} of {} runs\n",
                        percents(band->held), band->runs);
  text += fmt::format("predicted not to fit: {}\n", summary.refused);
  if (summary.rank_mean)
    text += fmt::format("rank correlation within a model and machine: {:.3f} on average, lowest {:.3f} ({} groups)\n",
                        *summary.rank_mean, summary.ranks.front().correlation, summary.ranks.size());
  return text;
}

std::string skipped_text(const AccuracySummary& summary) {
  if (summary.skipped.empty()) return {};
  Table table({{"runs"}, {"not predicted, because", Align::left}});
  for (const auto& [reason, runs] : summary.skipped) table.add({fmt::format("{}", runs), reason});
  return "\n" + table.text();
}

std::string ranks_text(const AccuracySummary& summary) {
  if (summary.ranks.empty()) return {};
  Table table({{"model", Align::left}, {"GPU", Align::left}, {"GPUs"}, {"mappings"}, {"rank correlation"}});
  for (const auto& group : summary.ranks)
    table.add({group.model, group.gpu, fmt::format("{}", group.gpus), fmt::format("{}", group.rows),
               fmt::format("{:.3f}", group.correlation)});
  return "\n" + table.text();
}

std::string groups_text(std::span<const Outcome> outcomes, const std::vector<std::string>& keys) {
  const auto groups = study::accuracy::groups_of(outcomes, keys);
  if (groups.empty()) return {};
  Table table({{"group", Align::left}, {"runs"}, {"mean error"}, {"nine in ten"}, {"signed"}, {"largest"}});
  for (const auto& [key, errors] : groups)
    table.add({key, fmt::format("{}", errors.rows), percents(errors.mean_absolute), percents(errors.nine_in_ten),
               signed_percents(errors.mean), percents(errors.largest)});
  return "\n" + table.text();
}

std::string rows_text(std::span<const Outcome> outcomes, bool all) {
  std::vector<const Outcome*> shown;
  for (const Outcome& outcome : outcomes)
    if (all || (outcome.judged && outcome.error())) shown.push_back(&outcome);
  if (!all) {
    std::ranges::stable_sort(shown, std::ranges::greater(),
                             [](const Outcome* outcome) { return std::abs(*outcome->error()); });
    if (shown.size() > worst_rows) shown.resize(worst_rows);
  }
  if (shown.empty()) return {};
  Table table({{all ? "run" : "worst runs", Align::left},
               {"model", Align::left},
               {"GPU", Align::left},
               {"mapping", Align::left},
               {"measured s"},
               {"predicted s"},
               {"tokens/s"},
               {"measured GiB"},
               {"predicted GiB"},
               {"", Align::left}});
  for (const Outcome* outcome : shown) {
    const PublishedRun& run = outcome->run;
    const auto predicted = outcome->prediction ? std::optional(outcome->prediction->iteration.count) : std::nullopt;
    table.add({run.row, run.model, fmt::format("{} {}", run.gpus.value_or(0), run.gpu), mapping_text(run),
               figure(outcome->measured_seconds, 3), figure(predicted, 3),
               outcome->error() ? signed_percents(*outcome->error()) : "", figure(run.memory_gib, 1),
               figure(outcome->predicted_gib(), 1),
               !outcome->prediction        ? outcome->skipped
               : outcome->prediction->fits ? ""
                                           : "does not fit"});
  }
  return "\n" + table.text();
}

ordered_json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json errors_json(const ErrorSummary& errors) {
  return {{"rows", errors.rows},
          {"mean_absolute", errors.mean_absolute},
          {"nine_in_ten", errors.nine_in_ten},
          {"mean", errors.mean},
          {"largest", errors.largest}};
}

ordered_json row_json(const Outcome& outcome) {
  ordered_json json;
  json["row"] = outcome.run.row;
  json["device"] = outcome.device;
  json["judged"] = outcome.judged;
  json["measured_s"] = number(outcome.measured_seconds);
  json["predicted_s"] = outcome.prediction ? ordered_json(outcome.prediction->iteration.count) : ordered_json(nullptr);
  json["error"] = number(outcome.error());
  json["memory_measured_gib"] = number(outcome.run.memory_gib);
  json["memory_predicted_gib"] = number(outcome.predicted_gib());
  if (const std::string why = outcome.memory_left_out(); !why.empty()) json["memory_left_out"] = why;
  json["fits"] = outcome.prediction ? ordered_json(outcome.prediction->fits) : ordered_json(nullptr);
  json["skipped"] = outcome.prediction ? ordered_json(nullptr) : ordered_json(outcome.skipped);
  if (outcome.prediction) {
    const mesh::Prediction& prediction = *outcome.prediction;
    for (int p = 0; p < mesh::step_part_count; ++p) {
      const auto part = static_cast<mesh::StepPart>(p);
      json["parts_s"][std::string(mesh::name_of(part))] = prediction[part].count;
    }
    json["capacity_gib"] = double(prediction.capacity.count) / 0x1p30;
    json["allocated_gib"] = double(prediction.peak.count) / 0x1p30;
    json["reserved_gib"] = double(prediction.reserved().count) / 0x1p30;
    json["with_context_gib"] = double(prediction.with_context.count) / 0x1p30;
  }
  for (const std::string_view key : study::accuracy::group_keys())
    json["keys"][std::string(key)] = study::accuracy::key_of(outcome.run, key);
  json["notes"] = outcome.notes;
  return json;
}

}  // namespace

std::string mapping_text(const PublishedRun& run) {
  std::string text;
  const auto add = [&](std::string_view letter, int degree) {
    if (degree > 1) text += fmt::format("{}{}{}", text.empty() ? "" : " ", letter, degree);
  };
  add("T", run.tensor.value_or(1));
  add("C", run.context.value_or(1));
  add("E", run.expert.value_or(1));
  add("P", run.pipeline.value_or(1));
  add("V", run.virtual_stages.value_or(1));
  add("D", run.data.value_or(1));
  return text.empty() ? "1" : text;
}

std::string accuracy_text(std::span<const Outcome> outcomes, const std::vector<std::string>& keys, bool all_rows) {
  const AccuracySummary summary = study::accuracy::summary_of(outcomes);
  return summary_text(summary, study::accuracy::coverage_of(outcomes)) + groups_text(outcomes, keys) +
         ranks_text(summary) + rows_text(outcomes, all_rows) + skipped_text(summary);
}

std::string own_runs_text(std::span<const OwnRunsFit> fits) {
  if (fits.empty()) return {};
  Table table({{"fitted to", Align::left},
               {"runs"},
               {"compute"},
               {"links"},
               {"network"},
               {"mean error before"},
               {"after"},
               {"held out"}});
  for (const OwnRunsFit& fit : fits)
    table.add({fit.device, fmt::format("{}", fit.after.rows), fmt::format("{:.3f}", fit.scales.compute),
               fmt::format("{:.3f}", fit.scales.link), fmt::format("{:.3f}", fit.scales.network),
               percents(fit.before.mean_absolute), percents(fit.after.mean_absolute),
               fit.held_out.rows > 0 ? percents(fit.held_out.mean_absolute) : "too few"});
  return "\n" + table.text();
}

std::string accuracy_json(std::span<const Outcome> outcomes, const std::vector<std::string>& keys,
                          std::span<const OwnRunsFit> fits) {
  const AccuracySummary summary = study::accuracy::summary_of(outcomes);
  ordered_json json;
  json["rows"] = ordered_json::array();
  for (const Outcome& outcome : outcomes) json["rows"].push_back(row_json(outcome));
  ordered_json& sums = json["summary"];
  sums = {{"rows", summary.rows},
          {"judged", summary.judged},
          {"predicted", summary.predicted},
          {"refused", summary.refused},
          {"time", errors_json(summary.time)},
          {"memory", errors_json(summary.memory)},
          {"rank_correlation", number(summary.rank_mean)}};
  const auto coverage = study::accuracy::coverage_of(outcomes);
  sums["bands"] = coverage
                      ? ordered_json{{"runs", coverage->runs}, {"held", coverage->held}, {"width", coverage->width}}
                      : ordered_json(nullptr);
  sums["ranks"] = ordered_json::array();
  for (const auto& group : summary.ranks)
    sums["ranks"].push_back({{"model", group.model},
                             {"gpu", group.gpu},
                             {"gpus", group.gpus},
                             {"rows", group.rows},
                             {"correlation", group.correlation}});
  sums["groups"] = ordered_json::array();
  for (const auto& [key, errors] : study::accuracy::groups_of(outcomes, keys)) {
    ordered_json group = errors_json(errors);
    group["group"] = key;
    sums["groups"].push_back(std::move(group));
  }
  sums["skipped"] = ordered_json::object();
  for (const auto& [reason, runs] : summary.skipped) sums["skipped"][reason] = runs;
  for (const OwnRunsFit& fit : fits)
    json["fits"].push_back(
        {{"device", fit.device},
         {"scales", {{"compute", fit.scales.compute}, {"link", fit.scales.link}, {"network", fit.scales.network}}},
         {"before", errors_json(fit.before)},
         {"after", errors_json(fit.after)},
         {"held_out", errors_json(fit.held_out)}});
  return json.dump(2) + "\n";
}

}  // namespace pipedeck::cli::text
