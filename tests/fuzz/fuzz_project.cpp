// SPDX-License-Identifier: Apache-2.0
// Projects and work copies: the bytes of a file, or statements that somebody ran on a project, its schema included.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include <sqlite3.h>

#include "core/store/project_file.hpp"
#include "core/store/work_copy.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

namespace {

namespace fs = std::filesystem;

/// A folder for the files of one input.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("pipedeck-fuzz-project-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

/// Files that SQLite can't read are the file system's doing.
template <class T>
bool read(const Result<T>& result, const std::string& path) {
  if (!result)
    fuzz::require((result.error().code == ErrorCode::bad_input || result.error().code == ErrorCode::io) &&
                  !result.error().message.empty() && result.error().file == path);
  return result.has_value();
}

void look_at(const store::ProjectContent& content, const std::string& path) {
  for (const store::StoredRun& run : content.runs) read(run.traces.load(), path);
}

int enough(void* looks) { return ++*static_cast<int*>(looks) > 1000; }

/// Runs the statements; none reaches another file.
void run(const std::string& path, const std::string& statements) {
  sqlite3* database = nullptr;
  int looks = 0;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(database, 1000, enough, &looks);
    sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
}

store::ProjectContent sample() {
  store::ProjectContent content;
  content.documents = {{1, "plan", "a", "{}", 0}};
  content.runs = {{7, "today", "{}", store::traces_at_hand({"{}", "columns", {{"{}", {}}}})}};
  content.settings = {{"question", "{}"}};
  return content;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::text_of(data, size);
  const Folder folder;
  const std::string project = folder.path / "p.pipedeck", work = store::work_copy_path(project);
  if (bytes.starts_with("SQLite format 3")) {
    for (const std::string& path : {project, work}) {
      std::FILE* file = std::fopen(path.c_str(), "wb");
      fuzz::require(file && std::fwrite(data, 1, size, file) == size && std::fclose(file) == 0);
    }
  } else {
    fuzz::require(store::write_project(project, sample()).has_value());
    const auto saved = store::read_project(project);
    fuzz::require(saved.has_value());
    {
      auto copy = store::RecoveryJournal::begin(work, project, *saved);
      fuzz::require(copy.has_value());
    }
    for (const std::string& path : {project, work}) run(path, bytes);
  }
  const auto content = store::read_project(project);
  if (read(content, project)) look_at(*content, project);
  const auto left = store::read_work_copy(work, content ? *content : store::ProjectContent{});
  if (read(left, work)) look_at(left->content, project);
  return 0;
}
