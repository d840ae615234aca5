// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a comparison: the planners that take part, their options, and the constraints on all plans.
#pragma once

#include <memory>
#include <vector>

#include <QDialog>

#include "app/session/project/planning.hpp"
#include "core/model/cluster.hpp"
#include "core/model/profile.hpp"

class QDialogButtonBox;
class QGroupBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QStackedWidget;

namespace pipedeck::ui::dialogs {

class PlannerDialog : public QDialog {
  Q_OBJECT

 public:
  /// Reads layers and devices for the constraints from profile and cluster; either is null while none is chosen.
  PlannerDialog(session::project::Planning planning, std::shared_ptr<const Profile> profile,
                std::shared_ptr<const Cluster> cluster, QWidget* parent = nullptr);

  /// Returns the settings, without entries for planners that have the registry's defaults.
  session::project::Planning planning() const;
  /// Adds a program as a planner that is compared. Adding it is the user's consent to run it.
  void add_program(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QGroupBox* make_pins();
  QWidget* make_planners();
  void add_row(const planner::PlannerInfo& planner, bool compared);
  void choose_program();
  QWidget* make_options(const planner::PlannerInfo& planner);
  QWidget* make_field(const planner::PlannerInfo& planner, const planner::OptionInfo& option);
  QSpinBox* degree_box(std::optional<int> PlanConstraints::*degree, const char* name);
  void set_option(const planner::PlannerInfo& planner, const planner::OptionInfo& option, const std::string& value);
  void set_compared(int row);
  void read_layers(const QString& text);
  void restore_defaults();
  void check_all();

  session::project::Planning planning_;
  std::shared_ptr<const Profile> profile_;
  std::shared_ptr<const Cluster> cluster_;
  QString layers_problem_;
  std::vector<const planner::PlannerInfo*> shown_;  ///< by row
  QListWidget* list_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  QLabel* problem_ = nullptr;
  QDialogButtonBox* buttons_ = nullptr;
};

}  // namespace pipedeck::ui::dialogs
