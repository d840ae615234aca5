// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/calibration.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Unit;
using json::Value;

constexpr double max_figure = 1e12;
constexpr double shortest_step = 1e-9;  // seconds
constexpr double max_slowdown = 100, max_efficiency = 1000;
constexpr std::string_view use_words = "\"fit\", \"held-out\", \"in-turn\"";

/// Quartiles stand in the unit of their figure: "lower_quartile_us" of an overhead.
struct FigureFormat {
  std::string lower = "lower_quartile", upper = "upper_quartile";
  Unit unit = Unit::plain;
};
const FigureFormat overhead_format{"lower_quartile_us", "upper_quartile_us", Unit::microseconds};

/// An overhead's quartiles may be below 0: passes may have been faster than in the profile.
double quartile(ObjectReader& in, const std::string& key, Unit unit) {
  const Value* value = in.get(key);
  return value ? json::read_number(*value, unit, -max_figure, max_figure, in.place_of(key), in.problems()) : 0;
}

FittedParameter parse_figure(ObjectReader& in, const FigureFormat& format) {
  FittedParameter figure;
  const Value* determined = in.get("determined");
  if (determined) figure.determined = json::read_bool(*determined, in.place_of("determined"), in.problems());
  figure.note = in.text_or("note", "");
  if (!figure.determined) return figure;
  figure.operations = in.count("operations");
  figure.lower = quartile(in, format.lower, format.unit);
  figure.upper = quartile(in, format.upper, format.unit);
  if (in.ok() && figure.upper < figure.lower)
    in.fail(format.upper,
            fmt::format("found {}, expected at least {}", json::describe(*in.get(format.upper)), format.lower));
  return figure;
}

CalibratedRun parse_run(ObjectReader& in) {
  CalibratedRun run;
  run.name = in.text("name");
  run.plan = in.text("plan");
  run.use = in.word("use", parse_run_use, use_words);
  run.steps = in.count("steps");
  run.measured = in.long_time("measured_ms");
  if (in.ok() && run.measured.count < shortest_step)
    in.fail("measured_ms",
            fmt::format("found {}, expected a nanosecond or more", json::describe(*in.get("measured_ms"))));
  run.before = in.long_time("before_ms");
  run.after = in.long_time("after_ms");
  if (in.has("measured_peak_bytes")) run.measured_peak = in.total_bytes("measured_peak_bytes");
  if (in.has("predicted_peak_bytes")) run.predicted_peak = in.total_bytes("predicted_peak_bytes");
  for (const char* derived : {"error_before", "error_after"})  // written for the reader; they follow from the times
    if (in.has(derived)) in.number(derived, -1, std::numeric_limits<double>::max());
  return run;
}

CalibrationSource parse_source(ObjectReader& in) {
  CalibrationSource source{in.text("kind"), in.text("name"), in.text("sha256")};
  if (in.ok() && source.kind != "profile" && source.kind != "cluster")
    in.fail("kind", fmt::format("found \"{}\", expected \"profile\" or \"cluster\"", source.kind));
  return source;
}

void read_figures(ObjectReader& in, CalibrationRecord& record) {
  record.values.operation_overhead = in.latency("operation_overhead_us");
  record.values.overlap_slowdown = in.number("overlap_slowdown", 1, max_slowdown);
  record.values.link_efficiency = in.number("link_efficiency", 0, max_efficiency);
  if (in.ok() && record.values.link_efficiency <= 0)
    in.fail("link_efficiency",
            fmt::format("found {}, expected more than 0", json::describe(*in.get("link_efficiency"))));
  in.object("fit", [&](ObjectReader& fit) {
    fit.object("operation_overhead", [&](ObjectReader& one) { record.overhead = parse_figure(one, overhead_format); });
    fit.object("overlap_slowdown", [&](ObjectReader& one) { record.slowdown = parse_figure(one, {}); });
    fit.object("link_efficiency", [&](ObjectReader& one) { record.efficiency = parse_figure(one, {}); });
  });
}

void parse_calibration(ObjectReader& in, CalibrationRecord& record) {
  record.date = in.text("date");
  in.object("machine", [&](ObjectReader& machine) {
    record.host = machine.text("host");
    machine.values("devices", [&](const Value& value, const std::string& place) {
      record.devices.push_back(json::read_text(value, place, in.problems()));
    });
  });
  in.objects("sources", [&](ObjectReader& source) { record.sources.push_back(parse_source(source)); });
  read_figures(in, record);
  in.objects("runs", [&](ObjectReader& run) { record.runs.push_back(parse_run(run)); });
  record.extra = in.preserve_unknown_members();
}

Value figure_to_json(const FittedParameter& figure, const FigureFormat& format) {
  ObjectWriter out;
  out.add("determined", Value(figure.determined));
  if (figure.determined) {
    const auto number = [&](double value) {
      return Value(format.unit == Unit::microseconds ? json::microseconds_of(Seconds(value)) : json::number(value));
    };
    out.add("operations", figure.operations);
    out.add(format.lower, number(figure.lower)).add(format.upper, number(figure.upper));
  }
  if (!figure.note.empty()) out.add("note", figure.note);
  return out.finish();
}

Value run_to_json(const CalibratedRun& run) {
  ObjectWriter out;
  out.add("name", run.name).add("plan", run.plan).add("use", pipedeck::name_of(run.use)).add("steps", run.steps);
  out.add("measured_ms", json::milliseconds_of(run.measured));
  out.add("before_ms", json::milliseconds_of(run.before)).add("after_ms", json::milliseconds_of(run.after));
  out.add("error_before", json::number(run.error_before())).add("error_after", json::number(run.error_after()));
  out.add("measured_peak_bytes", run.measured_peak).add("predicted_peak_bytes", run.predicted_peak);
  return out.finish();
}

Value source_to_json(const CalibrationSource& source) {
  return ObjectWriter().add("kind", source.kind).add("name", source.name).add("sha256", source.sha256).finish();
}

}  // namespace

Result<CalibrationRecord> calibration_from_json(const std::string& text) {
  CalibrationRecord record;
  const Result<void> read =
      json::read_document(text, "pipedeck.calibration", [&](ObjectReader& in) { parse_calibration(in, record); });
  if (!read) return tl::unexpected(read.error());
  return record;
}

std::string calibration_to_json(const CalibrationRecord& record) {
  ObjectWriter out = ObjectWriter::document("pipedeck.calibration");
  out.add("date", record.date);
  ObjectWriter machine;
  machine.add("host", record.host);
  machine.add("devices", json::list_of(record.devices, [](const std::string& line) { return Value(line); }));
  out.add("machine", machine.finish());
  out.add("sources", json::list_of(record.sources, source_to_json));
  out.add("operation_overhead_us", json::microseconds_of(record.values.operation_overhead));
  out.add("overlap_slowdown", json::number(record.values.overlap_slowdown));
  out.add("link_efficiency", json::number(record.values.link_efficiency));
  ObjectWriter fit;
  fit.add("operation_overhead", figure_to_json(record.overhead, overhead_format));
  fit.add("overlap_slowdown", figure_to_json(record.slowdown, {}));
  fit.add("link_efficiency", figure_to_json(record.efficiency, {}));
  out.add("fit", fit.finish());
  out.add("runs", json::list_of(record.runs, run_to_json));
  return json::pretty(out.finish(record.extra));
}

}  // namespace pipedeck::io::documents
