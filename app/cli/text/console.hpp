// SPDX-License-Identifier: Apache-2.0
// The program's output: answers on standard output, messages and progress on standard error, files complete or not at
// all. Names from files are printed with their control characters escaped.
//
// A standard error that is full or closed loses messages, nothing else. A standard output that is full or closed fails
// a command whose answer it is (io, exit 1). If its reader has left, that one has what it wanted: no error.
#pragma once

#include <string>
#include <string_view>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/io/text/pieces.hpp"

namespace CLI {
class App;
}

namespace pipedeck::cli::text {

/// Writes to a descriptor. A pipe that is full is waited for, until give_up_full_pipes(): then errno is EAGAIN.
bool write_all(int descriptor, std::string_view text);
/// Makes all output to pipes fail from now on where it would wait for a reader. Any thread may call it.
void give_up_full_pipes();

/// One of several processes prints. In the others everything below except print_error is silent from now on.
void set_quiet();

/// "pipedeck-cli: FILE: PLACE: message" on standard error.
void print_error(const Error& error);
/// "pipedeck-cli: warning: ..." on standard error.
void print_warning(const std::string& message);
/// "pipedeck-cli: ..." on standard error: nothing is wrong.
void print_note(const std::string& message);
/// Prints a note from another thread before the program ends at once; omits it if that could block.
void print_last_note(std::string_view message);
/// Prints lines on standard error as they are.
void print_usage(std::string_view lines);

/// Prints an answer for people on standard output.
Result<void> print_answer(std::string_view text);
/// Prints a report of work whose result is elsewhere. A standard output that does not take it is a warning, once.
void print_report(std::string_view text);

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
  void clear();

  bool terminal_;
  std::string shown_;
};

/// --json and -o of a command whose answer can be JSON.
struct OutputOptions {
  bool json = false;
  std::string file;
  void declare(CLI::App& app);
  bool json_on_stdout() const { return json || file == "-"; }
  /// The JSON into the file and onto standard output, as asked for; `human` where standard output is not JSON's. Once
  /// a file holds the JSON, `human` is a report.
  Result<void> write(const std::string& json_text, const std::string& human) const;
};

}  // namespace pipedeck::cli::text
