// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/time_view.hpp"

#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPainter>
#include <QWheelEvent>

namespace pipedeck::views::gantt {

namespace {

constexpr double wheel_zoom = 1.2;  // per notch
constexpr double key_zoom = 1.5;
constexpr double key_pan = 0.15;  // of the visible span
constexpr double drag_start = 4;  // pixels: less is a click
constexpr double grip_reach = 4;  // pixels around a measure cursor
constexpr double band_shade = 0.13;

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
  draw_overlay(painter);
  draw_measure(painter);
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

void TimeView::drag_measure(const QPointF& position) {
  TimeMeasure measure = *link_->measure();
  const double time = std::clamp(snapped(position), 0.0, link_->axis().full);
  (held_end_ == 0 ? measure.from : *measure.to) = time;
  link_->set_measure(measure);
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
  draw_overlay(painter);
  draw_measure(painter);
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
  // Outside the plot the wheel scrolls the enclosing scroll area.
  if (position.x() < plot().left() || position.x() > plot().right()) return event->ignore();
  const QPoint notches = event->angleDelta();
  const double along = notches.x() != 0 ? notches.x() : (event->modifiers() & Qt::ShiftModifier) ? notches.y() : 0;
  if (along != 0)
    link_->pan(-along / 120.0 * key_pan * link_->axis().span());
  else
    link_->zoom(std::pow(wheel_zoom, notches.y() / 120.0), time_at(position.x()));
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
  if (key != Qt::Key_Escape || !link_->measure()) return false;
  link_->set_measure(std::nullopt);
  return true;
}

void TimeView::keyPressEvent(QKeyEvent* event) {
  const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  if (plain && measure_key(event->key())) return event->accept();
  if (plain && (key(event) || navigate(physical_key(*event)))) return event->accept();
  QWidget::keyPressEvent(event);
}

void TimeView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  held_end_ = measure_end_at(event->position().x());
  press_ = event->position();
  press_axis_ = link_->axis();
  dragging_ = false;
  event->accept();
}

void TimeView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (press_ && held_end_ >= 0) {
    dragging_ = true;
    link_->set_cursor(time_at(position.x()));
    return drag_measure(position);
  }
  if (press_ && (dragging_ || std::abs(position.x() - press_->x()) >= drag_start)) {
    if (!dragging_) unhovered();
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
    // From the start of the drag, so that rounding errors do not accumulate.
    link_->set_axis(press_axis_.panned((press_->x() - position.x()) / plot().width() * press_axis_.span()));
  }
  const bool inside = position.x() >= plot().left() && position.x() <= plot().right();
  link_->set_cursor(inside ? std::optional(time_at(position.x())) : std::nullopt);
  if (dragging_) return;
  hovered(position);
  if (measure_end_at(position.x()) >= 0) setCursor(Qt::SizeHorCursor);
}

void TimeView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !press_) return QWidget::mouseReleaseEvent(event);
  const bool click = !dragging_;
  press_.reset();
  dragging_ = false;
  held_end_ = -1;
  unsetCursor();
  if (!click) return;
  const QPointF position = event->position();
  const bool inside = position.x() >= plot().left() && position.x() <= plot().right();
  if (inside && (event->modifiers() & Qt::ShiftModifier))
    link_->mark(snapped(position));
  else
    clicked(position);
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
