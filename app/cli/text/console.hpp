// SPDX-License-Identifier: Apache-2.0
// The program's output: answers on standard output, messages and progress on standard error, files complete or not at
// all.
#pragma once

#include <string>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/io/text/pieces.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::text {

/// One of several processes prints. In the others everything below except print_error is silent from now on.
void set_quiet();

/// "pipedeck-cli: FILE: PLACE: message" on standard error.
void print_error(const Error& error);
/// "pipedeck-cli: warning: ..." on standard error.
void print_warning(const std::string& message);
/// "pipedeck-cli: ..." on standard error: nothing is wrong.
void print_note(const std::string& message);
/// On standard output, flushed; false where it could not be written.
bool print_text(const std::string& text);

/// `text` into the file, or onto standard output for "-".
Result<void> write_output(const std::string& path, const std::string& text);
Result<void> write_output(const std::string& path, const io::text::TextChunks& text);

/// `error` with `file` as its file where it names none yet.
Error in_file(Error error, const std::string& file);

/// One line on standard error, rewritten in place, and only when that is a terminal.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(double done, std::string_view what);
  /// Prints a line that stays, also when it is no terminal.
  void note(const std::string& message);
  Progress callback();

 private:
  bool terminal_;
  std::string shown_;
};

/// --json and -o of a command whose answer can be JSON.
struct OutputOptions {
  bool json = false;
  std::string file;
  void declare(CLI::App& app);
  bool json_on_stdout() const { return json || file == "-"; }
  /// The JSON into the file and onto standard output, as asked for; `human` where standard output is not JSON's.
  Result<void> write(const std::string& json_text, const std::string& human) const;
};

}  // namespace pipedeck::cli::text
