// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/progress_log.hpp"

#include <CLI/CLI.hpp>

#include "core/io/documents/progress.hpp"

namespace pipedeck::cli::work {

void ProgressLog::declare(CLI::App& app) {
  app.add_option("--progress", path_, "write progress as JSON lines into FILE; - is standard output")
      ->type_name("FILE");
}

Result<void> ProgressLog::open() {
  if (path_.empty()) return {};
  file_.reset(on_stdout() ? stdout : std::fopen(path_.c_str(), "w"));
  if (!file_) return fail(ErrorCode::io, "cannot be opened for writing", {}, path_);
  return {};
}

Progress ProgressLog::callback() {
  return [this](double done, std::string_view what) {
    const std::lock_guard lock(mutex_);
    line_.show(done, what);
    if (file_) write(done, what);
  };
}

/// A change by less than a thousandth writes no line.
void ProgressLog::write(double done, std::string_view what) {
  const int per_mille = static_cast<int>(done * 1000);
  if (per_mille == shown_ && what == said_) return;
  shown_ = per_mille, said_ = what;
  const std::string text = io::documents::progress_to_json({done, said_}) + "\n";
  std::fwrite(text.data(), 1, text.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace pipedeck::cli::work
