// SPDX-License-Identifier: GPL-3.0-or-later
// The whole content of a project as an immutable value. A change makes a new value that shares unchanged parts. Undo
// restores an older value, and any thread may hold one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QDateTime>
#include <QString>

#include "app/session/project/planning.hpp"
#include "app/session/project/planning_inputs.hpp"
#include "core/model/calibration_record.hpp"
#include "core/model/cluster.hpp"
#include "core/model/cluster_layout.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/run.hpp"
#include "core/model/run_backend.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::session::project {

struct ProfileEntry {
  int id = 0;
  std::shared_ptr<const Profile> profile;
  std::shared_ptr<const ModelSpec> model;  ///< trained by a launch; null: only a profile is known
  bool operator==(const ProfileEntry&) const = default;
};

struct ClusterEntry {
  int id = 0;
  std::shared_ptr<const Cluster> cluster;
  ClusterLayout layout{};
  bool operator==(const ClusterEntry&) const = default;
};

struct PlanEntry {
  int id = 0;
  int profile = 0;  ///< ids of the plan's profile and cluster
  int cluster = 0;
  std::shared_ptr<const Plan> plan;  ///< without stages if the planner found none; `note` has the reason
  bool ticked = true;                ///< drawn below the table
  bool edited = false;               ///< by hand: a comparison does not replace it
  QString note;
  QString remarks{};      ///< the user's notes
  bool baseline = false;  ///< the other plans of its question show their difference to it
  bool operator==(const PlanEntry&) const = default;
  bool feasible() const { return !plan->stages.empty(); }
};

enum class RunOutcome { running, finished, stopped, failed };
QString run_outcome_name(RunOutcome state);  // "finished"

/// A past run: the plan with its prediction at launch, and all events received.
struct RunRecord {
  QString name;
  QString model;
  QDateTime when;
  RunOutcome state = RunOutcome::running;
  QString message;                                ///< why it failed
  int steps = 0;                                  ///< requested
  std::optional<int> steps_done;                  ///< absent: a run of an older file
  std::optional<double> samples_per_second;       ///< from the median step
  std::optional<double> energy, energy_a_sample;  ///< joules used by its GPUs
  Plan plan;
  /// Location of the other members until they are loaded (with_traces); null: they are loaded.
  std::shared_ptr<const store::StoredTraces> stored;
  std::shared_ptr<const Simulation> predicted;
  std::vector<RunEvent> events;
};
/// Returns the rate of the median step without the first, as for trials on the command line.
std::optional<double> median_throughput(const std::vector<RunEvent>& events);
/// Computes the run's totals from its events.
void sum_up(RunRecord& run);

struct RunEntry {
  int id = 0;
  std::shared_ptr<const RunRecord> run;
  bool operator==(const RunEntry&) const = default;
};

/// A question of the user: the boxes of the tool bar and the planners' options. Ids are 0 if nothing is chosen yet.
struct PlanningSetup {
  int profile = 0;
  int cluster = 0;
  Workload workload;
  Planning planning{};
  bool operator==(const PlanningSetup&) const = default;
};

/// A calibration fitted from measured runs, and whether simulations use it. If so, its values are also in the
/// question's conventions.
struct CalibrationEntry {
  std::shared_ptr<const CalibrationRecord> record;  ///< null: none
  bool on = false;
  bool operator==(const CalibrationEntry&) const = default;
};

/// A name that the user gave to a question.
struct QuestionName {
  int profile = 0, cluster = 0, global_batch = 0;
  QString name;
  bool operator==(const QuestionName&) const = default;
};

/// A flag of the user on the time scale of a question's charts: a moment or a span, with a note.
struct ChartFlag {
  int profile = 0;
  int cluster = 0;
  int global_batch = 0;
  double begin = 0;  ///< ns
  double end = 0;    ///< ns; equal to `begin`: a moment
  QString note;
  bool operator==(const ChartFlag&) const = default;
};

struct State {
  std::vector<ProfileEntry> profiles;
  std::vector<ClusterEntry> clusters;
  std::vector<PlanEntry> plans;
  std::vector<RunEntry> runs;
  std::vector<ChartFlag> flags;
  PlanningSetup question;
  std::vector<QuestionName> question_names;
  CalibrationEntry calibration;
  RunBackend backend{};   ///< backend for training and measuring plans
  int selected_plan = 0;  ///< 0: none
  int next_id = 1;        ///< ids are never reused, even after undo
  PlanningInputsCache inputs{};
  bool operator==(const State&) const = default;

  bool empty() const { return profiles.empty() && clusters.empty() && plans.empty() && runs.empty(); }
};

const ProfileEntry* find_profile(const State& state, int id);
const ClusterEntry* find_cluster(const State& state, int id);
const PlanEntry* find_plan(const State& state, int id);
const RunEntry* find_run(const State& state, int id);
const ProfileEntry* find_profile(const State& state, const std::string& name);
const ClusterEntry* find_cluster(const State& state, const std::string& name);

/// Returns a profile and a cluster as they are planned with; null if one of them is not there.
std::shared_ptr<const PlanningInputs> planning_inputs(const State& state, int profile, int cluster);

/// Returns the origin of plans made for a profile and a cluster that are there.
study::Origin origin_of(const State& state, int profile, int cluster);

/// Returns the problem if a profile and a cluster are chosen, and the profile has times on the cluster's devices.
std::optional<Problem> make_problem(const State& state, const PlanningSetup& question);
/// Returns the problem that a plan solves: with its own batch and training settings, and the project's simulation
/// settings.
std::optional<Problem> make_problem(const State& state, const PlanEntry& entry);

/// Returns the plans for the question's model, cluster and batch in project order: the rows of the table.
std::vector<const PlanEntry*> plans_of_question(const State& state);
bool matches_setup(const State& state, const PlanEntry& entry);

/// Returns the user's name of the question that the plan answers; empty: none.
QString question_name(const State& state, const PlanEntry& entry);
/// Names that question; an empty name removes the name.
State with_question_name(State state, const PlanEntry& entry, const QString& name);

/// A state with one new entry. If its name is in use, an unused one is chosen. If an equal profile or cluster exists,
/// none is added and `id` is that of the existing one.
struct Added {
  State state;
  int id = 0;
};
Added with_profile(State state, Profile profile, std::shared_ptr<const ModelSpec> model = {});
Added with_cluster(State state, Cluster cluster);
Added with_plan(State state, PlanEntry entry);
Added with_run(State state, std::shared_ptr<const RunRecord> run);

/// Replaces the profile of that name (measured again), or adds it.
Added with_measured_profile(State state, Profile profile, std::shared_ptr<const ModelSpec> model);

/// A state with a replaced profile or cluster. Plans that are invalid for it (another number of layers or devices) are
/// removed; `dropped` is their number.
struct Replaced {
  State state;
  int dropped = 0;
};
Replaced with_profile_replaced(State state, int id, Profile profile);
Replaced with_cluster_replaced(State state, int id, Cluster cluster, ClusterLayout layout);

/// Replaces the calibration and switches it on.
State with_calibration(State state, std::shared_ptr<const CalibrationRecord> record);
State with_calibration_on(State state, bool on);
/// Replaces the cluster with the same devices (measured again), or adds it.
Added with_measured_cluster(State state, Cluster cluster);

State without_plan(State state, int id);
State without_run(State state, int id);
/// Also removes the plans made for it.
State without_profile(State state, int id);
State without_cluster(State state, int id);

}  // namespace pipedeck::session::project
