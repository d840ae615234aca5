// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/measure_bar.hpp"

#include <algorithm>

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "app/models/format.hpp"
#include "app/views/gantt/legend_view.hpp"
#include "app/views/gantt/view.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int line_height = 22;
constexpr int bar_height = 11;

Nanoseconds whole(double time) { return Nanoseconds(static_cast<std::int64_t>(std::max(0.0, time))); }

}  // namespace

MeasureBar::MeasureBar(TimeAxisController* link, QWidget* parent) : QWidget(parent), link_(link) {
  setObjectName(QStringLiteral("measure_bar"));
  setAccessibleName(tr("Measure between two cursors"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(link, &TimeAxisController::measure_changed, this, &MeasureBar::refresh);
  // After the chart has found its lane.
  connect(link, &TimeAxisController::selection_changed, this, &MeasureBar::refresh, Qt::QueuedConnection);
  connect(link, &TimeAxisController::cursor_changed, this, [this] {
    if (link_->measure() && !link_->measure()->to) refresh();
  });
  connect(link, &TimeAxisController::label_width_changed, this, qOverload<>(&QWidget::update));
  hide();
}

void MeasureBar::set_chart(View* chart, const QString& name) {
  if (chart_ != chart) {
    if (chart_) chart_->disconnect(this);
    chart_ = chart;
    if (chart) connect(chart, &View::content_changed, this, &MeasureBar::refresh);
  }
  name_ = name;
  refresh();
}

void MeasureBar::refresh() {
  setVisible(link_->measure().has_value());
  lines_.clear();
  if (!link_->measure()) return;
  const double from = link_->measure()->from;
  const double to = link_->measure()->to.value_or(link_->cursor().value_or(from));
  if (chart_ && chart_->content() && !chart_->content()->preview && from != to) {
    lines_.push_back({name_, models::gantt::measure_time(*chart_->content(), from, to)});
    if (const auto& selected = chart_->selected())
      lines_.push_back(
          {chart_->row_text(selected->row),
           models::gantt::measure_row(*chart_->content(), chart_->geometry_of_lanes().rows[selected->row], from, to)});
  }
  setAccessibleDescription(lines().join(QStringLiteral("; ")));
  updateGeometry();
  update();
}

QString MeasureBar::span_text() const {
  const TimeMeasure& measure = *link_->measure();
  const auto second = measure.to ? measure.to : link_->cursor();
  if (!second || *second == measure.from)
    return tr("A at %1. M or Shift+click sets B; Esc removes it.").arg(models::format_time(whole(measure.from)));
  const double begin = std::min(measure.from, *second), end = std::max(measure.from, *second);
  return tr("A to B: %1  (%2)")
      .arg(models::format_time(whole(end - begin)), models::format_span(whole(begin), whole(end)));
}

QString MeasureBar::parts_text(const models::gantt::MeasuredTime& time) {
  QStringList parts;
  for (int kind = 0; kind < op_kind_count; ++kind) {
    const std::int64_t busy = time.busy[static_cast<std::size_t>(kind)];
    if (busy > 0)
      parts << tr("%1 %2").arg(widgets::kind_text(static_cast<OpKind>(kind)), models::format_percent(time.share(busy)));
  }
  parts << tr("idle %1").arg(models::format_percent(time.share(time.idle)));
  return parts.join(QStringLiteral(" · "));
}

QStringList MeasureBar::lines() const {
  if (!link_->measure()) return {};
  QStringList all{span_text()};
  for (const Line& line : lines_) all << tr("%1: %2").arg(line.name, parts_text(line.time));
  return all;
}

QSize MeasureBar::sizeHint() const { return {640, line_height * static_cast<int>(1 + lines_.size()) + 6}; }

void MeasureBar::paintEvent(QPaintEvent*) {
  if (!link_->measure()) return;
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(widgets::section_font(font()));
  painter.setPen(theme.accent);
  painter.drawText(QRect(widgets::ThemeSizes::margin, 2, width() - 2 * widgets::ThemeSizes::margin, line_height),
                   Qt::AlignLeft | Qt::AlignVCenter, span_text());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    paint_line(painter, lines_[i], 2 + line_height * static_cast<int>(1 + i));
}

void MeasureBar::paint_line(QPainter& painter, const Line& line, int top) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  const int left = link_->label_width(), bar_width = std::clamp((width() - left) / 3, 60, 320);
  painter.setFont(widgets::caption_font(font()));
  const QFontMetrics metrics(painter.font());
  painter.setPen(theme.muted);
  const int room = left - widgets::ThemeSizes::margin - widgets::ThemeSizes::grid;
  painter.drawText(QRect(widgets::ThemeSizes::margin, top, room, line_height), Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(line.name, Qt::ElideMiddle, room));
  const QRectF bar(left, top + (line_height - bar_height) / 2.0, bar_width, bar_height);
  painter.fillRect(bar, theme.panel);
  double x = bar.left();
  for (int kind = 0; kind < op_kind_count; ++kind) {
    const double width = bar.width() * line.time.share(line.time.busy[static_cast<std::size_t>(kind)]);
    if (width > 0) draw_swatch(painter, QRectF(x, bar.top(), width, bar.height()), static_cast<OpKind>(kind), theme);
    x += width;
  }
  painter.setPen(QPen(theme.border, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
  painter.setPen(theme.text);
  const QRect text(static_cast<int>(bar.right()) + 12, top, width() - static_cast<int>(bar.right()) - 12, line_height);
  painter.drawText(
      text, Qt::AlignLeft | Qt::AlignVCenter,
      metrics.elidedText(parts_text(line.time), Qt::ElideRight, text.width() - widgets::ThemeSizes::margin));
}

bool MeasureBar::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), lines().join(QLatin1Char('\n')), this);
  return true;
}

}  // namespace pipedeck::views::gantt
