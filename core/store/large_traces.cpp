// SPDX-License-Identifier: Apache-2.0
#include "core/store/large_traces.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::store {
namespace {

using sqlite::Database;

/// A trace's texts one after another, each behind its length.
constexpr auto tables = R"(
  CREATE TABLE large_trace(run INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
  CREATE TABLE trace_part(number INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE whole_trace(number INTEGER PRIMARY KEY) STRICT;
)";

using Length = std::uint64_t;

/// Cuts what it is given into parts; none is written any more once the database is closed.
class PartWriter {
 public:
  PartWriter(SharedDatabase& database, std::int64_t number) : database_(database), number_(number) {}

  Result<bool> text(std::string_view text) {
    const Length length = text.size();
    char raw[sizeof length];
    std::memcpy(raw, &length, sizeof length);
    return bytes({raw, sizeof length}).and_then([&](bool open) { return open ? bytes(text) : Result<bool>(false); });
  }
  Result<bool> end() {
    return flush().and_then([&](bool open) -> Result<bool> {
      if (!open) return false;
      return database_.fill(
          [&](Database& database) { return database.run(fmt::format("INSERT INTO whole_trace VALUES({})", number_)); });
    });
  }

 private:
  Result<bool> bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(bytes.size(), part_bytes - part_.size());
      part_.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
      if (part_.size() < part_bytes) continue;
      if (auto open = flush(); !open || !*open) return open;
    }
    return true;
  }
  Result<bool> flush() {
    if (part_.empty()) return true;
    return database_.fill([&](Database& database) -> Result<void> {
      TRY(auto insert, database.prepare("INSERT INTO trace_part(number, bytes) VALUES(?, ?)"));
      TRY_VOID(insert.bind(number_).bind_blob(part_).step());
      part_.clear();
      return {};
    });
  }

  SharedDatabase& database_;
  std::int64_t number_;
  std::string part_;
};

Result<bool> write_parts(SharedDatabase& database, std::int64_t number, const RunTraces& traces) {
  // After a failed attempt.
  auto open = database.fill(
      [&](Database& own) { return own.run(fmt::format("DELETE FROM trace_part WHERE number = {}", number)); });
  PartWriter writer(database, number);
  const auto add = [&](std::string_view text) {
    if (open && *open) open = writer.text(text);
  };
  add(traces.prediction);
  add(traces.prediction_timeline);
  for (const StoredEvent& event : traces.events) add(event.line), add(event.timeline);
  return open && *open ? writer.end() : open;
}

/// Takes texts out of parts as they come.
class PartReader {
 public:
  void add(std::string_view part) {
    rest_.append(part);
    std::size_t at = 0;
    while (rest_.size() - at >= sizeof(Length)) {
      Length length = 0;
      std::memcpy(&length, rest_.data() + at, sizeof length);
      if (length > rest_.size() - at - sizeof length) break;
      texts_.push_back(rest_.substr(at + sizeof length, length));
      at += sizeof length + length;
    }
    rest_.erase(0, at);
  }
  Result<RunTraces> traces() && {
    if (!rest_.empty() || texts_.size() < 2 || texts_.size() % 2 != 0)
      return fail(ErrorCode::bad_input, "found a part of a run's operations, expected all of them");
    RunTraces traces{std::move(texts_[0]), std::move(texts_[1]), {}};
    for (std::size_t i = 2; i < texts_.size(); i += 2)
      traces.events.push_back({std::move(texts_[i]), std::move(texts_[i + 1])});
    return traces;
  }

 private:
  std::string rest_;
  std::vector<std::string> texts_;
};

Result<bool> has_large_traces(Database& database) {
  TRY(auto select, database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'large_trace'"));
  return select.step();
}

}  // namespace

void SharedDatabase::close() {
  const std::lock_guard turn(turn_);
  const std::lock_guard own(own_);
  if (database_) database_->discard_wal();
  database_.reset();
}

std::string create_large_trace_tables() { return tables; }

LargeTraces::LargeTraces(std::shared_ptr<SharedDatabase> database, Run run, Failed failed)
    : progress_(std::make_shared<Progress>(std::move(database), std::move(failed))), run_(std::move(run)) {}

std::int64_t LargeTraces::number_of(const StoredTraces& traces) {
  const auto [place, fresh] = numbers_.try_emplace(traces.key, static_cast<std::int64_t>(numbers_.size()) + 1);
  if (fresh) waiting_.push_back({place->second, traces});
  return place->second;
}

void LargeTraces::write() {
  std::vector<Trace> traces = std::exchange(waiting_, {});
  {
    const std::lock_guard lock(progress_->mutex);
    for (Trace& failed : std::exchange(progress_->again, {})) traces.push_back(std::move(failed));
    progress_->under_way += traces.size();
  }
  for (Trace& trace : traces) run_([progress = progress_, trace = std::move(trace)] { write(*progress, trace); });
}

void LargeTraces::write(Progress& progress, const Trace& trace) {
  Result<bool> written = fail(ErrorCode::internal, "no result");
  try {
    written = trace.traces.load().and_then(
        [&](const RunTraces& traces) { return write_parts(*progress.database, trace.number, traces); });
  } catch (const std::exception& error) {
    written = fail(ErrorCode::internal, error.what());
  }
  {
    const std::lock_guard lock(progress.mutex);
    --progress.under_way;
    if (!written) progress.again.push_back(trace);
  }
  if (!written && progress.failed) progress.failed(written.error());
}

void LargeTraces::after_writes(std::function<void()> work) {
  const auto when_written = [progress = progress_, work = std::move(work)] {
    {
      const std::lock_guard lock(progress->mutex);
      if (!progress->again.empty()) return;
    }
    work();
  };
  std::unique_lock lock(progress_->mutex);
  const bool idle = progress_->under_way == 0;
  lock.unlock();
  idle ? when_written() : run_(when_written);
}

Result<std::map<std::int64_t, std::optional<std::int64_t>>> large_traces_in(Database& database) {
  std::map<std::int64_t, std::optional<std::int64_t>> numbers;
  const auto there = has_large_traces(database);  // older copies have none
  if (!there) return tl::unexpected(there.error());
  if (!*there) return numbers;
  TRY(auto select, database.prepare("SELECT run, large_trace.number, whole_trace.number IS NOT NULL FROM large_trace "
                                    "LEFT JOIN whole_trace ON large_trace.number = whole_trace.number"));
  Result<bool> row;
  while ((row = select.step()) && *row)
    numbers.emplace(select.integer(0), select.integer(2) != 0 ? std::optional(select.integer(1)) : std::nullopt);
  if (!row) return tl::unexpected(row.error());
  return numbers;
}

Result<RunTraces> load_large_trace(OpenFile& file, std::int64_t number) {
  TRY(auto select, file.database.prepare("SELECT bytes FROM trace_part WHERE number = ? ORDER BY rowid"));
  select.bind(number);
  PartReader reader;
  ByteBudget budget(file, max_trace_bytes);
  Result<bool> row;
  while ((row = select.step()) && *row) {
    TRY_VOID(budget.take(select));
    reader.add(select.blob(0));
  }
  if (!row) return tl::unexpected(row.error());
  return std::move(reader).traces();
}

}  // namespace pipedeck::store
