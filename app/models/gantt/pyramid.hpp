// SPDX-License-Identifier: GPL-3.0-or-later
// Levels of detail of one lane: bins of time, each with its dominant kind. A frame reads about two bins per pixel for
// any number of operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/timeline.hpp"

namespace pipedeck::models::gantt {

/// A summary of a time span: the kind with the most time (the lower value of equals), and the covered part in 255ths.
/// An operation shorter than that still counts as 1.
struct LaneBin {
  std::uint8_t kind = 0;
  std::uint8_t cover = 0;
  bool operator==(const LaneBin&) const = default;
};

/// A hierarchy of bins of 2^shift ns from time 0. The bins of each level are twice as wide as those of the level below.
struct LanePyramid {
  int shift = 0;  ///< of the lowest level
  std::vector<std::vector<LaneBin>> levels;
  bool empty() const { return levels.empty(); }
  double bin_width(int level) const;

  /// Returns the highest level with bins no wider than `span` ns, or -1 if the lowest bins are wider.
  int level_for(double span) const;
  /// Returns the bin of [begin, end), combined from bins of `level`.
  LaneBin sample(int level, double begin, double end) const;
  /// Computes the bins of adjacent spans of `span` ns each, from `begin` on.
  void sample_columns(int level, double begin, double span, std::span<LaneBin> columns) const;
};

LanePyramid build_pyramid(const Timeline& timeline, const TimelineLane& lane);

/// Computes the bin of [begin, end) ns from the operations. Every level must agree with it.
LaneBin exact_bin(const Timeline& timeline, const TimelineLane& lane, std::int64_t begin, std::int64_t end);
/// Computes the result of LanePyramid::sample_columns from time 0 from the operations, for a lane too short for its
/// coarse levels.
void exact_columns(const Timeline& timeline, const TimelineLane& lane, double span, std::span<LaneBin> columns);

/// Returns the first operation of `lane` that ends after `time`, or lane.end.
std::size_t first_ending_after(const Timeline& timeline, const TimelineLane& lane, double time);
/// Returns the first operation of `lane` that starts at or after `time`, or lane.end.
std::size_t first_starting_from(const Timeline& timeline, const TimelineLane& lane, double time);

}  // namespace pipedeck::models::gantt
