// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights of a Gantt chart; everything else in the lanes is dimmed.
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

/// A frame to draw on, in pixels of the widget.
struct GanttFrame {
  QPainter& painter;
  QImage& canvas;
  const GanttGeometry& geometry;
  TimeAxis axis;
  QRect plot;
  const Theme& theme;
};

/// Underlines the matches and dims everything else.
RowMark mark_matches(const GanttFrame& frame, const GanttMatches& matches);

/// Highlights the critical path and dims everything else.
RowMark mark_critical_path(const GanttFrame& frame, const std::vector<CriticalBox>& path, int strip);
/// Outlines the operations of the path over all rows and connects each to the next, if there are few enough to
/// distinguish.
void outline_critical_path(const GanttFrame& frame, const std::vector<CriticalBox>& path, int strip);

}  // namespace pipedeck::app
