// SPDX-License-Identifier: Apache-2.0
// Traces that are too large to be written while a hand waits: they come into a work copy part by part, from whatever
// thread, and an edit waits for one part at most. A trace counts once its last part is there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/store/project_file.hpp"
#include "core/store/sqlite.hpp"
#include "core/store/tables.hpp"

namespace pipedeck::store {

/// A database that is edited while traces come in: who edits goes first.
class SharedDatabase {
 public:
  explicit SharedDatabase(sqlite::Database database) : database_(std::move(database)) {}

  /// Waits for a part that is being written, never for a second one.
  template <class Work>
  auto edit(const Work& work) {
    const std::lock_guard turn(turn_);
    const std::lock_guard own(own_);
    return work(*database_);
  }
  /// False: it was closed meanwhile.
  template <class Work>
  Result<bool> fill(const Work& work) {
    std::unique_lock turn(turn_);
    const std::lock_guard own(own_);
    turn.unlock();
    if (!database_) return false;
    return work(*database_).map([] { return true; });
  }
  /// Leaves the log as it is: the copy will be removed.
  void close();

 private:
  std::mutex turn_, own_;
  std::optional<sqlite::Database> database_;
};

std::string create_large_trace_tables();

/// Bytes that are written between two edits.
inline constexpr std::size_t part_bytes = 512 * 1024;

class LargeTraces {
 public:
  /// Runs work that may take long, in the order of the calls.
  using Run = std::function<void(std::function<void()>)>;
  using Failed = std::function<void(const Error&)>;

  LargeTraces(std::shared_ptr<SharedDatabase> database, Run run, Failed failed);

  /// The number under which these are written, or will be.
  std::int64_t number_of(const StoredTraces& traces);
  /// Begins to write what was numbered since, and once more what failed.
  void write();
  /// When all that was begun is written, at once if it is; not at all where that failed.
  void after_writes(std::function<void()> work);

 private:
  struct Trace {
    std::int64_t number = 0;
    StoredTraces traces;
  };
  /// Outlives the copy while a trace is on its way.
  struct Progress {
    Progress(std::shared_ptr<SharedDatabase> to, Failed tell) : database(std::move(to)), failed(std::move(tell)) {}
    std::shared_ptr<SharedDatabase> database;
    Failed failed;
    std::mutex mutex;          ///< of what follows
    std::vector<Trace> again;  ///< what could not be written
    std::size_t under_way = 0;
  };
  static void write(Progress& progress, const Trace& trace);

  std::shared_ptr<Progress> progress_;
  Run run_;
  std::map<std::weak_ptr<const void>, std::int64_t, std::owner_less<>> numbers_;
  std::vector<Trace> waiting_;
};

/// For readers: the trace of each run that came so, null where its last part is missing.
Result<std::map<std::int64_t, std::optional<std::int64_t>>> large_traces_in(sqlite::Database& database);
Result<RunTraces> load_large_trace(OpenFile& file, std::int64_t number);

}  // namespace pipedeck::store
