// SPDX-License-Identifier: GPL-3.0-or-later
// The run view, fed by the session: launches, live events, and stored runs with measured over predicted.
#pragma once

#include <map>
#include <memory>

#include <QElapsedTimer>
#include <QJsonObject>
#include <QWidget>

#include "app/session/backend_offer.hpp"
#include "app/session/checkpoint_list.hpp"
#include "app/session/launch_check.hpp"
#include "app/session/session.hpp"
#include "app/session/trials.hpp"
#include "app/ui/dialogs.hpp"
#include "app/views/time_link.hpp"

namespace pipedeck::app {

class GanttView;
class RunView;
enum class LaunchOffer;

class RunPage : public QWidget {
  Q_OBJECT

 public:
  RunPage(Session& session, const Dialogs& dialogs, QWidget* parent = nullptr);

  /// Shows the session's plans and runs as they are now.
  void refresh();
  void show_run(int id);
  int shown_run() const { return shown_run_; }
  /// Launches the plan with the steps chosen; why it can't be is shown in the panel.
  void launch(int plan);
  int steps() const;
  int processes() const;  ///< that a launch would start, 1 or more
  void set_steps(int steps);

  /// What the panel says, as the project keeps it with its other looks.
  QJsonObject launch_settings() const;
  void set_launch_settings(const QJsonObject& json);

  /// The best plans of the question are tried one after the other (Trials).
  void try_best(int plans);
  const Trials& trials() const { return trials_; }

  RunView& view() const { return *view_; }
  GanttView* timeline() const { return timeline_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_models(int plan);
  void show_devices(const PlanEntry* plan);
  /// The model chosen from a file for the plan's profile; null: the profile's own.
  std::shared_ptr<const ModelSpec> chosen_model(int plan) const;
  LaunchOrder order() const;
  void choose_model_file();
  void choose_data(const QString& kind);
  void choose_checkpoints(const QString& field);
  void list_checkpoints(const QString& folder);
  // What stands for the plan's devices (run_page_devices.cpp)
  void connect_devices();
  void choose_backend(const RunBackend& backend);
  void show_gpus(const GpusHere& gpus);
  void take_answer(const QString& problem, const QString& words, bool sharing_helps);
  /// What else can be done where the plan can't be trained as it was chosen.
  void show_offers();
  void take_offer(LaunchOffer offer);
  /// The quickest that has a GPU for each of its devices; 0: none.
  int plan_for_fewer() const;
  bool has_gpus_for(const Plan& plan) const;
  bool too_few_gpus() const;
  QString too_few_words() const;
  std::shared_ptr<const ModelSpec> model_of(int plan) const;
  /// Shows the command line and has the program look whether it can be run.
  void look();
  void start();
  /// Those that the simulator finds to fit, the quickest first.
  std::vector<int> best_plans() const;
  void offer_trials();
  void show_trials();
  /// The other run's curves and operations beside those of the run that is shown.
  void compare_with(int id);
  Result<std::shared_ptr<const RunRecord>> record_shown() const;
  void take(const RunEvent& event);
  void end(int run);
  void show_comparison(const Simulation* predicted, const std::vector<RunEvent>& events);
  void show_timelines(const std::shared_ptr<const Simulation>& predicted, const MeasuredTimeline& measured);

  Session& session_;
  const Dialogs& dialogs_;
  RunView* view_;
  LaunchCheck check_;
  CheckpointList checkpoints_;
  BackendOffer backends_;
  GpusHere gpus_;
  Trials trials_;
  std::map<int, std::shared_ptr<const ModelSpec>> model_files_;  ///< by profile
  TimeLink link_;
  GanttView* timeline_ = nullptr;
  QElapsedTimer since_timeline_;
  int shown_run_ = 0;
  bool refused_ = false, sharing_helps_ = false;  ///< by the look at the launch
  bool failed_on_gpus_ = false;                   ///< the last launch; until something else is chosen
};

}  // namespace pipedeck::app
