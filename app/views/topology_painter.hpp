// SPDX-License-Identifier: GPL-3.0-or-later
// Painter of a cluster's drawing, in the drawing's own pixels; the QPainter applies pan and zoom. When zoomed out,
// devices become a strip of colours; further out, names disappear.
#pragma once

#include <functional>
#include <set>

#include <QFont>

#include "app/models/topology_geometry.hpp"
#include "app/models/topology_problems.hpp"
#include "app/views/theme.hpp"

class QPainter;

namespace pipedeck::app {

struct TopologyMarks {
  std::map<std::string, TopologyProblem::Severity> places;
  std::map<int, TopologyProblem::Severity> links;  ///< positions in Cluster::links
};
TopologyMarks marks_of(const std::vector<TopologyProblem>& problems);

class TopologyPainter {
 public:
  TopologyPainter(QPainter& painter, const TopologyLayout& layout, const TopologyMarks& marks, const Theme& theme,
                  const QFont& font, double zoom, const QRectF& seen);

  void ground();
  /// Draws everything that `wanted` accepts; racks are given by index, links by their index in TopologyLayout::links.
  void boxes(const std::function<bool(const TopologyEnd&)>& wanted);
  void frames(const std::function<bool(int rack)>& wanted);
  void links(const std::function<bool(const TopologyLink&)>& wanted);
  void labels(const std::function<bool(const TopologyLink&)>& wanted);

  void curve(const TopologyCurve& curve, const QColor& colour, double width, Qt::PenStyle style = Qt::SolidLine);
  void label(const QPointF& centre, const QString& text, const QColor& border);
  void outline(const QRectF& rect, double width);
  void port(const QPointF& at, bool target);

 private:
  enum class Detail { names_only, strips, chips };
  Detail detail() const;
  void node(const TopologyNode& node);
  void node_from_afar(const TopologyNode& node);
  void device(const TopologyDevice& device);
  void network_switch(const TopologySwitch& s);
  void rack_box(const TopologyRack& rack);
  void rack_frame(const TopologyRack& rack);
  void arrow(const QRectF& area, bool open);
  void strip(const QRectF& area, const std::vector<TopologyShare>& shares);
  void text(const QRectF& area, const QString& words, Qt::Alignment alignment, const QFont& font, const QColor& colour);
  void mark(const QPointF& at, TopologyProblem::Severity severity);
  void mark_of(const QString& name, const QRectF& rect);
  /// Returns the font, enlarged so that it is readable at this zoom.
  QFont readable(const QFont& font) const;

  QPainter& painter_;
  const TopologyLayout& layout_;
  const TopologyMarks& marks_;
  const Theme& theme_;
  QFont font_, title_, caption_, small_;
  double zoom_;
  QRectF seen_;
};

}  // namespace pipedeck::app
