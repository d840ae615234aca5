// SPDX-License-Identifier: GPL-3.0-or-later
// A chart of predicted over measured tokens per second, a point per run. Shape and colour show the generation of the
// GPU. A click or the arrow keys select a run, Esc clears the selection.
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "app/models/accuracy/scatter_geometry.hpp"
#include "app/views/widgets/accessible_items.hpp"

namespace pipedeck::views::widgets {
class HoverCard;
struct Theme;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::accuracy {

class ScatterView : public QWidget, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit ScatterView(QWidget* parent = nullptr);

  /// Shows the rows with these indices. A selected run stays selected if it is still shown.
  void set_runs(std::span<const models::accuracy::RunRow> rows, std::vector<std::size_t> shown);
  void set_mode(models::accuracy::ScatterMode mode);
  models::accuracy::ScatterMode mode() const { return mode_; }
  const std::vector<std::size_t>& shown() const { return shown_; }
  const models::accuracy::ScatterGeometry& geometry_of_runs() const { return geometry_; }
  /// Selects the row with this index without a signal; a row that is not shown clears the selection.
  void select(std::optional<std::size_t> row);
  std::optional<std::size_t> selected() const;
  const widgets::HoverCard& card() const { return *card_; }

  QSize sizeHint() const override { return {640, 320}; }

  int item_count() const override { return static_cast<int>(shown_.size()); }
  QString item_text(int run) const override;
  QRect item_rect(int run) const override;
  bool item_selected(int run) const override;
  bool items_can_be_pressed() const override { return true; }
  void press_item(int run) override { choose(static_cast<std::size_t>(run)); }

 signals:
  void run_selected(int row);  ///< -1: none

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void lay_out();
  void choose(std::optional<std::size_t> run);
  void walk(std::optional<std::size_t> from, int direction);
  void show_card(std::size_t run);
  const models::accuracy::RunRow& row_of(std::size_t run) const { return rows_[shown_[run]]; }
  void paint_axes(QPainter& painter, const widgets::Theme& theme) const;
  void paint_bands(QPainter& painter, const widgets::Theme& theme) const;
  void paint_runs(QPainter& painter, const widgets::Theme& theme) const;
  void paint_legend(QPainter& painter, const widgets::Theme& theme) const;

  std::span<const models::accuracy::RunRow> rows_;
  std::vector<std::size_t> shown_;
  models::accuracy::ScatterMode mode_ = models::accuracy::ScatterMode::scatter;
  models::accuracy::ScatterGeometry geometry_;
  std::optional<std::size_t> selected_, hovered_;  ///< positions in `shown_`
  widgets::HoverCard* card_;
};

}  // namespace pipedeck::views::accuracy
