// SPDX-License-Identifier: GPL-3.0-or-later
// A list of purchases, one per row, the largest gain first. A click shows the purchase.
#pragma once

#include <QWidget>

#include "app/models/whatif/explain_rows.hpp"

class QLabel;
class QPushButton;
class QToolButton;

namespace pipedeck::views::widgets {
class BarTable;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

class UpgradePane : public QWidget {
  Q_OBJECT

 public:
  explicit UpgradePane(QWidget* parent = nullptr);

  void set_rows(const std::vector<models::whatif::BarRow>& rows);
  void set_state(const QString& hint, bool running);
  widgets::BarTable& table() const { return *table_; }

 signals:
  void search_requested();
  void cancel_requested();
  void csv_requested();
  void chosen(int row);  ///< by a click or Enter

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void apply_theme();

  widgets::BarTable* table_;
  QLabel* hint_;
  QToolButton* csv_;
  QPushButton* find_ = nullptr;
  bool running_ = false;
};

}  // namespace pipedeck::views::whatif
