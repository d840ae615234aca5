// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/accuracy/scatter_view.hpp"

#include <algorithm>
#include <array>

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "app/models/accuracy/error_figures.hpp"
#include "app/models/format.hpp"
#include "app/views/widgets/hover_card.hpp"
#include "app/views/widgets/key_help.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::accuracy {

namespace {

constexpr double top_room = 8, text_gap = 6;
constexpr double radius = 3.6, ring_radius = 7;
constexpr double point_share = 0.45;  ///< opacity of a point's fill: crowds are darker
constexpr double legend_gap = 16;

/// Returns the shape of a family's points around the origin.
QPainterPath shape_of(models::accuracy::Family family) {
  QPainterPath path;
  switch (family) {
    case models::accuracy::Family::hopper:
      path.addEllipse(QPointF(), radius, radius);
      break;
    case models::accuracy::Family::ampere:
      path.addPolygon(QPolygonF({{0, -1.15 * radius}, {1.15 * radius, radius}, {-1.15 * radius, radius}}));
      path.closeSubpath();
      break;
    case models::accuracy::Family::blackwell:
      path.addRect(QRectF(-0.9 * radius, -0.9 * radius, 1.8 * radius, 1.8 * radius));
      break;
    case models::accuracy::Family::volta:
      path.addPolygon(QPolygonF({{0, -1.3 * radius}, {1.3 * radius, 0}, {0, 1.3 * radius}, {-1.3 * radius, 0}}));
      path.closeSubpath();
      break;
    case models::accuracy::Family::other:
      path.addPolygon(QPolygonF({{0, 1.15 * radius}, {1.15 * radius, -radius}, {-1.15 * radius, -radius}}));
      path.closeSubpath();
      break;
  }
  return path;
}

struct Ink {
  QColor edge, fill;
};

Ink ink_of(models::accuracy::Family family, const widgets::Theme& theme) {
  const QColor colour = theme.of_group(static_cast<int>(family));
  Ink ink{widgets::blended(theme.text, colour, theme.dark ? 0.1 : 0.25), colour};
  ink.fill.setAlphaF(static_cast<float>(point_share));
  return ink;
}

}  // namespace

ScatterView::ScatterView(QWidget* parent) : QWidget(parent), card_(new widgets::HoverCard(this)) {
  setObjectName(QStringLiteral("accuracy_chart"));
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(280, 170);
  widgets::install_accessible_items();  // before any interface is requested
  setAccessibleName(tr("Predicted over measured tokens per second"));
  widgets::describe_keys(*this, tr("In the chart of published runs"),
                         {{"Left, Right", tr("To the next slower or faster run")},
                          {"Home, End", tr("To the slowest and the fastest run")},
                          {"Esc", tr("Clear the selected run")}});
  lay_out();
}

void ScatterView::set_runs(std::span<const models::accuracy::RunRow> rows, std::vector<std::size_t> shown) {
  const std::optional<std::size_t> kept = rows.data() == rows_.data() ? selected() : std::nullopt;
  rows_ = rows;
  shown_ = std::move(shown);
  hovered_.reset();
  card_->hide();
  setAccessibleDescription(tr("runs: %1").arg(shown_.size()));
  lay_out();
  select(kept);
}

void ScatterView::set_mode(models::accuracy::ScatterMode mode) {
  mode_ = mode;
  card_->hide();
  lay_out();
}

void ScatterView::lay_out() {
  const QFontMetricsF metrics(widgets::caption_font(font()));
  const double line = metrics.height();
  const double label = metrics.horizontalAdvance(QStringLiteral("100,000"));
  const double left = label + line + 2 * text_gap;
  const QRectF plot(left, top_room, std::max(1.0, width() - left - label / 2),
                    std::max(1.0, height() - top_room - 2 * line - 2 * text_gap));
  geometry_ = models::accuracy::lay_out_runs(rows_, shown_, mode_, plot);
  update();
}

void ScatterView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  lay_out();
}

void ScatterView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) lay_out();
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

std::optional<std::size_t> ScatterView::selected() const {
  return selected_ ? std::optional(shown_[*selected_]) : std::nullopt;
}

void ScatterView::select(std::optional<std::size_t> row) {
  selected_.reset();
  if (const auto at = row ? std::ranges::find(shown_, *row) : shown_.end(); at != shown_.end())
    selected_ = static_cast<std::size_t>(at - shown_.begin());
  if (selected_) setAccessibleDescription(item_text(static_cast<int>(*selected_)));
  update();
}

void ScatterView::choose(std::optional<std::size_t> run) {
  if (run == selected_) return;
  select(run ? std::optional(shown_[*run]) : std::nullopt);
  emit run_selected(run ? static_cast<int>(shown_[*run]) : -1);
}

QString ScatterView::item_text(int run) const {
  return models::accuracy::describe_run(row_of(static_cast<std::size_t>(run))).join(QStringLiteral(", "));
}

QRect ScatterView::item_rect(int run) const {
  const QPointF point = geometry_.points[static_cast<std::size_t>(run)];
  return QRectF(point - QPointF(ring_radius, ring_radius), QSizeF(2 * ring_radius, 2 * ring_radius)).toAlignedRect();
}

bool ScatterView::item_selected(int run) const { return selected_ == static_cast<std::size_t>(run); }

void ScatterView::show_card(std::size_t run) {
  card_->show_at(geometry_.points[run], models::accuracy::describe_run(row_of(run)));
}

void ScatterView::mouseMoveEvent(QMouseEvent* event) {
  const auto hit = geometry_.hit(event->position());
  if (hit != hovered_) {
    hovered_ = hit;
    setCursor(hit ? Qt::PointingHandCursor : Qt::ArrowCursor);
    hit ? show_card(*hit) : card_->hide();
    update();
  }
  QWidget::mouseMoveEvent(event);
}

void ScatterView::leaveEvent(QEvent* event) {
  hovered_.reset();
  card_->hide();
  update();
  QWidget::leaveEvent(event);
}

void ScatterView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  choose(geometry_.hit(event->position()));
}

void ScatterView::focusInEvent(QFocusEvent* event) {
  update();
  QWidget::focusInEvent(event);
}

void ScatterView::focusOutEvent(QFocusEvent* event) {
  if (!hovered_) card_->hide();
  update();
  QWidget::focusOutEvent(event);
}

void ScatterView::walk(std::optional<std::size_t> from, int direction) {
  const auto next = models::accuracy::next_run(rows_, shown_, from, direction);
  choose(next);
  if (next) show_card(*next);
}

void ScatterView::keyPressEvent(QKeyEvent* event) {
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
    case Qt::Key_Escape:
      if (!selected_) break;
      card_->hide();
      return choose({});
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

void ScatterView::paint_axes(QPainter& painter, const widgets::Theme& theme) const {
  const QRectF& plot = geometry_.plot;
  const double line = QFontMetricsF(painter.font()).height();
  for (const models::accuracy::AxisTick& tick : geometry_.across) {
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(tick.position, plot.top()), QPointF(tick.position, plot.bottom()));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(tick.position - 45, plot.bottom() + text_gap / 2, 90, line), Qt::AlignCenter, tick.text);
  }
  for (const models::accuracy::AxisTick& tick : geometry_.up) {
    painter.setPen(theme.grid);
    painter.drawLine(QPointF(plot.left(), tick.position), QPointF(plot.right(), tick.position));
    painter.setPen(theme.muted);
    painter.drawText(QRectF(0, tick.position - line / 2, plot.left() - text_gap, line),
                     Qt::AlignRight | Qt::AlignVCenter, tick.text);
  }
  painter.drawText(QRectF(plot.left(), height() - line - 1, plot.width(), line), Qt::AlignCenter,
                   tr("measured tokens/s/GPU"));
  painter.save();
  painter.translate(line, plot.center().y());
  painter.rotate(-90);
  painter.drawText(
      QRectF(-plot.height() / 2, -line, plot.height(), line), Qt::AlignCenter,
      mode_ == models::accuracy::ScatterMode::scatter ? tr("predicted tokens/s/GPU") : tr("predicted over measured"));
  painter.restore();
}

void ScatterView::paint_bands(QPainter& painter, const widgets::Theme& theme) const {
  painter.setPen(Qt::NoPen);
  for (const auto& [share, ink] :
       {std::pair(models::accuracy::wide_band, 0.08), {models::accuracy::narrow_band, 0.18}}) {
    painter.setBrush(widgets::blended(theme.muted, theme.panel, ink));
    painter.drawPolygon(geometry_.band(share));
  }
}

void ScatterView::paint_runs(QPainter& painter, const widgets::Theme& theme) const {
  std::array<QPainterPath, models::accuracy::family_count> shapes;
  std::array<Ink, models::accuracy::family_count> inks;
  for (int i = 0; i < models::accuracy::family_count; ++i) {
    const auto family = static_cast<models::accuracy::Family>(i);
    shapes[static_cast<std::size_t>(i)] = shape_of(family);
    inks[static_cast<std::size_t>(i)] = ink_of(family, theme);
  }
  painter.setPen(QPen(theme.muted, 1));
  painter.drawLine(geometry_.point_of(geometry_.least, geometry_.least),
                   geometry_.point_of(geometry_.most, geometry_.most));
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const auto family = static_cast<std::size_t>(models::accuracy::family_of(row_of(i).gpu));
    painter.setPen(QPen(inks[family].edge, 1));
    painter.setBrush(inks[family].fill);
    painter.drawPath(shapes[family].translated(geometry_.points[i]));
  }
  painter.setBrush(Qt::NoBrush);
  const auto ring = [&](std::size_t i, const QColor& colour, double width) {
    painter.setPen(QPen(colour, width));
    painter.drawEllipse(geometry_.points[i], ring_radius, ring_radius);
  };
  if (hovered_ && hovered_ != selected_) ring(*hovered_, theme.muted, 1.5);
  if (selected_) ring(*selected_, theme.accent, 2);
}

/// Paints the shapes of the shown families and the bands' shares, in the corner that points leave free.
void ScatterView::paint_legend(QPainter& painter, const widgets::Theme& theme) const {
  const QFontMetricsF metrics(painter.font());
  const double line = metrics.height() + 2;
  const double left = geometry_.plot.left() + 10;
  double x = left, y = geometry_.plot.top() + 6;
  QColor ground = theme.panel;
  ground.setAlphaF(0.75F);  // points below stay visible
  const auto paint_text = [&](double at, const QString& text) {
    const double advance = metrics.horizontalAdvance(text);
    painter.fillRect(QRectF(at, y, advance, metrics.height()), ground);
    painter.setPen(theme.muted);
    painter.drawText(QPointF(at, y + metrics.ascent()), text);
    return advance;
  };
  paint_text(x, tr("dark band: within %1, light band: within %2")
                    .arg(models::format_percent(models::accuracy::narrow_band),
                         models::format_percent(models::accuracy::wide_band)));
  y += line;
  for (int i = 0; i < models::accuracy::family_count; ++i) {
    const auto family = static_cast<models::accuracy::Family>(i);
    if (std::ranges::none_of(shown_,
                             [&](std::size_t row) { return models::accuracy::family_of(rows_[row].gpu) == family; }))
      continue;
    const QString text = models::accuracy::family_text(family);
    if (x > left && x + 12 + metrics.horizontalAdvance(text) > geometry_.plot.right() - 10) {
      x = left;
      y += line;
    }
    const Ink ink = ink_of(family, theme);
    painter.setPen(QPen(ink.edge, 1));
    painter.setBrush(ink.fill);
    painter.drawPath(shape_of(family).translated(x + radius + 1, y + metrics.height() / 2));
    x += 2 * radius + 7;
    x += paint_text(x, text) + legend_gap;
  }
}

void ScatterView::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.setFont(widgets::caption_font(font()));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(geometry_.plot, theme.panel);
  painter.setClipRect(geometry_.plot);
  paint_bands(painter, theme);
  painter.setClipping(false);
  paint_axes(painter, theme);
  paint_runs(painter, theme);
  paint_legend(painter, theme);
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(hasFocus() ? theme.accent : theme.border);
  painter.drawRect(geometry_.plot);
}

}  // namespace pipedeck::views::accuracy
