// SPDX-License-Identifier: GPL-3.0-or-later
// The open project with its undo list, its file, and background work. The window displays it and requests changes, but
// stores no project data.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "app/session/plans/explainer.hpp"
#include "app/session/plans/item_curves.hpp"
#include "app/session/plans/preview_simulator.hpp"
#include "app/session/project/autosave.hpp"
#include "app/session/project/history.hpp"
#include "app/session/project/import.hpp"
#include "app/session/project/opener.hpp"
#include "app/session/project/saver.hpp"
#include "app/session/project/state.hpp"
#include "app/session/project/training_state.hpp"
#include "app/session/runs/calibration.hpp"
#include "app/session/runs/launch.hpp"
#include "app/session/runs/run_report.hpp"
#include "app/session/work/jobs.hpp"
#include "core/study/compare.hpp"
#include "core/study/plan_simulator.hpp"

namespace pipedeck::session {

/// A question about the work of a killed program, which is newer than the saved file.
struct RecoveryRequest {
  QString name;                    ///< name of the project; empty: it had none yet
  std::optional<QDateTime> saved;  ///< absent: there is no saved file
  QDateTime edited;
  QString problem;  ///< why the saved file cannot be read; empty: it can
};
enum class Recovery { restore, saved, later };
using AskRecovery = std::function<Recovery(const RecoveryRequest&)>;

using ReadProject = std::function<Result<store::ProjectContent>(const std::string& path, std::stop_token stop)>;

/// A set of external dependencies, which tests can replace.
struct SessionServices {
  project::AskMicroBatch ask_micro_batch = {};
  QString runner = {};        ///< path of pipedeck-cli
  int threads = 0;            ///< of a comparison; 0: all cores
  QString state_folder = {};  ///< for work copies of unnamed projects; empty: none are stored
  AskRecovery ask_recovery = {};
  bool read_only = false;                          ///< files are only viewed: no locks, work copies or recovery
  std::function<std::string()> view = {};          ///< returns the view of the project, saved with it; not an edit
  ReadProject read_project = store::read_project;  ///< called on another thread
};

/// A lock for writing a project, or the reason why it is not available.
struct ProjectClaim {
  std::optional<store::ProjectLock> lock;
  bool already_owned = false;  ///< this window has the lock
  QString read_only_reason;
};

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(SessionServices seams, QObject* parent = nullptr);
  ~Session() override;

  /// Returns the current state, which never changes: a change makes a new one. The reference stays valid until the
  /// event is over, and while a dialog waits. Store no reference for later events.
  const project::State& state() const { return history_.state(); }
  study::PlanSimulator& plan_simulator() { return simulator_; }
  work::Jobs& jobs() { return jobs_; }
  plans::PreviewSimulator& live() { return live_; }
  plans::Explainer& explainer() { return explainer_; }
  plans::ItemCurves& item_curves() { return item_curves_; }

  // -- the project and its file (session_files.cpp)
  const QString& file() const { return file_; }
  /// Returns the view of the project when it was saved; empty if it has none.
  const std::string& saved_view() const { return saved_view_; }
  bool modified() const { return !history_.clean(); }
  /// Marks the current state as saved (a sample that was compared automatically).
  void mark_unchanged();
  int changes_since_save() const { return history_.changes_since_clean(); }
  void new_project();
  void open_sample();
  /// Opens a project without a file. Its planners get the default budget.
  void open_unnamed(project::State state);
  /// Sets the budget per planner of new projects; 0: unlimited.
  void set_default_budget(Seconds budget);
  /// Chooses the sample's model or cluster if the question has none.
  void complete_question();
  /// Reads the project on another thread. Events are processed meanwhile, and the read can be cancelled (opener()).
  bool open(const QString& path);
  project::Opener& opener() { return opener_; }
  // -- saving (session_saving.cpp): the current state is written by a thread while editing continues; `saving_changed`
  // reports it
  bool start_save();  ///< to file(); false without one, or if it must not be written (an error was emitted)
  bool start_save_as(const QString& path);
  /// Saves and waits for the end. Meanwhile, the window is drawn but takes no input. Returns false on failure.
  bool save();
  bool save_as(const QString& path);
  /// Waits for a running save. Returns false if the last one failed.
  bool finish_saving();
  const project::Saver& saver() const { return saver_; }
  /// Opens a project file, or adds any other file to the open project.
  bool open_or_import(const QString& path);
  bool import(const QString& path);
  /// Imports traces in the background, since they may have millions of events. Ranks of one run become one run;
  /// otherwise each trace becomes a run. `run_imported` follows for each, or an error.
  void import_traces(const QStringList& paths);
  bool export_plan(int id, const QString& path);
  /// Returns why the file must not be written by this session; empty if it may.
  const QString& read_only_reason() const { return read_only_reason_; }
  /// Asks about the work of killed programs, newest first, until something was opened. Returns false if nothing was.
  bool offer_recovery();
  /// Returns the work of killed programs, newest first.
  std::vector<project::RecoverableProject> recoverable() const;
  /// Opens the work of a killed program with this answer, without a question. Returns false if nothing was opened.
  bool recover(const project::RecoverableProject& left, Recovery answer);
  /// Waits until all changes are on disk, including the operations of large runs.
  void finish_persisting() { autosave_.settle(); }
  /// Discards the unsaved changes, so that the next start does not offer them.
  void discard_unsaved() { autosave_.drop(); }

  // -- undo
  /// Adds a named undo step to `next` and stores it in the work copy before it notifies others. Returns false if
  /// nothing changed. Edits that are pure functions of the state (with_..., edited_...) use this function.
  bool change(const QString& name, project::State next);
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  QString undo_name() const { return history_.undo_name(); }
  QString redo_name() const { return history_.redo_name(); }
  std::size_t undo_steps() const { return history_.steps(); }
  void undo();
  void redo();

  // -- the question
  void choose_profile(int id);
  void choose_profile_preset(const QString& name);
  void choose_cluster(int id);
  void choose_cluster_preset(const QString& name);
  void set_global_batch(int samples);
  void set_micro_batch(std::optional<int> samples);
  void set_planning(const project::Planning& planning);
  /// Simulates all plans again. One step.
  void set_conventions(const SimulationOptions& conventions);
  /// Sets the training state of the question and of the plans that answer it. One step.
  void set_training_state(const project::TrainingState& training);
  std::optional<Problem> problem() const { return project::make_problem(state(), state().question); }
  /// Returns why Compare is disabled; empty if it is enabled.
  QString not_comparable_reason() const;

  // -- plans (session_plans.cpp)
  /// Asks the planners. Each answer becomes a plan of the project when it comes. Returns the job's id; 0: nothing to
  /// compare (an error was emitted).
  int compare();
  /// Keeps the answers that are there.
  void cancel_comparison();
  bool comparing() const { return jobs_.running(compare_job_); }
  /// A planner that was asked the current question and has not answered yet.
  struct PlannerSearch {
    std::string planner;  ///< registry name
    QString title;
    int place = 0;  ///< in the registry
    study::Searches::Status status;
  };
  std::vector<PlannerSearch> searches() const;
  /// Ends the planner's search: it answers with its best plan so far.
  void keep_best(const std::string& planner);
  /// Gives the planner this budget, from the begin of its search. Asks it again if it has answered.
  void search_longer(const std::string& planner, Seconds budget);
  /// Returns the titles of planners whose plans change training and that the current question does not ask.
  QStringList planners_left_out() const;
  /// Asks these planners, too.
  void include_asynchronous();
  void select_plan(int id);  ///< not an undo step, unless the plan is of another question, which becomes current again
  void set_ticked(int id, bool on);
  /// Pins the plan as the baseline of the current question; 0: none. One step.
  void set_baseline(int id);
  void rename_plan(int id, const QString& name);
  /// Names the question that the plan answers; an empty name removes the name. One step.
  void rename_question(int plan, const QString& name);
  void duplicate_plan(int id);
  void delete_plan(int id);
  void delete_run(int id);
  void delete_profile(int id);
  void delete_cluster(int id);
  /// Changes the schedule of the plan of `id` as a manual edit (plans/edits.hpp). One step.
  void choose_schedule(int id, ScheduleKind kind, std::optional<int> chunks = std::nullopt);
  /// Returns null if it is unknown; it is then computed in the background, and `results_changed` follows.
  std::shared_ptr<const study::PlanResult> plan_result(const project::PlanEntry& entry);
  /// Returns null if it is unknown; it is then computed in the background.
  std::shared_ptr<const plans::Explanation> explanation(const project::PlanEntry& entry);
  /// Returns memory over time by item. Returns null if it is unknown; it is then computed in the background.
  plans::ItemCurves::Items memory_items(const project::PlanEntry& entry);
  /// Returns why there will be no result; empty if there is or will be one.
  QString simulation_error(int id) const;
  std::optional<study::ProblemBounds> facts() const;
  /// A summary of the last comparison: its plans and its duration.
  struct ComparisonSummary {
    int plans = 0;
    int without_plan = 0;
    Seconds duration;
    Seconds lower_bound;
  };
  /// Returns nullopt if the last comparison had another question.
  std::optional<ComparisonSummary> last_comparison() const;

  // -- calibration (session_calibration.cpp)
  /// Returns the project's runs, newest last, each with the reason why it cannot be used.
  std::vector<runs::CalibrationRun> calibration_runs() const;
  /// Starts a fit in the background and returns the job's id; 0: no runs to fit. `calibration_fitted` follows, or an
  /// error. The project does not change.
  int calibrate(const std::vector<runs::CalibrationChoice>& runs);
  void cancel_calibration() { jobs_.cancel(calibration_job_); }
  bool calibrating() const { return jobs_.running(calibration_job_); }
  /// Simulates all plans again with the fit. One step.
  void use_calibration(const std::shared_ptr<const CalibrationRecord>& record);
  /// Switches the project's calibration on or off and simulates all plans again. One step.
  void set_calibrated(bool on);
  bool export_calibration(const CalibrationRecord& record, const QString& path);

  // -- runs (session_runs.cpp)
  bool launch(const runs::LaunchParameters& order);
  void stop_launch();
  void pause_launch(bool paused);
  const QString& runner() const { return seams_.runner; }
  const runs::Launch* launch_at_hand() const { return launch_.get(); }
  bool launching() const { return launch_ && launch_->phase() != runs::Launch::Phase::ended; }
  /// Returns why the plan cannot be launched. `model` replaces the model of its profile.
  QString not_launchable_reason(int plan, const ModelSpec* model = nullptr) const;

 signals:
  void state_changed();
  void results_changed();
  void comparison_ended();
  void searches_changed();  ///< planners began, proceed or answered
  void file_changed();
  void saving_changed();  ///< a save began, progressed or ended
  void saved();
  void error(const QString& title, const QString& text);
  void notice(const QString& text);    ///< for the status bar
  void exported(const QString& file);  ///< a file was written that is not the project
  void calibration_fitted(const std::shared_ptr<const pipedeck::CalibrationRecord>& record);
  void launch_started();
  void launch_event(const pipedeck::RunEvent& event);
  void launch_predicted();
  void launch_message(const QString& line);
  void launch_ended(int run);
  void run_imported(int run);

 private:
  ProjectClaim claim(const QString& path) const;
  void reset(project::State state, const QString& file, store::ProjectContent saved = {}, ProjectClaim claim = {});
  /// A project and its work copy as they were read.
  struct ReadFiles {
    Result<store::ProjectContent> saved = store::ProjectContent{};
    Result<project::State> opened = project::State{};
    QString work;                                      ///< path of the copy; empty: there is none
    bool unchanged = false;                            ///< the copy has what was saved
    Result<project::State> edited = project::State{};  ///< of the copy
  };
  Result<ReadFiles> read_files(const QString& path, const QString& work);
  /// A recovered state of the project, and the user's answer. Nullopt: the project is not opened now.
  struct Found {
    std::optional<project::State> recovered;
    Recovery answer = Recovery::saved;
  };
  std::optional<Found> find_recovery(const QString& path, ReadFiles& read);
  Recovery ask(const RecoveryRequest& question) const;
  bool restore_unnamed(const project::RecoverableProject& left);
  void persist_edits();
  void release_replaced();
  void report_unsafe(const Error& why);
  void report(const QString& title, const Error& error);
  void add_trace(const std::shared_ptr<const project::RunRecord>& run);
  void start_writing(const QString& path, std::optional<store::ProjectLock> lock);
  void receive_saved(const std::optional<Error>& problem);
  /// Planners that were asked together, until the last one has answered.
  struct Comparing {
    int key = 0;
    int job = 0;
    project::PlanningSetup question;
    std::vector<study::PlannerRequest> planners;
    std::shared_ptr<study::Searches> searches;
    std::vector<const planner::PlannerInfo*> open{};  ///< those without an answer
    bool first = true;                                ///< the question had no answers before
    int plans = 0, without_plan = 0;
    int first_id = 0;                   ///< of the plans of its planners; 0: none has answered yet
    std::optional<std::size_t> step{};  ///< of the history, with the answers so far
    int selected = 0;                   ///< plan selected by the first answer; 0: the user chose
    std::vector<int> ticked{};          ///< plans ticked by the answers
  };
  int start_comparing(const QString& title, std::vector<study::PlannerRequest> planners, Seconds budget,
                      std::map<const planner::PlannerInfo*, Plan> earlier = {});
  Comparing* find_comparing(int key);
  void receive_answer(int key, const study::ComparedPlan& answer);
  int end_comparing(int key, std::optional<Seconds> duration);
  void end_cancelled(int job, work::JobState ended);
  void change_by_comparing(Comparing& comparing, project::State next);
  void compute_missing_results();
  void receive_measured(const std::shared_ptr<const Profile>& profile, const std::shared_ptr<const Cluster>& machine);
  void receive_run(const std::shared_ptr<const project::RunRecord>& record);
  /// Returns the entry of the plan `id` in `state`; null if there is none.
  project::PlanEntry* entry_to_change(project::State& state, int id) const;

  SessionServices seams_;
  project::History<project::State> history_{project::State{}};
  QTimer release_timer_;
  QString file_;
  project::Autosave autosave_;
  std::optional<store::ProjectLock> lock_;
  QString read_only_reason_;
  std::string saved_view_;
  Seconds default_budget_ = study::default_budget;
  std::optional<Recovery> given_answer_;  ///< to the next question about unsaved work
  bool autosave_failed_ = false;          ///< reported once
  study::PlanSimulator simulator_;
  work::Jobs jobs_;
  /// A save that is running.
  struct Saving {
    QString path;
    std::shared_ptr<const store::ProjectContent> content;
    std::size_t step = 0;  ///< of the history
    std::optional<store::ProjectLock> lock;
    bool again = false;  ///< requested again in the meantime
  };
  Saving saving_;
  bool last_save_succeeded_ = true;
  project::Saver saver_;
  project::Opener opener_;
  plans::PreviewSimulator live_;
  plans::Explainer explainer_;
  plans::ItemCurves item_curves_;
  int compare_job_ = 0;
  int simulation_job_ = 0;
  int calibration_job_ = 0;
  std::vector<Comparing> comparings_;
  std::map<const planner::PlannerInfo*, planner::PlannerOptions> asked_;  ///< the last options of each planner
  int next_comparing_ = 1;
  QTimer searches_ticker_;
  std::optional<std::pair<ComparisonSummary, project::PlanningSetup>> last_comparison_;
  /// A plan whose simulation failed, with the reason. It is not simulated again unless it changes.
  struct FailedSimulation {
    Problem problem;
    std::shared_ptr<const Plan> plan;
    QString reason;
  };
  std::map<int, FailedSimulation> failed_simulations_;
  const FailedSimulation* known_failure(const project::PlanEntry& entry) const;
  std::unique_ptr<runs::Launch> launch_;
  int launch_job_ = 0;
  bool tells_failure_ = true;  ///< false: the caller of launch() reports the failure
};

}  // namespace pipedeck::session
