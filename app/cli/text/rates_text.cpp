// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/rates_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pipedeck::cli::text {

using Json = nlohmann::ordered_json;

std::string exposed_text(const TimeBreakdown& parts) { return percent_text(parts.share(parts.communication())); }

std::string exposed_parts_text(const TimeBreakdown& parts) {
  const auto percent = [&](TimePart part) { return 100 * parts.share(parts[part]); };
  return fmt::format("{:.1f} / {:.1f} / {:.1f}", percent(TimePart::tensor_parallel), percent(TimePart::point_to_point),
                     percent(TimePart::all_reduce));
}

std::vector<Table::Column> rate_columns() { return {{"tokens/s"}, {"tokens/s/device"}, {"MFU"}}; }

std::vector<std::string> rate_cells(const std::optional<Utilization>& rates) {
  if (!rates) return {"-", "-", "-"};
  return {fmt::format("{:.0f}", rates->tokens_per_second), fmt::format("{:.1f}", rates->tokens_per_second_per_device),
          mfu_text(*rates)};
}

std::string mfu_text(const Utilization& rates) {
  if (rates.peak_per_device <= 0) return "-";
  return percent_text(rates.mfu) + (rates.above_peak() ? " !" : "");
}

std::string mfu_notes(const std::vector<std::pair<std::string, std::optional<Utilization>>>& plans) {
  std::string notes;
  for (const auto& [name, rates] : plans) {
    if (!rates) continue;
    if (notes.empty()) notes = mfu_convention(rates->precision) + "\n";
    if (!rates->unknown_peak.empty() && notes.find(rates->unknown_peak) == notes.npos)
      notes += fmt::format("MFU is unknown: no {} peak of {}\n", rates->precision, rates->unknown_peak);
    if (rates->above_peak()) notes += fmt::format("! {} {}\n", name, above_peak_reason(*rates));
  }
  return notes;
}

Json utilization_json(const Utilization& rates) {
  Json json{{"devices", rates.devices},
            {"tokens_per_s", rates.tokens_per_second},
            {"tokens_per_s_per_device", rates.tokens_per_second_per_device},
            {"flops_per_s_per_device", rates.operations_per_device},
            {"precision", rates.precision}};
  if (rates.peak_per_device <= 0) {
    json["unknown_peak_of"] = rates.unknown_peak;
    return json;
  }
  json.update({{"peak_flops_per_s_per_device", rates.peak_per_device},
               {"mfu", rates.mfu},
               {"mfu_convention", mfu_convention(rates.precision)},
               {"mfu_all_pairs", rates.mfu_all_pairs},
               {"hfu", rates.hfu},
               {"above_peak", rates.above_peak()}});
  return json;
}

Json provenance_json(const Problem& problem) {
  return {{"figures", name_of(FigureSource::computed)},
          {"layer_times", name_of(source_of_times(*problem.profile))},
          {"assumptions", problem.assumptions}};
}

}  // namespace pipedeck::cli::text
