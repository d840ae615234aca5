// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/calibration_text.hpp"

#include <functional>

#include <fmt/format.h>

#include "app/cli/text/table.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

using Text = std::function<std::string(double)>;

std::string microseconds_text(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }
std::string plain_text(double value) { return fmt::format("{:.3f}", value); }

void add_figure(Table& table, const std::string& name, const FittedParameter& figure, double from, double to,
                const Text& text) {
  if (!figure.determined) {
    table.add({name, text(from), "not determined", "", "", figure.note});
    return;
  }
  table.add({name, text(from), text(to), std::to_string(figure.operations),
             fmt::format("{} to {}", text(figure.lower), text(figure.upper)), figure.note});
}

std::string figures_table(const CalibrationRecord& record) {
  Table table({{"figure", Align::left}, {"from"}, {"to"}, {"operations"}, {"quartiles"}, {"", Align::left}});
  const Calibration from;
  add_figure(table, "operation overhead", record.overhead, from.operation_overhead.count,
             record.values.operation_overhead.count, microseconds_text);
  add_figure(table, "overlap slow-down", record.slowdown, from.overlap_slowdown, record.values.overlap_slowdown,
             plain_text);
  add_figure(table, "link efficiency", record.efficiency, from.link_efficiency, record.values.link_efficiency,
             plain_text);
  return table.text();
}

std::string signed_percent(double fraction) { return fmt::format("{:+.1f} %", fraction * 100); }

std::string memory_error(const CalibratedRun& run) {
  if (run.measured_peak.count == 0) return "-";
  return signed_percent(static_cast<double>(run.predicted_peak.count) / static_cast<double>(run.measured_peak.count) -
                        1);
}

std::string use_text(RunUse use) {
  switch (use) {
    case RunUse::fit:
      return "fitted";
    case RunUse::held_out:
      return "held out";
    case RunUse::cross_validation:
      return "in turn";
  }
  return {};
}

std::string runs_table(const CalibrationRecord& record) {
  Table table({{"run", Align::left},
               {"plan", Align::left},
               {"use", Align::left},
               {"steps"},
               {"measured ms"},
               {"before ms"},
               {"after ms"},
               {"error before"},
               {"after"},
               {"peak memory error"}});
  for (const CalibratedRun& run : record.runs)
    table.add({run.name, run.plan, use_text(run.use), std::to_string(run.steps), milliseconds_text(run.measured),
               milliseconds_text(run.before), milliseconds_text(run.after), signed_percent(run.error_before()),
               signed_percent(run.error_after()), memory_error(run)});
  return table.text();
}

std::string mean_text(const std::optional<MeanErrors>& mean, const std::string& which) {
  if (!mean) return {};
  return fmt::format("mean error of {} {} {}: {} before, {} after\n", mean->runs, mean->runs == 1 ? "run" : "runs",
                     which, percent_text(mean->before), percent_text(mean->after));
}

/// How far the errors after can be believed.
std::string held_out_text(const CalibrationRecord& record) {
  const bool in_turn = !record.runs.empty() && record.runs.front().use == RunUse::cross_validation;
  std::string text = mean_text(mean_errors(record, false), "fitted from");
  text += mean_text(mean_errors(record, true), in_turn ? "left out in turn" : "held out");
  if (in_turn)
    text += "in turn: \"after\" comes from a fit to all other runs; the figures above are fitted to all runs\n";
  if (!mean_errors(record, true))
    text += "no run was held out: the errors after the fit are on its own runs and do not apply to others\n";
  return text;
}

}  // namespace

std::string calibration_line(const CalibrationRecord& record) {
  return fmt::format("overhead {}, slow-down {}, link efficiency {}; {} on {}",
                     microseconds_text(record.values.operation_overhead.count),
                     plain_text(record.values.overlap_slowdown), plain_text(record.values.link_efficiency), record.date,
                     record.host);
}

std::string calibration_text(const CalibrationRecord& record) {
  std::string text = fmt::format("{} on {}\n", io::text::printable(record.date), io::text::printable(record.host));
  for (const std::string& device : record.devices) text += "  " + device + "\n";
  return text + "\n" + figures_table(record) + "\n" + runs_table(record) + "\n" + held_out_text(record);
}

}  // namespace pipedeck::cli::text
