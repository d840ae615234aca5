// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of runs in the chart of predicted over measured tokens per second: on two logarithmic axes, or as errors
// over one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QString>

#include "app/models/accuracy/run_row.hpp"

namespace pipedeck::models::accuracy {

enum class ScatterMode { scatter, ratio };

struct AxisTick {
  double position = 0;  ///< pixel along the axis
  QString text;
  bool operator==(const AxisTick&) const = default;
};

struct ScatterGeometry {
  static constexpr double reach = 10;         ///< pixels from a point to the mouse
  static constexpr double least_error = 0.3;  ///< at the edge of a chart of errors, at least
  static constexpr double most_error = 1;     ///< and at most: points beyond are at the edge

  QRectF plot;
  ScatterMode mode = ScatterMode::scatter;
  double least = 10, most = 1000;  ///< tokens per second at the edges of logarithmic axes
  double error_edge = least_error;
  std::vector<QPointF> points;  ///< by position among the shown runs
  std::vector<AxisTick> across, up;

  double x_of(double tokens_per_second) const;
  double y_of(double tokens_per_second) const;  ///< of the mode scatter
  double y_of_error(double error) const;        ///< of the mode ratio
  QPointF point_of(double measured, double predicted) const;
  /// Returns the area of points with an absolute error of at most `share`. It can reach out of the plot.
  QPolygonF band(double share) const;
  /// Returns the nearest point within reach.
  std::optional<std::size_t> hit(const QPointF& position) const;
};

/// Computes positions in `plot`. The axes reach over all rows in the chart, so that a filter moves no point.
ScatterGeometry lay_out_runs(std::span<const RunRow> rows, std::span<const std::size_t> shown, ScatterMode mode,
                             const QRectF& plot);

/// Returns the position of the next shown run by measured tokens per second, or of the first in that direction.
std::optional<std::size_t> next_run(std::span<const RunRow> rows, std::span<const std::size_t> shown,
                                    std::optional<std::size_t> from, int direction);

}  // namespace pipedeck::models::accuracy
