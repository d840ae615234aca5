// SPDX-License-Identifier: GPL-3.0-or-later
// The What-if page of the session's model, cluster and batch. Sliders are on the left, next to them the effect on the
// best plan, below them the Pareto front and purchases.
#pragma once

#include <QTimer>
#include <QWidget>

#include "app/session/plans/preview_simulator.hpp"
#include "app/session/session.hpp"
#include "app/session/whatif/capacity_study.hpp"
#include "app/session/whatif/largest_study.hpp"
#include "app/session/whatif/scaling_study.hpp"
#include "app/session/whatif/what_if_study.hpp"
#include "app/ui/dialogs/dialogs.hpp"

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace pipedeck::views::whatif {
class UpgradePane;
class CapacityPane;
class FrontPane;
class LargestPane;
class Panel;
class Summary;
}  // namespace pipedeck::views::whatif

namespace pipedeck::ui::pages {

class WhatIfPage : public QWidget {
  Q_OBJECT

 public:
  WhatIfPage(session::Session& session, dialogs::Dialogs dialogs, QWidget* parent = nullptr);

  /// Does nothing while hidden: plans are searched only for a visible page.
  void refresh();

  /// Shows the saved points of a sweep and continues from them. Reports errors in the file.
  void resume_from(const QString& file);

  /// Enables the automatic search for the front and for purchases of small clusters.
  void set_preload(bool on) { preload_ = on; }
  session::whatif::WhatIfStudy& study() { return study_; }
  views::whatif::Panel& panel() const { return *panel_; }
  views::whatif::Summary& summary() const { return *summary_; }
  views::whatif::FrontPane& front() const { return *front_; }
  views::whatif::UpgradePane& purchases() const { return *buy_; }
  views::whatif::CapacityPane& capacity() const { return *capacity_; }
  session::whatif::CapacityStudy& capacity_study() { return capacity_study_; }
  session::whatif::ScalingStudy& scaling_study() { return scaling_study_; }
  views::whatif::LargestPane& largest() const { return *largest_; }
  session::whatif::LargestStudy& largest_study() { return largest_study_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_content();
  void connect_study();
  void connect_views();
  void connect_capacity();
  void show_capacity();
  void choose_capacity(int row);
  void receive_capacity(int row);
  session::whatif::ScalingKind scaling_kind() const;
  void find_capacity();
  void show_points();
  void show_scaling();
  std::optional<PlanCandidate> capacity_plan(int row) const;
  void save_points();
  void connect_largest();
  void show_largest();
  void save_largest();
  void pause_studies(bool on);
  void show_base();
  void show_answer();
  void show_lists();
  void show_hints();
  void show_front_hint();
  void show_purchase_hint();
  void show_plan(int plan);
  void pick(const PlanCandidate& plan);
  void preload();
  void choose_purchase(int row);
  void save_cluster();
  void save_plan(const PlanCandidate& found);
  void write_csv(const QString& title, const QString& name, const std::string& text);
  const PlanCandidate* shown() const;

  session::Session& session_;
  dialogs::Dialogs dialogs_;
  session::whatif::WhatIfStudy study_;
  session::whatif::CapacityStudy capacity_study_;
  session::whatif::ScalingStudy scaling_study_;
  session::whatif::LargestStudy largest_study_;
  session::plans::PreviewSimulator preview_;  ///< simulates the plan selected in the front
  QTimer settle_;                             ///< delay after a slider's move
  QStackedWidget* stack_;
  QLabel* empty_;
  views::whatif::Panel* panel_;
  views::whatif::Summary* summary_;
  views::whatif::FrontPane* front_;
  views::whatif::UpgradePane* buy_;
  views::whatif::CapacityPane* capacity_;
  views::whatif::LargestPane* largest_;
  QSplitter* below_;
  QTabWidget* tabs_;
  std::optional<PlanCandidate> picked_;  ///< in the front; absent: the best is shown
  std::shared_ptr<const Simulation> picked_simulation_;
  bool preload_ = true, looked_around_ = false;
};

}  // namespace pipedeck::ui::pages
