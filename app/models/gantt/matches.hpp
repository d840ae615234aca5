// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a Gantt chart that match a query: their order by time over all lanes, and their positions at any
// zoom.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/models/gantt/content.hpp"
#include "app/models/gantt/operation_set.hpp"
#include "app/models/gantt/query.hpp"
#include "app/models/gantt/time_axis.hpp"

namespace pipedeck::models::gantt {

/// A bitmap of each level of a lane: a bit is set if its bin has a match.
struct LaneMarks {
  std::vector<std::vector<std::uint64_t>> levels;
  bool any(int level, std::int64_t first_bin, std::int64_t end_bin) const;
};

struct Matches {
  std::shared_ptr<const Content> content;
  Query query;
  OperationSet found;
  std::vector<std::size_t> lanes;  ///< drawn lanes that were searched, ascending
  std::vector<LaneMarks> marks;    ///< by lane of the timeline

  std::size_t count() const { return found.count(); }
  /// Returns the number of matches before `operation`: those that start earlier, or at the same time in a lane above.
  std::size_t before(std::size_t operation) const;
  /// Returns the first match after `operation` in that order, or nullopt if there is none. Without an operation,
  /// returns the first of all.
  std::optional<std::size_t> next(std::optional<std::size_t> operation) const;
  std::optional<std::size_t> previous(std::optional<std::size_t> operation) const;
  /// Returns the first match that starts at or after `time`, or the last of all.
  std::optional<std::size_t> from(double time) const;
};

/// Returns null if it was stopped.
std::shared_ptr<const Matches> find_matches(std::shared_ptr<const Content> content, const Query& query,
                                            const std::stop_token& stop = {});

struct PixelSpan {
  double left = 0, right = 0;
  bool operator==(const PixelSpan&) const = default;
};

/// Returns the positions of a lane's matches over `width` pixels: disjoint, each at least one pixel wide.
std::vector<PixelSpan> match_spans(const Matches& matches, std::size_t lane, const TimeAxis& axis, double width);

}  // namespace pipedeck::models::gantt
