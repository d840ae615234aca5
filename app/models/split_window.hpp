// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the strip of layers is seen, and what a drag of a cut at a pixel means there. In units of the model: 0
// is its first layer, 1 the end of its last, whatever the zoom.
#pragma once

#include <vector>

#include <QRectF>

#include "app/models/split_geometry.hpp"

namespace pipedeck::app {

struct SplitWindow {
  double begin = 0, end = 1;
  bool operator==(const SplitWindow&) const = default;

  double span() const { return end - begin; }
  bool whole() const { return begin <= 0 && end >= 1; }
  /// The strip so that this part of it fills `area`.
  SplitStrip strip(const QRectF& area, const std::vector<double>& edges) const;
  double at(double x, const QRectF& area) const { return begin + (x - area.left()) / area.width() * span(); }

  /// `factor` above 1 shows less; what is at `fixed` stays where it is. Never less than `least`.
  void zoom(double factor, double fixed, double least);
  void pan(double by);
  /// Moves as little as it takes to show [from, to], or its beginning.
  void reveal(double from, double to);
};

/// Least of a model of so many layers that is worth a window: a few layers.
double least_span(int layers);

/// What dragging the cut before `stage` to pixel x means.
struct CutTarget {
  int cut = 0;
  bool merges = false;  ///< it lies on a neighbouring cut, or on the model's end: the stages beside it become one
  bool operator==(const CutTarget&) const = default;
};
/// The nearest cut between its neighbours; on one of them within `reach` pixels.
CutTarget cut_target(const SplitStrip& strip, const Firsts& firsts, int stage, double x, double reach);

/// Layers side by side as one box where they are narrower than `least` pixels; only what lies in [left, right].
struct LayerBox {
  double left = 0, right = 0;  ///< pixels
  double share = 0;            ///< of the highest layer: the highest in the box
  int first = 0, last = 0;     ///< half-open
  int stage = 0;
  bool marked = false;  ///< half of its layers or more are
};
std::vector<LayerBox> layer_boxes(const SplitStrip& strip, const Firsts& firsts, const std::vector<double>& shares,
                                  const std::vector<bool>& marks, double left, double right, double least = 2);

}  // namespace pipedeck::app
