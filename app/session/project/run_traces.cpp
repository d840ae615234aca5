// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/run_traces.hpp"

#include "app/session/project/content.hpp"
#include "core/io/csv/timeline_columns.hpp"
#include "core/io/documents/formats.hpp"

namespace pipedeck::session::project {

namespace {

/// Converts an event; a timeline's operations become columns next to its line.
store::StoredEvent event_to_store(const RunEvent& event) {
  const auto* measured = std::get_if<MeasuredTimeline>(&event);
  if (!measured) return {io::documents::event_to_json(event), {}};
  return {io::documents::event_to_json(MeasuredTimeline{measured->step, {}}),
          io::csv::timeline_to_columns(measured->timeline)};
}

Result<RunEvent> event_of(const store::StoredEvent& stored) {
  auto event = io::documents::event_from_json(stored.line);
  if (!event || stored.timeline.empty()) return event;
  auto* measured = std::get_if<MeasuredTimeline>(&*event);
  if (!measured) return fail(ErrorCode::bad_input, "found operations with an event that is no timeline");
  TRY(auto timeline, io::csv::timeline_from_columns(stored.timeline));
  measured->timeline = std::move(timeline);
  return event;
}

}  // namespace

Error in_document(Error error, const std::string& file, const std::string& document) {
  error.file = file;
  error.place = document + (error.place.empty() ? "" : ": " + error.place);
  return error;
}

store::RunTraces traces_of(const RunRecord& run) {
  store::RunTraces traces;
  if (run.predicted) {
    traces.prediction = io::documents::simulation_to_json(*run.predicted);
    traces.prediction_timeline = io::csv::timeline_to_columns(run.predicted->timeline);
  }
  for (const RunEvent& event : run.events) traces.events.push_back(event_to_store(event));
  return traces;
}

std::size_t bytes_of_traces(const RunRecord& run) {
  constexpr std::size_t operation = 23, point = 24, line = 200;
  std::size_t bytes = run.events.size() * line;
  for (const RunEvent& event : run.events)
    if (const auto* measured = std::get_if<MeasuredTimeline>(&event)) bytes += operation * measured->timeline.size();
  if (!run.predicted) return bytes;
  for (const SimulatedDevice& device : run.predicted->devices) bytes += point * device.curve.size();
  return bytes + operation * run.predicted->timeline.size();
}

Result<std::shared_ptr<const RunRecord>> with_traces(const std::shared_ptr<const RunRecord>& run) {
  if (!run->stored) return run;
  TRY(auto traces, run->stored->load());
  auto whole = std::make_shared<RunRecord>(*run);
  whole->stored.reset();
  const std::string what = "run '" + run->name.toStdString() + "'";
  if (!traces.prediction.empty()) {
    auto predicted = io::documents::simulation_from_json(traces.prediction);
    if (!predicted) return tl::unexpected(in_document(predicted.error(), {}, what + ": prediction"));
    auto timeline = io::csv::timeline_from_columns(traces.prediction_timeline);
    if (!timeline) return tl::unexpected(in_document(timeline.error(), {}, what + ": prediction"));
    predicted->timeline = std::move(*timeline);
    whole->predicted = std::make_shared<const Simulation>(std::move(*predicted));
  }
  for (std::size_t i = 0; i < traces.events.size(); ++i) {
    auto event = event_of(traces.events[i]);
    if (!event) return tl::unexpected(in_document(event.error(), {}, what + ": event " + std::to_string(i)));
    whole->events.push_back(std::move(*event));
  }
  return whole;
}

}  // namespace pipedeck::session::project
