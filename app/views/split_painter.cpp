// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split_painter.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPen>

#include "app/models/format.hpp"

namespace pipedeck::app {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(pipedeck::app::SplitEditor)
};

constexpr double handle_room = 14;
constexpr double strip_height = 54;
constexpr double spacing = 4;

double line_height(const QFont& font) { return std::ceil(QFontMetricsF(font).height()); }

ChipStyle chip_style(const QFont& font) { return {line_height(caption_font(font)) + 4, 8, 6}; }

class Painter {
 public:
  Painter(QPainter& painter, const SplitPicture& picture, const Theme& theme, const QFont& font)
      : painter_(painter), p_(picture), theme_(theme), font_(font) {}

  void all() {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.fillRect(p_.areas.whole, theme_.window);
    heading();
    if (!p_.layers) return empty();
    layers();
    for (int stage = 0; stage < static_cast<int>(p_.stages.size()); ++stage) this->stage(stage);
    ghosts();
    cuts();
  }

 private:
  int end_of(int stage) const {
    const auto next = static_cast<std::size_t>(stage) + 1;
    return next < p_.firsts.size() ? p_.firsts[next] : p_.strip.layers();
  }

  QColor colour_of(int stage) const {
    const SplitStagePicture& picture = p_.stages[static_cast<std::size_t>(stage)];
    if (picture.over) return theme_.bad;
    return shade_of_chunk(theme_.of_stage(picture.rank), picture.chunk, picture.chunks, theme_);
  }

  void empty() {
    painter_.setFont(font_);
    painter_.setPen(theme_.muted);
    QRectF area = p_.areas.whole;
    area.setTop(p_.areas.heading.bottom());
    painter_.drawText(area, Qt::AlignCenter, p_.empty_text);
  }

  void heading() {
    const QRectF area = p_.areas.heading;
    const QString feedback = feedback_text();
    painter_.setFont(title_font(font_));
    const double taken = feedback.isEmpty() ? 0 : painter_.fontMetrics().horizontalAdvance(feedback) + 16;
    if (p_.feedback) {
      painter_.setPen(!p_.feedback->fits || p_.feedback->change > 0 ? theme_.bad : theme_.good);
      painter_.drawText(area, Qt::AlignRight | Qt::AlignVCenter, feedback);
    }
    painter_.setFont(section_font(font_));
    painter_.setPen(theme_.muted);
    const QFontMetricsF metrics(painter_.font());
    const QString title = p_.layers && p_.firsts.size() > 1
                              ? Text::tr("SPLIT — drag a cut; the old plan stays as a ghost")
                              : Text::tr("SPLIT");
    painter_.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(title, Qt::ElideRight, area.width() - taken));
  }

  QString feedback_text() const {
    if (!p_.feedback) return {};
    return Text::tr("%1   %2   peak %3")
        .arg(format_change(p_.feedback->change), format_time(p_.feedback->iteration), format_bytes(p_.feedback->peak));
  }

  void layers() {
    std::int64_t most = 1;
    for (Bytes bytes : p_.layers->bytes) most = std::max(most, bytes.count);
    painter_.setPen(Qt::NoPen);
    for (int stage = 0; stage < static_cast<int>(p_.stages.size()); ++stage) {
      painter_.setBrush(colour_of(stage));
      for (int layer = p_.firsts[static_cast<std::size_t>(stage)]; layer < end_of(stage); ++layer) {
        const double share =
            static_cast<double>(p_.layers->bytes[static_cast<std::size_t>(layer)].count) / static_cast<double>(most);
        const double left = p_.strip.x_of(layer), width = p_.strip.x_of(layer + 1) - left;
        const double height = p_.areas.strip.height() * (0.22 + 0.78 * share);
        const double gap = width > 5 ? 1.5 : width > 2.5 ? 0.6 : 0;
        const QRectF box(left + gap / 2, p_.areas.strip.bottom() - height, width - gap, height);
        if (gap > 1) {
          painter_.drawRoundedRect(box, 1.5, 1.5);
        } else {
          painter_.drawRect(box);
        }
      }
    }
  }

  void stage(int number) {
    const SplitStagePicture& picture = p_.stages[static_cast<std::size_t>(number)];
    const double left = p_.strip.x_of(p_.firsts[static_cast<std::size_t>(number)]),
                 right = p_.strip.x_of(end_of(number));
    QRectF row(left + 3, p_.areas.captions.top(), right - left - 6, p_.areas.captions.height());
    painter_.setFont(font_);
    painter_.setPen(picture.over ? theme_.bad : theme_.text);
    painter_.drawText(row, Qt::AlignCenter | Qt::TextDontClip, picture.caption);
    row.moveTop(p_.areas.chips.top());
    row.setHeight(p_.areas.chips.height());
    painter_.setFont(caption_font(font_));
    const QFontMetricsF metrics(painter_.font());
    const auto width_of = [&](const QString& text) { return metrics.horizontalAdvance(text); };
    for (const DeviceChip& chip : device_chips(picture.devices, row, chip_style(font_), width_of)) {
      painter_.setPen(QPen(colour_of(number), 1.2));
      painter_.setBrush(theme_.panel);
      painter_.drawRoundedRect(chip.rect, chip.rect.height() / 2, chip.rect.height() / 2);
      painter_.setPen(theme_.text);
      painter_.drawText(chip.rect, Qt::AlignCenter, chip.text);
    }
  }

  void ghosts() {
    if (p_.ghosts.size() != p_.firsts.size()) return;
    QPen pen(theme_.text, 1.5, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    for (std::size_t i = 1; i < p_.ghosts.size(); ++i) {
      if (p_.ghosts[i] == p_.firsts[i]) continue;
      const double x = p_.strip.x_of(p_.ghosts[i]);
      painter_.setPen(QPen(theme_.window, 3));
      painter_.drawLine(QPointF(x, p_.areas.strip.top() - 4), QPointF(x, p_.areas.strip.bottom() + 3));
      painter_.setPen(pen);
      painter_.drawLine(QPointF(x, p_.areas.strip.top() - 4), QPointF(x, p_.areas.strip.bottom() + 3));
    }
  }

  void cuts() {
    for (int stage = 1; stage < static_cast<int>(p_.firsts.size()); ++stage) {
      const double x = p_.strip.x_of(p_.firsts[static_cast<std::size_t>(stage)]);
      const bool hot = p_.hot == stage, focused = p_.focused == stage;
      const QColor colour = hot ? theme_.accent : theme_.text;
      const QRectF strip = p_.areas.strip;
      painter_.setPen(QPen(theme_.window, hot ? 5 : 4));
      painter_.drawLine(QPointF(x, strip.top() - 1), QPointF(x, strip.bottom()));
      painter_.setPen(QPen(colour, hot ? 3 : 2));
      painter_.drawLine(QPointF(x, strip.top() - 4), QPointF(x, strip.bottom() + 4));
      const QRectF handle(x - 6, strip.top() - handle_room + 1, 12, 9);
      painter_.setPen(Qt::NoPen);
      painter_.setBrush(colour);
      painter_.drawRoundedRect(handle, 2.5, 2.5);
      if (focused) {
        painter_.setBrush(Qt::NoBrush);
        painter_.setPen(QPen(theme_.accent, 1.6));
        painter_.drawRoundedRect(handle.adjusted(-3, -3, 3, 3), 4, 4);
      }
    }
  }

  QPainter& painter_;
  const SplitPicture& p_;
  const Theme& theme_;
  const QFont& font_;
};

}  // namespace

SplitAreas split_areas(const QRectF& widget, const QFont& font) {
  SplitAreas areas;
  areas.whole = widget;
  const QRectF inner = widget.adjusted(ThemeSizes::margin, spacing, -ThemeSizes::margin, -spacing);
  const double line = line_height(font);
  areas.heading = QRectF(inner.left(), inner.top(), inner.width(), line + spacing);
  areas.strip = QRectF(inner.left(), areas.heading.bottom() + handle_room, inner.width(), strip_height);
  areas.captions = QRectF(inner.left(), areas.strip.bottom() + spacing + 2, inner.width(), line + 2);
  areas.chips = QRectF(inner.left(), areas.captions.bottom() + spacing, inner.width(), chip_style(font).height + 4);
  areas.grip = areas.strip.adjusted(-ThemeSizes::margin, -handle_room, ThemeSizes::margin, 4);
  return areas;
}

int split_height(const QFont& font) {
  return static_cast<int>(std::ceil(split_areas(QRectF(0, 0, 100, 100), font).chips.bottom() + spacing));
}

void paint_split(QPainter& painter, const SplitPicture& picture, const Theme& theme, const QFont& font) {
  Painter(painter, picture, theme, font).all();
}

}  // namespace pipedeck::app
