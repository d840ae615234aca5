// SPDX-License-Identifier: GPL-3.0-or-later
// Painter of a cluster's drawing, in the drawing's own pixels; the QPainter applies pan and zoom. Text is never smaller
// than 11 pixels of the screen. When zoomed out, devices become a strip of colours; further out, names disappear.
#pragma once

#include <functional>
#include <set>

#include <QFont>

#include "app/models/topology/geometry.hpp"
#include "app/models/topology/overlay.hpp"
#include "app/models/topology/problems.hpp"
#include "app/views/widgets/theme.hpp"

class QPainter;

namespace pipedeck::views::topology {

struct Marks {
  std::map<std::string, models::topology::TopologyProblem::Severity> places;
  std::map<int, models::topology::TopologyProblem::Severity> links;  ///< positions in Cluster::links
};
Marks marks_of(const std::vector<models::topology::TopologyProblem>& problems);

class Painter {
 public:
  Painter(QPainter& painter, const models::topology::Layout& layout, const Marks& marks, const widgets::Theme& theme,
          const QFont& font, double zoom, const QRectF& seen, const models::topology::Overlay* overlay = nullptr);

  void ground();
  /// Draws everything that `wanted` accepts; racks are given by index, links by their index in topology::Layout::links.
  void boxes(const std::function<bool(const models::topology::End&)>& wanted);
  void frames(const std::function<bool(int rack)>& wanted);
  void links(const std::function<bool(const models::topology::TopologyLink&)>& wanted);
  void labels(const std::function<bool(const models::topology::TopologyLink&)>& wanted);

  /// Draws a link's path with round corners.
  void line(const std::vector<QPointF>& path, const QColor& colour, double width);
  void curve(const models::topology::Curve& curve, const QColor& colour, double width,
             Qt::PenStyle style = Qt::SolidLine);
  void label(const QPointF& centre, const QString& text, const QColor& border);
  void outline(const QRectF& rect, double width);
  void port(const QPointF& at, bool target);

 private:
  enum class Detail { names_only, strips, chips };
  Detail detail() const;
  void node(const models::topology::TopologyNode& node);
  void node_from_afar(const models::topology::TopologyNode& node);
  void compact_node(const models::topology::TopologyNode& node);
  void node_header(const models::topology::TopologyNode& node);
  void shares_list(const models::topology::TopologyNode& node);
  void device(const models::topology::TopologyDevice& device);
  /// Sets pen and brush of a device: by its group, or its type.
  void set_inks(const models::topology::TopologyDevice& device, double width);
  void bands(const QRectF& area, const models::topology::TopologyNode& node);
  void network_switch(const models::topology::TopologySwitch& s);
  void rack_box(const models::topology::Rack& rack);
  void rack_frame(const models::topology::Rack& rack);
  void arrow(const QRectF& area, bool open);
  void strip(const QRectF& area, const std::vector<models::topology::Share>& shares);
  void text(const QRectF& area, const QString& words, Qt::Alignment alignment, const QFont& font, const QColor& colour);
  void mark(const QPointF& at, models::topology::TopologyProblem::Severity severity);
  void mark_of(const QString& name, const QRectF& rect);
  void link_mark(const models::topology::TopologyLink& link);
  /// Returns the font, enlarged so that it is readable at this zoom.
  static QFont readable(const QFont& font, double zoom);

  QPainter& painter_;
  const models::topology::Layout& layout_;
  const Marks& marks_;
  const widgets::Theme& theme_;
  QFont font_, title_, caption_;
  double zoom_;
  QRectF seen_;
  const models::topology::Overlay* overlay_;
};

}  // namespace pipedeck::views::topology
