// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/like_runs_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/accuracy_text.hpp"
#include "app/cli/text/table.hpp"

namespace pipedeck::cli::text {
namespace {

using nlohmann::ordered_json;
using study::accuracy::Difference;
using study::accuracy::ErrorBand;
using study::accuracy::LikeRuns;
using study::accuracy::NearestRun;

constexpr double micro = 1e6;

std::string differences_text(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& one : differences)
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", one.of, one.value);
  return text.empty() ? "nothing" : text;
}

std::string runs_table(const LikeRuns& like) {
  Table table({{"nearest runs", Align::left},
               {"model", Align::left},
               {"GPUs", Align::left},
               {"mapping", Align::left},
               {"precision", Align::left},
               {"distance"},
               {"differs in", Align::left}});
  for (const NearestRun& one : like.nearest) {
    const study::accuracy::PublishedRun& run = one.outcome.run;
    table.add({run.row, run.model, fmt::format("{} {}", run.gpus.value_or(0), run.gpu), mapping_text(run),
               run.precision, fmt::format("{:.2f}", one.distance), differences_text(one.differences)});
  }
  return table.text();
}

/// A column for each run; parts that are 0 for all are left out.
std::string waterfalls_table(const LikeRuns& like) {
  std::vector<Table::Column> columns{{"microseconds of a GPU for each token", Align::left}};
  for (const NearestRun& one : like.nearest) columns.push_back({one.outcome.run.row});
  Table table(std::move(columns));
  const auto add = [&](std::string name, bool is_change, auto value_of) {
    std::vector<std::string> cells{std::move(name)};
    bool any = !is_change;
    for (const NearestRun& one : like.nearest) {
      const double value = micro * value_of(one.waterfall);
      cells.push_back(is_change ? fmt::format("{:+.2f}", value) : fmt::format("{:.2f}", value));
      any = any || cells.back() != "+0.00";
    }
    if (any) table.add(std::move(cells));
  };
  using Waterfall = study::accuracy::StepWaterfall;
  add("measured there", false, [](const Waterfall& fall) { return fall.from; });
  add("error of its prediction", true, [](const Waterfall& fall) { return fall.error; });
  for (std::size_t p = 0; p < mesh::step_part_count; ++p)
    add(std::string(mesh::name_of(static_cast<mesh::StepPart>(p))), true,
        [p](const Waterfall& fall) { return fall.parts[p]; });
  add("predicted here", false, [](const Waterfall& fall) { return fall.to; });
  return table.text();
}

}  // namespace

std::string band_text(const LikeRuns& like) {
  if (!like.band)
    return fmt::format("published runs like it: {}, too few for a band of measured over predicted\n", like.like);
  const ErrorBand& band = *like.band;
  return fmt::format(
      "published runs most like it: measured {:.2f} to {:.2f} of predicted tokens/s, median {:.2f} ({} runs, distance "
      "{:.1f} to {:.1f})\n",
      band.low, band.high, band.median, band.runs, band.nearest, band.farthest);
}

std::string nearest_text(const LikeRuns& like) {
  return like.nearest.empty() ? "" : "\n" + runs_table(like) + "\n" + waterfalls_table(like);
}

ordered_json like_runs_json(const LikeRuns& like) {
  ordered_json json{{"like", like.like}};
  if (const auto& band = like.band)
    json["measured_over_predicted"] = {{"runs", band->runs}, {"low", band->low},         {"median", band->median},
                                       {"high", band->high}, {"nearest", band->nearest}, {"farthest", band->farthest}};
  else
    json["measured_over_predicted"] = nullptr;
  json["nearest"] = ordered_json::array();
  for (const NearestRun& one : like.nearest) {
    ordered_json run{{"row", one.outcome.run.row},
                     {"source", one.outcome.run.source},
                     {"model", one.outcome.run.model},
                     {"gpu", one.outcome.run.gpu},
                     {"gpus", one.outcome.run.gpus.value_or(0)},
                     {"mapping", mapping_text(one.outcome.run)},
                     {"distance", one.distance}};
    run["differences"] = ordered_json::object();
    for (const Difference& difference : one.differences)
      run["differences"][std::string(difference.of)] = difference.value;
    ordered_json& fall = run["waterfall_us_per_token"];
    fall["measured"] = micro * one.waterfall.from;
    fall["error_of_prediction"] = micro * one.waterfall.error;
    for (std::size_t p = 0; p < mesh::step_part_count; ++p)
      fall[std::string(mesh::name_of(static_cast<mesh::StepPart>(p)))] = micro * one.waterfall.parts[p];
    fall["predicted"] = micro * one.waterfall.to;
    json["nearest"].push_back(std::move(run));
  }
  return json;
}

}  // namespace pipedeck::cli::text
