// SPDX-License-Identifier: Apache-2.0
#include "app/cli/event_log.hpp"

#include "core/io/json_formats.hpp"

namespace pipedeck::cli {

Result<EventLog> EventLog::open(const std::string& path) {
  EventLog log;
  log.path_ = path;
  if (path.empty()) return log;
  log.file_.reset(path == "-" ? stdout : std::fopen(path.c_str(), "w"));
  if (!log.file_) return fail(ErrorCode::io, "can't be opened for writing", {}, path);
  return log;
}

bool EventLog::write(const RunEvent& event) {
  if (!file_ || !good_) return good_;
  const std::string line = event_to_json(event) + '\n';
  good_ = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
  return good_;
}

Result<void> EventLog::close() {
  if (!good_) return fail(ErrorCode::io, "events can't be written; the run was stopped", {}, path_);
  file_.reset();
  return {};
}

}  // namespace pipedeck::cli
