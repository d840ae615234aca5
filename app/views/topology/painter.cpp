// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology/painter.hpp"

#include <algorithm>
#include <cmath>

#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

#include "app/models/topology/routes.hpp"

namespace pipedeck::views::topology {

namespace {

constexpr double chips_from = 0.5;    ///< zoom from which devices are drawn one by one
constexpr double strips_from = 0.12;  ///< zoom from which boxes have text
constexpr double labels_from = 0.5;   ///< zoom from which links show their bandwidths
constexpr double min_pixels = 11;     ///< minimum size of letters on the screen
constexpr double corner = 6;          ///< radius of a link's corners

QRectF rect_behind(const QRectF& rect) { return rect.translated(4, -4); }

/// Returns as many of the parts, in one line, as fit into the width; at least the first.
QString fitting(const QStringList& parts, double width, const QFontMetricsF& metrics) {
  for (qsizetype count = parts.size(); count > 1; --count)
    if (const QString line = parts.mid(0, count).join(QStringLiteral(" · ")); metrics.horizontalAdvance(line) <= width)
      return line;
  return parts.isEmpty() ? QString() : parts.front();
}

void add_mark(auto& marks, const auto& key, models::topology::TopologyProblem::Severity severity) {
  const auto [at, fresh] = marks.try_emplace(key, severity);
  if (!fresh) at->second = std::min(at->second, severity);
}

}  // namespace

Marks marks_of(const std::vector<models::topology::TopologyProblem>& problems) {
  Marks marks;
  for (const models::topology::TopologyProblem& problem : problems) {
    for (const std::string& place : problem.at.places) add_mark(marks.places, place, problem.severity);
    for (const int link : problem.at.links) add_mark(marks.links, link, problem.severity);
  }
  return marks;
}

Painter::Painter(QPainter& painter, const models::topology::Layout& layout, const Marks& marks,
                 const widgets::Theme& theme, const QFont& font, double zoom, const QRectF& seen,
                 const models::topology::Overlay* overlay)
    : painter_(painter),
      layout_(layout),
      marks_(marks),
      theme_(theme),
      font_(readable(font, zoom)),
      title_(readable(widgets::title_font(font), zoom)),
      caption_(readable(widgets::caption_font(font), zoom)),
      zoom_(zoom),
      seen_(seen),
      overlay_(overlay) {}

Painter::Detail Painter::detail() const {
  if (zoom_ >= chips_from) return Detail::chips;
  return zoom_ >= strips_from ? Detail::strips : Detail::names_only;
}

QFont Painter::readable(const QFont& font, double zoom) {
  QFont larger = font;
  const double pixels = QFontInfo(font).pixelSize() * zoom;
  if (pixels < min_pixels) larger.setPixelSize(static_cast<int>(std::ceil(min_pixels / zoom)));
  return larger;
}

void Painter::text(const QRectF& area, const QString& words, Qt::Alignment alignment, const QFont& font,
                   const QColor& colour) {
  constexpr double least_letters = 3;  // fewer are no name
  const QFontMetricsF metrics(font);
  const bool fits = metrics.horizontalAdvance(words) <= area.width();
  if (!fits && area.width() < metrics.averageCharWidth() * least_letters) return;
  painter_.setFont(font);
  painter_.setPen(colour);
  painter_.drawText(area, static_cast<int>(alignment | Qt::TextSingleLine),
                    fits ? words : metrics.elidedText(words, Qt::ElideRight, area.width()));
}

/// Draws dots on every second line of the grid, fewer when zoomed out.
void Painter::ground() {
  double step = 2 * models::topology::topology_grid;
  while (step * zoom_ < 16) step *= 2;
  painter_.setPen(QPen(theme_.grid, 1.4 / zoom_, Qt::SolidLine, Qt::RoundCap));
  std::vector<QPointF> dots;
  for (double y = std::ceil(seen_.top() / step) * step; y < seen_.bottom(); y += step)
    for (double x = std::ceil(seen_.left() / step) * step; x < seen_.right(); x += step) dots.emplace_back(x, y);
  painter_.drawPoints(dots.data(), static_cast<int>(dots.size()));
}

void Painter::boxes(const std::function<bool(const models::topology::End&)>& wanted) {
  for (const models::topology::End& end : layout_.ends()) {
    if (!layout_.rect_of(end).intersects(seen_) || !wanted(end)) continue;
    const auto i = static_cast<std::size_t>(end.index);
    if (end.kind == models::topology::End::node) node(layout_.nodes[i]);
    if (end.kind == models::topology::End::network_switch) network_switch(layout_.switches[i]);
    if (end.kind == models::topology::End::rack) rack_box(layout_.racks[i]);
  }
}

void Painter::frames(const std::function<bool(int)>& wanted) {
  for (std::size_t r = 0; r < layout_.racks.size(); ++r)
    if (!layout_.racks[r].collapsed && layout_.racks[r].rect.intersects(seen_) && wanted(static_cast<int>(r)))
      rack_frame(layout_.racks[r]);
}

void Painter::links(const std::function<bool(const models::topology::TopologyLink&)>& wanted) {
  const QColor colour = widgets::blended(theme_.muted, theme_.window, 0.55);
  const auto loaded = [&](const models::topology::TopologyLink& link) {
    return overlay_ && !overlay_->loads.empty() &&
           std::ranges::any_of(link.links, [&](int position) { return overlay_->loads.contains(position); });
  };
  for (const bool red : {false, true})  // loaded ones on top
    for (const models::topology::TopologyLink& link : layout_.links)
      if (wanted(link) && loaded(link) == red)
        line(link.path, red ? theme_.bad : colour, link.links.size() > 1 ? 3.5 : 2);
}

void Painter::labels(const std::function<bool(const models::topology::TopologyLink&)>& wanted) {
  for (const models::topology::TopologyLabel& shared : layout_.labels) {
    if (zoom_ < labels_from || !shared.room.intersects(seen_)) continue;
    if (!std::ranges::all_of(shared.links, [&](std::size_t i) { return wanted(layout_.links[i]); })) continue;
    const QString bytes = overlay_ ? overlay_->load_text(layout_.links_of(shared)) : QString();
    if (!bytes.isEmpty())
      label(shared.room.center(), bytes, theme_.bad);
    else if (QFontMetricsF(caption_).horizontalAdvance(shared.text) + 16 <= shared.room.width())
      label(shared.room.center(), shared.text, theme_.border);
  }
  for (const models::topology::TopologyLink& link : layout_.links)
    if (!marks_.links.empty() && wanted(link)) link_mark(link);
}

void Painter::link_mark(const models::topology::TopologyLink& link) {
  for (const int position : link.links)
    if (const auto found = marks_.links.find(position); found != marks_.links.end())
      return mark(link.label - QPointF(0, 16), found->second);
}

void Painter::line(const std::vector<QPointF>& path, const QColor& colour, double width) {
  if (path.size() < 2) return;
  QRectF around = QRectF(path[0], path[1]).normalized();
  for (const QPointF& point : path) around = around.united(QRectF(point - QPointF(1, 1), QSizeF(2, 2)));
  if (!around.adjusted(-4, -4, 4, 4).intersects(seen_)) return;
  QPainterPath drawn(path.front());
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const QLineF in(path[i], path[i - 1]), out(path[i], path[i + 1]);
    const double round = std::min({corner, in.length() / 2, out.length() / 2});
    drawn.lineTo(in.pointAt(in.length() > 0 ? round / in.length() : 0));
    drawn.quadTo(path[i], out.pointAt(out.length() > 0 ? round / out.length() : 0));
  }
  drawn.lineTo(path.back());
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(colour, std::max(width, 1.2 / zoom_), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
  painter_.drawPath(drawn);
}

void Painter::curve(const models::topology::Curve& curve, const QColor& colour, double width, Qt::PenStyle style) {
  QPainterPath path(curve.from);
  if (curve.arc) {
    const double lift = std::min(90.0, 40 + std::abs(curve.to.x() - curve.from.x()) / 12);
    path.cubicTo(curve.from - QPointF(0, lift), curve.to - QPointF(0, lift), curve.to);
  } else {
    const double middle = (curve.from.y() + curve.to.y()) / 2;
    path.cubicTo(QPointF(curve.from.x(), middle), QPointF(curve.to.x(), middle), curve.to);
  }
  if (!path.controlPointRect().adjusted(-4, -4, 4, 4).intersects(seen_)) return;
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(QPen(colour, std::max(width, 1.2 / zoom_), style, Qt::FlatCap, Qt::BevelJoin));
  painter_.drawPath(path);
}

void Painter::label(const QPointF& centre, const QString& words, const QColor& border) {
  const QFontMetricsF metrics(caption_);
  QRectF pill(0, 0, metrics.horizontalAdvance(words) + 16,
              std::min(metrics.height() + 5, models::topology::Router::label_room - 2));
  pill.moveCenter(centre);
  painter_.setPen(QPen(border, 1));
  painter_.setBrush(theme_.panel);
  painter_.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
  painter_.setFont(caption_);
  painter_.setPen(theme_.text);
  painter_.drawText(pill, Qt::AlignCenter, words);
}

void Painter::outline(const QRectF& rect, double width) {
  painter_.setPen(QPen(theme_.accent, width / zoom_));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRoundedRect(rect, 5, 5);
}

void Painter::port(const QPointF& at, bool target) {
  painter_.setPen(QPen(theme_.accent, 1.6));
  painter_.setBrush(target ? theme_.accent : theme_.panel);
  painter_.drawEllipse(at, target ? 7 : 4.5, target ? 7 : 4.5);
}

/// Draws the devices' shares as coloured parts.
void Painter::strip(const QRectF& area, const std::vector<models::topology::Share>& shares) {
  int all = 0;
  for (const models::topology::Share& share : shares) all += share.count;
  double y = area.top();
  for (const models::topology::Share& share : shares) {
    const double height = area.height() * share.count / std::max(all, 1);
    painter_.fillRect(QRectF(area.left(), y, area.width(), height), theme_.of_group(share.type_index));
    y += height;
  }
}

void Painter::node_from_afar(const models::topology::TopologyNode& node) {
  painter_.setPen(QPen(theme_.border, 1.2 / zoom_));
  painter_.setBrush(theme_.panel);
  painter_.drawRect(node.rect);
  const double bar = overlay_ ? 0 : std::max(8.0, 4 / zoom_);
  if (overlay_)
    bands(node.rect, node);
  else
    strip(QRectF(node.rect.topLeft(), QSizeF(bar, node.rect.height())), node.shares);
  if (detail() == Detail::names_only) return;
  const QRectF area = node.rect.adjusted(bar + 4 / zoom_, 2 / zoom_, -2 / zoom_, -2 / zoom_);
  const double line = QFontMetricsF(title_).height();
  if (area.height() < 2 * line || node.shares.empty())
    return text(area, node.name, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_.text);
  QRectF upper = area, lower = area;
  upper.setBottom(area.center().y());
  lower.setTop(area.center().y());
  text(upper, node.name, Qt::AlignLeft | Qt::AlignBottom, title_, theme_.text);
  text(lower, node.shares.front().text, Qt::AlignLeft | Qt::AlignTop, caption_, theme_.muted);
}

/// Draws a node of an open group: its name, and a square for each device.
void Painter::compact_node(const models::topology::TopologyNode& node) {
  painter_.setPen(QPen(theme_.border, std::max(1.2, 1.2 / zoom_)));
  painter_.setBrush(theme_.panel);
  painter_.drawRoundedRect(node.rect, 4, 4);
  text(node.header.adjusted(12, 1, -6, 0), node.name, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_.text);
  for (const models::topology::TopologyDevice& chip : node.devices) {
    set_inks(chip, 1.2);
    painter_.drawRoundedRect(chip.rect, 2, 2);
  }
}

void Painter::node_header(const models::topology::TopologyNode& node) {
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(theme_.raised);
  painter_.drawRoundedRect(node.header, 5, 5);
  painter_.fillRect(node.header.adjusted(0, 5, 0, 0), theme_.raised);
  const QRectF line = node.header.adjusted(12, 4, -12, -4);
  QRectF upper = line, lower = line;
  upper.setBottom(line.center().y());
  lower.setTop(line.center().y());
  text(upper, node.name, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_.text);
  text(lower, fitting(node.details, lower.width(), QFontMetricsF(caption_)), Qt::AlignLeft | Qt::AlignVCenter, caption_,
       theme_.muted);
}

/// Draws the counts of a node with too many devices to draw.
void Painter::shares_list(const models::topology::TopologyNode& node) {
  double y = node.header.bottom() + 8;
  for (const models::topology::Share& share : node.shares) {
    strip(QRectF(node.rect.left() + 12, y + 2, 6, 16), {share});
    text(QRectF(node.rect.left() + 26, y, node.rect.width() - 38, 20), share.text, Qt::AlignLeft | Qt::AlignVCenter,
         font_, theme_.text);
    y += 24;
  }
}

void Painter::node(const models::topology::TopologyNode& node) {
  if (detail() != Detail::chips) {
    node_from_afar(node);
    return mark_of(node.name, node.rect);
  }
  if (node.compact) {
    compact_node(node);
    return mark_of(node.name, node.rect);
  }
  QPainterPath outline;
  outline.addRoundedRect(node.rect, 5, 5);
  painter_.fillPath(outline, theme_.panel);
  node_header(node);
  painter_.setPen(QPen(theme_.border, 1.2));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawPath(outline);
  for (const models::topology::TopologyDevice& chip : node.devices) device(chip);
  if (node.devices.empty()) shares_list(node);
  port(node.port, false);
  mark_of(node.name, node.rect);
}

void Painter::set_inks(const models::topology::TopologyDevice& device, double width) {
  const int number = overlay_ ? overlay_->group(device.device) : device.type_index;
  const bool crosses = overlay_ && overlay_->leaves_domain(device.device);
  const auto colour = static_cast<std::size_t>(std::max(0, number)) % theme_.group_fill.size();
  painter_.setPen(number < 0 ? QPen(theme_.border, width)
                  : crosses  ? QPen(theme_.bad, 1.6 * width)
                             : QPen(theme_.group[colour], width));
  painter_.setBrush(number < 0 ? theme_.panel : theme_.group_fill[colour]);
}

/// Draws a node from afar as a band for each device in the colour of its group, and an edge in red if one leaves.
void Painter::bands(const QRectF& area, const models::topology::TopologyNode& node) {
  if (node.devices.empty()) return;
  const double width = area.width() / static_cast<double>(node.devices.size());
  bool crosses = false;
  for (std::size_t first = 0, next = 0; first < node.devices.size(); first = next) {
    const int group = overlay_->group(node.devices[first].device);
    for (next = first; next < node.devices.size() && overlay_->group(node.devices[next].device) == group; ++next)
      crosses |= overlay_->leaves_domain(node.devices[next].device);
    if (group < 0) continue;
    painter_.fillRect(QRectF(area.left() + static_cast<double>(first) * width, area.top(),
                             static_cast<double>(next - first) * width, area.height()),
                      theme_.group_fill[static_cast<std::size_t>(group) % theme_.group_fill.size()]);
  }
  painter_.setPen(QPen(crosses ? theme_.bad : theme_.border, 1.2 / zoom_));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawRect(area);
}

void Painter::device(const models::topology::TopologyDevice& device) {
  set_inks(device, 1.3);
  painter_.drawRoundedRect(device.rect, 4, 4);
  // A number that does not fit is left out: a shortened one would be another device's.
  const QRectF area = device.rect.adjusted(1, 0, -1, 0);
  for (const QFont& font : {title_, caption_})
    if (QFontMetricsF(font).horizontalAdvance(device.name) <= area.width())
      return text(area, device.name, Qt::AlignCenter, font, theme_.text);
}

void Painter::network_switch(const models::topology::TopologySwitch& s) {
  painter_.setPen(QPen(theme_.border, std::max(1.2, 1.2 / zoom_)));
  painter_.setBrush(theme_.panel);
  painter_.drawRoundedRect(s.rect, 5, 5);
  const bool two_lines = QFontMetricsF(title_).height() + QFontMetricsF(caption_).height() <= s.rect.height();
  if (detail() == Detail::chips && two_lines) {
    QRectF upper = s.rect.adjusted(6, 4, -6, 0), lower = s.rect.adjusted(6, 0, -6, -4);
    upper.setBottom(s.rect.center().y() + 2);
    lower.setTop(s.rect.center().y());
    text(upper, s.name, Qt::AlignCenter, title_, theme_.text);
    const QStringList parts = s.detail.split(QStringLiteral(" · "));
    text(lower, fitting(parts, lower.width(), QFontMetricsF(caption_)), Qt::AlignCenter, caption_, theme_.muted);
  } else if (detail() != Detail::names_only) {
    text(s.rect.adjusted(4, 0, -4, 0), s.name, Qt::AlignCenter, title_, theme_.text);
  }
  if (detail() == Detail::chips) port(s.port, false);
  mark_of(s.name, s.rect);
}

/// Draws an arrow that points right when closed, down when open.
void Painter::arrow(const QRectF& area, bool open) {
  const QPointF c = area.center();
  const QPointF shut[] = {c + QPointF(-3, -5), c + QPointF(4, 0), c + QPointF(-3, 5)};
  const QPointF opened[] = {c + QPointF(-5, -3), c + QPointF(5, -3), c + QPointF(0, 4)};
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(theme_.muted);
  painter_.drawPolygon(open ? opened : shut, 3);
}

void Painter::rack_box(const models::topology::Rack& rack) {
  // A second edge behind indicates several items.
  painter_.setPen(QPen(theme_.border, std::max(1.2, 1.2 / zoom_)));
  painter_.setBrush(theme_.raised);
  painter_.drawRoundedRect(rect_behind(rack.rect), 5, 5);
  painter_.setBrush(theme_.panel);
  painter_.drawRoundedRect(rack.rect, 5, 5);
  const double bar = std::max(5.0, 4 / zoom_);
  strip(QRectF(rack.rect.left(), rack.rect.top() + 3, bar, rack.rect.height() - 6), rack.shares);
  if (detail() == Detail::names_only) return;
  if (detail() == Detail::strips)
    return text(rack.rect.adjusted(bar + 6, 0, -4, 0), rack.name, Qt::AlignLeft | Qt::AlignVCenter, title_,
                theme_.text);
  arrow(rack.toggle, false);
  text(rack.header.adjusted(30, 0, -10, 0), rack.name, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_.text);
  const double step = (rack.rect.bottom() - rack.header.bottom() - 8) / std::max(3.0, double(rack.lines.size()));
  QRectF line(rack.rect.left() + 30, rack.header.bottom(), rack.rect.width() - 38, step);
  for (const QString& words : rack.lines) {
    text(line, words, Qt::AlignLeft | Qt::AlignVCenter, caption_, theme_.muted);
    line.translate(0, line.height());
  }
  for (const std::string& member : rack.members)
    if (const auto found = marks_.places.find(member); found != marks_.places.end())
      return mark(rack.rect.topRight() + QPointF(-8, 2), found->second);
}

void Painter::rack_frame(const models::topology::Rack& rack) {
  painter_.setPen(QPen(theme_.border, std::max(1.2, 1.2 / zoom_), rack.alike ? Qt::SolidLine : Qt::DashLine));
  painter_.setBrush(widgets::blended(theme_.raised, theme_.window, 0.45));
  painter_.drawRoundedRect(rack.rect, 7, 7);
  if (detail() == Detail::names_only) return;
  arrow(rack.toggle, true);
  const double indent = 30, name = QFontMetricsF(title_).horizontalAdvance(rack.name) + 14;
  text(rack.header.adjusted(indent, 0, -8, 0), rack.name, Qt::AlignLeft | Qt::AlignVCenter, title_, theme_.text);
  if (detail() != Detail::chips) return;
  const QRectF beside = rack.header.adjusted(indent + name, 0, -10, 0), below = rack.header.translated(0, 20);
  text(rack.alike ? below.adjusted(indent, 0, -10, 0) : beside, rack.detail, Qt::AlignLeft | Qt::AlignVCenter, caption_,
       theme_.muted);
}

void Painter::mark_of(const QString& name, const QRectF& rect) {
  if (marks_.places.empty()) return;
  if (const auto found = marks_.places.find(name.toStdString()); found != marks_.places.end())
    mark(rect.topRight() + QPointF(-6, 2), found->second);
}

/// Draws a triangle with an exclamation mark: filled if it prevents planning, hollow for a warning.
void Painter::mark(const QPointF& at, models::topology::TopologyProblem::Severity severity) {
  const double size = std::max(9.0, 6 / zoom_);
  const bool prevents = severity == models::topology::TopologyProblem::error;
  const QColor colour = prevents ? theme_.bad : theme_.warning;
  const QPointF triangle[] = {at + QPointF(0, -size), at + QPointF(size, size * 0.8), at + QPointF(-size, size * 0.8)};
  painter_.setPen(QPen(colour, size / 6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter_.setBrush(prevents ? colour : theme_.panel);
  painter_.drawPolygon(triangle, 3);
  painter_.setPen(QPen(prevents ? theme_.on(colour) : theme_.text, size / 5, Qt::SolidLine, Qt::RoundCap));
  painter_.drawLine(at + QPointF(0, -size * 0.35), at + QPointF(0, size * 0.2));
  painter_.drawPoint(at + QPointF(0, size * 0.52));
}

}  // namespace pipedeck::views::topology
