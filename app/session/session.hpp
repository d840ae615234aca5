// SPDX-License-Identifier: GPL-3.0-or-later
// What is open: the project with its undo list, its file, and the work in the background. The window shows what is
// here and asks for changes; it holds no truth of its own.
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

#include "app/session/autosave.hpp"
#include "app/session/calibration.hpp"
#include "app/session/compare.hpp"
#include "app/session/explainer.hpp"
#include "app/session/history.hpp"
#include "app/session/import.hpp"
#include "app/session/item_curves.hpp"
#include "app/session/jobs.hpp"
#include "app/session/judge.hpp"
#include "app/session/launch.hpp"
#include "app/session/live_edit.hpp"
#include "app/session/project_state.hpp"
#include "app/session/run_report.hpp"
#include "app/session/saver.hpp"
#include "app/session/training_state.hpp"

namespace pipedeck::app {

/// Work that a killed program left behind, beside what was saved.
struct RecoveryQuestion {
  QString name;                    ///< of the project; empty: it had none yet
  std::optional<QDateTime> saved;  ///< absent: there is no saved file
  QDateTime edited;
  QString problem;  ///< why the saved file can't be read; empty: it can
};
enum class Recovery { restore, saved, later };
using AskRecovery = std::function<Recovery(const RecoveryQuestion&)>;

/// What reaches the session from outside, so that tests can put their own in place.
struct SessionSeams {
  AskMicroBatch ask_micro_batch = {};
  QString runner = {};        ///< path of pipedeck-cli
  int threads = 0;            ///< of a comparison; 0: as many as there are
  QString state_folder = {};  ///< work copies of projects without a name; empty: they are not kept
  AskRecovery ask_recovery = {};
  bool look_only = false;                  ///< files are opened to be looked at: nothing is locked, kept or recovered
  std::function<std::string()> view = {};  ///< what the project looks like, saved with it; no edit
};

/// The right to write a project, or why it is not there.
struct ProjectClaim {
  std::optional<ProjectLock> lock;
  bool mine_already = false;  ///< this window has the lock
  QString why_read_only;
};

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(SessionSeams seams, QObject* parent = nullptr);
  ~Session() override;

  const ProjectState& state() const { return history_.state(); }
  Judge& judge() { return judge_; }
  Jobs& jobs() { return jobs_; }
  LiveEdit& live() { return live_; }
  Explainer& explainer() { return explainer_; }
  ItemCurves& item_curves() { return item_curves_; }

  // -- the project and its file (session_files.cpp)
  const QString& file() const { return file_; }
  /// What the project looked like when it was saved; empty: it does not say.
  const std::string& saved_view() const { return saved_view_; }
  bool modified() const { return !history_.clean(); }
  /// What is there now needs no saving (a sample that was compared by itself).
  void mark_unchanged();
  int changes_since_save() const { return history_.changes_since_clean(); }
  void new_project();
  void open_sample();
  /// What the question lacks (a model, a cluster) is taken from the sample.
  void complete_question();
  bool open(const QString& path);
  // -- saving (session_saving.cpp): what is there now is written by a thread, edits go on, `saving_changed` tells
  bool start_save();  ///< to file(); false without one, or when it may not be written (an error was emitted)
  bool start_save_as(const QString& path);
  /// The same, until it is done; the window is drawn meanwhile and takes no input. False: it failed.
  bool save();
  bool save_as(const QString& path);
  /// Waits for what was begun. False: the last one failed.
  bool finish_saving();
  const Saver& saver() const { return saver_; }
  /// A project is opened, everything else is added to the one that is open.
  bool open_or_import(const QString& path);
  bool import(const QString& path);
  /// In the background: a trace may have millions of events. Several of one run's ranks are one run, others a run each.
  /// `run_imported` follows for each, or an error.
  void import_traces(const QStringList& paths);
  bool export_plan(int id, const QString& path);
  /// Why the file must not be written from here; empty: it may.
  const QString& why_read_only() const { return why_read_only_; }
  /// Asks what to do with what killed programs left, the newest first, until something was opened. False: nothing was.
  bool offer_left_behind();
  /// Until all that was changed is on disk, operations of large runs too.
  void finish_keeping() { autosave_.settle(); }
  /// The user gave the changes up: nothing is offered at the next start.
  void forget_unsaved() { autosave_.drop(); }

  // -- undo
  /// One named step of undo to `next`, kept in the work copy before anybody is told. False: nothing changed. Edits that
  /// are pure functions of the state (with_..., edited_...) come through here; they need no method of their own.
  bool change(const QString& name, ProjectState next);
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
  void set_planning(const Planning& planning);
  /// Judges every plan anew. One step.
  void set_conventions(const Conventions& conventions);
  /// Plans that answer the question take it over.
  void set_training_state(const TrainingState& training);
  std::optional<Problem> problem() const { return problem_of(state(), state().question); }
  /// Why Compare can't be pressed; empty: it can.
  QString why_not_comparable() const;

  // -- plans (session_plans.cpp)
  int compare();  ///< the job's id; 0: nothing to compare (an error was emitted)
  void cancel_comparison() { jobs_.cancel(compare_job_); }
  bool comparing() const { return jobs_.running(compare_job_); }
  void select_plan(int id);  ///< no step of undo; a plan of another question brings its question back, which is one
  void set_ticked(int id, bool on);
  void rename_plan(int id, const QString& name);
  void duplicate_plan(int id);
  void delete_plan(int id);
  void delete_run(int id);
  void delete_profile(int id);
  void delete_cluster(int id);
  /// The plan of `id` under another schedule, as an edit by hand (plan_edits). One step.
  void choose_schedule(int id, ScheduleKind kind, std::optional<int> chunks = std::nullopt);
  /// Null while it is not known; it is then computed in the background and `verdicts_changed` follows.
  std::shared_ptr<const Verdict> verdict(const PlanEntry& entry);
  /// Null while it is not known: it is then computed in the background.
  std::shared_ptr<const Explanation> explanation(const PlanEntry& entry);
  /// Memory over time by item; null while it is not known: it is then computed in the background.
  ItemCurves::Items memory_items(const PlanEntry& entry);
  /// Why there will be no verdict; empty: there is or will be one.
  QString why_unjudged(int id) const;
  std::optional<ProblemFacts> facts() const;
  /// Of the last comparison: how many plans it gave, and how long it took.
  struct ComparisonSummary {
    int plans = 0;
    int without_plan = 0;
    Seconds duration;
    Seconds lower_bound;
  };
  const std::optional<ComparisonSummary>& last_comparison() const { return last_comparison_; }

  // -- calibration (session_calibration.cpp)
  /// The project's runs, newest last, and why one can't be used; empty: it can.
  std::vector<CalibrationRun> calibration_runs() const;
  /// Fits in the background; `calibration_fitted` follows, or an error. Nothing is changed. 0: nothing to fit from.
  int calibrate(const std::vector<CalibrationChoice>& runs);
  void cancel_calibration() { jobs_.cancel(calibration_job_); }
  bool calibrating() const { return jobs_.running(calibration_job_); }
  /// Judges every plan anew with what was fitted. One step.
  void use_calibration(const std::shared_ptr<const CalibrationRecord>& record);
  /// The same of switching the project's calibration on and off.
  void set_calibrated(bool on);
  bool export_calibration(const CalibrationRecord& record, const QString& path);

  // -- runs (session_runs.cpp)
  bool launch(const LaunchOrder& order);
  void stop_launch();
  void pause_launch(bool paused);
  const QString& runner() const { return seams_.runner; }
  const Launch* launch_at_hand() const { return launch_.get(); }
  bool launching() const { return launch_ && launch_->phase() != Launch::Phase::ended; }
  /// `model`: another than that of the plan's profile.
  QString why_not_launchable(int plan, const ModelSpec* model = nullptr) const;

 signals:
  void state_changed();
  void verdicts_changed();
  void comparison_ended();
  void file_changed();
  void saving_changed();  ///< begun, gone on, ended
  void saved();
  void error(const QString& title, const QString& text);
  void notice(const QString& text);  ///< for the status bar
  void calibration_fitted(const std::shared_ptr<const pipedeck::CalibrationRecord>& record);
  void launch_started();
  void launch_event(const pipedeck::RunEvent& event);
  void launch_predicted();
  void launch_message(const QString& line);
  void launch_ended(int run);
  void run_imported(int run);

 private:
  ProjectClaim claim(const QString& path) const;
  void reset(ProjectState state, const QString& file, ProjectContent saved = {}, ProjectClaim claim = {});
  /// What a killed program left beside the project and how it goes on; nothing: not to be opened now.
  struct Found {
    std::optional<ProjectState> recovered;
    Recovery answer = Recovery::saved;
  };
  std::optional<Found> look_for_work(const QString& path, const Result<ProjectContent>& saved);
  Recovery ask(const RecoveryQuestion& question) const;
  bool restore_unnamed(const LeftBehind& left);
  void keep_work();
  void tell_unsafe(const Error& why);
  void report(const QString& title, const Error& error);
  void add_trace(const std::shared_ptr<const RunRecord>& run);
  void start_writing(const QString& path, std::optional<ProjectLock> lock);
  void take_saved(const std::optional<Error>& problem);
  void apply(const Comparison& comparison, const Question& question);
  void compute_missing_verdicts();
  void take_measured(const std::shared_ptr<const Profile>& profile, const std::shared_ptr<const Cluster>& machine);
  void take_run(const std::shared_ptr<const RunRecord>& record);
  /// Takes `plan` as what a hand made of the entry's. One step.
  PlanEntry* entry_to_change(ProjectState& state, int id) const;

  SessionSeams seams_;
  History<ProjectState> history_{ProjectState{}};
  QString file_;
  Autosave autosave_;
  std::optional<ProjectLock> lock_;
  QString why_read_only_;
  std::string saved_view_;
  bool autosave_failed_ = false;  ///< told once
  Judge judge_;
  Jobs jobs_;
  /// What is being written.
  struct Saving {
    QString path;
    std::shared_ptr<const ProjectContent> content;
    std::size_t step = 0;  ///< of the history
    std::optional<ProjectLock> lock;
    bool again = false;  ///< asked for once more meanwhile
  };
  Saving saving_;
  bool last_save_succeeded_ = true;
  Saver saver_;
  LiveEdit live_;
  Explainer explainer_;
  ItemCurves item_curves_;
  int compare_job_ = 0;
  int verdict_job_ = 0;
  int calibration_job_ = 0;
  std::optional<ComparisonSummary> last_comparison_;
  /// A plan whose simulation failed, and why: not asked again as it is.
  struct Unjudgeable {
    Problem problem;
    std::shared_ptr<const Plan> plan;
    QString why;
  };
  std::map<int, Unjudgeable> unjudgeable_;
  const Unjudgeable* known_unjudgeable(const PlanEntry& entry) const;
  std::unique_ptr<Launch> launch_;
  int launch_job_ = 0;
  bool tells_failure_ = true;  ///< of the launch at hand
};

}  // namespace pipedeck::app
