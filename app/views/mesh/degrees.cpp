// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/mesh/degrees.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::mesh {

namespace {

using models::mesh::Place;
using models::mesh::Tone;

std::vector<QString> headings() { return {Degrees::tr("Bytes"), Degrees::tr("Exposed"), Degrees::tr("Memory")}; }

}  // namespace

Degrees::Degrees(QWidget* parent) : QWidget(parent) {
  widgets::install_accessible_items();  // before any interface is requested
  setObjectName(QStringLiteral("mesh_degrees"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Degrees of parallelism"));
  setWhatsThis(
      tr("A row for each dimension of parallelism. Below each degree is what a step to it would change: the iteration "
         "time, or in red the memory that it would need. Click a degree to take it. A lock keeps a dimension as it "
         "is. By keyboard: arrows go to a degree, Return takes it, L locks, Space takes the best unlocked step."));
}

void Degrees::set_sheet(models::mesh::Sheet sheet) {
  if (sheet == sheet_) return;
  // The focus stays on its dimension.
  const int dimension = focus_.row < static_cast<int>(sheet_.rows.size()) ? row(focus_.row).dimension : -1;
  const bool fresh = sheet_.rows.empty();
  sheet_ = std::move(sheet);
  hovered_.reset();
  const auto same = std::ranges::find(sheet_.rows, dimension, &models::mesh::Row::dimension);
  const int at = same == sheet_.rows.end() ? 0 : static_cast<int>(same - sheet_.rows.begin());
  relayout();
  if (sheet_.rows.empty()) return;
  const auto& degrees = row(at).degrees;
  const auto now = std::ranges::find(degrees, Tone::now, &models::mesh::Degree::tone);
  int degree = std::clamp(focus_.degree, 0, std::max(0, static_cast<int>(degrees.size()) - 1));
  if ((fresh || !row(at).switches) && now != degrees.end()) degree = static_cast<int>(now - degrees.begin());
  focus_ = {at, degree};
  update();
}

void Degrees::relayout() {
  const QFontMetricsF title(widgets::title_font(font())), caption(widgets::caption_font(font()));
  models::mesh::Fonts fonts;
  fonts.title = [&](const QString& text) { return title.horizontalAdvance(text); };
  fonts.caption = [&](const QString& text) { return caption.horizontalAdvance(text); };
  fonts.title_height = title.height(), fonts.caption_height = caption.height();
  layout_ = models::mesh::lay_out(sheet_, width(), fonts, headings());
  setMinimumSize(static_cast<int>(std::ceil(layout_.least)), static_cast<int>(std::ceil(layout_.height)));
  updateGeometry();
  update();
}

QSize Degrees::sizeHint() const {
  return {static_cast<int>(std::ceil(layout_.width)), static_cast<int>(std::ceil(layout_.height))};
}

std::vector<Place> Degrees::items() const {
  std::vector<Place> all;
  for (int r = 0; r < static_cast<int>(sheet_.rows.size()); ++r) {
    for (int d = 0; d < static_cast<int>(row(r).degrees.size()); ++d) all.push_back({r, d});
    all.push_back({r, -1});
  }
  return all;
}

QRectF Degrees::rect_of(const Place& place) const {
  const models::mesh::RowPlace& row = layout_.rows[static_cast<std::size_t>(place.row)];
  return place.degree < 0 ? row.lock : row.degrees[static_cast<std::size_t>(place.degree)];
}

QRect Degrees::place_of(int dimension, int value) const {
  for (const Place& place : items())
    if (place.degree >= 0 && row(place.row).dimension == dimension && degree(place).value == value)
      return rect_of(place).toAlignedRect();
  return {};
}

QRect Degrees::lock_of(int dimension) const {
  for (const Place& place : items())
    if (place.degree < 0 && row(place.row).dimension == dimension) return rect_of(place).toAlignedRect();
  return {};
}

QString Degrees::text_of(const Place& place) const {
  const models::mesh::Row& of = row(place.row);
  if (place.degree < 0) return of.locked ? tr("%1, locked").arg(of.name) : tr("%1, not locked").arg(of.name);
  const models::mesh::Degree& one = degree(place);
  return QStringLiteral("%1 %2, %3").arg(of.name, one.text, one.below);
}

QString Degrees::tip_at(const QPoint& at) const {
  const auto place = models::mesh::place_at(layout_, at);
  if (!place) return {};
  if (place->degree >= 0) return degree(*place).tip;
  return row(place->row).locked ? tr("Locked: other changes leave it as it is. Click to unlock.")
                                : tr("Lock it, so that other changes leave it as it is.");
}

int Degrees::item_count() const { return static_cast<int>(items().size()); }
QString Degrees::item_text(int item) const { return text_of(items()[static_cast<std::size_t>(item)]); }
QRect Degrees::item_rect(int item) const { return rect_of(items()[static_cast<std::size_t>(item)]).toAlignedRect(); }
bool Degrees::item_selected(int item) const { return items()[static_cast<std::size_t>(item)] == focus_; }
void Degrees::press_item(int item) { take(items()[static_cast<std::size_t>(item)]); }

void Degrees::take(const Place& place) {
  set_focus_place({place.row, std::max(0, place.degree)});
  const models::mesh::Row& of = row(place.row);
  if (place.degree < 0) return emit lock_toggled(of.dimension);
  if (degree(place).tone != Tone::now || of.switches) emit chosen(of.dimension, degree(place).value);
}

void Degrees::set_focus_place(const Place& place) {
  if (sheet_.rows.empty()) return;
  focus_.row = std::clamp(place.row, 0, static_cast<int>(sheet_.rows.size()) - 1);
  focus_.degree = std::clamp(place.degree, 0, std::max(0, static_cast<int>(row(focus_.row).degrees.size()) - 1));
  setAccessibleDescription(text_of(focus_));
  emit focus_moved(rect_of(focus_).toAlignedRect());
  update();
}

bool Degrees::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tip_at(help->pos());
    const auto place = models::mesh::place_at(layout_, help->pos());
    QToolTip::showText(help->globalPos(), tip, this, place ? rect_of(*place).toAlignedRect() : QRect());
    return true;
  }
  if (event->type() == QEvent::ShortcutOverride) {
    // Keys used here are not the window's shortcuts while the rows have the focus.
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
      case Qt::Key_Left:
      case Qt::Key_Right:
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_Home:
      case Qt::Key_End:
      case Qt::Key_L:
      case Qt::Key_Space:
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (key->modifiers() & ~Qt::KeypadModifier) break;
        event->accept();
        return true;
      default:
        break;
    }
  }
  return QWidget::event(event);
}

void Degrees::keyPressEvent(QKeyEvent* event) {
  if (sheet_.rows.empty() || (event->modifiers() & ~Qt::KeypadModifier)) return QWidget::keyPressEvent(event);
  const int last = static_cast<int>(row(focus_.row).degrees.size()) - 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return set_focus_place({focus_.row, focus_.degree - 1});
    case Qt::Key_Right:
      return set_focus_place({focus_.row, focus_.degree + 1});
    case Qt::Key_Home:
      return set_focus_place({focus_.row, 0});
    case Qt::Key_End:
      return set_focus_place({focus_.row, last});
    case Qt::Key_Up:
    case Qt::Key_Down: {
      // To the row's own degree.
      const int to =
          std::clamp(focus_.row + (event->key() == Qt::Key_Up ? -1 : 1), 0, static_cast<int>(sheet_.rows.size()) - 1);
      if (to == focus_.row) return;
      const auto& degrees = row(to).degrees;
      const auto now = std::ranges::find(degrees, Tone::now, &models::mesh::Degree::tone);
      return set_focus_place({to, now == degrees.end() ? 0 : static_cast<int>(now - degrees.begin())});
    }
    case Qt::Key_L:
      return emit lock_toggled(row(focus_.row).dimension);
    case Qt::Key_Space:
      return emit best_wanted();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!row(focus_.row).degrees.empty()) take(focus_);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void Degrees::mousePressEvent(QMouseEvent* event) {
  const auto place = models::mesh::place_at(layout_, event->position());
  if (event->button() == Qt::LeftButton && place) take(*place);
}

void Degrees::mouseMoveEvent(QMouseEvent* event) {
  const auto place = models::mesh::place_at(layout_, event->position());
  if (place == hovered_) return;
  hovered_ = place;
  setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void Degrees::leaveEvent(QEvent* event) {
  hovered_.reset();
  update();
  QWidget::leaveEvent(event);
}

void Degrees::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (!sheet_.rows.empty() && event->reason() != Qt::MouseFocusReason) set_focus_place(focus_);
  update();
}

void Degrees::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

void Degrees::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  relayout();
}

void Degrees::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) relayout();
}

void Degrees::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme.window);
  if (layout_.rows.empty()) return;
  painter.fillRect(layout_.heading, theme.raised);
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(theme.muted);
  const models::mesh::RowPlace& first = layout_.rows.front();
  const auto heading = [&](const QRectF& column, const QString& text, Qt::Alignment side) {
    if (column.isEmpty()) return;
    painter.drawText(QRectF(column.left(), 0, column.width(), layout_.heading.height()), side | Qt::AlignVCenter, text);
  };
  heading(first.name, tr("Dimension"), Qt::AlignLeft);
  if (!first.degrees.empty())
    heading(QRectF(first.degrees.front().left(), 0, first.lock.left() - first.degrees.front().left(), 1),
            tr("Degree, and what a step to it would change"), Qt::AlignLeft);
  const std::vector<QString> titles = headings();
  heading(first.bytes, titles[0], Qt::AlignRight);
  heading(first.exposed, titles[1], Qt::AlignRight);
  heading(first.memory, titles[2], Qt::AlignRight);
  for (int r = 0; r < static_cast<int>(sheet_.rows.size()); ++r) paint_row(painter, r);
}

void Degrees::paint_row(QPainter& painter, int index) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const models::mesh::Row& of = row(index);
  const models::mesh::RowPlace& place = layout_.rows[static_cast<std::size_t>(index)];
  painter.setPen(theme.grid);
  painter.drawLine(place.whole.bottomLeft() - QPointF(0, 0.5), place.whole.bottomRight() - QPointF(0, 0.5));
  const QColor colour = of.group < 0 ? theme.muted : theme.of_group(of.group);
  if (of.group >= 0) painter.fillRect(QRectF(place.name.left() - 14, place.name.center().y() - 4, 8, 8), colour);
  const QRectF upper(place.name.left(), place.name.top(), place.name.width(), place.name.height() / 2 + 1);
  painter.setFont(widgets::title_font(font()));
  painter.setPen(theme.text);
  painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, of.name);
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(theme.muted);
  painter.drawText(upper.translated(0, upper.height() - 2), Qt::AlignLeft | Qt::AlignVCenter, of.about);
  painter.drawText(place.note, Qt::AlignLeft | Qt::AlignVCenter, of.note);
  for (int d = 0; d < static_cast<int>(of.degrees.size()); ++d) paint_degree(painter, {index, d});
  paint_lock(painter, place.lock, of.locked);
  painter.setFont(widgets::caption_font(font()));
  const auto figure = [&](const QRectF& area, const QString& text) {
    if (area.isEmpty()) return;
    painter.setPen(text == QStringLiteral("–") ? theme.muted : theme.text);
    painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, text);
  };
  figure(place.bytes, of.bytes);
  figure(place.exposed, of.exposed);
  figure(place.memory, of.memory);
  if (of.share <= 0 || place.bar.isEmpty()) return;
  const QRectF track(place.bar.left(), place.bar.center().y() - 3, place.bar.width(), 6);
  painter.fillRect(track, theme.raised);
  painter.fillRect(QRectF(track.left(), track.top(), std::max(1.0, track.width() * std::min(1.0, of.share)), 6),
                   colour);
}

void Degrees::paint_degree(QPainter& painter, const Place& place) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const models::mesh::Row& of = row(place.row);
  const models::mesh::Degree& one = degree(place);
  const QRectF area = rect_of(place);
  const bool now = one.tone == Tone::now, impossible = one.tone == Tone::impossible;
  const QRectF box = area.adjusted(0.5, 0.5, 0.5, -0.5);
  painter.setPen(theme.border);
  painter.setBrush(now ? theme.accent_soft : impossible ? theme.raised : theme.panel);
  painter.drawRect(box);
  if (now || (hovered_ == place && !impossible)) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, now ? 1.4 : 1));
    painter.drawRect(box);
  }
  if (hasFocus() && focus_ == place) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(box.adjusted(2, 2, -2, -2));
  }
  QRectF upper(area.left(), area.top() + 1, area.width(), area.height() / 2 + 1);
  painter.setFont(now ? widgets::title_font(font()) : font());
  painter.setPen(now ? theme.accent : impossible ? theme.impossible : theme.text);
  if (of.switches) {
    const QRectF mark(area.left() + 7, upper.center().y() - 5.5, 11, 11);
    painter.save();
    painter.setPen(one.on ? theme.accent : theme.muted);
    painter.setBrush(one.on ? QBrush(theme.accent) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(mark, 2, 2);
    if (one.on) {
      painter.setPen(QPen(widgets::Theme::on(theme.accent), 1.6));
      painter.drawPolyline(QPolygonF(
          {mark.topLeft() + QPointF(2.5, 5.5), mark.topLeft() + QPointF(4.7, 8), mark.topLeft() + QPointF(8.7, 3)}));
    }
    painter.restore();
    upper.setLeft(mark.right() + 4);
    painter.drawText(upper, Qt::AlignLeft | Qt::AlignVCenter, one.text);
  } else {
    painter.drawText(upper, Qt::AlignCenter, one.text);
  }
  painter.setFont(widgets::caption_font(font()));
  painter.setPen(one.tone == Tone::better      ? theme.good
                 : one.tone == Tone::too_large ? theme.bad
                 : now                         ? theme.accent
                 : impossible                  ? theme.impossible
                                               : theme.muted);
  painter.drawText(QRectF(area.left(), area.center().y() - 1, area.width(), area.height() / 2), Qt::AlignCenter,
                   one.below);
}

void Degrees::paint_lock(QPainter& painter, const QRectF& area, bool locked) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const QPointF centre = area.center();
  const bool hot = hovered_ && hovered_->degree < 0 && rect_of(*hovered_) == area;
  const QColor colour = locked ? theme.accent : hot ? theme.text : theme.muted;
  painter.save();
  painter.setPen(QPen(colour, 1.3));
  painter.setBrush(Qt::NoBrush);
  QPainterPath shackle;
  const double shift = locked ? 0 : 3;  // open: at the side of its body
  shackle.moveTo(centre + QPointF(-3 + shift, -0.5));
  shackle.lineTo(centre + QPointF(-3 + shift, -3));
  shackle.arcTo(QRectF(centre.x() - 3 + shift, centre.y() - 6, 6, 6), 180, -180);
  if (locked) shackle.lineTo(centre + QPointF(3, -0.5));
  painter.drawPath(shackle);
  painter.setBrush(locked ? QBrush(colour) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(QRectF(centre.x() - 4.5, centre.y() - 0.5, 9, 6.5), 1.5, 1.5);
  painter.restore();
}

}  // namespace pipedeck::views::mesh
