// SPDX-License-Identifier: GPL-3.0-or-later
// The line above the split: the schedule of the plan at hand, and its chunks where their number is open.
#pragma once

#include <optional>

#include <QWidget>

#include "app/views/choice_box.hpp"

class QLabel;
class QSpinBox;

namespace pipedeck::app {

class PlanBar : public QWidget {
  Q_OBJECT

 public:
  explicit PlanBar(QWidget* parent = nullptr);

  /// `chunks` absent: the schedule has no number to choose.
  void set_plan(std::vector<Choice> schedules, const QString& chosen, std::optional<int> chunks);
  void clear();

  ChoiceBox& schedule() const { return *schedule_; }
  QSpinBox& chunks() const { return *chunks_; }

 signals:
  void schedule_chosen(const QString& key);
  void chunks_chosen(int chunks);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void update_colours();

  ChoiceBox* schedule_;
  QLabel *chunks_label_, *summary_;
  QSpinBox* chunks_;
};

}  // namespace pipedeck::app
