// SPDX-License-Identifier: GPL-3.0-or-later
// Bandwidth between any two devices, or nodes where devices are many, as a map of squares: what the planners see of the
// network.
#pragma once

#include <vector>

#include <QPixmap>
#include <QStringList>
#include <QWidget>

#include "core/domain/cluster.hpp"

namespace pipedeck::app {

using BandwidthMatrix = std::vector<std::vector<double>>;

class BandwidthMap : public QWidget {
  Q_OBJECT

 public:
  explicit BandwidthMap(QWidget* parent = nullptr);

  /// Null: nothing.
  void set_cluster(const Cluster* cluster);
  /// "G0 – G8: 3.13 GB/s" for the square under `point`; empty beside the map.
  QString tip(QPointF point) const;

  QSize sizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  double cell() const;
  double heading() const;
  void paint_on(QPainter& painter) const;
  void paint_legend(QPainter& painter, const std::vector<double>& levels, double left) const;

  BandwidthMatrix matrix_;
  QStringList names_;
  bool of_nodes_ = false;
  QPixmap picture_;  ///< thousands of squares are drawn once
};

}  // namespace pipedeck::app
