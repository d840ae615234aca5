// SPDX-License-Identifier: GPL-3.0-or-later
// What-if over the session's question: sliders on the left, what becomes of the best plan beside them, the front and
// what to buy first below.
#pragma once

#include <QTimer>
#include <QWidget>

#include "app/session/capacity_study.hpp"
#include "app/session/largest_study.hpp"
#include "app/session/live_edit.hpp"
#include "app/session/session.hpp"
#include "app/session/what_if_study.hpp"
#include "app/ui/dialogs.hpp"

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace pipedeck::app {

class BuyPane;
class CapacityPane;
class FrontPane;
class LargestPane;
class WhatIfPanel;
class WhatIfSummary;

class WhatIfPage : public QWidget {
  Q_OBJECT

 public:
  WhatIfPage(Session& session, Dialogs dialogs, QWidget* parent = nullptr);

  /// Does nothing while it is hidden: plans are looked for when somebody looks.
  void refresh();

  /// Shows the points that a sweep kept in this file, and goes on from them; what is wrong with it is said.
  void go_on_from(const QString& file);

  /// Whether the front and purchases of small clusters are looked for before anybody asks.
  void set_unasked(bool on) { unasked_ = on; }
  WhatIfStudy& study() { return study_; }
  WhatIfPanel& panel() const { return *panel_; }
  WhatIfSummary& summary() const { return *summary_; }
  FrontPane& front() const { return *front_; }
  BuyPane& purchases() const { return *buy_; }
  CapacityPane& capacity() const { return *capacity_; }
  CapacityStudy& capacity_study() { return capacity_study_; }
  LargestPane& largest() const { return *largest_; }
  LargestStudy& largest_study() { return largest_study_; }

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_content();
  void connect_study();
  void connect_views();
  void connect_capacity();
  void show_capacity();
  void choose_capacity(int row);
  void take_capacity(int row);
  void keep_points();
  void connect_largest();
  void show_largest();
  void keep_largest();
  void show_base();
  void show_answer();
  void show_lists();
  void show_hints();
  void show_front_hint();
  void show_purchase_hint();
  void show_plan(int plan);
  void pick(const FoundPlan& plan);
  void look_around();
  void choose_purchase(int row);
  void keep_cluster();
  void keep_plan(const FoundPlan& found);
  void write_csv(const QString& title, const QString& name, const std::string& text);
  const FoundPlan* shown() const;

  Session& session_;
  Dialogs dialogs_;
  WhatIfStudy study_;
  CapacityStudy capacity_study_;
  LargestStudy largest_study_;
  LiveEdit preview_;  ///< simulates the plan that is picked in the front
  QTimer settle_;     ///< between a slider's moves
  QStackedWidget* stack_;
  QLabel* empty_;
  WhatIfPanel* panel_;
  WhatIfSummary* summary_;
  FrontPane* front_;
  BuyPane* buy_;
  CapacityPane* capacity_;
  LargestPane* largest_;
  QSplitter* below_;
  QTabWidget* tabs_;
  std::optional<FoundPlan> picked_;  ///< in the front; absent: the best is shown
  std::shared_ptr<const Simulation> picked_simulation_;
  bool unasked_ = true, looked_around_ = false;
};

}  // namespace pipedeck::app
