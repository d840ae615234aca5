// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that a project holds, as one immutable value: a change makes a new one that shares what it left alone, so
// that undo is going back to an older value and any thread may keep one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QDateTime>
#include <QString>

#include "app/session/planning.hpp"
#include "core/domain/calibration_record.hpp"
#include "core/domain/cluster.hpp"
#include "core/domain/cluster_layout.hpp"
#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/run.hpp"
#include "core/domain/run_backend.hpp"
#include "core/domain/simulation.hpp"
#include "core/domain/workload.hpp"
#include "core/store/project_file.hpp"

namespace pipedeck::app {

struct ProfileEntry {
  int id = 0;
  std::shared_ptr<const Profile> profile;
  std::shared_ptr<const ModelSpec> model;  ///< what a launch trains; null: only a profile is known
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
  int profile = 0;  ///< ids of what the plan is for
  int cluster = 0;
  std::shared_ptr<const Plan> plan;  ///< without stages where the planner found none; `note` says why
  bool ticked = true;                ///< drawn below the table
  bool edited = false;               ///< by hand: a comparison leaves it alone
  QString note;
  QString remarks{};  ///< what a person wrote down about it
  bool operator==(const PlanEntry&) const = default;
  bool feasible() const { return !plan->stages.empty(); }
};

enum class RunOutcome { running, finished, stopped, failed };
QString run_outcome_name(RunOutcome state);  // "finished"

/// A run as it was: the plan with its prediction at launch, and every event that came back.
struct RunRecord {
  QString name;
  QString model;
  QDateTime when;
  RunOutcome state = RunOutcome::running;
  QString message;                                ///< why it failed
  int steps = 0;                                  ///< asked for
  std::optional<double> samples_per_second;       ///< by the median of its steps
  std::optional<double> energy, energy_a_sample;  ///< joules that its GPUs took
  Plan plan;
  /// Where the rest is until somebody looks at it (with_traces); null: it is here.
  std::shared_ptr<const StoredTraces> stored;
  std::shared_ptr<const Simulation> predicted;
  std::vector<RunEvent> events;
};
/// By the median of its steps but for the first, as trials on the command line have it.
std::optional<double> usual_samples_per_second(const std::vector<RunEvent>& events);
/// What the events say of a run as a whole.
void sum_up(RunRecord& run);

struct RunEntry {
  int id = 0;
  std::shared_ptr<const RunRecord> run;
  bool operator==(const RunEntry&) const = default;
};

/// What is being asked: the boxes of the tool bar, and the planners' options. Ids are 0 where nothing is chosen yet.
struct Question {
  int profile = 0;
  int cluster = 0;
  Workload workload;
  Planning planning{};
  bool operator==(const Question&) const = default;
};

/// What was fitted from measured runs, and whether plans are judged with it. Where they are, its figures stand in the
/// question's conventions too.
struct CalibrationEntry {
  std::shared_ptr<const CalibrationRecord> record;  ///< null: none
  bool on = false;
  bool operator==(const CalibrationEntry&) const = default;
};

struct ProjectState {
  std::vector<ProfileEntry> profiles;
  std::vector<ClusterEntry> clusters;
  std::vector<PlanEntry> plans;
  std::vector<RunEntry> runs;
  Question question;
  CalibrationEntry calibration;
  RunBackend backend{};   ///< what plans are trained and measured on here
  int selected_plan = 0;  ///< 0: none
  int next_id = 1;        ///< ids are never used twice, also over undo
  bool operator==(const ProjectState&) const = default;

  bool empty() const { return profiles.empty() && clusters.empty() && plans.empty() && runs.empty(); }
};

const ProfileEntry* find_profile(const ProjectState& state, int id);
const ClusterEntry* find_cluster(const ProjectState& state, int id);
const PlanEntry* find_plan(const ProjectState& state, int id);
const RunEntry* find_run(const ProjectState& state, int id);
const ProfileEntry* find_profile_named(const ProjectState& state, const std::string& name);
const ClusterEntry* find_cluster_named(const ProjectState& state, const std::string& name);

/// Complete when a profile and a cluster are chosen.
std::optional<Problem> problem_of(const ProjectState& state, const Question& question);
/// The problem that a plan answers: its own batch and conventions of training, the project's conventions of judging.
std::optional<Problem> problem_of(const ProjectState& state, const PlanEntry& entry);

/// Plans for the question's model, cluster and batch: the rows of the table, in project order.
std::vector<const PlanEntry*> plans_of_question(const ProjectState& state);
bool answers_question(const ProjectState& state, const PlanEntry& entry);

/// Each gives the state with one thing added, under an unused name where the name was taken.
/// A profile or cluster equal to one that is there is not added twice; `id` is then the old one's.
struct Added {
  ProjectState state;
  int id = 0;
};
Added with_profile(ProjectState state, Profile profile, std::shared_ptr<const ModelSpec> model = {});
Added with_cluster(ProjectState state, Cluster cluster);
Added with_plan(ProjectState state, PlanEntry entry);
Added with_run(ProjectState state, std::shared_ptr<const RunRecord> run);

/// In place of the profile of that name (measured again), or added.
Added with_measured_profile(ProjectState state, Profile profile, std::shared_ptr<const ModelSpec> model);

/// In place of the profile or cluster of that id. Plans that are no plans of it any more (another number of layers or
/// devices) go; `dropped` says how many.
struct Replaced {
  ProjectState state;
  int dropped = 0;
};
Replaced with_profile_replaced(ProjectState state, int id, Profile profile);
Replaced with_cluster_replaced(ProjectState state, int id, Cluster cluster, ClusterLayout layout);

/// In place of the one there was, switched on.
ProjectState with_calibration(ProjectState state, std::shared_ptr<const CalibrationRecord> record);
ProjectState with_calibration_on(ProjectState state, bool on);
/// In place of the cluster of the same devices (measured again), or added.
Added with_measured_cluster(ProjectState state, Cluster cluster);

ProjectState without_plan(ProjectState state, int id);
ProjectState without_run(ProjectState state, int id);
/// Plans made for it go too.
ProjectState without_profile(ProjectState state, int id);
ProjectState without_cluster(ProjectState state, int id);

}  // namespace pipedeck::app
