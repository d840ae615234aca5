// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/topology_view.hpp"

#include <algorithm>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "app/views/bandwidth_map.hpp"
#include "app/views/theme.hpp"

namespace pipedeck::app {

/// The drawing: boxes and curves of TopologyLayout above, bandwidths between devices below.
class TopologyCanvas : public QWidget {
 public:
  explicit TopologyCanvas(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("topology_canvas"));
    setMouseTracking(true);
    setAccessibleName(TopologyView::tr("Topology"));
  }

  void set_cluster(std::shared_ptr<const Cluster> cluster) {
    cluster_ = std::move(cluster);
    hovered_.reset();
    bandwidth_ = cluster_ ? device_bandwidth(*cluster_) : std::vector<std::vector<double>>();
    setAccessibleDescription(cluster_ ? summary(*cluster_) : QString());
    lay_out();
    update();
  }

  const Cluster* cluster() const { return cluster_.get(); }
  const TopologyLayout& scene() const { return scene_; }
  std::optional<TopologyHit> hovered() const { return hovered_; }

 protected:
  void paintEvent(QPaintEvent*) override {
    theme_ = &Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme_->window);
    if (!cluster_) {
      painter.setPen(theme_->muted);
      painter.drawText(rect(), Qt::AlignCenter, TopologyView::tr("Select a cluster to see what joins its devices"));
      return;
    }
    paint_ground(painter);
    paint_heading(painter);
    painter.translate(0, heading_height());
    for (const TopologyLink& link : scene_.links) paint_link(painter, link);
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) paint_node(painter, static_cast<int>(i));
    for (std::size_t i = 0; i < scene_.switches.size(); ++i) paint_switch(painter, static_cast<int>(i));
    for (const TopologyLink& link : scene_.links) paint_label(painter, link);
    painter.translate(0, -heading_height());
    paint_bandwidth_map(painter, map_area(), bandwidth_, *theme_, font());
  }

  void resizeEvent(QResizeEvent*) override { lay_out(); }

  void changeEvent(QEvent* event) override {
    if (event->type() == QEvent::FontChange) lay_out();
    QWidget::changeEvent(event);
  }

  void mouseMoveEvent(QMouseEvent* event) override {
    const auto hit = scene_.hit(event->position() - QPointF(0, heading_height()));
    if (hit == hovered_) return;
    hovered_ = hit;
    update();
  }

  void leaveEvent(QEvent*) override {
    hovered_.reset();
    update();
  }

  bool event(QEvent* event) override {
    if (event->type() != QEvent::ToolTip || !cluster_) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPointF at = help->pos();
    if (const auto hit = scene_.hit(at - QPointF(0, heading_height()))) {
      QToolTip::showText(help->globalPos(), tool_tip(*cluster_, *hit), this);
    } else {
      QToolTip::showText(help->globalPos(), bandwidth_tip(map_area(), bandwidth_, font(), at), this);
    }
    return true;
  }

 private:
  double heading_height() const { return QFontMetricsF(font()).height() * 2 + 28; }

  QRectF map_area() const {
    const double top = heading_height() + scene_.size.height();
    return QRectF(28, top, std::max(10.0, width() - 56.0), std::max(0.0, height() - top - 16));
  }

  /// The scene for this width; the canvas grows to hold it and the map below.
  void lay_out() {
    scene_ = cluster_ ? topology_layout(*cluster_, width()) : TopologyLayout{};
    const double map = bandwidth_map_height(bandwidth_.size(), font());
    const int wanted = cluster_ ? static_cast<int>(heading_height() + scene_.size.height() + map + 24) : 200;
    setMinimumSize(static_cast<int>(std::clamp(scene_.size.width(), 0.0, 336.0)), wanted);
  }

  bool is_hovered(TopologyHit::Kind kind, int index) const { return hovered_ == TopologyHit{kind, index}; }

  void paint_ground(QPainter& painter) {
    painter.setPen(QPen(theme_->grid, 1.4, Qt::SolidLine, Qt::RoundCap));
    for (int y = 28; y < height(); y += 28)
      for (int x = 28; x < width(); x += 28) painter.drawPoint(x, y);
  }

  void paint_heading(QPainter& painter) {
    const double line = QFontMetricsF(font()).height();
    QFont large = title_font(font());
    large.setPointSizeF(large.pointSizeF() * 1.15);
    painter.setFont(large);
    painter.setPen(theme_->text);
    painter.drawText(QRectF(28, 14, width() - 56, line * 1.25), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::fromStdString(cluster_->name));
    painter.setFont(font());
    painter.setPen(theme_->muted);
    painter.drawText(QRectF(28, 16 + line * 1.25, width() - 56, line), Qt::AlignLeft | Qt::AlignVCenter,
                     summary(*cluster_));
  }

  void paint_link(QPainter& painter, const TopologyLink& link) {
    QPainterPath path(link.from);
    for (int step = 1; step <= 32; ++step) path.lineTo(point_on(link, step / 32.0));
    const bool hot = is_hovered(TopologyHit::link, link.link);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(hot ? theme_->accent : blended(theme_->muted, theme_->window, 0.55), hot ? 3.5 : 2,
                        Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
  }

  void paint_label(QPainter& painter, const TopologyLink& link) {
    const bool hot = is_hovered(TopologyHit::link, link.link);
    painter.setFont(caption_font(font()));
    const QFontMetricsF metrics(painter.font());
    QRectF pill(0, 0, metrics.horizontalAdvance(link.text) + 16, metrics.height() + 5);
    pill.moveCenter(link.label);
    painter.setPen(QPen(hot ? theme_->accent : theme_->border, 1));
    painter.setBrush(theme_->panel);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(theme_->text);
    painter.drawText(pill, Qt::AlignCenter, link.text);
  }

  void paint_node(QPainter& painter, int index) {
    const TopologyNode& node = scene_.nodes[static_cast<std::size_t>(index)];
    const bool hot = is_hovered(TopologyHit::node, index);
    QPainterPath outline;
    outline.addRoundedRect(node.rect, 5, 5);
    painter.fillPath(outline, theme_->panel);
    painter.save();
    painter.setClipPath(outline);
    painter.fillRect(node.header, theme_->raised);
    painter.restore();
    painter.setPen(QPen(hot ? theme_->accent : theme_->border, hot ? 2 : 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(outline);
    const QRectF text = node.header.adjusted(12, 0, -12, 0);
    painter.setFont(caption_font(font()));
    painter.setPen(theme_->muted);
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, node.link);
    const double taken = QFontMetricsF(painter.font()).horizontalAdvance(node.link) + 10;
    painter.setFont(title_font(font()));
    painter.setPen(theme_->text);
    painter.drawText(
        text, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(node.name, Qt::ElideRight, static_cast<int>(text.width() - taken)));
    for (const TopologyDevice& device : node.devices) paint_device(painter, device);
    if (scene_.links.empty()) return;
    painter.setPen(QPen(theme_->accent, 1.6));
    painter.setBrush(theme_->panel);
    painter.drawEllipse(node.port, 4.5, 4.5);
  }

  void paint_device(QPainter& painter, const TopologyDevice& device) {
    const QColor colour = theme_->of_stage(device.type_index);
    const bool hot = is_hovered(TopologyHit::device, device.device);
    painter.setPen(QPen(colour, hot ? 2.4 : 1.3));
    painter.setBrush(hot ? blended(colour, theme_->panel, 0.15) : theme_->panel);
    painter.drawRoundedRect(device.rect, 4, 4);
    QRectF upper = device.rect, lower = device.rect;
    upper.setBottom(device.rect.top() + device.rect.height() * 0.56);
    lower.setTop(device.rect.top() + device.rect.height() * 0.5);
    painter.setFont(title_font(font()));
    painter.setPen(theme_->text);
    painter.drawText(upper, Qt::AlignCenter, device.name);
    QFont small = caption_font(font());
    small.setPointSizeF(small.pointSizeF() * 0.88);
    painter.setFont(small);
    painter.setPen(theme_->muted);
    painter.drawText(
        lower, Qt::AlignCenter,
        painter.fontMetrics().elidedText(device.type, Qt::ElideRight, static_cast<int>(lower.width()) - 4));
  }

  void paint_switch(QPainter& painter, int index) {
    const TopologySwitch& s = scene_.switches[static_cast<std::size_t>(index)];
    const bool hot = is_hovered(TopologyHit::network_switch, index);
    painter.setPen(QPen(hot ? theme_->accent : theme_->border, hot ? 2 : 1.2));
    painter.setBrush(theme_->panel);
    painter.drawRoundedRect(s.rect, 5, 5);
    QRectF upper = s.rect.adjusted(6, 4, -6, 0), lower = s.rect.adjusted(6, 0, -6, -4);
    upper.setBottom(s.rect.center().y() + 2);
    lower.setTop(s.rect.center().y());
    painter.setFont(title_font(font()));
    painter.setPen(theme_->text);
    painter.drawText(upper, Qt::AlignCenter,
                     painter.fontMetrics().elidedText(s.name, Qt::ElideRight, static_cast<int>(upper.width())));
    painter.setFont(caption_font(font()));
    painter.setPen(theme_->muted);
    painter.drawText(lower, Qt::AlignCenter, s.detail);
  }

  std::shared_ptr<const Cluster> cluster_;
  TopologyLayout scene_;
  std::vector<std::vector<double>> bandwidth_;
  std::optional<TopologyHit> hovered_;
  const Theme* theme_ = nullptr;
};

TopologyView::TopologyView(QWidget* parent) : QScrollArea(parent), canvas_(new TopologyCanvas(this)) {
  setObjectName(QStringLiteral("topology_view"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(canvas_);
}

void TopologyView::set_cluster(std::shared_ptr<const Cluster> cluster) { canvas_->set_cluster(std::move(cluster)); }

void TopologyView::clear() { canvas_->set_cluster(nullptr); }

const Cluster* TopologyView::cluster() const { return canvas_->cluster(); }

const TopologyLayout& TopologyView::scene() const { return canvas_->scene(); }

QWidget* TopologyView::canvas() const { return canvas_; }

std::optional<TopologyHit> TopologyView::hovered() const { return canvas_->hovered(); }

}  // namespace pipedeck::app
