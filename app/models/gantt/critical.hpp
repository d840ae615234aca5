// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of an iteration in a Gantt chart: its operations in the visible rows, and the joins between them.
#pragma once

#include <optional>
#include <vector>

#include "app/models/gantt/geometry.hpp"
#include "core/model/explanation.hpp"

namespace pipedeck::models::gantt {

/// A segment of the path in a row of the chart.
struct CriticalBox {
  std::size_t row = 0;        ///< index in the geometry
  bool strip = false;         ///< an all-reduce, drawn as the strip below the computations
  double begin = 0, end = 0;  ///< ns
  std::size_t link = 0;       ///< index in the path
  std::size_t operation = 0;  ///< index in the row's own lane, even if the row represents another device
  bool operator==(const CriticalBox&) const = default;
};

/// Returns the boxes in the path's order; a folded group's row represents all of its devices. Segments without a
/// visible row (transfers of hidden links) are omitted, and their neighbours are joined.
std::vector<CriticalBox> critical_boxes(const CriticalPath& path, const Content& content, const Geometry& geometry);

/// Returns the next or previous box on the path. From an operation off the path, or from `time` alone, this is the
/// nearest box in that direction. Returns nullopt past either end.
std::optional<std::size_t> critical_step(const std::vector<CriticalBox>& boxes, const Content& content,
                                         const std::optional<Hit>& from, bool forward, double time);

}  // namespace pipedeck::models::gantt
