// SPDX-License-Identifier: GPL-3.0-or-later
// What is brought out in a Gantt chart: everything else in the lanes is dimmed.
#pragma once

#include <vector>

#include <QColor>
#include <QPainter>
#include <QRect>

#include "app/models/gantt_critical.hpp"
#include "app/models/gantt_matches.hpp"
#include "app/views/gantt_painter.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

/// Where a frame is drawn, in pixels of the widget.
struct GanttFrame {
  QPainter& painter;
  QImage& canvas;
  const GanttGeometry& geometry;
  TimeAxis axis;
  QRect plot;
  const Theme& theme;
};

/// Dims all but the matches and underlines them.
RowMark mark_matches(const GanttFrame& frame, const GanttMatches& matches);

/// The critical path: all else is dimmed.
RowMark mark_critical_path(const GanttFrame& frame, const std::vector<CriticalBox>& path, int strip);
/// Over all rows: its operations outlined, each joined to the next, where they are few enough to be told apart.
void outline_critical_path(const GanttFrame& frame, const std::vector<CriticalBox>& path, int strip);

}  // namespace pipedeck::app
