// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/minimap_view.hpp"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "app/models/format.hpp"
#include "app/views/widgets/pixel_canvas.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int above = 4, below = 6, band_gap = 2;  // around and between the bands
constexpr double minimap_wheel_zoom = 1.2;
constexpr double minimap_key_pan = 0.15;  // of the visible span

}  // namespace

MinimapView::MinimapView(TimeAxisController* link, QWidget* parent) : QWidget(parent), link_(link) {
  setObjectName(QStringLiteral("minimap_view"));
  setAccessibleName(tr("Overview"));
  setToolTip(tr("Drag the frame or its edges. Click to go there, double-click to see all"));
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(link, &TimeAxisController::axis_changed, this, [this] {
    if (link_->axis().full != drawn_full_) stale_ = true;
    describe();
    update();
  });
  connect(link, &TimeAxisController::label_width_changed, this, &MinimapView::refresh);
  connect(link, &TimeAxisController::measure_changed, this, qOverload<>(&QWidget::update));
}

void MinimapView::refresh() {
  stale_ = true;
  update();
}

void MinimapView::set_contents(const std::vector<std::shared_ptr<const models::gantt::Content>>& contents) {
  std::vector<std::shared_ptr<const models::gantt::Content>> there;
  for (const auto& content : contents)
    if (content) there.push_back(content);
  if (there == contents_) return;
  contents_ = std::move(there);
  refresh();
}

void MinimapView::set_matches(const std::vector<std::shared_ptr<const models::gantt::Matches>>& matches) {
  if (matches == matches_) return;
  matches_ = matches;
  refresh();
}

void MinimapView::describe() {
  const models::gantt::TimeAxis& axis = link_->axis();
  const auto at = [](double time) { return Nanoseconds(static_cast<std::int64_t>(time)); };
  setAccessibleDescription(
      tr("%1 of %2 shown").arg(models::format_span(at(axis.begin), at(axis.end)), models::format_time(at(axis.full))));
}

QRect MinimapView::plot() const {
  const int left = link_->label_width();
  return {left, above, std::max(1, width() - left - widgets::ThemeSizes::margin), height() - above - below};
}

models::gantt::MinimapFrame MinimapView::frame() const {
  models::gantt::MinimapFrame frame = models::gantt::minimap_frame(link_->axis(), plot().width());
  frame.left += plot().left();
  frame.right += plot().left();
  return frame;
}

void MinimapView::draw_overview() {
  const qreal ratio = devicePixelRatioF();
  const widgets::Theme& theme = widgets::Theme::of(palette());
  overview_ = QImage(qCeil(width() * ratio), qCeil(height() * ratio), QImage::Format_RGB32);
  overview_.setDevicePixelRatio(ratio);
  overview_.fill(theme.window);
  {
    QPainter painter(&overview_);
    painter.fillRect(plot(), theme.panel);
    painter.setFont(widgets::caption_font(font()));
    painter.setPen(theme.muted);
    painter.drawText(
        QRect(widgets::ThemeSizes::margin, plot().top(), plot().left() - widgets::ThemeSizes::margin, plot().height()),
        Qt::AlignLeft | Qt::AlignVCenter, tr("overview"));
  }
  const auto physical = [ratio](int at) { return qRound(at * ratio); };
  const int count = static_cast<int>(contents_.size());
  const int room = physical(plot().height()), gap = count > 4 ? 1 : physical(band_gap);
  const int band = count == 0 ? 0 : std::max(1, (room - gap * (count - 1)) / count);
  for (int i = 0; i < count; ++i) {
    const int top = physical(plot().top()) + i * (band + gap);
    draw_band(*contents_[static_cast<std::size_t>(i)], top, std::min(top + band, physical(plot().bottom() + 1)),
              physical(plot().left()), physical(plot().left() + plot().width()));
  }
  draw_ticks();
  drawn_full_ = link_->axis().full;
  stale_ = false;
}

/// Draws as many lanes as there are rows of pixels, evenly from the first to the last.
void MinimapView::draw_band(const models::gantt::Content& content, int top, int bottom, int left, int right) {
  std::vector<std::size_t> lanes;
  for (const models::gantt::Group& group : content.groups)
    if (group.compute) lanes.push_back(*group.compute);
  if (lanes.empty() || bottom <= top || right <= left) return;
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const int shown = std::min(static_cast<int>(lanes.size()), bottom - top);
  const double span = link_->axis().full / (right - left);
  widgets::PixelCanvas pixels(overview_, QRect(left, top, right - left, bottom - top));
  const auto width = static_cast<std::size_t>(right - left);
  std::vector<std::uint8_t> parts;
  std::vector<QRgb> colors;
  std::vector<widgets::PixelCanvas::Column> columns(width);
  for (int row = 0; row < shown; ++row) {
    const std::size_t lane = lanes[lanes.size() * static_cast<std::size_t>(row) / static_cast<std::size_t>(shown)];
    const models::gantt::LanePyramid& pyramid = content.pyramids[lane];
    if (pyramid.empty()) continue;
    colors.clear();
    for (const std::uint8_t kind : pyramid.kinds) colors.push_back(theme.of(static_cast<OpKind>(kind)).rgb());
    parts.assign(width * colors.size(), 0);
    if (const int level = pyramid.level_for(span); level >= 0)
      pyramid.sample_columns(level, 0, span, parts);
    else
      models::gantt::exact_columns(*content.timeline, content.timeline->lanes[lane], pyramid.kinds, span, parts);
    const int from = top + (bottom - top) * row / shown, to = top + (bottom - top) * (row + 1) / shown;
    if (colors.size() > 1) {
      pixels.stacked_columns(left, from, to, colors, parts);
      continue;
    }
    for (std::size_t x = 0; x < width; ++x) columns[x] = {colors.front(), parts[x]};
    pixels.columns(left, from, to, columns, true);
  }
}

void MinimapView::draw_ticks() {
  QPainter painter(&overview_);
  const widgets::Theme& theme = widgets::Theme::of(palette());
  models::gantt::TimeAxis whole = link_->axis();
  whole.begin = 0;
  whole.end = whole.full;
  for (const auto& matches : matches_) {
    if (!matches || matches->count() == 0) continue;
    for (const std::size_t lane : matches->lanes)
      for (const models::gantt::PixelSpan& span : models::gantt::match_spans(*matches, lane, whole, plot().width()))
        painter.fillRect(QRectF(plot().left() + span.left, plot().bottom() + 2, span.right - span.left, 3), theme.text);
  }
}

void MinimapView::paintEvent(QPaintEvent*) {
  const qreal ratio = devicePixelRatioF();
  if (stale_ || overview_.size() != QSize(qCeil(width() * ratio), qCeil(height() * ratio))) draw_overview();
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.drawImage(0, 0, overview_);
  const models::gantt::MinimapFrame at = frame();
  QColor veil = theme.window;
  veil.setAlphaF(0.62F);
  const QRectF inside(plot());
  painter.fillRect(QRectF(inside.left(), inside.top(), at.left - inside.left(), inside.height()), veil);
  painter.fillRect(QRectF(at.right, inside.top(), inside.right() - at.right, inside.height()), veil);
  if (const auto& measure = link_->measure(); measure && measure->to) {
    QColor shade = theme.accent;
    shade.setAlphaF(0.25F);
    const double a = measure->from / link_->axis().full * inside.width(),
                 b = *measure->to / link_->axis().full * inside.width();
    painter.fillRect(
        QRectF(inside.left() + std::min(a, b), inside.top(), std::max(1.0, std::abs(b - a)), inside.height()), shade);
  }
  painter.setRenderHint(QPainter::Antialiasing);
  const bool all = link_->axis() == link_->axis().fitted();
  painter.setPen(QPen(hasFocus() ? theme.accent : all ? theme.border : theme.text, hasFocus() ? 2 : 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(
      QRectF(at.left, inside.top(), at.right - at.left, inside.height()).adjusted(0.5, -0.5, -0.5, 0.5), 2, 2);
}

void MinimapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const double x = event->position().x();
  grip_ = models::gantt::minimap_grip(frame(), x);
  if (grip_ == models::gantt::MinimapGrip::none) {
    link_->set_axis(models::gantt::minimap_centred(link_->axis(), x - plot().left(), plot().width()));
    grip_ = models::gantt::MinimapGrip::inside;
  }
  press_x_ = x;
  press_axis_ = link_->axis();
}

void MinimapView::mouseMoveEvent(QMouseEvent* event) {
  const double x = event->position().x();
  if (event->buttons() & Qt::LeftButton)
    return link_->set_axis(models::gantt::minimap_dragged(press_axis_, grip_, x - press_x_, plot().width()));
  const models::gantt::MinimapGrip under = models::gantt::minimap_grip(frame(), x);
  setCursor(under == models::gantt::MinimapGrip::inside ? Qt::OpenHandCursor
            : under == models::gantt::MinimapGrip::none ? Qt::ArrowCursor
                                                        : Qt::SizeHorCursor);
}

void MinimapView::mouseReleaseEvent(QMouseEvent*) { grip_ = models::gantt::MinimapGrip::none; }

void MinimapView::mouseDoubleClickEvent(QMouseEvent*) { link_->fit(); }

void MinimapView::wheelEvent(QWheelEvent* event) {
  const double time = (event->position().x() - plot().left()) / plot().width() * link_->axis().full;
  link_->zoom(std::pow(minimap_wheel_zoom, event->angleDelta().y() / 120.0), time);
  event->accept();
}

void MinimapView::keyPressEvent(QKeyEvent* event) {
  const models::gantt::TimeAxis& axis = link_->axis();
  const double middle = (axis.begin + axis.end) / 2;
  switch (event->key()) {
    case Qt::Key_Left:
      return link_->pan(-minimap_key_pan * axis.span());
    case Qt::Key_Right:
      return link_->pan(minimap_key_pan * axis.span());
    case Qt::Key_Up:
    case Qt::Key_Plus:
      return link_->zoom(1.5, middle);
    case Qt::Key_Down:
    case Qt::Key_Minus:
      return link_->zoom(1 / 1.5, middle);
    case Qt::Key_Home:
      return link_->pan(-axis.full);
    case Qt::Key_End:
      return link_->pan(axis.full);
    case Qt::Key_F:
      return link_->fit();
    default:
      QWidget::keyPressEvent(event);
  }
}

void MinimapView::resizeEvent(QResizeEvent*) { stale_ = true; }

void MinimapView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) refresh();
  QWidget::changeEvent(event);
}

}  // namespace pipedeck::views::gantt
