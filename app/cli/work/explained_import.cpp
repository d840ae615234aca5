// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/explained_import.hpp"

#include <utility>

#include "app/cli/work/file_formats.hpp"
#include "core/io/dumps/files.hpp"
#include "core/io/files.hpp"
#include "core/io/traces/events.hpp"
#include "core/presets/traced_profile.hpp"

namespace pipedeck::cli::work {
namespace {

/// Takes a trace for the profile of its modules, or else for the log of a run.
Result<ExplainedImport> explained_trace(const std::string& path, const std::string& device,
                                        const std::stop_token& stop) {
  ExplainedImport made;
  made.evidence = "events of a Chrome trace";
  auto profile = presets::read_traced_profile(path, {{}, {}, device}, stop);
  if (profile) {
    made.share = std::move(profile->share);
    return made;
  }
  TRY(const auto log, read_traces_as_run({path}, stop));
  made.share.format = "trace";
  made.share.unit = "event";
  made.share.understood = static_cast<int>(log.events.size());
  for (const RunEvent& event : log.events)
    if (const auto* note = std::get_if<RunWarning>(&event)) made.share.assumed.push_back(note->message);
  made.open = "as a profile: " + profile.error().message;
  return made;
}

/// Takes a file for a dump of PyTorch, which no document is made of.
Result<ExplainedImport> explained_dump(const std::string& path, const std::stop_token& stop) {
  TRY(const auto dump, io::dumps::read_dump(path, stop));
  ExplainedImport made;
  made.open = "an autopsy reads it: pipedeck-cli autopsy FILE ...";
  if (const auto* snapshot = std::get_if<io::dumps::MemorySnapshot>(&dump)) {
    made.evidence = "a pickle with a list of segments";
    made.share = {.unit = "event", .format = "memory-snapshot"};
    for (const io::dumps::DeviceMemory& device : snapshot->devices)
      made.share.understood += static_cast<int>(device.events.size());
    made.share.without_effect = static_cast<int>(snapshot->unread);
    return made;
  }
  made.evidence = "entries of collectives";
  made.share = {.unit = "call", .format = "flight-recorder"};
  made.share.understood = static_cast<int>(std::get<io::dumps::FlightDump>(dump).entries.size());
  return made;
}

/// Makes of a document what it becomes. The share gets what is assumed on the way.
void complete(ExplainedImport& made, io::Document document, const options::MachineOptions& machines,
              const options::ModelOptions& models) {
  const auto take = [&](const auto& result, auto share_of) {
    if (result)
      made.share = share_of(*result);
    else
      made.open = result.error().message;
  };
  if (auto* found = std::get_if<FoundMachines>(&document))
    take(machines.cluster(std::move(*found)),
         [&](const presets::ImportedCluster& one) { return one.shares.empty() ? made.share : one.shares.back(); });
  const auto of_profile = [](const analytic::AnalyticProfile& one) { return one.share; };
  if (const auto* model = std::get_if<ParsedTransformer>(&document))
    take(models.profile(*model, machines.device()), of_profile);
  if (const auto* graph = std::get_if<OperatorGraph>(&document))
    take(models.profile(*graph, machines.device()), of_profile);
}

}  // namespace

Result<ExplainedImport> explained_import(const std::string& path, io::ReadOptions how,
                                         const options::MachineOptions& machines, const options::ModelOptions& models,
                                         const std::stop_token& stop) {
  if (io::traces::looks_like_trace(path)) return explained_trace(path, machines.device(), stop);
  if (io::dumps::looks_like_dump(path)) return explained_dump(path, stop);
  TRY(const auto content, io::read_file(path));
  const auto importer = io::importer_of(content);
  if (!importer) {
    // A log of a run or the points of a sweep are of this program's own formats, which no importer reads.
    TRY(const auto file, read_any_file(path, how, stop));
    return ExplainedImport{{.unit = "file", .understood = 1, .format = std::string(format_name(file))},
                           "lines or members of Pipedeck's own",
                           {}};
  }
  ExplainedImport made;
  made.evidence = (*importer)->evidence;
  if ((*importer)->kind == io::FileKind::project) {
    made.share = {.unit = "file", .understood = 1, .format = "project"};
    return made;
  }
  how.share = &made.share;
  TRY(auto document, io::read_document(path, content, how));
  complete(made, std::move(document), machines, models);
  return made;
}

}  // namespace pipedeck::cli::work
