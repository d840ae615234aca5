// SPDX-License-Identifier: GPL-3.0-or-later
// A table whose second column is a bar chart, readable by eye, by keyboard and by assistive technology. Ctrl+C copies
// the rows. A fourth column is hidden if it is empty in all rows.
#pragma once

#include <QTableWidget>

#include "app/models/whatif/explain_rows.hpp"

namespace pipedeck::views::widgets {

class BarTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit BarTable(const QStringList& header, QWidget* parent = nullptr);

  /// `from_zero`: bars start at 0. `among_bars`: only the differences between bars matter, and the axis starts near the
  /// lowest value.
  enum class Axis { from_zero, among_bars };
  void set_axis(Axis axis) { axis_ = axis; }
  /// The axis reaches at least to `scale`.
  void set_rows(const std::vector<models::whatif::BarRow>& rows, double scale = 0);
  const std::vector<models::whatif::BarRow>& rows() const { return rows_; }
  /// Limits of the axis that all bars share.
  double least() const { return least_; }
  double most() const { return most_; }
  void copy() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void find_limits();
  void fit_columns();

  std::vector<models::whatif::BarRow> rows_;
  Axis axis_ = Axis::from_zero;
  double least_ = 0, most_ = 0, scale_ = 0;
};

}  // namespace pipedeck::views::widgets
