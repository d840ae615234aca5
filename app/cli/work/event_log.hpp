// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "core/base/result.hpp"
#include "core/model/run.hpp"

namespace pipedeck::cli::work {

/// Events as JSON lines, each flushed at once, so that a reader at the other end of a pipe follows the run live.
class EventLog {
 public:
  /// "-" is standard output; empty: events go nowhere. A file keeps what it holds until the run begins.
  /// bad_input: it can't be written, or another run writes there.
  static Result<EventLog> open(const std::string& path);
  /// Returns false once a line could not be written: the reader has left, or the disk is full.
  bool write(const RunEvent& event);
  /// A file of a run that never began is gone again.
  Result<void> close();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string path_;
  bool good_ = true;
  bool begun_ = false;
  bool made_ = false;  ///< the file was not there before
};

}  // namespace pipedeck::cli::work
