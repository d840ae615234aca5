// SPDX-License-Identifier: GPL-3.0-or-later
// The stage that is selected in the split, in fields: where it begins, replicas, tensor parallelism, shares, recompute.
#pragma once

#include <memory>

#include "app/views/wrapping_row.hpp"
#include "core/domain/plan_edits.hpp"

class QComboBox;
class QLineEdit;
class QSpinBox;
class QToolButton;

namespace pipedeck::app {

class StageCard : public WrappingRow {
  Q_OBJECT

 public:
  explicit StageCard(QWidget* parent = nullptr);

  void set_plan(std::shared_ptr<const Profile> profile, std::shared_ptr<const Cluster> cluster, const Plan& plan);
  void clear();
  void set_stage(int stage);
  /// The fields as the plan has them: what was typed could not be done.
  void show_values();

 signals:
  void stage_chosen(int stage);
  void edited(const pipedeck::PlanEdit& edit);

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

}  // namespace pipedeck::app
