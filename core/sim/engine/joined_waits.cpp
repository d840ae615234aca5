// SPDX-License-Identifier: Apache-2.0
#include "core/sim/engine/joined_waits.hpp"

#include <algorithm>

#include "core/sim/engine/row_index.hpp"

namespace pipedeck::sim::engine {
namespace {

bool joins(const Trace& trace) {
  for (const std::vector<TimelineRow>& rows : trace.operations)
    for (const TimelineRow& row : rows)
      if (row.operation.overlapped_with_next) return true;
  return false;
}

class Arrivals {
 public:
  Arrivals(const EngineInput& run, const Trace& trace) : run_(run), trace_(trace), index_(run, trace) {}

  /// Returns true if an input of the operation came at this very moment.
  bool at(std::int64_t time, std::size_t lane, const Operation& operation) const {
    const bool gradient = operation.kind != OpKind::forward;
    const std::vector<int>& channels = index_.incoming(index_.worker_of(lane, operation), gradient);
    return std::any_of(channels.begin(), channels.end(), [&](int channel) {
      return run_.channels.all[static_cast<std::size_t>(channel)].resource == costs::Channel::local
                 ? handed_over(channel, operation.micro_batch, time)
                 : received(channel, operation.micro_batch, time);
    });
  }

 private:
  bool received(int channel, int micro_batch, std::int64_t time) const {
    const auto found = index_.transfer(channel, micro_batch);
    return found && index_.transfer_end(found->group, found->row) == time;
  }

  /// From a chunk on the same device; joined operations hand over at the end of the second.
  bool handed_over(int channel, int micro_batch, std::int64_t time) const {
    const costs::Channel& from = run_.channels.all[static_cast<std::size_t>(channel)];
    return std::any_of(from.sources.begin(), from.sources.end(), [&](int worker) {
      const auto found = index_.pass(static_cast<std::size_t>(worker), from.gradient, micro_batch);
      if (!found) return false;
      const std::vector<TimelineRow>& rows = trace_.operations[found->group];
      return rows[found->row + (rows[found->row].operation.overlapped_with_next ? 1 : 0)].end().count == time;
    });
  }

  const EngineInput& run_;
  const Trace& trace_;
  RowIndex index_;
};

}  // namespace

std::vector<std::vector<std::size_t>> waits_of_second(const EngineInput& run, const Trace& trace) {
  std::vector<std::vector<std::size_t>> waits(trace.operations.size());
  if (!joins(trace)) return waits;
  const Arrivals arrivals(run, trace);
  for (std::size_t lane = 0; lane < trace.operations.size(); ++lane) {
    const std::vector<TimelineRow>& rows = trace.operations[lane];
    for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
      const std::int64_t start = rows[i].start.count;
      if (!rows[i].operation.overlapped_with_next || rows[i - 1].end().count == start) continue;
      if (!arrivals.at(start, lane, rows[i].operation)) waits[lane].push_back(i);
    }
  }
  return waits;
}

}  // namespace pipedeck::sim::engine
