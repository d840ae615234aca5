// SPDX-License-Identifier: GPL-3.0-or-later
// The positions of a front's points in the chart.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "app/models/whatif/pareto_content.hpp"

namespace pipedeck::models::whatif {

struct FrontTick {
  double position = 0;  ///< pixel along the axis
  QString text;
};

struct ParetoGeometry {
  static constexpr double min_radius = 3, max_radius = 9;

  QRectF plot;
  double min_x = 0, max_x = 1;  ///< at the plot's left and right edge
  double max_y = 1;             ///< samples per second at its top edge; 0 at the bottom
  bool log_x = false;
  std::vector<QPointF> points;  ///< by plan; points with unknown x are far outside
  std::vector<double> radii;    ///< by plan
  std::vector<FrontTick> across, up;

  double x_of(double value) const;
  double y_of(double samples_per_second) const;
  /// Returns the nearest point within reach of the mouse. Points of the front are preferred.
  std::optional<std::size_t> hit(const ParetoContent& content, const QPointF& position) const;
  /// Returns the corners of the steps that join the line's points.
  std::vector<QPointF> staircase(const ParetoContent& content) const;
};

/// Computes positions in `plot`, the area inside the axes.
ParetoGeometry lay_out_front(const ParetoContent& content, const QRectF& plot);

}  // namespace pipedeck::models::whatif
