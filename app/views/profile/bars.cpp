// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/profile/bars.hpp"

#include <algorithm>
#include <array>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "app/models/format.hpp"
#include "app/views/widgets/theme.hpp"

namespace pipedeck::views::profile {

namespace {

constexpr double gutter = 92;  ///< for names of the strips at the left

enum Strip { times, saved, output, parameters, strip_count };

double value_of(const Layer& layer, Strip strip) {
  switch (strip) {
    case times:
      return layer.forward.count + layer.backward.count;
    case saved:
      return static_cast<double>(layer.saved.count);
    case output:
      return static_cast<double>(layer.output.count);
    case parameters:
      return static_cast<double>(layer.parameters.count);
    case strip_count:
      break;
  }
  return 0;
}

QString value_text(double value, Strip strip) {
  return strip == times ? models::format_time(Seconds(value))
                        : models::format_bytes(Bytes(static_cast<std::int64_t>(value)));
}

QString title_of(Strip strip) {
  const std::array<QString, strip_count> titles{Bars::tr("Time"), Bars::tr("Saved"), Bars::tr("Output"),
                                                Bars::tr("Parameters")};
  return titles[strip];
}

QColor colour_of(Strip strip, const widgets::Theme& theme) {
  const std::array<QColor, strip_count> colours{theme.of(OpKind::forward), theme.of(MemoryItem::activations),
                                                theme.of(OpKind::send), theme.of(MemoryItem::weights)};
  return colours[strip];
}

struct StripPicture {
  const Profile& profile;
  const widgets::Theme& theme;
  std::optional<int> hovered;
  int selected;
};

void paint_strip(QPainter& painter, const QRectF& area, Strip strip, const StripPicture& picture) {
  const auto& layers = picture.profile.layers;
  double most = 0;
  for (const Layer& layer : layers) most = std::max(most, value_of(layer, strip));
  painter.fillRect(area, picture.theme.panel);
  const double pitch = area.width() / static_cast<double>(layers.size());
  const double gap = pitch > 6 ? 2 : pitch > 3 ? 0.8 : 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double x = area.left() + pitch * static_cast<double>(i);
    const bool marked = static_cast<int>(i) == picture.selected || picture.hovered == static_cast<int>(i);
    if (most <= 0) continue;
    const double room = area.height() - 4;
    const double height = room * value_of(layers[i], strip) / most;
    const QRectF bar(x + gap / 2, area.bottom() - height, pitch - gap, height);
    painter.fillRect(bar, colour_of(strip, picture.theme));
    if (strip == times && layers[i].backward.count > 0) {
      const double back = room * layers[i].backward.count / most;
      painter.fillRect(QRectF(bar.left(), bar.top(), bar.width(), back), picture.theme.of(OpKind::backward));
    }
    if (marked) {
      painter.setPen(QPen(picture.theme.text, 1.5));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0));
    }
  }
  painter.setPen(picture.theme.border);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area);
}

}  // namespace

Bars::Bars(QWidget* parent) : QWidget(parent) {
  widgets::install_accessible_items();  // before any interface is requested
  setObjectName(QStringLiteral("profile_bars"));
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Layers as bars. The table below has the same figures"));
}

void Bars::set_profile(std::shared_ptr<const Profile> profile) {
  profile_ = std::move(profile);
  hovered_.reset();
  selected_ = -1;
  update();
}

void Bars::select(int layer) {
  selected_ = layer;
  update();
}

QRectF Bars::plot() const { return QRectF(rect()).adjusted(gutter, 2, -1, -fontMetrics().height() - 4); }

std::optional<int> Bars::layer_at(double x) const {
  const QRectF area = plot();
  if (!profile_ || profile_->layers.empty() || x < area.left() || x >= area.right()) return std::nullopt;
  const auto count = static_cast<double>(profile_->layers.size());
  return std::min(static_cast<int>((x - area.left()) / area.width() * count), static_cast<int>(count) - 1);
}

QString Bars::item_text(int position) const {
  const Layer& layer = profile_->layers[static_cast<std::size_t>(position)];
  return tr("layer %1 · %2: forward %3, backward %4, saved %5, output %6, parameters %7")
      .arg(position)
      .arg(QString::fromStdString(layer.name), models::format_time(layer.forward), models::format_time(layer.backward),
           models::format_bytes(layer.saved), models::format_bytes(layer.output),
           models::format_bytes(layer.parameters));
}

/// Returns the area of all the layer's bars.
QRect Bars::item_rect(int layer) const {
  const QRectF area = plot();
  const double pitch = area.width() / static_cast<double>(profile_->layers.size());
  return QRectF(area.left() + pitch * layer, area.top(), pitch, area.height()).toAlignedRect();
}

void Bars::paintEvent(QPaintEvent*) {
  const widgets::Theme& theme = widgets::Theme::of(palette());
  QPainter painter(this);
  if (!profile_ || profile_->layers.empty()) return;
  const QRectF area = plot();
  const double spacing = 8, unit = (area.height() - 3 * spacing) / 5;  // times take two parts of five
  double y = area.top();
  for (int s = 0; s < strip_count; ++s) {
    const auto strip = static_cast<Strip>(s);
    const double height = strip == times ? 2 * unit : unit;
    const QRectF row(area.left(), y, area.width(), height);
    paint_strip(painter, row, strip, {*profile_, theme, hovered_, selected_});
    double most = 0;
    for (const Layer& layer : profile_->layers) most = std::max(most, value_of(layer, strip));
    const QRectF names(0, y, gutter - 10, height);
    painter.setPen(theme.text);
    painter.setFont(font());
    painter.drawText(names, Qt::AlignLeft | Qt::AlignTop, title_of(strip));
    painter.setFont(widgets::caption_font(font()));
    painter.setPen(theme.muted);
    painter.drawText(names.adjusted(0, QFontMetricsF(font()).height(), 0, 0), Qt::AlignLeft | Qt::AlignTop,
                     tr("max %1").arg(value_text(most, strip)));
    y += height + spacing;
  }
  painter.drawText(QRectF(area.left(), area.bottom() + 3, area.width(), fontMetrics().height()), Qt::AlignLeft,
                   tr("layer 0"));
  painter.drawText(QRectF(area.left(), area.bottom() + 3, area.width(), fontMetrics().height()), Qt::AlignRight,
                   tr("layer %1").arg(profile_->layers.size() - 1));
}

void Bars::mouseMoveEvent(QMouseEvent* event) {
  const auto over = layer_at(event->position().x());
  if (over == hovered_) return;
  hovered_ = over;
  update();
}

void Bars::mousePressEvent(QMouseEvent* event) {
  if (const auto layer = layer_at(event->position().x())) emit layer_clicked(*layer);
}

void Bars::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
}

bool Bars::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto at = layer_at(help->pos().x());
  if (!at) return QWidget::event(event);
  const Layer& layer = profile_->layers[static_cast<std::size_t>(*at)];
  QToolTip::showText(help->globalPos(),
                     tr("<b>layer %1 · %2</b><br>forward %3, backward %4<br>saved %5, output %6, parameters %7")
                         .arg(*at)
                         .arg(QString::fromStdString(layer.name).toHtmlEscaped(), models::format_time(layer.forward),
                              models::format_time(layer.backward), models::format_bytes(layer.saved),
                              models::format_bytes(layer.output), models::format_bytes(layer.parameters)),
                     this);
  return true;
}

}  // namespace pipedeck::views::profile
