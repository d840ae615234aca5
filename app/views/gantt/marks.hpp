// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights of a Gantt chart; everything else in the lanes is dimmed.
#pragma once

#include <vector>

#include <QColor>
#include <QPainter>
#include <QRect>

#include "app/models/gantt/critical.hpp"
#include "app/models/gantt/matches.hpp"
#include "app/views/gantt/painter.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

/// A frame to draw on, in pixels of the widget.
struct Frame {
  QPainter& painter;
  QImage& canvas;
  const models::gantt::Geometry& geometry;
  models::gantt::TimeAxis axis;
  QRect plot;
  const widgets::Theme& theme;
};

/// Underlines the matches and dims everything else.
RowMark mark_matches(const Frame& frame, const models::gantt::Matches& matches);

/// Highlights the critical path and dims everything else.
RowMark mark_critical_path(const Frame& frame, const std::vector<models::gantt::CriticalBox>& path, int strip);
/// Outlines the operations of the path over all rows and connects each to the next, if there are few enough to
/// distinguish.
void outline_critical_path(const Frame& frame, const std::vector<models::gantt::CriticalBox>& path, int strip);

}  // namespace pipedeck::views::gantt
