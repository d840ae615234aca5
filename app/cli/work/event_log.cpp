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
  return ::fdopen(descriptor, "w");
}

/// A pipe can't be emptied and need not be.
bool emptied(std::FILE* file) { return ::ftruncate(::fileno(file), 0) == 0 || errno == EINVAL; }

}  // namespace

Result<EventLog> EventLog::open(const std::string& path) {
  EventLog log;
  log.path_ = path;
  if (path.empty()) return log;
  if (path == "-") {
    log.file_.reset(stdout);
    return log;
  }
  TRY(const auto file, opened(path, log.made_));
  log.file_.reset(file);
  return log;
}

bool EventLog::write(const RunEvent& event) {
  if (!file_ || !good_) return good_;
  if (!begun_ && path_ != "-") {
    // A run that was refused leaves the events of the one before it alone.
    if (std::holds_alternative<RunFailed>(event)) return true;
    begun_ = true;
    good_ = emptied(file_.get());
    if (!good_) return false;
  }
  const std::string line = io::documents::event_to_json(event) + '\n';
  good_ = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() && std::fflush(file_.get()) == 0;
  return good_;
}

Result<void> EventLog::close() {
  if (!good_) return fail(ErrorCode::io, "events cannot be written; the run was stopped", {}, path_);
  if (made_ && !begun_) ::unlink(path_.c_str());  // while it is locked: no other run has begun to write there
  file_.reset();
  return {};
}

}  // namespace pipedeck::cli::work
