// SPDX-License-Identifier: GPL-3.0-or-later
// Explanations of iteration times: the waterfall between two plans, and what would shorten one of them.
#pragma once

#include <vector>

#include <QWidget>

#include "app/models/whatif/explain_rows.hpp"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace pipedeck::views::widgets {
class BarTable;
}  // namespace pipedeck::views::widgets

namespace pipedeck::views::whatif {

struct ExplainPlan {
  int id = 0;
  QString name;
  bool operator==(const ExplainPlan&) const = default;
};

class ExplainView : public QWidget {
  Q_OBJECT

 public:
  explicit ExplainView(QWidget* parent = nullptr);

  /// Sets the plans to choose from; `from` and `to` are selected. A waterfall may also begin at a published run.
  void set_plans(const std::vector<ExplainPlan>& plans, const std::vector<ExplainPlan>& runs, int from, int to);
  /// Sets the line about measurements of runs like the second plan; empty: none.
  void set_published(const QString& text, const QString& tool_tip);
  /// Sets the rows; shows `hint` if there are none.
  void set_waterfall(const std::vector<models::whatif::BarRow>& rows, const QString& hint);
  /// `iteration` in seconds: the scale of the bars.
  void set_sensitivity(const std::vector<models::whatif::BarRow>& rows, const QString& hint, bool running,
                       double iteration = 0);

  /// Sets one row per plan; shows `hint` if there are none.
  void set_jitter(const std::vector<models::whatif::BarRow>& rows, const QString& hint);
  /// Returns the standard deviation over the mean of each pass.
  double variation() const;

  widgets::BarTable& jitter() const { return *jitter_; }
  widgets::BarTable& waterfall() const { return *waterfall_; }
  widgets::BarTable& sensitivity() const { return *sensitivity_; }

 signals:
  void plans_chosen(int from, int to);
  void sensitivity_requested();
  void cancel_requested();
  void variation_chosen();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* make_waterfall();
  QWidget* make_sensitivity();
  QWidget* make_jitter();
  void apply_theme();

  QComboBox *from_, *to_;
  widgets::BarTable *waterfall_, *sensitivity_, *jitter_;
  QLabel *published_, *waterfall_hint_, *sensitivity_hint_, *sensitivity_title_, *jitter_hint_;
  QDoubleSpinBox* variation_;
  QPushButton *copy_, *compute_button_ = nullptr;
  bool running_ = false;
};

}  // namespace pipedeck::views::whatif
