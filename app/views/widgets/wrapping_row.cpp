// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/widgets/wrapping_row.hpp"

#include <algorithm>
#include <limits>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>

#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::widgets {

namespace {

constexpr int beside = ThemeSizes::grid;
constexpr int below = ThemeSizes::grid / 2;

QSize room_of(const QWidget& item) {
  return item.sizeHint()
      .expandedTo(item.minimumSizeHint())
      .expandedTo(item.minimumSize())
      .boundedTo(item.maximumSize());
}

}  // namespace

WrappingRow::WrappingRow(QWidget* parent) : QWidget(parent), at_end_(std::numeric_limits<std::size_t>::max()) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void WrappingRow::add_field(const QString& caption, QWidget* field) {
  auto* pair = new QWidget(this);
  auto* row = new QHBoxLayout(pair);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(ThemeSizes::grid / 2);
  auto* label = new QLabel(caption, pair);
  label->setObjectName(QStringLiteral("caption"));
  label->setBuddy(field);
  row->addWidget(label);
  row->addWidget(field);
  add(pair);
}

void WrappingRow::add(QWidget* item) {
  item->setParent(this);
  items_.push_back(item);
  updateGeometry();
}

void WrappingRow::add_stretch() { at_end_ = items_.size(); }

std::vector<WrappingRow::Line> WrappingRow::lines_in(int width) const {
  std::vector<Line> lines;
  for (QWidget* item : items_) {
    if (item->isHidden()) continue;
    const QSize room = room_of(*item);
    if (lines.empty() || lines.back().used + beside + room.width() > width) lines.emplace_back();
    Line& line = lines.back();
    line.used += room.width() + (line.items.empty() ? 0 : beside);
    line.height = std::max(line.height, room.height());
    line.items.push_back(item);
  }
  return lines;
}

int WrappingRow::height_of(const std::vector<Line>& lines) const {
  const QMargins margins = contentsMargins();
  int height = margins.top() + margins.bottom();
  for (const Line& line : lines) height += line.height;
  return height + below * std::max(0, static_cast<int>(lines.size()) - 1);
}

QSize WrappingRow::sizeHint() const {
  const QMargins margins = contentsMargins();
  const std::vector<Line> lines = lines_in(std::numeric_limits<int>::max());
  const int used = lines.empty() ? 0 : lines.front().used;
  return {used + margins.left() + margins.right(), height_of(lines)};
}

QSize WrappingRow::minimumSizeHint() const {
  const QMargins margins = contentsMargins();
  int widest = 0;
  for (const QWidget* item : items_)
    if (!item->isHidden()) widest = std::max(widest, room_of(*item).width());
  return {widest + margins.left() + margins.right(), sizeHint().height()};
}

bool WrappingRow::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::ContentsRectChange) arrange();
  return QWidget::event(event);
}

void WrappingRow::resizeEvent(QResizeEvent*) { arrange(); }

void WrappingRow::arrange() {
  const QRect room = contentsRect();
  const std::vector<Line> lines = lines_in(room.width());
  int y = room.top();
  for (const Line& line : lines) {
    int x = room.left();
    bool ended = false;
    for (QWidget* item : line.items) {
      const QSize size = room_of(*item);
      const auto index = static_cast<std::size_t>(std::ranges::find(items_, item) - items_.begin());
      if (index >= at_end_ && !ended) {
        x += room.width() - line.used;
        ended = true;
      }
      item->setGeometry(
          QStyle::visualRect(layoutDirection(), room, QRect(QPoint(x, y + (line.height - size.height()) / 2), size)));
      x += size.width() + beside;
    }
    y += line.height + below;
  }
  setFixedHeight(height_of(lines));
}

}  // namespace pipedeck::views::widgets
