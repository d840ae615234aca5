// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a Gantt chart that a query finds: in order of time over all lanes, and where they lie at any zoom.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/models/gantt_content.hpp"
#include "app/models/gantt_query.hpp"
#include "app/models/operation_set.hpp"
#include "app/models/time_axis.hpp"

namespace pipedeck::app {

/// A bit for each bin of a lane's level of detail: something was found in it.
struct LaneMarks {
  std::vector<std::vector<std::uint64_t>> levels;
  bool any(int level, std::int64_t first_bin, std::int64_t end_bin) const;
};

struct GanttMatches {
  std::shared_ptr<const GanttContent> content;
  GanttQuery query;
  OperationSet found;
  std::vector<std::size_t> lanes;  ///< those that are drawn, ascending: what was searched
  std::vector<LaneMarks> marks;    ///< by lane of the timeline

  std::size_t count() const { return found.count(); }
  /// How many come before `operation`: those that start earlier, or at the same time in a lane above.
  std::size_t before(std::size_t operation) const;
  /// The first after `operation` in that order; nullopt: there is none. Without an operation: the first of all.
  std::optional<std::size_t> next(std::optional<std::size_t> operation) const;
  std::optional<std::size_t> previous(std::optional<std::size_t> operation) const;
  /// The first that starts at or after `time`, or the last of all.
  std::optional<std::size_t> from(double time) const;
};

/// Null where it was stopped.
std::shared_ptr<const GanttMatches> find_matches(std::shared_ptr<const GanttContent> content, const GanttQuery& query,
                                                 const std::stop_token& stop = {});

struct PixelSpan {
  double left = 0, right = 0;
  bool operator==(const PixelSpan&) const = default;
};

/// Where a lane's matches lie over `width` pixels: apart from one another, each a pixel wide at least.
std::vector<PixelSpan> match_spans(const GanttMatches& matches, std::size_t lane, const TimeAxis& axis, double width);

}  // namespace pipedeck::app
