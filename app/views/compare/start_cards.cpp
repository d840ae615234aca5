// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/start_cards.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <QPainter>

#include "app/models/format.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::compare {

namespace {

constexpr int row_side = 16, card_side = 12, card_radius = 8, picture_height = 98;
constexpr std::size_t most_lanes = 4;
constexpr std::size_t most_operations = 48;  ///< drawn of the fullest lane, so that each can be seen

int line_height(const QFont& font) { return QFontMetrics(font).height(); }

/// Returns true if the lane's operations take at least a hundredth of the iteration.
bool is_visible(const Timeline& timeline, const TimelineLane& lane) {
  std::int64_t busy = 0;
  for (std::size_t i = lane.begin; i < lane.end; ++i) busy += timeline.duration[i];
  return busy * 100 >= timeline.makespan().count;
}

/// Returns the lanes to draw: a device per stage, and the collectives of the device of a plan with one stage.
std::vector<const TimelineLane*> lanes_to_draw(const Timeline& timeline) {
  std::vector<const TimelineLane*> lanes;
  std::set<std::uint16_t> stages;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::compute && lane.size() > 0 && stages.insert(timeline.stage[lane.begin]).second)
      lanes.push_back(&lane);
  if (lanes.size() > most_lanes) {  // the first and the last stage, and some between them
    std::vector<const TimelineLane*> some;
    for (std::size_t i = 0; i < most_lanes; ++i) some.push_back(lanes[i * (lanes.size() - 1) / (most_lanes - 1)]);
    return some;
  }
  if (lanes.size() != 1) return lanes;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == LaneRole::collective && lane.device == lanes.front()->device && is_visible(timeline, lane))
      lanes.push_back(&lane);
  return lanes;
}

/// Returns the end of the drawn time: the iteration, or the first operations of the fullest lane.
std::int64_t end_of_picture(const Timeline& timeline, const std::vector<const TimelineLane*>& lanes) {
  std::int64_t end = timeline.makespan().count;
  for (const TimelineLane* lane : lanes)
    if (lane->size() > most_operations) end = std::min(end, timeline.start[lane->begin + most_operations]);
  return std::max<std::int64_t>(end, 1);
}

void paint_focus(QPainter& painter, const QAbstractButton& button, const widgets::Theme& theme, double radius) {
  if (!button.hasFocus()) return;
  painter.setPen(QPen(theme.accent, 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(button.rect()).adjusted(1, 1, -1, -1), radius, radius);
}

}  // namespace

void paint_schedule(QPainter& painter, const QRectF& area, const Timeline& timeline, const widgets::Theme& theme) {
  const std::vector<const TimelineLane*> lanes = lanes_to_draw(timeline);
  if (lanes.empty()) return;
  const double scale = area.width() / static_cast<double>(end_of_picture(timeline, lanes));
  constexpr double gap = 5;
  const double pitch = area.height() / static_cast<double>(std::max<std::size_t>(lanes.size(), 2));
  double top = area.top() + (area.height() - pitch * static_cast<double>(lanes.size())) / 2;
  for (const TimelineLane* lane : lanes) {
    const QRectF track(area.left(), top + gap / 2, area.width(), pitch - gap);
    painter.fillRect(track, theme.panel);
    for (std::size_t i = lane->begin; i < lane->end; ++i) {
      const double left = area.left() + static_cast<double>(timeline.start[i]) * scale;
      if (left >= area.right()) break;
      const double width = std::max(1.0, static_cast<double>(timeline.duration[i]) * scale - 1);
      painter.fillRect(QRectF(left, track.top(), std::min(width, area.right() - left), track.height()),
                       theme.of(timeline.kind[i]));
    }
    top += pitch;
  }
}

TwoLineRow::TwoLineRow(Texts texts, QWidget* parent) : QAbstractButton(parent), texts_(std::move(texts)) {
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(QStringLiteral("%1, %2, %3").arg(texts_.name, texts_.about, texts_.figure));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

QSize TwoLineRow::sizeHint() const {
  return {240, line_height(font()) + line_height(widgets::caption_font(font())) + 16};
}

void TwoLineRow::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  if (underMouse()) painter.fillRect(rect(), widgets::blended(theme.text, theme.panel, 0.05));
  const QRect inner = rect().adjusted(row_side, 8, -row_side, -8);
  const QFont name_font = widgets::title_font(font()), small = widgets::caption_font(font());
  const auto line = [&](const QFont& font, int top, const QString& left, const QString& right, const QColor& colour) {
    painter.setFont(right == texts_.figure ? this->font() : font);
    painter.setPen(colour);
    const int figure = painter.fontMetrics().horizontalAdvance(right);
    const QRect place(inner.left(), top, inner.width(), line_height(font));
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, right);
    painter.setFont(font);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(left, Qt::ElideRight, inner.width() - figure - 12));
  };
  line(name_font, inner.top(), texts_.name, texts_.figure, theme.text);
  line(small, inner.top() + line_height(name_font), texts_.about, texts_.date, theme.muted);
  paint_focus(painter, *this, theme, 4);
}

ExampleCard::ExampleCard(const QString& title, const QString& about, QWidget* parent)
    : QAbstractButton(parent), title_(title), about_(about) {
  setCursor(Qt::PointingHandCursor);
  setAccessibleName(QStringLiteral("%1, %2").arg(title, about));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ExampleCard::set_plan(const QString& plan, const std::shared_ptr<const Simulation>& simulation) {
  plan_ = plan;
  simulation_ = simulation;
  setToolTip(
      simulation
          ? tr("The beginning of an iteration of the plan %1, as simulated. Click to compare it with all planners, "
               "which may find a faster plan.")
                .arg(plan)
          : QString());
  update();
}

QSize ExampleCard::sizeHint() const {
  return {220, picture_height + line_height(font()) + 2 * line_height(widgets::caption_font(font())) + 2 * card_side};
}

void ExampleCard::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF card = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(underMouse() ? theme.muted : theme.border);
  painter.setBrush(theme.panel);
  painter.drawRoundedRect(card, card_radius, card_radius);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.raised);
  painter.drawRoundedRect(QRectF(1, 1, width() - 2, picture_height), card_radius - 1, card_radius - 1);
  painter.fillRect(QRectF(1, picture_height - card_radius, width() - 2, card_radius + 1), theme.raised);
  if (simulation_) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    paint_schedule(painter, QRectF(card_side, card_side, width() - 2 * card_side, picture_height - 2 * card_side),
                   simulation_->timeline, theme);
    painter.setRenderHint(QPainter::Antialiasing);
  }
  const QFont small = widgets::caption_font(font());
  const QRect words(card_side, picture_height + card_side - 3, width() - 2 * card_side, line_height(font()));
  painter.setFont(widgets::title_font(font()));
  painter.setPen(theme.text);
  painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(title_, Qt::ElideRight, words.width()));
  painter.setFont(small);
  const QRect below(words.left(), words.bottom() + 3, words.width(), line_height(small)),
      last = below.translated(0, below.height());
  const QString time = simulation_ ? models::format_time(simulation_->iteration) : QString();
  painter.drawText(last, Qt::AlignRight | Qt::AlignVCenter, time);
  painter.setPen(theme.muted);
  const auto left = [&](const QRect& line, const QString& text, int taken) {
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, line.width() - taken));
  };
  left(below, about_, 0);
  left(last, plan_, painter.fontMetrics().horizontalAdvance(time) + 10);
  paint_focus(painter, *this, theme, card_radius);
}

}  // namespace pipedeck::views::compare
