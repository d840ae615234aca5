// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "core/base/result.hpp"
#include "core/model/run.hpp"

namespace pipedeck::cli::work {

/// Events as JSON lines, each written at once, so that a reader at the other end of a pipe follows the run live.
class EventLog {
 public:
  /// "-" is standard output; empty: events go nowhere. A file keeps what it holds until the run begins.
  /// `stop_without_reader`: a run whose events are no longer read has to stop.
  /// bad_input: it can't be written, or another run writes there.
  static Result<EventLog> open(const std::string& path, bool stop_without_reader);
  /// Returns false once the run has to stop: a line could not be written. A file then ends with the line before it.
  bool write(const RunEvent& event);
  /// True once the reader at the other end of the pipe has left.
  bool lost_reader() const;
  /// run_failed: the run had to stop. A file of a run that never began is gone again.
  Result<void> close();

 private:
  /// An open file that is closed with it; -1: none.
  class Descriptor {
   public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
      std::swap(number_, other.number_);
      return *this;
    }
    ~Descriptor() {
      if (number_ > STDERR_FILENO) ::close(number_);
    }
    int number() const { return number_; }

   private:
    int number_;
  };
  static Result<Descriptor> opened(const std::string& path, bool& made);
  bool begin();
  bool must_stop() const;

  Descriptor file_;
  std::string path_;
  bool stop_without_reader_ = false;
  int problem_ = 0;    ///< the system's number of the first failure
  off_t written_ = 0;  ///< bytes of whole lines
  bool begun_ = false;
  bool made_ = false;  ///< the file was not there before
};

}  // namespace pipedeck::cli::work
