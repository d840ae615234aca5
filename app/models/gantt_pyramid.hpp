// SPDX-License-Identifier: GPL-3.0-or-later
// Level of detail of one lane: bins of time, each with the kind that fills most of it. A frame reads about two bins a
// pixel whatever the number of operations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/domain/timeline.hpp"

namespace pipedeck::app {

/// What fills a span of time: the kind that takes most of it (the lower one of two equals) and how much of it any
/// operation covers, in 255ths; an operation too short to count still shows as 1.
struct LaneBin {
  std::uint8_t kind = 0;
  std::uint8_t cover = 0;
  bool operator==(const LaneBin&) const = default;
};

/// Bins of 2^shift ns from time 0 on; each level's bins are twice as wide as those of the level below.
struct LanePyramid {
  int shift = 0;  ///< of the lowest level
  std::vector<std::vector<LaneBin>> levels;
  bool empty() const { return levels.empty(); }
  double bin_width(int level) const;

  /// The widest level whose bins are no wider than `span` ns; -1 where even the lowest are wider.
  int level_for(double span) const;
  /// The bin of [begin, end) put together from bins of `level`.
  LaneBin sample(int level, double begin, double end) const;
  /// The same for neighbouring spans of `span` ns each, from `begin` on.
  void sample_columns(int level, double begin, double span, std::span<LaneBin> columns) const;
};

LanePyramid build_pyramid(const Timeline& timeline, const TimelineLane& lane);

/// The bin of [begin, end) ns from the operations themselves: what every level must agree with.
LaneBin exact_bin(const Timeline& timeline, const TimelineLane& lane, std::int64_t begin, std::int64_t end);
/// As LanePyramid::sample_columns from time 0, of a lane too short for its coarse levels: from the operations.
void exact_columns(const Timeline& timeline, const TimelineLane& lane, double span, std::span<LaneBin> columns);

/// The first operation of `lane` that ends after `time`; lane.end where there is none.
std::size_t first_ending_after(const Timeline& timeline, const TimelineLane& lane, double time);
/// The first operation of `lane` that starts at or after `time`; lane.end where there is none.
std::size_t first_starting_from(const Timeline& timeline, const TimelineLane& lane, double time);

}  // namespace pipedeck::app
