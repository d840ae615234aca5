// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/legend_view.hpp"

#include <algorithm>

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

#include "app/models/gantt_geometry.hpp"

namespace pipedeck::app {

namespace {

constexpr int swatch = 11;
constexpr int swatch_gap = 6;
constexpr int entry_gap = 22;
constexpr int chunk_gap = 10;
constexpr int most_chunks = 4;  // that are named

}  // namespace

void draw_swatch(QPainter& painter, const QRectF& box, OpKind kind, const Theme& theme) {
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.of(kind));
  painter.drawRoundedRect(box, ThemeSizes::box_radius, ThemeSizes::box_radius);
  if (Theme::hatched(kind)) {
    QPainterPath clip;
    clip.addRoundedRect(box, ThemeSizes::box_radius, ThemeSizes::box_radius);
    painter.setClipPath(clip, Qt::IntersectClip);
    painter.setPen(QPen(theme.of(kind == OpKind::recompute ? OpKind::forward : OpKind::backward), 1.4));
    for (double x = box.left() - box.height(); x < box.right(); x += 4.5)
      painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
  }
  painter.restore();
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
    if (names.contains(kind_text(kind))) continue;  // send and receive are both "transfer"
    names << kind_text(kind);
    kinds_.push_back(kind);
  }
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

void LegendView::describe() {
  QStringList names;
  for (const OpKind kind : kinds_) names << kind_text(kind);
  if (chunks_ > 1) names << tr("%1 chunks of the model on a device").arg(chunks_);
  setAccessibleDescription(names.join(QStringLiteral(", ")));
  update();
}

void LegendView::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(caption_font(font()));
  const QFontMetrics metrics(painter.font());
  int x = indent_;
  const int middle = height() / 2 - 2;
  const auto next_box = [&] {
    const QRectF box(x, middle - swatch / 2.0, swatch, swatch);
    x += swatch + swatch_gap;
    return box;
  };
  const auto name = [&](const QString& text, int gap) {
    painter.setPen(theme.muted);
    const int width = metrics.horizontalAdvance(text);
    painter.drawText(QRect(x, middle - metrics.height() / 2, width + 2, metrics.height()), Qt::AlignVCenter, text);
    x += width + gap;
  };
  for (const OpKind kind : kinds_) {
    draw_swatch(painter, next_box(), kind, theme);
    name(kind_text(kind), entry_gap);
  }
  if (chunks_ < 2) return;
  const int shown = std::min(chunks_, most_chunks);
  for (int i = 0; i < shown; ++i) {
    const int chunk = shown < chunks_ && i + 1 == shown ? chunks_ - 1 : i;  // of many: the first ones, and the last
    if (chunk > i) name(QStringLiteral("…"), swatch_gap);
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade_of_chunk(theme.of(OpKind::forward), chunk, chunks_, theme));
    painter.drawRoundedRect(next_box(), ThemeSizes::box_radius, ThemeSizes::box_radius);
    name(chunk_letter(chunk), chunk_gap);
  }
  name(tr("chunk of the device"), entry_gap);
}

}  // namespace pipedeck::app
