// SPDX-License-Identifier: GPL-3.0-or-later
// The run view, fed by the session: launches, live events, and stored runs with measured over predicted.
#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "app/session/session.hpp"
#include "app/views/time_link.hpp"

namespace pipedeck::app {

class GanttView;
class RunView;

class RunPage : public QWidget {
  Q_OBJECT

 public:
  explicit RunPage(Session& session, QWidget* parent = nullptr);

  /// Shows the session's plans and runs as they are now.
  void refresh();
  void show_run(int id);
  int shown_run() const { return shown_run_; }
  /// Launches the plan with the steps chosen; why it can't be is shown in the panel.
  void launch(int plan);
  int steps() const;
  void set_steps(int steps);

  RunView& view() const { return *view_; }
  GanttView* timeline() const { return timeline_; }

 private:
  void show_models(int plan);
  void start();
  void take(const RunEvent& event);
  void end(int run);
  void show_comparison(const Simulation* predicted, const std::vector<RunEvent>& events);
  void show_timelines(const std::shared_ptr<const Simulation>& predicted, const MeasuredTimeline& measured);

  Session& session_;
  RunView* view_;
  TimeLink link_;
  GanttView* timeline_ = nullptr;
  QElapsedTimer since_timeline_;
  int shown_run_ = 0;
};

}  // namespace pipedeck::app
