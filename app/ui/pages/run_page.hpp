// SPDX-License-Identifier: GPL-3.0-or-later
// The run view connected to the session: launches, live events, and stored runs with measured over predicted times.
#pragma once

#include <map>
#include <memory>

#include <QElapsedTimer>
#include <QJsonObject>
#include <QWidget>

#include "app/session/runs/available_backends.hpp"
#include "app/session/runs/checkpoint_list.hpp"
#include "app/session/runs/launch_validation.hpp"
#include "app/session/session.hpp"
#include "app/session/trials.hpp"
#include "app/ui/dialogs/dialogs.hpp"
#include "app/views/gantt/time_axis_controller.hpp"

namespace pipedeck::views::gantt {
class View;
}  // namespace pipedeck::views::gantt

namespace pipedeck::views::run {
enum class LaunchFallback;
class View;
}  // namespace pipedeck::views::run

namespace pipedeck::ui::pages {

class RunPage : public QWidget {
  Q_OBJECT

 public:
  RunPage(session::Session& session, const dialogs::Dialogs& dialogs, QWidget* parent = nullptr);

  /// Shows the session's current plans and runs.
  void refresh();
  void show_run(int id);
  int shown_run() const { return shown_run_; }
  /// Launches the plan with the chosen steps. The panel shows why if it cannot.
  void launch(int plan);
  /// Returns why the plan cannot be trained here, with the model file and the choices of the panel; empty if it can, as
  /// far as it is known yet.
  QString not_launchable_reason(int plan) const;
  int steps() const;
  int processes() const;  ///< started by a launch, 1 or more
  void set_steps(int steps);

  /// Returns the settings of the panel, which the project stores with its view state.
  QJsonObject launch_settings() const;
  void set_launch_settings(const QJsonObject& json);

  /// Tries the best plans of the current comparison one after the other (Trials).
  void try_best(int plans);
  const session::Trials& trials() const { return trials_; }

  views::run::View& view() const { return *view_; }
  views::gantt::View* timeline() const { return timeline_; }

 signals:
  void launch_checked();  ///< not_launchable_reason() of the plan in the panel may have changed

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_models(int plan);
  void show_devices(const session::project::PlanEntry* plan);
  /// Returns the model chosen from a file for the plan's profile; null: the profile's own.
  std::shared_ptr<const ModelSpec> chosen_model(int plan) const;
  session::runs::LaunchParameters order() const;
  void choose_model_file();
  void choose_data(const QString& kind);
  void choose_checkpoints(const QString& field);
  void list_checkpoints(const QString& folder);
  // Hardware of the plan's devices (run_page_devices.cpp)
  void connect_devices();
  void choose_backend(const RunBackend& backend);
  void show_gpus(const session::runs::LocalGpus& gpus);
  void receive_answer(const QString& problem, const QString& words, bool sharing_helps);
  /// Offers alternatives if the plan cannot be trained as chosen.
  void show_offers();
  void receive_offer(views::run::LaunchFallback offer);
  /// Returns the fastest plan with a GPU for each of its devices; 0: none.
  int plan_for_fewer() const;
  bool has_gpus_for(const Plan& plan) const;
  bool too_few_gpus() const;
  QString too_few_text() const;
  std::shared_ptr<const ModelSpec> model_of(int plan) const;
  /// Shows the command line and starts the launch check.
  void look();
  void start();
  /// Returns the plans that fit according to the simulation, fastest first.
  std::vector<int> best_plans() const;
  void offer_trials();
  void show_trials();
  /// Shows the other run's curves and operations next to those of the visible run.
  void compare_with(int id);
  Result<std::shared_ptr<const session::project::RunRecord>> record_shown() const;
  void take(const RunEvent& event);
  void end(int run);
  void show_comparison(const Simulation* predicted, const std::vector<RunEvent>& events);
  void show_timelines(const std::shared_ptr<const Simulation>& predicted, const MeasuredTimeline& measured);

  session::Session& session_;
  const dialogs::Dialogs& dialogs_;
  views::run::View* view_;
  session::runs::LaunchValidation check_;
  session::runs::CheckpointList checkpoints_;
  session::runs::AvailableBackends backends_;
  session::runs::LocalGpus gpus_;
  session::Trials trials_;
  std::map<int, std::shared_ptr<const ModelSpec>> model_files_;  ///< by profile
  views::gantt::TimeAxisController link_;
  views::gantt::View* timeline_ = nullptr;
  QElapsedTimer since_timeline_;
  int shown_run_ = 0;
  bool refused_ = false, sharing_helps_ = false;  ///< by the launch check
  QString problem_;                               ///< as shown where it was refused
  bool failed_on_gpus_ = false;                   ///< the last launch, until another choice
};

}  // namespace pipedeck::ui::pages
