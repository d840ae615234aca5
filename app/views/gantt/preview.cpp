// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/preview.hpp"

#include <algorithm>

#include <QEvent>
#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/widgets/choice_pictures.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr std::size_t max_lanes = 16, max_operations = 20000;

}  // namespace

Timeline thinned(const Timeline& timeline, std::size_t lanes, std::size_t operations) {
  std::vector<const TimelineLane*> compute;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::compute) compute.push_back(&lane);
  const std::size_t count = std::min(lanes, compute.size());
  std::size_t total = 0;
  for (std::size_t i = 0; i < count; ++i) total += compute[i * compute.size() / count]->size();
  Timeline thin;
  if (total > operations) return thin;
  for (std::size_t i = 0; i < count; ++i) {
    const TimelineLane& lane = *compute[i * compute.size() / count];
    std::vector<TimelineRow> rows;
    for (std::size_t at = lane.begin; at < lane.end; ++at) rows.push_back(timeline.row(at));
    thin.append_lane(lane, rows);
  }
  return thin;
}

Preview::Preview(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("gantt_preview"));
  setMinimumSize(160, 72);
}

QSize Preview::sizeHint() const { return {420, 200}; }

void Preview::set_shown(const std::vector<Shown>& shown) {
  const auto same = [](const Shown& a, const Row& b) { return a.title == b.title && a.simulation == b.simulation; };
  if (std::ranges::equal(shown, rows_, same)) return;
  rows_.clear();
  QStringList words;
  for (const Shown& one : shown) {
    Row row{one.title, one.simulation, {}};
    if (one.simulation) {
      row.timeline = thinned(one.simulation->timeline, max_lanes, max_operations);
      words << tr("%1: %2").arg(one.title, models::format_time(one.simulation->iteration));
    }
    rows_.push_back(std::move(row));
  }
  setAccessibleName(tr("Iterations on one time scale"));
  setAccessibleDescription(words.join(QStringLiteral(", ")));
  cache_ = {};
  update();
}

void Preview::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) cache_ = {};
  QWidget::changeEvent(event);
}

void Preview::paint(QPainter& painter) const {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  Nanoseconds longest;
  for (const Row& row : rows_)
    if (row.simulation) longest = std::max(longest, row.simulation->iteration);
  painter.setFont(widgets::caption_font(font()));
  const double caption = QFontMetricsF(painter.font()).height() + 2;
  const double height =
      static_cast<double>(this->height()) / static_cast<double>(std::max<std::size_t>(1, rows_.size()));
  double top = 0;
  for (const Row& row : rows_) {
    const QRectF words(0, top, width(), caption), area(0, top + caption, width(), height - caption - 4);
    painter.setPen(theme.muted);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, row.title);
    if (row.simulation) {
      painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, models::format_time(row.simulation->iteration));
      painter.fillRect(area, theme.panel);
      if (row.timeline.lanes.empty())
        painter.drawText(area, Qt::AlignCenter, tr("Too many operations for a preview. Keep the plan to see it"));
      else
        widgets::paint_small_gantt(painter, area, row.timeline, longest, theme);
    }
    top += height;
  }
}

void Preview::paintEvent(QPaintEvent*) {
  const double scale = devicePixelRatioF();
  if (cache_.size() != size() * scale || cache_.devicePixelRatio() != scale) {
    cache_ = QPixmap(size() * scale);
    cache_.setDevicePixelRatio(scale);
    cache_.fill(widgets::Theme::of(palette()).window);
    QPainter painter(&cache_);
    paint(painter);
  }
  QPainter(this).drawPixmap(0, 0, cache_);
}

}  // namespace pipedeck::views::gantt
