// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/console.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "core/io/files.hpp"

namespace pipedeck::cli::text {
namespace {

bool quiet = false;

void print_message(const std::string& text) { fmt::print(stderr, "pipedeck-cli: {}\n", text); }

/// Devices and pipes can't be replaced by a renamed file.
bool is_special(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && std::filesystem::is_other(status);
}

/// Onto an open file, as it is made.
bool write_pieces(const io::text::TextChunks& text, std::FILE* file) {
  return text(
      [file](std::string_view piece) { return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size(); });
}

Result<void> write_special(const std::string& path, const io::text::TextChunks& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return fail(ErrorCode::io, "cannot be opened for writing", {}, path);
  const bool written = write_pieces(text, file);
  if (std::fclose(file) != 0 || !written) return fail(ErrorCode::io, "cannot be written", {}, path);
  return {};
}

}  // namespace

void print_error(const Error& error) { print_message(error.text()); }

void set_quiet() { quiet = true; }

void print_warning(const std::string& message) { print_note("warning: " + message); }

void print_note(const std::string& message) {
  if (!quiet) print_message(message);
}

bool print_text(const std::string& text) {
  if (quiet) return true;
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

Result<void> write_output(const std::string& path, const std::string& text) {
  return write_output(path, [&text](const io::text::ChunkSink& sink) { return sink(text); });
}

Result<void> write_output(const std::string& path, const io::text::TextChunks& text) {
  if (path == "-") {
    if (quiet || (write_pieces(text, stdout) && std::fflush(stdout) == 0)) return {};
    return fail(ErrorCode::io, "standard output cannot be written");
  }
  return is_special(path) ? write_special(path, text) : io::write_file_chunks(path, text);
}

Error in_file(Error error, const std::string& file) {
  if (error.file.empty()) error.file = file;
  return error;
}

ProgressLine::ProgressLine() : terminal_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (!shown_.empty()) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(double done, std::string_view what) {
  if (!terminal_) return;
  std::string line = fmt::format("{:3.0f} %  {}", done * 100, what);
  if (line == shown_) return;
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = std::move(line);
}

void ProgressLine::note(const std::string& message) {
  if (!shown_.empty()) fmt::print(stderr, "\r\033[K");
  shown_.clear();
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
  if (!file.empty() && file != "-") TRY_VOID(write_output(file, document));
  return write_output("-", json_on_stdout() ? document : human);
}

}  // namespace pipedeck::cli::text
