// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the mesh editor, painted: a dimension each, with its degrees, lock and costs. The focus is one degree;
// arrows move it.
#pragma once

#include <QWidget>

#include "app/models/mesh/layout.hpp"
#include "app/views/widgets/accessible_items.hpp"

namespace pipedeck::views::mesh {

class Degrees : public QWidget, public widgets::AccessibleItems {
  Q_OBJECT

 public:
  explicit Degrees(QWidget* parent = nullptr);

  void set_sheet(models::mesh::Sheet sheet);
  const models::mesh::Sheet& sheet() const { return sheet_; }
  const models::mesh::Place& focused() const { return focus_; }
  /// Returns where a dimension's degree of that value, or its lock, is; null if there is none.
  QRect place_of(int dimension, int value) const;
  QRect lock_of(int dimension) const;
  QString tip_at(const QPoint& at) const;

  int item_count() const override;
  QString item_text(int item) const override;
  QRect item_rect(int item) const override;
  bool item_selected(int item) const override;
  bool items_can_be_pressed() const override { return true; }
  void press_item(int item) override;

  QSize sizeHint() const override;

 signals:
  void chosen(int dimension, int value);
  void lock_toggled(int dimension);
  void best_wanted();
  void focus_moved(const QRect& place);  ///< to be made visible

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void relayout();
  void set_focus_place(const models::mesh::Place& place);
  void take(const models::mesh::Place& place);
  std::vector<models::mesh::Place> items() const;
  const models::mesh::Row& row(int index) const { return sheet_.rows[static_cast<std::size_t>(index)]; }
  const models::mesh::Degree& degree(const models::mesh::Place& place) const {
    return row(place.row).degrees[static_cast<std::size_t>(place.degree)];
  }
  QRectF rect_of(const models::mesh::Place& place) const;
  QString text_of(const models::mesh::Place& place) const;
  void paint_row(QPainter& painter, int index) const;
  void paint_degree(QPainter& painter, const models::mesh::Place& place) const;
  void paint_lock(QPainter& painter, const QRectF& area, bool locked) const;

  models::mesh::Sheet sheet_;
  models::mesh::Layout layout_;
  models::mesh::Place focus_;
  std::optional<models::mesh::Place> hovered_;
};

}  // namespace pipedeck::views::mesh
