// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of detail of one lane: bins of time, each with the part of every kind of operation. A frame reads about two
// bins per pixel for any number of operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/timeline.hpp"

namespace pipedeck::models::gantt {

/// A hierarchy of bins of 2^shift ns from time 0. The bins of each level are twice as wide as those of the level below.
/// A bin stores a part per kind in 255ths of its width. A kind with less than that still counts as 1.
struct LanePyramid {
  int shift = 0;                                  ///< of the lowest level
  std::vector<std::uint8_t> kinds;                ///< values of OpKind in the lane, ascending
  std::vector<std::vector<std::uint8_t>> levels;  ///< by level: kinds.size() parts per bin
  bool empty() const { return levels.empty(); }
  std::size_t bins(int level) const { return levels[static_cast<std::size_t>(level)].size() / kinds.size(); }
  double bin_width(int level) const;

  /// Returns the highest level with bins no wider than `span` ns, or -1 if the lowest bins are wider.
  int level_for(double span) const;
  /// Computes the parts of adjacent spans of `span` ns each, from `begin` on, from the bins of `level`. `parts` has
  /// kinds.size() values per span.
  void sample_columns(int level, double begin, double span, std::span<std::uint8_t> parts) const;
};

LanePyramid build_pyramid(const Timeline& timeline, const TimelineLane& lane);

/// Computes the parts of [begin, end) ns from the operations. Every level must agree with it.
std::vector<std::uint8_t> exact_parts(const Timeline& timeline, const TimelineLane& lane,
                                      std::span<const std::uint8_t> kinds, std::int64_t begin, std::int64_t end);
/// Computes the result of LanePyramid::sample_columns from time 0 from the operations, for a lane too short for its
/// coarse levels.
void exact_columns(const Timeline& timeline, const TimelineLane& lane, std::span<const std::uint8_t> kinds, double span,
                   std::span<std::uint8_t> parts);

/// Returns the first operation of `lane` that ends after `time`, or lane.end.
std::size_t first_ending_after(const Timeline& timeline, const TimelineLane& lane, double time);
/// Returns the first operation of `lane` that starts at or after `time`, or lane.end.
std::size_t first_starting_from(const Timeline& timeline, const TimelineLane& lane, double time);

}  // namespace pipedeck::models::gantt
