// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/file_formats.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/calibration_text.hpp"
#include "app/cli/text/console.hpp"
#include "core/io/documents/calibration.hpp"
#include "core/io/documents/event.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/dumps/files.hpp"
#include "core/io/files.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/io/traces/events.hpp"
#include "core/io/traces/ranks.hpp"
#include "core/io/traces/trace.hpp"
#include "core/presets/machine_import.hpp"
#include "core/study/autopsy/late_ranks.hpp"

namespace pipedeck::cli::work {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

Result<RunLog> parse_run_log(const std::string& content, const std::string& path) {
  auto found = io::documents::events_from_lines(content);
  if (!found) return tl::unexpected(text::in_file(std::move(found.error()), path));
  if (!found->warning.empty()) text::print_warning(fmt::format("{}: {}", path, found->warning));
  return RunLog{.events = std::move(found->events), .text = content.substr(0, found->size)};
}

const MeasuredTimeline* last_timeline(const RunLog& log) {
  const MeasuredTimeline* last = nullptr;
  for (const RunEvent& event : log.events)
    if (const auto* measured = std::get_if<MeasuredTimeline>(&event)) last = measured;
  return last;
}

std::string_view format_of_job(const io::jobs::TrainingJob& job) {
  return job.engine == "torchtitan" ? "torchtitan" : job.engine == "DeepSpeed" ? "deepspeed" : "megatron";
}

std::string_view format_of_machines(const FoundMachines& found) {
  if (found.matrix) return "bandwidths";
  if (found.machines.empty()) return "slurm";
  if (!found.shares.empty() && !found.shares.front().format.empty()) return found.shares.front().format;
  const std::string& source = found.machines.front().source;
  if (source == "Slurm") return "slurm";
  if (source == "lstopo") return "lstopo";
  if (source == "p2pBandwidthLatencyTest" || source == "nvbandwidth") return "gpu-copies";
  return source.starts_with("NCCL") ? "nccl-topology" : "nvidia-smi";
}

/// The formats that a file can be written in; its own first.
std::vector<std::string_view> possible_formats(const AnyFile& file) {
  return std::visit(Overloaded{
                        [](const Profile&) -> std::vector<std::string_view> {
                          return {"profile", "graph-text"};
                        },
                        [](const Simulation&) -> std::vector<std::string_view> {
                          return {"simulation", "trace"};
                        },
                        [](const RunLog&) -> std::vector<std::string_view> {
                          return {"run-log", "trace"};
                        },
                        [](const store::ProjectContent&) -> std::vector<std::string_view> { return {}; },
                        [](const FoundMachines&) -> std::vector<std::string_view> { return {"cluster"}; },
                        [](const ParsedTransformer&) -> std::vector<std::string_view> { return {"profile"}; },
                        [](const OperatorGraph&) -> std::vector<std::string_view> { return {"profile"}; },
                        [](const io::jobs::TrainingJob&) -> std::vector<std::string_view> {
                          return {"plan", "profile"};
                        },
                        [&](const auto&) -> std::vector<std::string_view> { return {format_name(file)}; },
                    },
                    file);
}

std::string joined(const io::text::TextChunks& pieces) {
  std::string text;
  pieces([&text](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

Error no_operations_error() {
  return {ErrorCode::bad_input,
          "has no operations for a trace; simulate with --intervals, or run with --timeline-every",
          {},
          {}};
}

}  // namespace

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> formats = [] {
    std::vector<FileFormat> all;
    for (const io::Importer& importer : io::importers())
      all.push_back({importer.name, importer.ending, importer.summary});
    all.push_back({"run-log", ".jsonl", "events of a run, one JSON object per line (read, written)"});
    all.push_back({"capacity-points", ".points.json", "points of a capacity sweep, to continue from (read, written)"});
    all.push_back(
        {"checkpoint", ".pdck", "saved state of a device of a training run (validated; list checkpoints DIR)"});
    all.push_back({"memory-snapshot", ".pickle", "memory snapshot of PyTorch's allocator (validated; autopsy FILE)"});
    all.push_back({"flight-recorder", "nccl_trace_rank_N",
                   "a rank's last collectives, by PyTorch's flight recorder for NCCL (validated; autopsy FILE)"});
    all.push_back({"trace", ".trace.json",
                   "Chrome trace, of PyTorch's profiler or for Perfetto, also gzipped; with modules also as a profile "
                   "(read, written)"});
    return all;
  }();
  return formats;
}

const FileFormat* file_format_of_name(std::string_view path) {
  const FileFormat* best = nullptr;
  for (const FileFormat& format : file_formats())
    if (path.ends_with(format.ending) && (!best || format.ending.size() > best->ending.size())) best = &format;
  return best;
}

io::text::TextChunks lines_of(const RunLog& log) {
  return [&log](const io::text::ChunkSink& sink) {
    if (!log.text.empty()) return sink(log.text);
    return std::ranges::all_of(
        log.events, [&](const RunEvent& event) { return io::documents::write_event(event, sink) && sink("\n"); });
  };
}

Result<RunLog> read_run_log(const std::string& path) {
  TRY(const auto content, io::read_file(path));
  if (!io::documents::is_run_log(content))
    return fail(ErrorCode::bad_input, "found no events of a run, expected what run --events writes", "line 1", path);
  return parse_run_log(content, path);
}

Result<RunLog> read_traces_as_run(const std::vector<std::string>& paths, const std::stop_token& stop) {
  TRY(auto traces, io::traces::read_each_trace(paths, stop));
  auto joined = traces.size() == 1 ? Result<io::traces::ParsedTrace>(std::move(traces.front()))
                                   : study::autopsy::join_aligned(std::move(traces), paths, stop);
  if (!joined) return tl::unexpected(std::move(joined).error());
  return RunLog{.events = io::traces::run_of_trace(*std::move(joined)), .text = {}};
}

Result<AnyFile> read_any_file(const std::string& path, const io::ReadOptions& options, const std::stop_token& stop) {
  if (io::traces::looks_like_trace(path))
    return read_traces_as_run({path}, stop).map([](RunLog&& log) { return AnyFile(std::move(log)); });
  if (store::is_database(path))
    return store::read_project(path, stop).map([](store::ProjectContent&& project) {
      return AnyFile(std::move(project));
    });
  if (io::dumps::looks_like_dump(path))
    return fail(ErrorCode::bad_input, "found a dump of PyTorch, expected a document; pipedeck-cli autopsy reads dumps",
                {}, path);
  TRY(const auto content, io::read_file(path));
  if (io::documents::is_run_log(content))
    return parse_run_log(content, path).map([](RunLog&& log) { return AnyFile(std::move(log)); });
  if (io::documents::looks_like_capacity_points(content)) {
    auto points = io::documents::capacity_points_from_json(content);
    if (!points) return tl::unexpected(text::in_file(points.error(), path));
    return AnyFile(*std::move(points));
  }
  TRY(auto document, io::read_document(path, content, options));
  return std::visit([](auto&& value) { return AnyFile(std::move(value)); }, std::move(document));
}

std::string_view format_name(const AnyFile& file) {
  return std::visit(Overloaded{
                        [](const Profile&) -> std::string_view { return "profile"; },
                        [](const Cluster&) -> std::string_view { return "cluster"; },
                        [](const Plan&) -> std::string_view { return "plan"; },
                        [](const Simulation&) -> std::string_view { return "simulation"; },
                        [](const ModelSpec&) -> std::string_view { return "model"; },
                        [](const CalibrationRecord&) -> std::string_view { return "calibration"; },
                        [](const RunLog&) -> std::string_view { return "run-log"; },
                        [](const store::ProjectContent&) -> std::string_view { return "project"; },
                        [](const FoundMachines& found) -> std::string_view { return format_of_machines(found); },
                        [](const ParsedTransformer&) -> std::string_view { return "hugging-face"; },
                        [](const io::documents::CapacityPoints&) -> std::string_view { return "capacity-points"; },
                        [](const OperatorGraph&) -> std::string_view { return "onnx"; },
                        [](const io::jobs::TrainingJob& job) -> std::string_view { return format_of_job(job); },
                    },
                    file);
}

std::string summary_of(const AnyFile& file) {
  return std::visit(
      Overloaded{
          [](const Profile& profile) { return fmt::format("{}, {} layers", profile.name, profile.layers.size()); },
          [](const Cluster& cluster) {
            return fmt::format("{}, {} devices", cluster.name, devices_of(cluster).size());
          },
          [](const Plan& plan) { return fmt::format("{}, {}", plan.name, stage_shape_text(plan)); },
          [](const Simulation& simulation) { return fmt::format("{} devices", simulation.devices.size()); },
          [](const ModelSpec& model) { return fmt::format("{}, {} layers", model.name, model.layers.size()); },
          [](const CalibrationRecord& record) { return text::calibration_line(record); },
          [](const RunLog& log) { return fmt::format("{} events", log.events.size()); },
          [](const FoundMachines& found) { return presets::summary_of(found); },
          [](const ParsedTransformer& read) {
            return fmt::format("{}, {} of {} blocks", read.config.name, read.config.family,
                               read.config.layers + read.config.decoder_layers);
          },
          [](const io::documents::CapacityPoints& points) {
            const auto fit = std::ranges::count_if(points.found, [](const auto& one) { return one.second.fits(); });
            return fmt::format("{} points, {} with a plan that fits", points.found.size(), fit);
          },
          [](const OperatorGraph& graph) {
            return fmt::format("{}, {} operators", graph.name, graph.operators.size());
          },
          [](const io::jobs::TrainingJob& job) {
            return fmt::format("a job of {}, {}", job.engine, text_of(job.share));
          },
          [](const store::ProjectContent& project) {
            return fmt::format("{} documents, {} runs", project.documents.size(), project.runs.size());
          },
      },
      file);
}

Result<std::string> text_of(const AnyFile& file, std::string_view format) {
  const auto possible = possible_formats(file);
  if (std::find(possible.begin(), possible.end(), format) == possible.end())
    return fail(ErrorCode::bad_usage,
                fmt::format("a {} cannot be written as {}; possible: {}", format_name(file), format,
                            possible.empty() ? "nothing, it holds several documents"
                                             : fmt::format("{}", fmt::join(possible, ", "))));
  return std::visit(
      Overloaded{
          [&](const Profile& profile) -> Result<std::string> {
            return format == "graph-text" ? io::profiles::profile_to_graph_text(profile)
                                          : io::documents::profile_to_json(profile);
          },
          [](const Cluster& cluster) -> Result<std::string> { return io::documents::cluster_to_json(cluster); },
          [](const Plan& plan) -> Result<std::string> { return io::documents::plan_to_json(plan); },
          [&](const Simulation& simulation) -> Result<std::string> {
            const bool timed = simulation.timeline.size() > 0;
            if (format == "trace" && !timed) return tl::unexpected(no_operations_error());
            if (format == "trace") return io::traces::chrome_trace(simulation, "simulation");
            return io::documents::simulation_to_json(simulation, {.intervals = timed});
          },
          [](const ModelSpec& model) -> Result<std::string> { return io::documents::model_to_json(model); },
          [](const CalibrationRecord& record) -> Result<std::string> {
            return io::documents::calibration_to_json(record);
          },
          [&](const RunLog& log) -> Result<std::string> {
            if (format == "run-log") return joined(lines_of(log));
            const MeasuredTimeline* measured = last_timeline(log);
            if (!measured || measured->timeline.size() == 0) return tl::unexpected(no_operations_error());
            return io::traces::chrome_trace(measured->timeline, "run");
          },
          [](const store::ProjectContent&) -> Result<std::string> { return std::string(); },
          [](const FoundMachines& found) -> Result<std::string> {
            return presets::cluster_of(found).map(
                [](const presets::ImportedCluster& made) { return io::documents::cluster_to_json(made.cluster); });
          },
          [](const io::documents::CapacityPoints& points) -> Result<std::string> {
            return io::documents::capacity_points_to_json(points);
          },
          [](const ParsedTransformer& read) -> Result<std::string> {
            return fail(ErrorCode::bad_usage,
                        fmt::format("{} becomes a profile by convert, which takes a device type", read.config.name));
          },
          [](const io::jobs::TrainingJob& job) -> Result<std::string> {
            return fail(ErrorCode::bad_usage, fmt::format("{} becomes a plan or a profile by convert", job.name));
          },
          [](const OperatorGraph& graph) -> Result<std::string> {
            return fail(ErrorCode::bad_usage,
                        fmt::format("{} becomes a profile by convert, which takes a device type", graph.name));
          },
      },
      file);
}

}  // namespace pipedeck::cli::work
