// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/event_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "app/cli/text/console.hpp"
#include "core/io/documents/formats.hpp"

namespace pipedeck::cli::work {
namespace {

/// Removes what is behind the whole lines, where that is possible.
void cut_to(int file, off_t whole_lines) { [[maybe_unused]] const int done = ::ftruncate(file, whole_lines); }

}  // namespace

/// Opens the file and locks it: two runs in one file would be useless.
Result<EventLog::Descriptor> EventLog::opened(const std::string& path, bool& made) {
  const auto failed = [&](const std::string& why) { return fail(ErrorCode::bad_input, why, {}, path); };
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  made = file.number() >= 0;
  if (!made) file = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file.number() < 0) return failed(fmt::format("cannot be opened for writing: {}", std::strerror(errno)));
  struct ::stat about {};
  const bool regular = ::fstat(file.number(), &about) == 0 && S_ISREG(about.st_mode);
  if (regular && ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return failed("found a file that another run writes its events into, expected another file");
  return file;
}

Result<EventLog> EventLog::open(const std::string& path, bool stop_without_reader) {
  EventLog log;
  log.path_ = path;
  log.stop_without_reader_ = stop_without_reader;
  if (path.empty()) return log;
  if (path == "-") {
    log.file_ = Descriptor(STDOUT_FILENO);
    return log;
  }
  TRY(auto file, opened(path, log.made_));
  log.file_ = std::move(file);
  return log;
}

bool EventLog::lost_reader() const { return problem_ == EPIPE; }

/// Empties the file. A pipe can't be emptied and need not be.
bool EventLog::begin() {
  begun_ = true;
  return path_ == "-" || ::ftruncate(file_.number(), 0) == 0 || errno == EINVAL;
}

/// A reader that does not read is no reason once the run is asked to stop.
bool EventLog::must_stop() const {
  return problem_ != 0 && problem_ != EAGAIN && (!lost_reader() || stop_without_reader_);
}

bool EventLog::write(const RunEvent& event) {
  if (file_.number() < 0 || problem_ != 0) return !must_stop();
  // A run that was refused leaves the events of the one before it alone.
  if (!begun_ && path_ != "-" && std::holds_alternative<RunFailed>(event)) return true;
  const std::string line = io::documents::event_to_json(event) + '\n';
  if ((begun_ || begin()) && text::write_all(file_.number(), line)) {
    written_ += static_cast<off_t>(line.size());
    return true;
  }
  problem_ = errno;
  if (path_ != "-") cut_to(file_.number(), written_);
  return !must_stop();
}

Result<void> EventLog::close() {
  if (must_stop())
    return fail(ErrorCode::run_failed,
                lost_reader()
                    ? "the reader of the events has left; --on-lost-reader stop ended the run"
                    : fmt::format("events can't be written: {}; the run was stopped", std::strerror(problem_)),
                {}, path_);
  if (made_ && !begun_) ::unlink(path_.c_str());  // while it is locked: no other run has begun to write there
  file_ = Descriptor();
  return {};
}

}  // namespace pipedeck::cli::work
