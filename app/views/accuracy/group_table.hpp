// SPDX-License-Identifier: GPL-3.0-or-later
// Errors by group, a row per group: figures, and a strip with a mark per run. Ctrl+C copies the rows.
#pragma once

#include <vector>

#include <QTableWidget>

#include "app/models/accuracy/error_figures.hpp"

namespace pipedeck::views::accuracy {

class GroupTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit GroupTable(QWidget* parent = nullptr);

  enum Column { name, runs, mean, nine_in_ten, bias, within, strip, column_count };
  static constexpr double strip_edge = 0.3;  ///< error at the ends of the strip; marks beyond are at the ends

  void set_groups(models::accuracy::GroupBy by, std::vector<models::accuracy::ErrorGroup> groups);
  const std::vector<models::accuracy::ErrorGroup>& groups() const { return groups_; }
  QString copied_text() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fit_columns();

  std::vector<models::accuracy::ErrorGroup> groups_;
};

}  // namespace pipedeck::views::accuracy
