// SPDX-License-Identifier: GPL-3.0-or-later
// Where the critical path of an iteration lies in a Gantt chart: its operations in the rows that show them, and what
// joins one to the next.
#pragma once

#include <optional>
#include <vector>

#include "app/models/gantt_geometry.hpp"
#include "core/domain/explanation.hpp"

namespace pipedeck::app {

/// One link of the path in a row of the chart.
struct CriticalBox {
  std::size_t row = 0;        ///< of the geometry
  bool strip = false;         ///< an all-reduce: the strip beneath the computations
  double begin = 0, end = 0;  ///< ns
  std::size_t link = 0;       ///< of the path
  std::size_t operation = 0;  ///< of the row's own lane, where that stands for another device's
  bool operator==(const CriticalBox&) const = default;
};

/// Links that no row shows (transfers while links are hidden) are left out: the boxes before and after them are joined.
/// In the path's order; a folded group's row stands for all of its devices.
std::vector<CriticalBox> critical_boxes(const CriticalPath& path, const GanttContent& content,
                                        const GanttGeometry& geometry);

/// The box that follows or precedes an operation on the path; of an operation beside the path, or of `time` alone, the
/// nearest in that direction. Nothing past either end.
std::optional<std::size_t> critical_step(const std::vector<CriticalBox>& boxes, const GanttContent& content,
                                         const std::optional<GanttHit>& from, bool forward, double time);

}  // namespace pipedeck::app
