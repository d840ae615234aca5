// SPDX-License-Identifier: GPL-3.0-or-later
// Where the points of a front are drawn.
#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>

#include "app/models/front_content.hpp"

namespace pipedeck::app {

struct FrontTick {
  double position = 0;  ///< pixel across or down
  QString text;
};

struct FrontGeometry {
  static constexpr double least_radius = 3, most_radius = 9;

  QRectF plot;
  double least_x = 0, most_x = 1;  ///< at the plot's left and right
  double most_y = 1;               ///< samples a second at its top; 0 at the bottom
  bool log_x = false;
  std::vector<QPointF> points;  ///< by plan; those whose x is unknown are far outside
  std::vector<double> radii;    ///< by plan
  std::vector<FrontTick> across, up;

  double x_of(double value) const;
  double y_of(double samples_per_second) const;
  /// The nearest point within reach of the mouse; points of the front before others.
  std::optional<std::size_t> hit(const FrontContent& content, const QPointF& position) const;
  /// The steps that join the line's points, for drawing.
  std::vector<QPointF> staircase(const FrontContent& content) const;
};

/// `plot`: inside of the axes.
FrontGeometry lay_out_front(const FrontContent& content, const QRectF& plot);

}  // namespace pipedeck::app
