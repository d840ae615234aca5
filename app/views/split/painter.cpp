// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/split/painter.hpp"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPen>

namespace pipedeck::views::split {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(Editor)
};

constexpr double handle_room = 14;
constexpr double rounded_gap = 1;  // boxes this far apart have round corners
constexpr double min_share = 0.1;  // of the strip's height: even the cheapest layer is visible

QString tray_label() { return Text::tr("SPARE DEVICES"); }

double line_height(const QFont& font) { return std::ceil(QFontMetricsF(font).height()); }

class Painter {
 public:
  Painter(QPainter& painter, const Picture& picture, const widgets::Theme& theme, const QFont& font)
      : painter_(painter), p_(picture), layout_(*picture.layout), areas_(layout_.areas), theme_(theme), font_(font) {}

  void all() {
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.fillRect(areas_.whole, theme_.window);
    heading();
    if (!p_.has_plan) return empty();
    painter_.save();
    painter_.setClipRect(areas_.columns.adjusted(-7, -7, 7, 2));
    columns();
    layers();
    layer_cursor();
    for (int stage = 0; stage < static_cast<int>(p_.stages.size()); ++stage) caption(stage);
    ghosts();
    cuts();
    painter_.restore();
    tray();
    left_chip();
    for (const models::split::Chip& chip : layout_.chips) this->chip(chip);
    dragged_chip();
  }

 private:
  QColor colour_of(int stage) const {
    const StagePicture& picture = p_.stages[static_cast<std::size_t>(stage)];
    if (picture.over) return theme_.bad;
    return widgets::shade_of_chunk(theme_.of_group(picture.rank), picture.chunk, picture.chunks, theme_);
  }

  void empty() {
    painter_.setFont(font_);
    painter_.setPen(theme_.muted);
    QRectF area = areas_.whole.adjusted(widgets::ThemeSizes::margin, 0, -widgets::ThemeSizes::margin, 0);
    area.setTop(areas_.heading.bottom());
    painter_.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, p_.empty_text);
  }

  void heading() {
    const QRectF area = areas_.heading;
    double taken = 0;
    if (p_.feedback) {
      painter_.setFont(widgets::title_font(font_));
      const QFontMetricsF metrics(painter_.font());
      // A message has priority, then as many metrics as fit.
      const double room = area.width() * (p_.message.isEmpty() ? 0.8 : 0.6);
      const QString text =
          models::split::fitting_text(models::split::feedback_variants(*p_.feedback), room,
                                      [&](const QString& words) { return metrics.horizontalAdvance(words); });
      taken = metrics.horizontalAdvance(text) + 16;
      painter_.setPen(!p_.feedback->fits || p_.feedback->change() > 0 ? theme_.bad : theme_.good);
      painter_.drawText(area, Qt::AlignRight | Qt::AlignVCenter, text);
    }
    const bool said = !p_.message.isEmpty();
    painter_.setFont(said ? widgets::title_font(font_) : widgets::section_font(font_));
    painter_.setPen(said && p_.warns ? theme_.bad : said ? theme_.text : theme_.muted);
    const QFontMetricsF metrics(painter_.font());
    const QString title = !p_.has_plan
                              ? Text::tr("SPLIT")
                              : Text::tr("SPLIT — drag a cut or a device, double-click a layer to split a stage");
    painter_.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                      metrics.elidedText(said ? p_.message : title, Qt::ElideRight, area.width() - taken));
  }

  /// Draws the selection and the target of a dragged chip.
  void columns() {
    for (std::size_t s = 0; s < layout_.columns.size(); ++s) {
      const QRectF& column = layout_.columns[s];
      if (column.isEmpty()) continue;
      const bool target = p_.drop && p_.drop->stage == static_cast<int>(s);
      if (!target && p_.selected != static_cast<int>(s)) continue;
      const QRectF area(column.left() + 1, areas_.scroll.bottom(), column.width() - 2,
                        areas_.chips.bottom() - areas_.scroll.bottom());
      const QColor colour = target && p_.refused ? theme_.bad : theme_.accent;
      painter_.setBrush(target ? widgets::blended(colour, theme_.window, 0.22) : theme_.accent_soft);
      painter_.setPen(target ? QPen(colour, 1.5) : QPen(Qt::NoPen));
      painter_.drawRoundedRect(area, widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
      if (!target) continue;
      QColor veil = colour;
      veil.setAlphaF(0.12F);
      painter_.fillRect(QRectF(column.left(), areas_.strip.top(), column.width(), areas_.strip.height()), veil);
    }
  }

  void layers() {
    painter_.setPen(Qt::NoPen);
    const QRectF strip = areas_.strip;
    for (const models::split::LayerBox& layer : p_.boxes) {
      const double width = layer.right - layer.left;
      const double height = strip.height() * (min_share + (1 - min_share) * layer.share);
      const double gap = width > 5 ? 1.5 : width > 2.5 ? 0.6 : 0;
      const QRectF box(layer.left + gap / 2, strip.bottom() - height, width - gap, height);
      const QColor colour = colour_of(layer.stage);
      if (gap > rounded_gap) {
        painter_.setBrush(colour);
        painter_.drawRoundedRect(box, 1.5, 1.5);
      } else {
        painter_.fillRect(box, colour);
      }
      if (!layer.marked) continue;
      // Recomputed: hatched, with a bar on top that is visible where the hatch is not.
      painter_.fillRect(box, QBrush(widgets::blended(theme_.window, colour, 0.75), Qt::BDiagPattern));
      painter_.fillRect(QRectF(box.left(), box.top() - 3, box.width(), 2), theme_.text);
    }
  }

  void layer_cursor() {
    if (!p_.focused || p_.focused->part != models::split::Part::stage) return;
    const double left = layout_.strip.x_of(p_.focused->layer), right = layout_.strip.x_of(p_.focused->layer + 1);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.accent, 2));
    painter_.drawRoundedRect(
        QRectF(left - 1, areas_.strip.top() - 2, std::max(4.0, right - left + 2), areas_.strip.height() + 4), 3, 3);
    const QRectF& column = layout_.columns[static_cast<std::size_t>(p_.focused->stage)];
    painter_.setPen(QPen(theme_.accent, 1.2, Qt::DotLine));
    painter_.drawRoundedRect(QRectF(column.left() + 1, areas_.captions.top(), column.width() - 2,
                                    areas_.chips.bottom() - areas_.captions.top()),
                             widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
  }

  void caption(int number) {
    const QRectF& column = layout_.columns[static_cast<std::size_t>(number)];
    if (column.isEmpty()) return;
    const StagePicture& picture = p_.stages[static_cast<std::size_t>(number)];
    painter_.setFont(font_);
    painter_.setPen(picture.over ? theme_.bad : theme_.text);
    painter_.drawText(QRectF(column.left() + 3, areas_.captions.top(), column.width() - 6, areas_.captions.height()),
                      Qt::AlignCenter | Qt::TextDontClip, picture.caption);
  }

  void chip(const models::split::Chip& chip) {
    const bool moved = std::ranges::any_of(
        chip.devices, [&](DeviceId device) { return std::ranges::count(p_.moved_devices, device) > 0; });
    const models::split::Item item{models::split::Part::chip, chip.stage.value_or(-1), 0, chip.devices.front()};
    const bool focused = p_.focused && models::split::chip_of(layout_, *p_.focused) == &chip;
    const QColor colour = chip.stage ? colour_of(*chip.stage) : theme_.muted;
    painter_.setFont(widgets::caption_font(font_));
    painter_.setPen(QPen(moved       ? theme_.accent
                         : chip.copy ? theme_.muted
                                     : colour,
                         p_.hovered == item ? 2.2 : 1.2, chip.copy ? Qt::DashLine : Qt::SolidLine));
    painter_.setBrush(moved                 ? theme_.accent_soft
                      : chip.text.isEmpty() ? colour
                      : chip.copy           ? theme_.window
                                            : theme_.panel);
    painter_.drawRoundedRect(chip.rect, chip.rect.height() / 2, chip.rect.height() / 2);
    painter_.setPen(chip.copy ? theme_.muted : theme_.text);
    painter_.drawText(chip.rect, Qt::AlignCenter | Qt::TextDontClip, chip.text);
    if (focused) outline(chip.rect.adjusted(-2.5, -2.5, 2.5, 2.5), chip.rect.height() / 2 + 2);
  }

  void outline(const QRectF& rect, double radius) {
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.accent, 1.8));
    painter_.drawRoundedRect(rect, radius, radius);
  }

  void tray() {
    const QRectF area = areas_.tray;
    const bool target = p_.drop && !p_.drop->stage;
    painter_.setBrush(target ? widgets::blended(p_.refused ? theme_.bad : theme_.accent, theme_.window, 0.22)
                             : QBrush(Qt::NoBrush));
    painter_.setPen(target ? QPen(p_.refused ? theme_.bad : theme_.accent, 1.5) : QPen(theme_.border, 1, Qt::DashLine));
    painter_.drawRoundedRect(area.adjusted(-6, 0, 6, 0), widgets::ThemeSizes::radius, widgets::ThemeSizes::radius);
    painter_.setFont(widgets::section_font(font_));
    painter_.setPen(theme_.muted);
    painter_.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, tray_label());
    const bool none =
        std::ranges::all_of(layout_.chips, [](const models::split::Chip& chip) { return chip.stage.has_value(); });
    if (!none) return;
    const double label = tray_label_width(font_);
    painter_.setFont(widgets::caption_font(font_));
    painter_.drawText(area.adjusted(label, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetricsF(painter_.font())
                          .elidedText(Text::tr("all devices are used; drag one here to leave it out"), Qt::ElideRight,
                                      area.width() - label));
  }

  bool drags_chip() const { return p_.dragged && p_.dragged->part == models::split::Part::chip; }

  /// Draws the outline where the dragged chip was.
  void left_chip() {
    if (!drags_chip()) return;
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.muted, 1.2, Qt::DashLine));
    painter_.drawRoundedRect(p_.ghost_chip, p_.ghost_chip.height() / 2, p_.ghost_chip.height() / 2);
  }

  void dragged_chip() {
    if (!drags_chip()) return;
    painter_.setFont(widgets::caption_font(font_));
    const double width = QFontMetricsF(painter_.font()).horizontalAdvance(p_.ghost_text) + 18;
    const QRectF rect(p_.pointer.x() - width / 2, p_.pointer.y() - p_.ghost_chip.height() / 2, width,
                      p_.ghost_chip.height());
    const QColor colour = p_.refused ? theme_.bad : theme_.accent;
    painter_.setPen(QPen(colour, 1.6));
    painter_.setBrush(theme_.card);
    painter_.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    painter_.setPen(p_.refused ? theme_.bad : theme_.text);
    painter_.drawText(rect, Qt::AlignCenter | Qt::TextDontClip, p_.ghost_text);
  }

  /// Draws the cuts of the original plan where they have moved.
  void ghosts() {
    QPen pen(theme_.text, 1.5, Qt::CustomDashLine);
    pen.setDashPattern({3, 3});
    for (std::size_t i = 1; i < p_.old_cuts.size() && p_.pending; ++i) {
      if (std::ranges::binary_search(layout_.firsts, p_.old_cuts[i])) continue;
      const double x = layout_.strip.x_of(p_.old_cuts[i]);
      for (const QPen& stroke : {QPen(theme_.window, 3), pen}) {
        painter_.setPen(stroke);
        painter_.drawLine(QPointF(x, areas_.strip.top() - 4), QPointF(x, areas_.strip.bottom() + 3));
      }
    }
  }

  /// Returns the width of a handle, narrower if the next cut is near.
  double handle_width(int stage) const {
    const auto s = static_cast<std::size_t>(stage);
    const auto x = [&](std::size_t of) { return layout_.strip.x_of(layout_.firsts[of]); };
    double room = x(s) - x(s - 1);
    if (s + 1 < layout_.firsts.size()) room = std::min(room, x(s + 1) - x(s));
    return std::clamp(room - 4, 3.0, 12.0);
  }

  void cuts() {
    const QRectF strip = areas_.strip;
    for (int stage = 1; stage < static_cast<int>(layout_.firsts.size()); ++stage) {
      const double x = layout_.strip.x_of(layout_.firsts[static_cast<std::size_t>(stage)]);
      if (x < strip.left() - 1 || x > strip.right() + 1) continue;
      const auto is_here = [&](const models::split::Item& item) {
        return item.part == models::split::Part::cut && item.stage == stage;
      };
      const bool dragged = p_.dragged && is_here(*p_.dragged), hot = dragged || is_here(p_.hovered);
      const QColor colour = dragged && p_.refused ? theme_.bad : hot ? theme_.accent : theme_.text;
      painter_.setPen(QPen(theme_.window, hot ? 5 : 4));
      painter_.drawLine(QPointF(x, strip.top() - 1), QPointF(x, strip.bottom()));
      painter_.setPen(QPen(colour, hot ? 3 : 2));
      painter_.drawLine(QPointF(x, strip.top() - 4), QPointF(x, strip.bottom() + 4));
      const double width = handle_width(stage);
      const QRectF handle(x - width / 2, strip.top() - handle_room + 1, width, 9);
      painter_.setPen(Qt::NoPen);
      painter_.setBrush(colour);
      painter_.drawRoundedRect(handle, 2.5, 2.5);
      if (p_.focused && is_here(*p_.focused)) outline(handle.adjusted(-3, -3, 3, 3), 4);
    }
  }

  QPainter& painter_;
  const Picture& p_;
  const models::split::Layout& layout_;
  const models::split::Areas& areas_;
  const widgets::Theme& theme_;
  const QFont& font_;
};

}  // namespace

models::split::Metrics split_metrics(const QFont& font) { return {line_height(font), chip_style(font).height}; }

models::split::ChipStyle chip_style(const QFont& font) { return {line_height(widgets::caption_font(font)) + 4, 8, 6}; }

double tray_label_width(const QFont& font) {
  return QFontMetricsF(widgets::section_font(font)).horizontalAdvance(tray_label()) + 14;
}

void paint_split(QPainter& painter, const Picture& picture, const widgets::Theme& theme, const QFont& font) {
  Painter(painter, picture, theme, font).all();
}

}  // namespace pipedeck::views::split
