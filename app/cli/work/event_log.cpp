// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/event_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"

namespace pipedeck::cli::work {
namespace {

/// Opens the file and locks it: two runs in one file would be useless.
Result<std::FILE*> opened(const std::string& path, bool& made) {
  const auto failed = [&](const std::string& why) { return fail(ErrorCode::bad_input, why, {}, path); };
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  made = descriptor >= 0;
  if (!made) descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return failed(fmt::format("cannot be opened for writing: {}", std::strerror(errno)));
  struct ::stat about {};
  const bool file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  if (file && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    return failed("found a file that another run writes its events into, expected another file");
  }
  std::FILE* const stream = ::fdopen(descriptor, "w");
  if (stream) std::setvbuf(stream, nullptr, _IONBF, 0);  // a line that failed is not tried again
  return stream;
}

/// Removes what is behind the whole lines, where that is possible.
void cut_to(std::FILE* file, off_t whole_lines) {
  [[maybe_unused]] const int done = ::ftruncate(::fileno(file), whole_lines);
}

}  // namespace

Result<EventLog> EventLog::open(const std::string& path, bool stop_without_reader) {
  EventLog log;
  log.path_ = path;
  log.stop_without_reader_ = stop_without_reader;
  if (path.empty()) return log;
  if (path == "-") {
    log.file_.reset(stdout);
    return log;
  }
  TRY(const auto file, opened(path, log.made_));
  log.file_.reset(file);
  return log;
}

bool EventLog::lost_reader() const { return problem_ == EPIPE; }

/// Empties the file. A pipe can't be emptied and need not be.
bool EventLog::begin() {
  begun_ = true;
  return path_ == "-" || ::ftruncate(::fileno(file_.get()), 0) == 0 || errno == EINVAL;
}

bool EventLog::write_line(const std::string& line) {
  return std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
}

bool EventLog::write(const RunEvent& event) {
  if (!file_ || problem_ != 0) return !must_stop();
  // A run that was refused leaves the events of the one before it alone.
  if (!begun_ && path_ != "-" && std::holds_alternative<RunFailed>(event)) return true;
  const std::string line = io::documents::event_to_json(event) + '\n';
  if ((begun_ || begin()) && write_line(line)) {
    written_ += static_cast<off_t>(line.size());
    return true;
  }
  problem_ = errno;
  if (path_ != "-") cut_to(file_.get(), written_);
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
  file_.reset();
  return {};
}

}  // namespace pipedeck::cli::work
