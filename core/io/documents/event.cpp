// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/event.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/documents/gpu.hpp"
#include "core/io/documents/intervals.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr double max_number = std::numeric_limits<double>::max();

/// A run that diverges has a loss that is no number; JSON has null for it.
Value loss_to_json(double loss) { return std::isfinite(loss) ? Value(json::number(loss)) : Value(); }

double parse_loss(ObjectReader& in) {
  const Value* value = in.get("loss");
  if (value && value->is_null()) return std::numeric_limits<double>::quiet_NaN();
  return value ? in.number("loss", -max_number, max_number) : 0;
}

Value value_of(const RunStarted& event) {
  ObjectWriter out;
  out.add("event", "started").add("version", 1);
  out.add("plan", event.plan).add("model", event.model).add("backend", event.backend);
  out.add("steps", event.steps).add("devices", event.devices);
  if (event.from_step > 0) out.add("from_step", event.from_step);
  if (!event.gpus.empty()) out.add("gpus", documents::gpus_to_json(event.gpus));
  return out.finish();
}

Value value_of(const StepDone& event) {
  ObjectWriter out;
  out.add("event", "step").add("step", event.step).add("loss", loss_to_json(event.loss));
  out.add("duration_ms", json::milliseconds_of(event.duration));
  out.add("samples_per_s", json::number(event.samples_per_second));
  out.add("busy_fraction", json::list_of(event.busy_fraction, [](double busy) { return Value(json::number(busy)); }));
  return out.add("memory_bytes", json::bytes_of(event.memory)).finish();
}

Value value_of(const RunSample& event) {
  ObjectWriter out;
  out.add("event", "sample").add("time_ms", json::milliseconds_of(event.time));
  out.add("busy_fraction", json::list_of(event.busy_fraction, [](double busy) { return Value(json::number(busy)); }));
  out.add("memory_bytes", json::bytes_of(event.memory));
  if (!event.gpus.empty()) out.add("gpus", documents::readings_to_json(event.gpus));
  return out.finish();
}

Value value_of(const RunPaused& event) {
  return ObjectWriter().add("event", "paused").add("step", event.step).finish();
}

Value value_of(const RunResumed& event) {
  return ObjectWriter().add("event", "resumed").add("step", event.step).finish();
}

Value value_of(const RunCheckpoint& event) {
  ObjectWriter out;
  out.add("event", "checkpoint").add("step", event.step).add("path", text::to_utf8(event.path));
  return out.add("bytes", event.bytes).add("duration_ms", json::milliseconds_of(event.duration)).finish();
}

Value value_of(const RunWarning& event) {
  return ObjectWriter().add("event", "warning").add("message", event.message).finish();
}

Value value_of(const RunFailed& event) {
  return ObjectWriter().add("event", "failed").add("message", event.message).finish();
}

Value value_of(const RunFinished& event) {
  ObjectWriter out;
  out.add("event", "finished").add("steps", event.steps).add("loss", loss_to_json(event.loss));
  out.add("duration_ms", json::milliseconds_of(event.duration));
  out.add("median_step_ms", json::milliseconds_of(event.median_step));
  out.add("stopped", Value(event.stopped));
  if (!event.gpu_energy.empty()) out.add("gpu_energy_j", documents::figures_to_json(event.gpu_energy));
  if (event.gpu_look) out.add("gpu_look_ms", json::milliseconds_of(*event.gpu_look));
  return out.finish();
}

/// The only one whose text grows with what was measured.
bool write_timeline(const MeasuredTimeline& event, const text::ChunkSink& sink) {
  return sink(fmt::format(R"({{"event":"timeline","step":{},"intervals":)", event.step)) &&
         documents::write_intervals(event.timeline, sink) && sink("}");
}

RunStarted parse_started(ObjectReader& in) {
  RunStarted event;
  if (in.count_or("version", 1, 0) != 1)
    in.fail("version", fmt::format("found {}, expected 1, the only version that this program reads",
                                   json::describe(*in.get("version"))));
  event.plan = in.text("plan");
  event.model = in.text("model");
  event.backend = in.text("backend");
  event.steps = in.count("steps", 0);
  event.devices = in.count("devices", 1, limits::devices);
  event.from_step = in.count_or("from_step", 0, 0);
  event.gpus = documents::parse_gpus(in, "gpus");
  return event;
}

void read_devices(ObjectReader& in, std::vector<double>& busy_fraction, std::vector<Bytes>& memory) {
  in.values("busy_fraction", [&](const Value& value, const std::string& place) {
    busy_fraction.push_back(json::read_number(value, json::Unit::plain, 0, max_number, place, in.problems()));
  });
  in.values("memory_bytes", [&](const Value& value, const std::string& place) {
    memory.push_back(Bytes(json::read_integer(value, 0, limits::total_bytes, place, in.problems())));
  });
}

StepDone parse_step(ObjectReader& in) {
  StepDone event;
  event.step = in.count("step");
  event.loss = parse_loss(in);
  event.duration = in.long_time("duration_ms");
  event.samples_per_second = in.number("samples_per_s", 0, max_number);
  read_devices(in, event.busy_fraction, event.memory);
  return event;
}

RunSample parse_sample(ObjectReader& in) {
  RunSample event;
  event.time = in.long_time("time_ms");
  read_devices(in, event.busy_fraction, event.memory);
  event.gpus = documents::parse_readings(in, "gpus");
  return event;
}

MeasuredTimeline parse_timeline(ObjectReader& in) {
  MeasuredTimeline event;
  event.step = in.count("step");
  event.timeline = documents::read_intervals(in, "intervals");
  return event;
}

RunCheckpoint parse_checkpoint(ObjectReader& in) {
  RunCheckpoint event;
  event.step = in.count("step", 0);
  event.path = in.text("path");
  event.bytes = in.total_bytes("bytes");
  event.duration = in.long_time("duration_ms");
  return event;
}

RunFinished parse_finished(ObjectReader& in) {
  RunFinished event;
  event.steps = in.count("steps", 0);
  event.loss = parse_loss(in);
  event.duration = in.long_time("duration_ms");
  event.median_step = in.long_time("median_step_ms");
  event.stopped = in.bool_or("stopped", false);
  event.gpu_energy = documents::parse_figures(in, "gpu_energy_j");
  if (in.has("gpu_look_ms")) event.gpu_look = in.long_time("gpu_look_ms");
  return event;
}

RunEvent parse_event(ObjectReader& in) {
  const std::string kind = in.text("event");
  if (kind == "started") return parse_started(in);
  if (kind == "step") return parse_step(in);
  if (kind == "timeline") return parse_timeline(in);
  if (kind == "sample") return parse_sample(in);
  if (kind == "paused") return RunPaused{in.count("step", 0)};
  if (kind == "resumed") return RunResumed{in.count("step", 0)};
  if (kind == "checkpoint") return parse_checkpoint(in);
  if (kind == "warning") return RunWarning{in.text("message")};
  if (kind == "failed") return RunFailed{in.text("message")};
  if (kind == "finished") return parse_finished(in);
  if (in.ok())
    in.fail("event", fmt::format("found {}, expected started, step, timeline, sample, paused, resumed, checkpoint, "
                                 "warning, failed or finished",
                                 json::describe(Value(kind))));
  return RunWarning{};
}

/// Returns whether a line up to `end` is the text's last one, without its end or no JSON.
bool is_cut(const std::string& text, std::size_t end, const std::string& line) {
  const bool last = text.find_first_not_of("\r\n", end) == text.npos;
  return last && (end == text.size() || !json::parse(line));
}

}  // namespace

bool is_run_log(const std::string& content) {
  if (!content.starts_with('{')) return false;
  const auto first = json::parse(content.substr(0, content.find('\n')));
  return first && first->find("event");
}

bool write_event(const RunEvent& event, const text::ChunkSink& sink) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, MeasuredTimeline>)
          return write_timeline(kind, sink);
        else
          return sink(json::compact(value_of(kind)));
      },
      event);
}

std::string event_to_json(const RunEvent& event) {
  std::string text;
  write_event(event, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

Result<RunEvent> event_from_json(const std::string& line) {
  const Result<Value> value = json::parse(line);
  if (!value) return tl::unexpected(value.error());
  json::ErrorCollector problems;
  RunEvent event;
  {
    ObjectReader in(*value, "", problems);
    if (!problems) event = parse_event(in);
  }
  if (problems) return tl::unexpected(*problems.first);
  return event;
}

Result<EventLines> events_from_lines(const std::string& text) {
  EventLines found;
  for (int number = 1; found.size < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', found.size), text.size());
    const std::string line = text.substr(found.size, end - found.size);
    auto event = line.empty() ? Result<RunEvent>() : event_from_json(line);
    if (!event && !found.events.empty() && is_cut(text, end, line)) {
      found.warning = fmt::format("line {}, the last one, is cut off: the events before it are used", number);
      return found;
    }
    if (!event) {
      Error error = event.error();
      error.place = fmt::format("line {}{}{}", number, error.place.empty() ? "" : ", ", error.place);
      return tl::unexpected(std::move(error));
    }
    if (!line.empty()) found.events.push_back(*std::move(event));
    found.size = std::min(end + 1, text.size());
  }
  return found;
}

}  // namespace pipedeck::io::documents
