// SPDX-License-Identifier: GPL-3.0-or-later
// Routes of links: lines of horizontal and vertical parts that run in the gutters between boxes, never over a box.
#pragma once

#include <cstddef>
#include <vector>

#include <QPointF>
#include <QRectF>

namespace pipedeck::models::topology {

/// Two boxes to join, by position, and the side of each at which the line ends.
struct Connection {
  std::size_t from = 0, to = 0;
  bool from_bottom = true, to_bottom = false;
};

using Path = std::vector<QPointF>;

/// A search for routes around given boxes.
class Router {
 public:
  /// Height of the room for a label above a box.
  static constexpr double label_room = 30;
  static constexpr double least_gap_with_label = label_room + 14;

  /// Lines avoid `boxes` and `walls`; they may end at boxes.
  Router(std::vector<QRectF> boxes, const std::vector<QRectF>& walls);

  /// Returns true if a label fits between the top of a box and its upper neighbour.
  bool has_label_room(std::size_t box) const;
  /// Keeps lines off a label. Lines that end at the box below it may pass.
  void add_label(const QRectF& rect) { labels_.push_back(rect); }
  /// Makes lines go around an open rack if that is no long detour.
  void add_frame(const QRectF& rect) { frames_.push_back(rect); }

  /// Returns a path for each connection; empty where there is no way between the boxes. Lines from one box share
  /// trunks. Lines from different boxes have lanes of their own.
  std::vector<Path> routes(const std::vector<Connection>& connections) const;

 private:
  friend class LaneGrid;
  /// Distances from a box to its neighbours; `open` where there is none.
  struct Gaps {
    double left = open, right = open, above = open, below = open;
  };
  static constexpr double open = 1e9;
  void measure();

  std::size_t boxes_ = 0;       ///< the first ones in solids_
  std::vector<QRectF> solids_;  ///< boxes, then walls
  std::vector<Gaps> gaps_;
  std::vector<QRectF> labels_, frames_;
};

}  // namespace pipedeck::models::topology
