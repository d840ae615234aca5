// SPDX-License-Identifier: GPL-3.0-or-later
// What is brought out in a Gantt chart: everything else in the lanes is dimmed.
#pragma once

#include <vector>

#include <QColor>
#include <QPainter>
#include <QRect>

#include "app/models/gantt_critical.hpp"
#include "app/models/gantt_matches.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

/// Dims all but the matches and underlines them.
void draw_matches(QPainter& painter, QImage& canvas, const GanttMatches& matches, const GanttGeometry& geometry,
                  const TimeAxis& axis, const QRect& plot, const Theme& theme);

/// The critical path: all else dimmed, its operations outlined, each joined to the next.
void draw_critical_path(QPainter& painter, QImage& canvas, const std::vector<CriticalBox>& path,
                        const GanttGeometry& geometry, int strip, const TimeAxis& axis, const QRect& plot,
                        const Theme& theme);

}  // namespace pipedeck::app
