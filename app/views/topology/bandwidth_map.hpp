// SPDX-License-Identifier: GPL-3.0-or-later
// A map of squares with the bandwidth between any two devices, or between nodes where there are many devices. It shows
// the network as the planners see it.
#pragma once

#include <QPixmap>
#include <QWidget>

#include "app/views/widgets/accessible_items.hpp"
#include "core/model/bandwidths.hpp"

namespace pipedeck::views::topology {

class BandwidthMap : public QWidget, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit BandwidthMap(QWidget* parent = nullptr);

  /// Sets the table; an empty one hides the map.
  void set_bandwidths(Bandwidths table);
  /// Returns "G0 – G8: 3.13 GB/s" for the square under `point`, or an empty string outside the map.
  QString tip(QPointF point) const;

  /// Returns the number of pairs, row by row above the diagonal, as in the map. Nodes are also paired with themselves.
  int item_count() const override;
  QString item_text(int pair) const override;
  QRect item_rect(int pair) const override;

  QSize sizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Square {
    std::size_t row = 0, column = 0;
  };
  Square square_of(int pair) const;
  QString text_of(Square square) const;
  bool has_legend() const;
  double cell() const;
  double heading() const;
  void paint_on(QPainter& painter) const;
  void paint_legend(QPainter& painter, const std::vector<double>& levels, double left) const;

  bool of_nodes() const { return !table_.nodes.empty(); }

  Bandwidths table_;
  QPixmap picture_;  ///< thousands of squares are drawn only once
};

}  // namespace pipedeck::views::topology
