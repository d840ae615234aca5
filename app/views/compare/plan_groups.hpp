// SPDX-License-Identifier: GPL-3.0-or-later
// A line below the table of plans: planners without a plan, and plans that change training. A click opens their rows.
#pragma once

#include <vector>

#include <QAbstractButton>

#include "app/models/compare/plan_row.hpp"

class QToolButton;

namespace pipedeck::views::compare {

/// A button "> No plan 2  Data parallel: no memory; GPipe: no memory".
class GroupButton : public QAbstractButton {
  Q_OBJECT

 public:
  explicit GroupButton(QWidget* parent = nullptr);
  /// Sets the title and the text after it, which is cut at the right end.
  void set_texts(const QString& title, const QString& text);
  const QString& details() const { return details_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString details_;
};

class PlanGroups : public QWidget {
  Q_OBJECT

 public:
  explicit PlanGroups(QWidget* parent = nullptr);
  /// Shows the groups of these rows. `off` are the titles of planners that are not compared because they change
  /// training.
  void set_rows(const std::vector<models::compare::PlanRow>& rows, const QStringList& off);
  void set_open(models::compare::PlanGroup group, bool open);
  QSize sizeHint() const override;

 signals:
  void toggled(models::compare::PlanGroup group, bool open);
  void include_requested();  ///< compare the planners that are off, too

 protected:
  void changeEvent(QEvent* event) override;

 private:
  GroupButton* no_plan_;
  GroupButton* changes_;
  QToolButton* include_;
};

}  // namespace pipedeck::views::compare
