// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of the strip of layers, and the meaning of a cut dragged to a pixel. Units are those of the model at
// any zoom: 0 is the begin of its first layer, 1 the end of its last.
#pragma once

#include <vector>

#include <QRectF>

#include "app/models/split/geometry.hpp"

namespace pipedeck::models::split {

struct Window {
  double begin = 0, end = 1;
  bool operator==(const Window&) const = default;

  double span() const { return end - begin; }
  bool whole() const { return begin <= 0 && end >= 1; }
  /// Returns the strip scaled so that this part fills `area`.
  Strip strip(const QRectF& area, const std::vector<double>& edges) const;
  double at(double x, const QRectF& area) const { return begin + (x - area.left()) / area.width() * span(); }

  /// Zooms in if `factor` is above 1 and keeps `fixed` in place. The span is at least `least`.
  void zoom(double factor, double fixed, double least);
  void pan(double by);
  /// Moves as little as necessary to show [from, to], or its begin if it is too long.
  void reveal(double from, double to);
};

/// Returns the smallest useful span for a model with `layers` layers: a few layers.
double min_span(int layers);

/// A result of dragging the cut before `stage` to pixel x.
struct CutTarget {
  int cut = 0;
  bool merges = false;  ///< it coincides with a neighbouring cut or the model's end: the adjacent stages merge
  bool operator==(const CutTarget&) const = default;
};
/// Returns the nearest cut between its neighbours, or a neighbour within `reach` pixels.
CutTarget cut_target(const Strip& strip, const StageStarts& firsts, int stage, double x, double reach);

/// A box of one layer, or of adjacent layers narrower than `least` pixels; only for layers within [left, right].
struct LayerBox {
  double left = 0, right = 0;  ///< pixels
  double share = 0;            ///< maximum of its layers' shares
  int first = 0, last = 0;     ///< half-open
  int stage = 0;
  bool marked = false;  ///< at least half of its layers are marked
};
std::vector<LayerBox> layer_boxes(const Strip& strip, const StageStarts& firsts, const std::vector<double>& shares,
                                  const std::vector<bool>& marks, double left, double right, double least = 2);

}  // namespace pipedeck::models::split
