// SPDX-License-Identifier: GPL-3.0-or-later
// The row above the split editor: the schedule of the current plan, its number of chunks where that is free, and its
// micro-batch size.
#pragma once

#include <optional>
#include <vector>

#include <QWidget>

#include "app/views/widgets/choice_box.hpp"

class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace pipedeck::views::compare {

class PlanBar : public QWidget {
  Q_OBJECT

 public:
  explicit PlanBar(QWidget* parent = nullptr);

  /// Sets the choices; `chunks` is absent if the schedule has a fixed number.
  void set_plan(std::vector<widgets::Choice> schedules, const QString& chosen, std::optional<int> chunks);
  /// Sets the sizes that divide the batch, the plan's own size, and the resulting number of micro-batches.
  void set_micro_batch(const std::vector<int>& sizes, int samples, int count, std::optional<int> per_replica);
  void clear();
  /// Sets the arrow of the fold button.
  void set_folded(bool folded);

  widgets::ChoiceBox& schedule() const { return *schedule_; }
  QSpinBox& chunks() const { return *chunks_; }
  QComboBox& micro_batch() const { return *micro_batch_; }

 signals:
  void schedule_chosen(const QString& key);
  void chunks_chosen(int chunks);
  void folded(bool on);                  ///< the user folds or unfolds the parts below
  void micro_batch_chosen(int samples);  ///< a changed size, even one that does not divide the batch

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void update_colours();
  /// The fold button stays.
  void set_plan_enabled(bool on);
  void take_micro_batch();

  QToolButton* fold_;
  widgets::ChoiceBox* schedule_;
  QLabel *chunks_label_, *summary_;
  QSpinBox* chunks_;
  QComboBox* micro_batch_;
  QLabel* micro_batches_;
  int samples_ = 0;
};

}  // namespace pipedeck::views::compare
