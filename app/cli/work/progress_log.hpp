// SPDX-License-Identifier: Apache-2.0
// How far long work is: a line on a terminal for people, JSON lines for programs.
#pragma once

#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "app/cli/text/console.hpp"

namespace pipedeck::cli::work {

/// --progress FILE: {"event": "progress", "done": 0.25, "what": "..."} a line, each flushed at once.
class ProgressLog {
 public:
  void declare(CLI::App& app);
  bool on_stdout() const { return path_ == "-"; }
  Result<void> open();
  /// To the terminal and into the file, from any thread.
  Progress callback();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  void write(double done, std::string_view what);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::mutex mutex_;
  int shown_ = -1;  ///< per mille of the last line
  std::string said_;
  text::ProgressLine line_;
};

}  // namespace pipedeck::cli::work
