// SPDX-License-Identifier: GPL-3.0-or-later
// A chart of the Pareto front: samples per second on the y-axis, memory or price on the x-axis, the third metric as
// point size. A click or the arrow keys select a plan, a double click or Enter applies it, Esc clears the selection.
#pragma once

#include <optional>

#include <QWidget>

#include "app/models/whatif/pareto_geometry.hpp"
#include "app/views/widgets/accessible_items.hpp"

namespace pipedeck::views::widgets {
class HoverCard;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class ParetoView : public QWidget, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit ParetoView(QWidget* parent = nullptr);

  void set_content(const models::whatif::ParetoContent& content);
  const models::whatif::ParetoContent& content() const { return content_; }
  const models::whatif::ParetoGeometry& geometry_of_points() const { return geometry_; }
  /// Emits no signal.
  void select(std::optional<std::size_t> plan);
  std::optional<std::size_t> selected() const { return selected_; }
  const widgets::HoverCard& card() const { return *card_; }

  QSize sizeHint() const override { return {560, 320}; }

  int item_count() const override { return static_cast<int>(content_.plans.size()); }
  QString item_text(int plan) const override;
  QRect item_rect(int plan) const override;
  bool item_selected(int plan) const override;
  bool items_can_be_pressed() const override { return true; }
  void press_item(int plan) override { choose(static_cast<std::size_t>(plan)); }

 signals:
  void plan_selected(int plan);   ///< -1: none
  void plan_activated(int plan);  ///< double click, Enter

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;

 private:
  void lay_out();
  void choose(std::optional<std::size_t> plan);
  void show_card(std::size_t plan);
  void paint_axes(QPainter& painter) const;
  void paint_points(QPainter& painter) const;
  void paint_legend(QPainter& painter) const;

  models::whatif::ParetoContent content_;
  models::whatif::ParetoGeometry geometry_;
  std::optional<std::size_t> selected_, hovered_;
  widgets::HoverCard* card_;
};

}  // namespace pipedeck::views::whatif
