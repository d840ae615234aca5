// SPDX-License-Identifier: Apache-2.0
// Every format by one name: what a file turned out to hold, and what it can be written as.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/io/documents/capacity.hpp"
#include "core/io/importers.hpp"
#include "core/io/text/pieces.hpp"
#include "core/model/run.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::cli::work {

struct FileFormat {
  std::string_view name;     ///< "graph-text"
  std::string_view ending;   ///< usual ending of its files: ".plan.json"
  std::string_view summary;  ///< one line
};
const std::vector<FileFormat>& file_formats();
/// The format whose ending `path` has; the longest one wins. Null where none fits.
const FileFormat* file_format_of_name(std::string_view path);

/// The events of a run, as `run --events` writes them.
struct RunLog {
  std::vector<RunEvent> events;
  std::string text;  ///< as it was read, with keys that this program does not know; empty: it was a trace
};

using AnyFile =
    std::variant<Profile, Cluster, Plan, Simulation, ModelSpec, CalibrationRecord, RunLog, store::ProjectContent,
                 FoundMachines, ParsedTransformer, OperatorGraph, io::jobs::TrainingJob, io::documents::CapacityPoints>;

/// Errors name the file, and the line of the event.
Result<RunLog> read_run_log(const std::string& path);
/// A trace, or those of all ranks of a run. Errors as of core/io/traces/ranks.
Result<RunLog> read_traces_as_run(const std::vector<std::string>& paths, const std::stop_token& stop = {});

/// Reads and validates a file, whose content identifies its format. A trace becomes the log of a run, read in pieces.
/// Errors name the file.
Result<AnyFile> read_any_file(const std::string& path, const io::ReadOptions& options = {},
                              const std::stop_token& stop = {});

std::string_view format_name(const AnyFile& file);
/// One line on what is in it: "50 layers".
std::string summary_of(const AnyFile& file);

/// A log's lines in pieces: what was measured of a long run is too long for one text.
io::text::TextChunks lines_of(const RunLog& log);

/// The text of `file` in a format of that name; bad_usage, listing what is possible, where it can't be written so.
Result<std::string> text_of(const AnyFile& file, std::string_view format);

}  // namespace pipedeck::cli::work
