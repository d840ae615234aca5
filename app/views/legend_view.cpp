// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/legend_view.hpp"

#include <QFontMetrics>
#include <QPainter>
#include <QPainterPath>

namespace pipedeck::app {

namespace {

constexpr int swatch = 11;
constexpr int swatch_gap = 6;
constexpr int entry_gap = 22;

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
  setAccessibleDescription(names.join(QStringLiteral(", ")));
  update();
}

void LegendView::set_indent(int indent) {
  indent_ = indent;
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
  for (const OpKind kind : kinds_) {
    draw_swatch(painter, QRectF(x, middle - swatch / 2.0, swatch, swatch), kind, theme);
    x += swatch + swatch_gap;
    painter.setPen(theme.muted);
    const QString name = kind_text(kind);
    const int width = metrics.horizontalAdvance(name);
    painter.drawText(QRect(x, middle - metrics.height() / 2, width + 2, metrics.height()), Qt::AlignVCenter, name);
    x += width + entry_gap;
  }
}

}  // namespace pipedeck::app
