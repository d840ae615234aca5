// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/console.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

bool quiet = false;
std::atomic<bool> impatient = false;

/// Waits until a piece of PIPE_BUF bytes can be written, or fails.
bool wait_for_room(int descriptor) {
  constexpr int look_up_ms = 50;
  pollfd output{descriptor, POLLOUT, 0};
  while (::poll(&output, 1, look_up_ms) <= 0)
    if (impatient) {
      errno = EAGAIN;
      return false;
    }
  return true;
}

/// A failure has nowhere to be reported.
void write_message(std::string_view text) { write_all(STDERR_FILENO, text); }

std::string message_line(std::string_view text) {
  return fmt::format("pipedeck-cli: {}\n", io::text::printable(text.substr(0, text.find_last_not_of('\n') + 1)));
}

/// Devices and pipes can't be replaced by a renamed file.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

/// Onto an open file, as it is made.
bool write_pieces(const io::text::TextChunks& text, int descriptor) {
  constexpr std::size_t most = 1 << 16;
  std::string waiting;
  const auto write = [&] { return write_all(descriptor, std::exchange(waiting, {})); };
  const auto take = [&](std::string_view piece) {
    waiting += piece;
    return waiting.size() < most || write();
  };
  return text(take) && write();
}

Result<void> write_special(const std::string& path, const io::text::TextChunks& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) return fail(ErrorCode::io, "cannot be opened for writing", {}, path);
  const bool written = write_pieces(text, file);
  if (::close(file) != 0 || !written) return fail(ErrorCode::io, "cannot be written", {}, path);
  return {};
}

Result<void> write_stdout(const io::text::TextChunks& text) {
  if (quiet || write_pieces(text, STDOUT_FILENO) || errno == EPIPE) return {};
  return fail(ErrorCode::io, fmt::format("standard output can't be written: {}", std::strerror(errno)));
}

io::text::TextChunks whole(std::string_view text) {
  return [text](const io::text::ChunkSink& sink) { return sink(text); };
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    if (!wait_for_room(descriptor)) return false;
    const ssize_t written = ::write(descriptor, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

void give_up_full_pipes() { impatient = true; }

void print_error(const Error& error) { write_message(message_line(error.text())); }

void set_quiet() { quiet = true; }

void print_warning(const std::string& message) { print_note("warning: " + message); }

void print_note(const std::string& message) {
  if (!quiet) write_message(message_line(message));
}

void print_last_note(std::string_view message) {
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  if (!quiet && ::poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0) write_message(message_line(message));
}

void print_usage(std::string_view lines) { write_message(lines); }

Result<void> print_answer(std::string_view text) { return write_stdout(whole(io::text::printable_lines(text))); }

void print_report(std::string_view text) {
  static bool lost = false;
  if (lost) return;
  const auto printed = print_answer(text);
  lost = !printed;
  if (lost) print_warning(printed.error().message + "; the report is not printed");
}

Result<void> write_output(const std::string& path, const std::string& text) { return write_output(path, whole(text)); }

Result<void> write_output(const std::string& path, const io::text::TextChunks& text) {
  if (path == "-") return write_stdout(text);
  return is_special(path) ? write_special(path, text) : io::write_file_chunks(path, text);
}

Error in_file(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

ProgressLine::ProgressLine() : terminal_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(double done, std::string_view what) {
  if (!terminal_) return;
  std::string line = fmt::format("{:3.0f} %  {}", done * 100, io::text::printable(what));
  if (line == shown_) return;
  write_message("\r\033[K" + line);
  shown_ = std::move(line);
}

void ProgressLine::clear() {
  if (!shown_.empty()) write_message("\r\033[K");
  shown_.clear();
}

void ProgressLine::note(const std::string& message) {
  clear();
  print_note(message);
}

Progress ProgressLine::callback() {
  if (!terminal_) return {};
  return [this](double done, std::string_view what) { show(done, what); };
}

void OutputOptions::declare(CLI::App& app) {
  app.add_flag("--json", json, "write only JSON on standard output");
  app.add_option("-o,--output", file, "write the JSON into FILE; - is standard output")->type_name("FILE");
}

Result<void> OutputOptions::write(const std::string& json_text, const std::string& human) const {
  const std::string document = json_text.ends_with('\n') ? json_text : json_text + '\n';
  const bool in_file = !file.empty() && file != "-";
  if (in_file) TRY_VOID(write_output(file, document));
  if (json_on_stdout()) return write_output("-", document);
  if (!in_file) return print_answer(human);
  print_report(human);
  return {};
}

}  // namespace pipedeck::cli::text
