// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison of the best plan today with the best plan after the change. It shows the difference in words, a table
// and both iterations. Buttons keep the cluster or the plan.
#pragma once

#include <vector>

#include <QWidget>

#include "app/models/whatif/what_if_rows.hpp"

class QBoxLayout;
class QLabel;
class QPushButton;
class QTableWidget;

namespace pipedeck::views::gantt {
class Preview;
}  // namespace pipedeck::views::gantt

namespace pipedeck::views::whatif {

class Summary : public QWidget {
  Q_OBJECT

 public:
  explicit Summary(QWidget* parent = nullptr);

  void set_rows(const std::vector<models::whatif::Row>& rows);
  /// Shows `words`; `busy`: better plans may follow.
  void set_text(const QString& words, bool bad, bool busy);
  void set_can_keep(bool cluster, bool plan);
  /// Places the charts below the table instead of next to it.
  void set_narrow(bool narrow);

  QTableWidget& table() const { return *table_; }
  gantt::Preview& preview() const { return *preview_; }
  QString words() const;

 signals:
  void cluster_wanted();
  void plan_requested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void apply_theme();
  void fill();

  QLabel *words_, *busy_;
  bool bad_ = false;
  std::vector<models::whatif::Row> rows_;
  QBoxLayout* row_;
  QTableWidget* table_;
  gantt::Preview* preview_;
  QPushButton *save_cluster_, *save_plan_ = nullptr;
};

}  // namespace pipedeck::views::whatif
