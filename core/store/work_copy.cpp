// SPDX-License-Identifier: Apache-2.0
#include "core/store/work_copy.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/replaced_file.hpp"
#include "core/store/large_traces.hpp"
#include "core/store/tables.hpp"

namespace pipedeck::store {

namespace {

namespace fs = std::filesystem;
using sqlite::Database;

/// `saved_trace` lists the runs whose traces stayed in the saved file.
constexpr auto extra_tables = R"(
  CREATE TABLE work(project TEXT NOT NULL) STRICT;
  CREATE TABLE saved_trace(run INTEGER PRIMARY KEY) STRICT;
)";

/// One process alone has the copy, so the index of the log stays in memory: network folders work too. FULL: what is
/// committed survives a power cut.
constexpr auto pragmas = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

/// Traces up to this many bytes are written within the change that brought them.
constexpr std::size_t max_at_once = 256 * 1024;

bool large(const StoredTraces& traces) { return !traces.bytes || traces.bytes() > max_at_once; }

Error in_file(Error error, const std::string& path) {
  error.file = path;
  return error;
}

}  // namespace

std::string work_copy_path(const std::string& project) {
  std::error_code none;
  const fs::path path = fs::weakly_canonical(end_of_links(project).value_or(project), none);
  return (path.parent_path() / ("." + companion_name(path.filename().string()) + ".work")).string();
}

namespace {

/// One change, from what the copy has to what there is now.
struct Change {
  Database& database;
  const ProjectContent& kept;
  const std::set<std::shared_ptr<const void>>& saved_keys;  ///< traces that the saved file has
  store::LargeTraces& large_traces;

  Result<void> write(const ProjectContent& content) {
    return write_documents(content.documents).and_then([&] { return write_runs(content.runs); }).and_then([&] {
      return write_settings(content.settings);
    });
  }

  /// Rows that differ go before the new ones come, so that an id may move from one place to another.
  template <class Entry, class Same>
  Result<std::vector<std::size_t>> replace(const char* table, const std::vector<Entry>& before,
                                           const std::vector<Entry>& after, const Same& same) {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
      const bool stays = i < before.size() && i < after.size() && same(before[i], after[i]);
      if (stays) continue;
      if (i < after.size()) changed.push_back(i);
      if (i >= before.size()) continue;
      TRY_VOID(database.run(fmt::format("DELETE FROM {} WHERE place = {}", table, i + 1)));
    }
    return changed;
  }

  Result<void> write_documents(const std::vector<StoredDocument>& documents) {
    TRY(const auto changed, replace("document", kept.documents, documents, std::equal_to<>()));
    for (const std::size_t i : changed) {
      TRY_VOID(store::insert_document(database, i, documents[i]));
    }
    return {};
  }

  Result<void> write_runs(const std::vector<StoredRun>& runs) {
    TRY(const auto changed, replace("run", kept.runs, runs, [](const StoredRun& a, const StoredRun& b) {
          return a.id == b.id && a.name == b.name && a.json == b.json;
        }));
    for (const std::size_t i : changed) {
      TRY_VOID(store::insert_run(database, i, runs[i]));
    }
    return write_traces(runs);
  }

  Result<void> write_traces(const std::vector<StoredRun>& runs) {
    std::map<std::int64_t, std::shared_ptr<const void>> before;
    for (const StoredRun& run : kept.runs) before.emplace(run.id, run.traces.key);
    for (const StoredRun& run : runs) {
      const auto known = before.find(run.id);
      const bool same = known != before.end() && known->second == run.traces.key;
      if (known != before.end()) before.erase(known);
      if (same) continue;
      TRY_VOID(write_trace(run));
    }
    for (const auto& [gone, key] : before) {
      TRY_VOID(forget_trace(gone));
    }
    return {};
  }

  Result<void> forget_trace(std::int64_t run) {
    return store::delete_traces(database, run).and_then([&] {
      return database.run(
          fmt::format("DELETE FROM saved_trace WHERE run = {0}; DELETE FROM large_trace WHERE run = {0}", run));
    });
  }

  Result<void> write_trace(const StoredRun& run) {
    TRY_VOID(forget_trace(run.id));
    if (saved_keys.contains(run.traces.key))
      return database.run(fmt::format("INSERT INTO saved_trace VALUES({})", run.id));
    if (large(run.traces))
      return database.run(
          fmt::format("INSERT INTO large_trace VALUES({}, {})", run.id, large_traces.number_of(run.traces)));
    TRY(const auto traces, run.traces.load());
    return store::insert_traces(database, run.id, traces);
  }

  Result<void> write_settings(const std::map<std::string, std::string>& settings) {
    for (const auto& [key, value] : settings) {
      const auto old = kept.settings.find(key);
      if (old != kept.settings.end() && old->second == value) continue;
      TRY_VOID(store::insert_setting(database, key, value));
    }
    for (const auto& [key, value] : kept.settings) {
      if (settings.contains(key)) continue;
      TRY(auto remove, database.prepare("DELETE FROM setting WHERE key = ?"));
      TRY_VOID(remove.bind(key).step());
    }
    return {};
  }
};

}  // namespace

struct RecoveryJournal::State {
  std::string path;
  std::shared_ptr<store::SharedDatabase> database;
  store::LargeTraces large_traces;
  std::set<std::shared_ptr<const void>> saved_keys{};
  ProjectContent kept{};

  /// `first` and what follows are one transaction.
  Result<void> write(const ProjectContent& content, const std::string& begin,
                     const std::function<Result<void>(Database&)>& first);
};

Result<void> RecoveryJournal::State::write(const ProjectContent& content, const std::string& begin,
                                           const std::function<Result<void>(Database&)>& first) {
  return database->edit([&](Database& own) {
    Change change{own, kept, saved_keys, large_traces};
    auto done = own.run(begin).and_then([&] { return first(own); }).and_then([&] { return change.write(content); });
    if (done) done = own.run("COMMIT");
    if (!done) (void)own.run("ROLLBACK");
    return done;
  });
}

RecoveryJournal::RecoveryJournal(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecoveryJournal::RecoveryJournal(RecoveryJournal&&) noexcept = default;
RecoveryJournal& RecoveryJournal::operator=(RecoveryJournal&&) noexcept = default;
RecoveryJournal::~RecoveryJournal() = default;
const std::string& RecoveryJournal::path() const { return state_->path; }

Result<RecoveryJournal> RecoveryJournal::begin(const std::string& path, const std::string& project,
                                               ProjectContent saved, TraceWriting writing) {
  remove_work_copy(path);
  auto database = Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database) return tl::unexpected(in_file(database.error(), path));
  const auto failed = [path, tell = std::move(writing.failed)](const Error& error) {
    if (tell) tell(in_file(error, path));
  };
  auto shared = std::make_shared<store::SharedDatabase>(std::move(*database));
  auto state = std::make_unique<State>(State{path, shared, {shared, std::move(writing.run), failed}});
  for (const StoredRun& run : saved.runs) state->saved_keys.insert(run.traces.key);
  const std::string head = fmt::format("{} PRAGMA application_id = {}; PRAGMA user_version = {}; BEGIN; {} {} {}",
                                       pragmas, store::work_application, project_version, store::create_tables(),
                                       store::create_large_trace_tables(), extra_tables);
  const auto ready = state->write(saved, head, [&](Database& own) -> Result<void> {
    TRY(auto insert, own.prepare("INSERT INTO work VALUES(?)"));
    TRY_VOID(insert.bind(project).step());
    return {};
  });
  if (!ready) {
    remove(RecoveryJournal(std::move(state)));
    return tl::unexpected(in_file(ready.error(), path));
  }
  state->kept = std::move(saved);
  return RecoveryJournal(std::move(state));
}

void RecoveryJournal::remove(RecoveryJournal copy) {
  copy.state_->database->close();
  remove_work_copy(copy.path());
}

Result<void> RecoveryJournal::keep(ProjectContent content) {
  const auto done = state_->write(content, "BEGIN", [](Database&) { return Result<void>(); });
  if (!done) return tl::unexpected(in_file(done.error(), state_->path));
  state_->kept = std::move(content);
  state_->large_traces.write();
  return {};
}

void RecoveryJournal::when_durable(std::function<void()> work) { state_->large_traces.after_writes(std::move(work)); }

void RecoveryJournal::saving(const ProjectContent& next) {
  std::set<std::shared_ptr<const void>> both;
  for (const StoredRun& run : next.runs)
    if (state_->saved_keys.contains(run.traces.key)) both.insert(run.traces.key);
  state_->saved_keys = std::move(both);
}

void RecoveryJournal::saved(const ProjectContent& now) {
  state_->saved_keys.clear();
  for (const StoredRun& run : now.runs) state_->saved_keys.insert(run.traces.key);
}

void remove_work_copy(const std::string& path) {
  // The copy first: the log alone has no meaning.
  for (const char* ending : {"", "-wal", "-shm", "-journal"}) std::remove((path + ending).c_str());
}

namespace {

/// Reads the number of a PRAGMA.
Result<std::int64_t> number_of(Database& database, const std::string& pragma) {
  TRY(auto select, database.prepare("PRAGMA " + pragma));
  TRY_VOID(select.step());
  return select.integer(0);
}

Result<void> check_work_copy(Database& database) {
  TRY_VOID(database.run("PRAGMA locking_mode = EXCLUSIVE"));
  TRY_VOID(store::check_schema(database, store::work_tables));
  TRY(const auto application, number_of(database, "application_id"));
  if (application != store::work_application)
    return fail(ErrorCode::bad_input, "found an SQLite file of another kind, expected a work copy");
  TRY(const auto version, number_of(database, "user_version"));
  if (version != project_version)
    return fail(ErrorCode::bad_input,
                fmt::format("found a work copy of version {}, expected {}", version, project_version));
  return store::check_integrity(database);
}

Result<std::shared_ptr<store::OpenFile>> open_work_copy(const std::string& path, std::stop_token stop = {}) {
  std::error_code none;
  if (!fs::is_regular_file(fs::symlink_status(path, none)))
    return fail(ErrorCode::bad_input, "found no plain file, expected a work copy", {}, path);
  // SQLite would write to the files that a rollback journal names. A work copy has a write-ahead log.
  if (fs::exists(fs::symlink_status(path + "-journal", none)))
    return fail(ErrorCode::bad_input, "found a rollback journal in the same folder: it was never finished", {}, path);
  // A log that was not yet written back is read, which SQLite does by writing it back.
  auto database = Database::open_foreign(path, SQLITE_OPEN_READWRITE, std::move(stop));
  if (!database) return tl::unexpected(in_file(database.error(), path));
  if (auto ready = check_work_copy(*database); !ready) return tl::unexpected(in_file(ready.error(), path));
  return std::make_shared<store::OpenFile>(std::move(*database), project_version, path);
}

Result<std::string> project_in(store::OpenFile& file) {
  auto select = file.database.prepare("SELECT project FROM work");
  if (!select) return tl::unexpected(in_file(select.error(), file.path));
  const auto row = select->step();
  if (!row) return tl::unexpected(in_file(row.error(), file.path));
  if (!*row) return fail(ErrorCode::bad_input, "the work copy was never finished", {}, file.path);
  return select->text(0);
}

Result<std::set<std::int64_t>> runs_with_saved_traces(store::OpenFile& file) {
  std::set<std::int64_t> runs;
  TRY(auto select, file.database.prepare("SELECT run FROM saved_trace"));
  Result<bool> row;
  while ((row = select.step()) && *row) runs.insert(select.integer(0));
  if (!row) return tl::unexpected(row.error());
  return runs;
}

}  // namespace

Result<RecoveredEdits> read_work_copy(const std::string& path, const ProjectContent& saved, std::stop_token stop) {
  TRY(auto file, open_work_copy(path, stop));
  TRY(auto project, project_in(*file));
  auto content = store::content_of(file);
  if (!content) return tl::unexpected(in_file(content.error(), path));
  const auto elsewhere = runs_with_saved_traces(*file);
  if (!elsewhere) return tl::unexpected(in_file(elsewhere.error(), path));
  const auto large = store::large_traces_in(file->database);
  if (!large) return tl::unexpected(in_file(large.error(), path));
  std::erase_if(content->runs, [&](const StoredRun& run) {
    const auto trace = large->find(run.id);
    return trace != large->end() && !trace->second;  // killed before all of it was there
  });
  std::map<std::int64_t, StoredTraces> loaded;  // runs may have the same traces
  const auto load_large = [&](std::int64_t number) -> Result<StoredTraces> {
    if (const auto known = loaded.find(number); known != loaded.end()) return known->second;
    TRY(auto traces, store::load_large_trace(*file, number));
    return loaded.emplace(number, traces_at_hand(std::move(traces))).first->second;
  };
  for (StoredRun& run : content->runs) {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "cancelled");
    if (!elsewhere->contains(run.id)) {
      const auto trace = large->find(run.id);
      // Now: the copy is written over soon.
      auto traces = trace == large->end() ? run.traces.load().map(traces_at_hand) : load_large(*trace->second);
      if (!traces) return tl::unexpected(in_file(traces.error(), path));
      run.traces = *std::move(traces);
      continue;
    }
    run.traces = traces_at_hand({});
    for (const StoredRun& other : saved.runs) {
      if (other.id == run.id && other.json == run.json) run.traces = other.traces;
    }
  }
  return RecoveredEdits{std::move(*content), std::move(project)};
}

Result<std::string> project_of_work_copy(const std::string& path) {
  TRY(auto file, open_work_copy(path));
  return project_in(*file);
}

}  // namespace pipedeck::store
