// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the stage that is selected in the split editor: first layer, replicas, tensor parallelism, samples per
// replica, recomputation.
#pragma once

#include <memory>

#include "app/views/widgets/wrapping_row.hpp"
#include "core/plan/edits.hpp"

class QComboBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace pipedeck::views::split {

class StageCard : public widgets::WrappingRow {
  Q_OBJECT

 public:
  explicit StageCard(QWidget* parent = nullptr);

  void set_plan(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, const Plan& plan);
  void clear();
  void set_stage(int stage);
  /// Resets the fields to the plan after an input was rejected.
  void show_values();

 signals:
  void stage_chosen(int stage);
  void edited(const plan::PlanEdit& edit);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QSpinBox* add_number(const QString& label, const char* name, const QString& spoken, const QString& tip, int least);
  void add_named(const QString& label, QWidget* field, const char* name, const QString& spoken);
  void show_tensor_parallel();
  void show_recompute();
  void take_shares();
  void split_in_the_middle();
  void update_colours();
  const Stage& stage() const { return plan_.stages[static_cast<std::size_t>(stage_)]; }

  std::shared_ptr<const Profile> profile_;
  std::shared_ptr<const Cluster> cluster_;
  Plan plan_;
  int stage_ = 0;

  QSpinBox *number_, *first_, *replicas_;
  QComboBox *tensor_parallel_, *recompute_;
  QLineEdit* shares_;
  QToolButton *split_, *merge_;
};

}  // namespace pipedeck::views::split
