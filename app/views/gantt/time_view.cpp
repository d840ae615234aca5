// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/time_view.hpp"

#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>

namespace pipedeck::views::gantt {

namespace {

constexpr double wheel_zoom = 1.2;  // per notch
constexpr double key_zoom = 1.5;
constexpr double key_pan = 0.15;  // of the visible span
constexpr double drag_start = 4;  // pixels: less is a click
constexpr double grip_reach = 4;  // pixels around a measure cursor
constexpr double band_shade = 0.13;
constexpr double outside_shade = 0.5;  // of what a drag will zoom out of sight

/// Returns the letter at the position of W, A, S or D on a US keyboard, regardless of the layout.
int physical_key(const QKeyEvent& event) {
#ifdef Q_OS_LINUX
  switch (event.nativeScanCode()) {  // XKB key codes, the same under X11 and Wayland
    case 25:
      return Qt::Key_W;
    case 38:
      return Qt::Key_A;
    case 39:
      return Qt::Key_S;
    case 40:
      return Qt::Key_D;
    default:
      break;
  }
#endif
  return event.key();
}

/// Returns the vertical scroll bar of the area that shows a view, or null.
QScrollBar* scroll_bar_of(const QWidget& view) {
  for (QWidget* parent = view.parentWidget(); parent; parent = parent->parentWidget())
    if (auto* area = qobject_cast<QScrollArea*>(parent)) return area->verticalScrollBar();
  return nullptr;
}

}  // namespace

TimeView::TimeView(TimeAxisController* link, QWidget* parent) : QWidget(parent), link_(link) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(link, &TimeAxisController::axis_changed, this, &TimeView::refresh);
  connect(link, &TimeAxisController::label_width_changed, this, &TimeView::refresh);
  connect(link, &TimeAxisController::cursor_changed, this, &TimeView::cursor_moved);
  connect(link, &TimeAxisController::measure_changed, this, qOverload<>(&QWidget::update));
  connect(link, &TimeAxisController::flags_changed, this, qOverload<>(&QWidget::update));
}

QRect TimeView::plot() const {
  const int left = link_->label_width();
  return {left, 0, std::max(1, width() - left - widgets::ThemeSizes::margin), height()};
}

double TimeView::x_of(double time) const { return plot().left() + link_->axis().to_pixel(time, plot().width()); }

double TimeView::time_at(double x) const { return link_->axis().to_time(x - plot().left(), plot().width()); }

void TimeView::refresh() {
  stale_ = true;
  update();
}

void TimeView::cursor_moved() {
  const bool band_moves = link_->measure() && !link_->measure()->to;
  if (!draws_cursor_ || band_moves) return update();
  const auto strip = [this](double x) { return QRect(static_cast<int>(std::floor(x)) - 1, 0, 4, height()); };
  if (drawn_cursor_) update(strip(*drawn_cursor_));
  drawn_cursor_.reset();
  if (!link_->cursor()) return;
  drawn_cursor_ = x_of(*link_->cursor());
  update(strip(*drawn_cursor_));
}

/// Draws only the visible part: in a scroll area most of a high view is hidden.
void TimeView::draw_again(const QRect& exposed) {
  const qreal ratio = devicePixelRatioF();
  const QSize pixels(qCeil(width() * ratio), qCeil(height() * ratio));
  if (content_.size() != pixels) content_ = QImage(pixels, QImage::Format_RGB32);
  content_.setDevicePixelRatio(ratio);
  const QRect seen = exposed.united(visibleRegion().boundingRect());
  wanted_ = QRect(0, seen.top(), width(), seen.height()).intersected(rect());
  QPainter painter(&content_);
  painter.fillRect(wanted_, theme().window);
  painter.setClipRect(wanted_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  draw_content(painter, content_);
  stale_ = false;
  ++content_draws_;
}

/// Draws shapes and letters if the page stores them as such, instead of an image.
void TimeView::draw_on_page(QPainter& painter) {
  QImage size_only(size(), QImage::Format_Mono);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  painter.fillRect(rect(), theme().window);
  wanted_ = rect();
  draw_content(painter, size_only);
  draw_flag_lines(painter);
  draw_measure(painter);
  draw_overlay(painter);
  painter.restore();
}

void TimeView::draw_measure(QPainter& painter) const {
  if (!link_->measure()) return;
  const TimeMeasure& measure = *link_->measure();
  const double to = measure.to.value_or(link_->cursor().value_or(measure.from));
  const double left = plot().left(), right = plot().right() + 1.0;
  const double a = x_of(measure.from), b = x_of(to);
  const double from = std::clamp(std::min(a, b), left, right), until = std::clamp(std::max(a, b), left, right);
  QColor shade = theme().accent;
  shade.setAlphaF(band_shade);
  painter.fillRect(QRectF(from, 0, until - from, height()), shade);
  painter.setPen(QPen(theme().accent, 1.5));
  for (const double x : {a, b})
    if (x >= left && x <= right)
      painter.drawLine(QPointF(std::floor(x) + 0.5, 0), QPointF(std::floor(x) + 0.5, height()));
}

int TimeView::measure_end_at(double x) const {
  if (!link_->measure() || !link_->measure()->to) return -1;
  const double to_first = std::abs(x_of(link_->measure()->from) - x);
  const double to_second = std::abs(x_of(*link_->measure()->to) - x);
  if (std::min(to_first, to_second) > grip_reach) return -1;
  return to_first < to_second ? 0 : 1;
}

double TimeView::snapped_within(const QPointF& position) const {
  return std::clamp(snapped(position), 0.0, link_->axis().full);
}

/// Shades what a zoom to the dragged span hides.
void TimeView::draw_zoom_span(QPainter& painter) const {
  if (!link_->zoom_span()) return;
  const double left = plot().left(), right = plot().right() + 1.0;
  const double from = std::clamp(x_of(link_->zoom_span()->first), left, right);
  const double until = std::clamp(x_of(link_->zoom_span()->second), left, right);
  QColor shade = theme().window;
  shade.setAlphaF(outside_shade);
  painter.fillRect(QRectF(left, 0, from - left, height()), shade);
  painter.fillRect(QRectF(until, 0, right - until, height()), shade);
  painter.setPen(QPen(theme().accent, 1));
  for (const double x : {from, until})
    painter.drawLine(QPointF(std::floor(x) + 0.5, 0), QPointF(std::floor(x) + 0.5, height()));
}

void TimeView::draw_flag_lines(QPainter& painter) const {
  painter.setPen(QPen(theme().muted, 1, Qt::DotLine));
  for (const models::gantt::Flag& flag : link_->flags())
    for (const double time : {flag.begin, flag.end}) {
      const double x = std::floor(x_of(time)) + 0.5;
      if (x >= plot().left() && x <= plot().right() + 1) painter.drawLine(QPointF(x, 0), QPointF(x, height()));
      if (!flag.is_span()) break;
    }
}

void TimeView::paintEvent(QPaintEvent* event) {
  const qreal ratio = devicePixelRatioF();
  const QSize pixels(qCeil(width() * ratio), qCeil(height() * ratio));
  if (stale_ || content_.size() != pixels || !wanted_.contains(event->rect().intersected(rect())))
    draw_again(event->rect());
  QPainter painter(this);
  painter.setClipRect(event->rect());
  const QPaintEngine::Type engine = painter.paintEngine()->type();
  if (engine == QPaintEngine::SVG || engine == QPaintEngine::Pdf) return draw_on_page(painter);
  painter.drawImage(0, 0, content_);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_flag_lines(painter);
  draw_measure(painter);
  draw_overlay(painter);
  draw_zoom_span(painter);
  if (draws_cursor_ && link_->cursor()) {
    // After a zoom the cursor's time has another position. A move must clear the position of the last drawing.
    drawn_cursor_ = x_of(*link_->cursor());
    const double x = std::floor(*drawn_cursor_) + 0.5;
    if (x >= plot().left() && x <= plot().right() + 1) {
      painter.setPen(QPen(theme().cursor, 1));
      painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    }
  }
  if (focus_ring_ && hasFocus()) {
    painter.setPen(QPen(theme().accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 1.5, -1.5, -1.5), widgets::ThemeSizes::radius,
                            widgets::ThemeSizes::radius);
  }
}

void TimeView::wheelEvent(QWheelEvent* event) {
  const QPointF position = event->position();
  const QPoint notches = event->angleDelta();
  const bool zooms = is_scale_ || (event->modifiers() & Qt::ControlModifier);
  const bool in_time = notches.x() != 0 || (event->modifiers() & Qt::ShiftModifier);
  // The enclosing scroll area scrolls the lanes.
  if (!in_time && !zooms) return event->ignore();
  if (in_time)
    link_->pan(-(notches.x() != 0 ? notches.x() : notches.y()) / 120.0 * key_pan * link_->axis().span());
  else
    link_->zoom(std::pow(wheel_zoom, notches.y() / 120.0),
                time_at(std::clamp<double>(position.x(), plot().left(), plot().right())));
  event->accept();
}

bool TimeView::navigate(int key) {
  const models::gantt::TimeAxis& axis = link_->axis();
  const double anchor = link_->cursor().value_or((axis.begin + axis.end) / 2);
  switch (key) {
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      link_->zoom(key_zoom, anchor);
      return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
      link_->zoom(1 / key_zoom, anchor);
      return true;
    case Qt::Key_A:
      link_->pan(-key_pan * axis.span());
      return true;
    case Qt::Key_D:
      link_->pan(key_pan * axis.span());
      return true;
    case Qt::Key_F:
      link_->fit();
      return true;
    case Qt::Key_Home:
      link_->pan(-axis.full);
      return true;
    case Qt::Key_End:
      link_->pan(axis.full);
      return true;
    default:
      return false;
  }
}

void TimeView::mark_here() {
  const QPointF mouse = mapFromGlobal(QCursor::pos());
  // The cursor may be at another view's mouse, or set by a test. Only the one at this view's mouse snaps.
  if (link_->cursor() && rect().contains(mouse.toPoint()) && std::abs(x_of(*link_->cursor()) - mouse.x()) < 2)
    return link_->mark(snapped(mouse));
  link_->mark(link_->cursor().value_or((link_->axis().begin + link_->axis().end) / 2));
}

bool TimeView::measure_key(int key) {
  if (key == Qt::Key_M) {
    mark_here();
    return true;
  }
  if (key == Qt::Key_N) {
    const double time = link_->cursor().value_or((link_->axis().begin + link_->axis().end) / 2);
    link_->add_flag({time, time});
    return true;
  }
  if (key != Qt::Key_Escape) return false;
  if (drag_ != Drag::none && dragging_) {
    cancel_drag();
    return true;
  }
  if (!link_->measure()) return false;
  link_->set_measure(std::nullopt);
  return true;
}

bool TimeView::use_key(QKeyEvent* event) {
  const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  return plain && (measure_key(event->key()) || key(event) || navigate(physical_key(*event)));
}

void TimeView::keyPressEvent(QKeyEvent* event) { use_key(event) ? event->accept() : QWidget::keyPressEvent(event); }

TimeView::Drag TimeView::drag_for(const QMouseEvent& event) {
  const QPointF position = event.position();
  held_end_ = measure_end_at(position.x());
  if (position.x() < plot().left()) return takes_label_drag(position) ? Drag::label : Drag::none;
  if (held_end_ >= 0) return Drag::span_end;
  if (event.modifiers() & Qt::ControlModifier) return Drag::zoom;
  return is_scale_ || (event.modifiers() & Qt::ShiftModifier) ? Drag::span : Drag::pan;
}

void TimeView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  drag_ = drag_for(*event);
  press_ = event->position();
  press_global_ = event->globalPosition();
  press_axis_ = link_->axis();
  press_measure_ = link_->measure();
  const QScrollBar* bar = scroll_bar_of(*this);
  press_scroll_ = bar ? bar->value() : 0;
  dragging_ = false;
  event->accept();
}

/// Pans in time and scrolls the lanes. Positions count from the start of the drag, so that errors do not accumulate.
void TimeView::pan_to(const QPointF& position, const QPointF& global) {
  setCursor(Qt::ClosedHandCursor);
  link_->set_axis(press_axis_.panned((press_->x() - position.x()) / plot().width() * press_axis_.span()));
  if (QScrollBar* bar = scroll_bar_of(*this)) bar->setValue(press_scroll_ + qRound(press_global_.y() - global.y()));
}

void TimeView::drag_to(const QMouseEvent& event) {
  const QPointF position = event.position();
  switch (drag_) {
    case Drag::none:
      return;
    case Drag::pan:
      return pan_to(position, event.globalPosition());
    case Drag::span: {
      const double from = snapped_within(*press_);
      return link_->set_measure(TimeMeasure{from, snapped_within(position)});
    }
    case Drag::span_end: {
      TimeMeasure measure = *link_->measure();
      (held_end_ == 0 ? measure.from : *measure.to) = snapped_within(position);
      return link_->set_measure(measure);
    }
    case Drag::zoom: {
      const auto within = [this](double x) { return std::clamp(time_at(x), 0.0, link_->axis().full); };
      return link_->set_zoom_span(std::minmax({within(press_->x()), within(position.x())}));
    }
    case Drag::label:
      return label_dragged(position);
  }
}

void TimeView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (press_ && drag_ != Drag::none) {
    const QPointF moved = event->globalPosition() - press_global_;
    // Only a pan and a drag of a lane go up and down.
    const bool vertical = drag_ == Drag::pan || drag_ == Drag::label;
    const double far = std::max(std::abs(moved.x()), vertical ? std::abs(moved.y()) : 0);
    if (!dragging_ && far >= drag_start) {
      unhovered();
      dragging_ = true;
    }
    if (dragging_) drag_to(*event);
  }
  const bool inside = position.x() >= plot().left() && position.x() <= plot().right();
  link_->set_cursor(inside ? std::optional(time_at(position.x())) : std::nullopt);
  if (dragging_ || press_) return;
  hovered(position);
  if (measure_end_at(position.x()) >= 0) setCursor(Qt::SizeHorCursor);
}

void TimeView::end_drag(const QPointF& position) {
  if (drag_ == Drag::label) return label_dropped(position);
  if (drag_ == Drag::span && link_->measure() && !link_->span()) link_->set_measure(std::nullopt);
  if (drag_ != Drag::zoom || !link_->zoom_span()) return;
  const auto [from, to] = *link_->zoom_span();
  link_->set_zoom_span(std::nullopt);
  link_->zoom_to(from, to);
}

/// Returns to the state before the drag.
void TimeView::cancel_drag() {
  if (drag_ == Drag::pan) link_->set_axis(press_axis_);
  if (drag_ == Drag::span || drag_ == Drag::span_end) link_->set_measure(press_measure_);
  link_->set_zoom_span(std::nullopt);
  if (drag_ == Drag::label) label_dropped({-1, -1});
  drag_ = Drag::none;
  unsetCursor();
}

void TimeView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !press_) return QWidget::mouseReleaseEvent(event);
  const bool click = !dragging_;
  const QPointF position = event->position();
  if (!click) end_drag(position);
  press_.reset();
  drag_ = Drag::none;
  dragging_ = false;
  held_end_ = -1;
  unsetCursor();
  if (!click) return;
  const bool inside = position.x() >= plot().left() && position.x() <= plot().right();
  if (inside && (event->modifiers() & Qt::ShiftModifier))
    link_->mark(snapped(position));
  else
    clicked(position);
}

void TimeView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && double_clicked(event->position())) return event->accept();
  mousePressEvent(event);
}

void TimeView::leaveEvent(QEvent* event) {
  link_->set_cursor(std::nullopt);
  unhovered();
  QWidget::leaveEvent(event);
}

void TimeView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange)
    refresh();
  QWidget::changeEvent(event);
}

void TimeView::focusInEvent(QFocusEvent* event) {
  focus_ring_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
}

void TimeView::focusOutEvent(QFocusEvent*) { update(); }

}  // namespace pipedeck::views::gantt
