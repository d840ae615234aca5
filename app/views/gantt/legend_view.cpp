// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/gantt/legend_view.hpp"

#include <algorithm>

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include "app/models/gantt/geometry.hpp"

namespace pipedeck::views::gantt {

namespace {

constexpr int swatch = 11;
constexpr int swatch_gap = 6;
constexpr int entry_gap = 22;
constexpr int chunk_gap = 10;
constexpr int max_chunks = 4;  // named in the legend

}  // namespace

namespace {

/// Draws a box; a hatch in a valid colour on top.
void draw_box(QPainter& painter, const QRectF& box, const QColor& color, const QColor& hatch) {
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawRoundedRect(box, widgets::ThemeSizes::box_radius, widgets::ThemeSizes::box_radius);
  if (hatch.isValid()) {
    QPainterPath clip;
    clip.addRoundedRect(box, widgets::ThemeSizes::box_radius, widgets::ThemeSizes::box_radius);
    painter.setClipPath(clip, Qt::IntersectClip);
    painter.setPen(QPen(hatch, 1.4));
    for (double x = box.left() - box.height(); x < box.right(); x += 4.5)
      painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
  }
  painter.restore();
}

}  // namespace

void draw_swatch(QPainter& painter, const QRectF& box, OpKind kind, const widgets::Theme& theme) {
  draw_box(painter, box, theme.of(kind),
           widgets::Theme::hatched(kind) ? theme.of(kind == OpKind::recompute ? OpKind::forward : OpKind::backward)
                                         : QColor());
}

LegendView::LegendView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("legend_view"));
  setAccessibleName(tr("Legend"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LegendView::set_kinds(const std::vector<OpKind>& kinds) {
  kinds_.clear();
  QStringList names;
  for (const OpKind kind : kinds) {
    if (names.contains(widgets::kind_text(kind))) continue;  // send and receive both appear as "transfer"
    names << widgets::kind_text(kind);
    kinds_.push_back(kind);
  }
  describe();
}

void LegendView::set_tensor_parallel(bool on) {
  if (on == tensor_parallel_) return;
  tensor_parallel_ = on;
  describe();
}

void LegendView::set_chunks(int chunks) {
  chunks_ = chunks;
  describe();
}

void LegendView::set_indent(int indent) {
  indent_ = indent;
  update();
}

void LegendView::set_items(const std::vector<MemoryItem>& items) {
  if (items == items_) return;
  items_ = items;
  updateGeometry();
  describe();
}

void LegendView::describe() {
  QStringList names;
  for (const OpKind kind : kinds_) names << widgets::kind_text(kind);
  if (tensor_parallel_) names << tr("tensor-parallel all-reduce");
  if (chunks_ > 1) names << tr("%1 model chunks per device").arg(chunks_);
  for (const MemoryItem item : items_) names << widgets::item_text(item);
  setAccessibleDescription(names.join(QStringLiteral(", ")));
  update();
}

namespace {

/// A cursor that draws swatches and names from left to right.
class Line {
 public:
  Line(QPainter& painter, const widgets::Theme& theme, int left, int middle)
      : painter_(painter), theme_(theme), metrics_(painter.font()), x_(left), middle_(middle) {}

  QRectF next_box() {
    const QRectF box(x_, middle_ - swatch / 2.0, swatch, swatch);
    x_ += swatch + swatch_gap;
    return box;
  }
  void plain_box(const QColor& colour) {
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(colour);
    painter_.drawRoundedRect(next_box(), widgets::ThemeSizes::box_radius, widgets::ThemeSizes::box_radius);
  }
  void name(const QString& text, int gap) {
    painter_.setPen(theme_.muted);
    const int width = metrics_.horizontalAdvance(text);
    painter_.drawText(QRect(x_, middle_ - metrics_.height() / 2, width + 2, metrics_.height()), Qt::AlignVCenter, text);
    x_ += width + gap;
  }

 private:
  QPainter& painter_;
  const widgets::Theme& theme_;
  QFontMetrics metrics_;
  int x_;
  int middle_;
};

}  // namespace

void LegendView::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(widgets::caption_font(font()));
  paint_operations(painter, theme);
  paint_items(painter, theme);
}

void LegendView::paint_operations(QPainter& painter, const widgets::Theme& theme) const {
  Line line_of(painter, theme, indent_, line / 2 - 2);
  for (const OpKind kind : kinds_) {
    draw_swatch(painter, line_of.next_box(), kind, theme);
    line_of.name(widgets::kind_text(kind), entry_gap);
  }
  if (tensor_parallel_) {
    draw_box(painter, line_of.next_box(), theme.of(OpKind::forward), theme.tensor_parallel);
    line_of.name(tr("tensor-parallel all-reduce"), entry_gap);
  }
  if (chunks_ < 2) return;
  const int shown = std::min(chunks_, max_chunks);
  for (int i = 0; i < shown; ++i) {
    const int chunk = shown < chunks_ && i + 1 == shown ? chunks_ - 1 : i;  // if too many: the first and the last
    if (chunk > i) line_of.name(QStringLiteral("…"), swatch_gap);
    line_of.plain_box(widgets::shade_of_chunk(theme.of(OpKind::forward), chunk, chunks_, theme));
    line_of.name(models::gantt::chunk_letter(chunk), chunk_gap);
  }
  line_of.name(tr("chunk of the device"), entry_gap);
}

void LegendView::paint_items(QPainter& painter, const widgets::Theme& theme) const {
  if (items_.empty()) return;
  const int middle = line + line / 2 - 4;
  Line(painter, theme, widgets::ThemeSizes::margin, middle).name(tr("memory"), 0);
  Line line_of(painter, theme, indent_, middle);
  for (const MemoryItem item : items_) {
    line_of.plain_box(theme.of(item));
    line_of.name(widgets::item_text(item), entry_gap);
  }
}

}  // namespace pipedeck::views::gantt
