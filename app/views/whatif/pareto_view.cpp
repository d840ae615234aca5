// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/whatif/pareto_view.hpp"

#include <algorithm>
#include <cmath>

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::whatif {

namespace {

constexpr double left_room = 52, right_room = 16, top_room = 26, bottom_room = 40;
constexpr int legend_points = 3;

}  // namespace

ParetoView::ParetoView(QWidget* parent) : QWidget(parent), card_(new widgets::HoverCard(this)) {
  setObjectName(QStringLiteral("front_view"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 150);
  widgets::install_accessible_items();  // before any interface is requested
  setAccessibleName(tr("Front of throughput, memory and price"));
  lay_out();
}

void ParetoView::set_content(const models::whatif::ParetoContent& content) {
  // A plan stays selected when other plans are added.
  const std::shared_ptr<const Plan> plan = selected_ ? content_.plans[*selected_].plan : nullptr;
  content_ = content;
  hovered_.reset();
  selected_.reset();
  for (std::size_t i = 0; plan && i < content_.plans.size(); ++i)
    if (content_.plans[i].plan == plan || *content_.plans[i].plan == *plan) selected_ = i;
  setAccessibleDescription(tr("plans: %1").arg(content_.plans.size()));
  lay_out();
}

void ParetoView::lay_out() {
  const QRectF plot(left_room, top_room, std::max(1.0, width() - left_room - right_room),
                    std::max(1.0, height() - top_room - bottom_room));
  geometry_ = models::whatif::lay_out_front(content_, plot);
  update();
}

void ParetoView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  lay_out();
}

void ParetoView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
  QWidget::changeEvent(event);
}

void ParetoView::select(std::optional<std::size_t> plan) {
  selected_ = plan && *plan < content_.plans.size() ? plan : std::nullopt;
  if (selected_) setAccessibleDescription(item_text(static_cast<int>(*selected_)));
  update();
}

void ParetoView::choose(std::optional<std::size_t> plan) {
  if (plan == selected_) return;
  select(plan);
  emit plan_selected(plan ? static_cast<int>(*plan) : -1);
}

QString ParetoView::item_text(int plan) const {
  const auto at = static_cast<std::size_t>(plan);
  return models::whatif::describe_point(content_.plans[at], content_.on_front[at]).join(QStringLiteral(", "));
}

QRect ParetoView::item_rect(int plan) const {
  const auto at = static_cast<std::size_t>(plan);
  const double radius = geometry_.radii[at];
  const QRectF point(geometry_.points[at] - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
  return point.intersects(geometry_.plot) ? point.toAlignedRect() : QRect();
}

bool ParetoView::item_selected(int plan) const { return selected_ == static_cast<std::size_t>(plan); }

void ParetoView::show_card(std::size_t plan) {
  card_->show_at(geometry_.points[plan], models::whatif::describe_point(content_.plans[plan], content_.on_front[plan]));
}

void ParetoView::mouseMoveEvent(QMouseEvent* event) {
  const auto hit = geometry_.hit(content_, event->position());
  if (hit != hovered_) {
    hovered_ = hit;
    setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
    hit ? show_card(*hit) : card_->hide();
    update();
  }
  QWidget::mouseMoveEvent(event);
}

void ParetoView::leaveEvent(QEvent* event) {
  hovered_.reset();
  card_->hide();
  update();
  QWidget::leaveEvent(event);
}

void ParetoView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  choose(geometry_.hit(content_, event->position()));
}

void ParetoView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto hit = geometry_.hit(content_, event->position());
  if (event->button() == Qt::LeftButton && hit) emit plan_activated(static_cast<int>(*hit));
}

void ParetoView::focusInEvent(QFocusEvent* event) {
  update();
  QWidget::focusInEvent(event);
}

void ParetoView::keyPressEvent(QKeyEvent* event) {
  const auto walk = [&](std::optional<std::size_t> from, int direction) {
    const auto next = models::whatif::next_on_front(content_, from, direction);
    choose(next);
    if (next) show_card(*next);
  };
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Up:
      return walk(selected_, 1);
    case Qt::Key_Left:
    case Qt::Key_Down:
      return walk(selected_, -1);
    case Qt::Key_Home:
      return walk({}, 1);
    case Qt::Key_End:
      return walk({}, -1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (selected_) emit plan_activated(static_cast<int>(*selected_));
      return;
    case Qt::Key_Escape:
      if (!selected_) break;
      card_->hide();
      return choose({});
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void ParetoView::paint_axes(QPainter& painter) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const QRectF& plot = geometry_.plot;
  painter.fillRect(plot, theme.panel);
  painter.setFont(widgets::caption_font(font()));
  const double line = QFontMetricsF(painter.font()).height();
  for (const models::whatif::FrontTick& tick : geometry_.across) {
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(tick.position, plot.top()), QPointF(tick.position, plot.bottom()));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(tick.position - 45, plot.bottom() + 3, 90, line), Qt::AlignHCenter | Qt::AlignTop,
                     tick.text);
  }
  for (const models::whatif::FrontTick& tick : geometry_.up) {
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(plot.left(), tick.position), QPointF(plot.right(), tick.position));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, tick.position - line / 2, plot.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter,
                     tick.text);
  }
  painter.drawText(QRectF(plot.left(), height() - line - 2, plot.width(), line), Qt::AlignHCenter | Qt::AlignVCenter,
                   models::whatif::measure_title(content_.x));
  painter.drawText(QRectF(4, 4, plot.width(), line), Qt::AlignLeft | Qt::AlignVCenter, tr("Samples per second"));
}

/// Paints the legend of sizes: three points with their values, above the plot at the right.
void ParetoView::paint_legend(QPainter& painter) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  std::optional<double> least, most;
  for (const PlanCandidate& plan : content_.plans)
    if (const auto value = models::whatif::measure_of(plan, content_.size)) {
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
    }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(widgets::caption_font(font()));
  const QFontMetricsF metrics(painter.font());
  double x = geometry_.plot.right();
  const double middle = top_room / 2;
  const auto word = [&](const QString& text) {
    x -= metrics.horizontalAdvance(text);
    painter.setPen(theme.muted);
    painter.drawText(QPointF(x, middle + metrics.ascent() / 2 - 1), text);
  };
  if (least && *most > *least) {
    for (int i = legend_points - 1; i >= 0; --i) {
      const double share = static_cast<double>(i) / (legend_points - 1);
      const double small = models::whatif::ParetoGeometry::min_radius,
                   large = models::whatif::ParetoGeometry::max_radius;
      const double radius = std::sqrt(small * small + share * (large * large - small * small));
      word(models::whatif::measure_value_text(*least + share * (*most - *least), content_.size));
      x -= 2 * radius + 5;
      painter.setPen(Qt::NoPen);
      painter.setBrush(theme.muted);
      painter.drawEllipse(QPointF(x + radius, middle), radius, radius);
      x -= 14;
    }
    word(tr("%1:").arg(models::whatif::measure_title(content_.size)));
  } else {
    word(least ? tr("%1: %2 everywhere")
                     .arg(models::whatif::measure_title(content_.size),
                          models::whatif::measure_value_text(*least, content_.size))
               : tr("%1: unknown").arg(models::whatif::measure_title(content_.size)));
  }
}

void ParetoView::paint_points(QPainter& painter) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  painter.setRenderHint(QPainter::Antialiasing);
  const std::vector<QPointF> steps = geometry_.staircase(content_);
  painter.setPen(QPen(theme.accent, 1.5));
  painter.drawPolyline(steps.data(), static_cast<int>(steps.size()));
  // The front is drawn above the plans that it dominates: filled points, the others hollow.
  for (const bool front : {false, true})
    for (std::size_t i = 0; i < geometry_.points.size(); ++i) {
      if (content_.on_front[i] != front) continue;
      const QColor colour = front ? theme.of_group(0) : theme.muted;
      painter.setPen(QPen(front ? theme.panel : widgets::blended(theme.muted, theme.panel, 0.8), 1));
      painter.setBrush(front ? QBrush(colour) : QBrush(widgets::blended(theme.muted, theme.panel, 0.18)));
      painter.drawEllipse(geometry_.points[i], geometry_.radii[i], geometry_.radii[i]);
    }
  const auto ring = [&](std::size_t i, const QColor& colour, double width) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, width));
    painter.drawEllipse(geometry_.points[i], geometry_.radii[i] + 3.5, geometry_.radii[i] + 3.5);
  };
  if (hovered_) ring(*hovered_, theme.muted, 1.5);
  if (selected_) ring(*selected_, theme.text, 2);
}

void ParetoView::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  paint_axes(painter);
  paint_legend(painter);
  paint_points(painter);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(hasFocus() ? theme.accent : theme.border);
  painter.drawRect(geometry_.plot);
}

}  // namespace pipedeck::views::whatif
