// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/state.hpp"

#include <algorithm>

#include "core/model/step_times.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::session::project {

namespace {

template <class Entry>
const Entry* find_id(const std::vector<Entry>& entries, int id) {
  const auto it = std::ranges::find(entries, id, &Entry::id);
  return it == entries.end() ? nullptr : &*it;
}

/// Returns `name`, or "name (2)", "name (3)" ... if it is in use.
template <class Taken>
std::string unused_state_name(const std::string& name, const Taken& taken) {
  std::string candidate = name;
  for (int n = 2; taken(candidate); ++n) candidate = name + " (" + std::to_string(n) + ")";
  return candidate;
}

/// Compares devices and nodes, but not measured speeds and links.
bool same_machine(const Cluster& a, const Cluster& b) {
  const auto same_node = [](const Node& x, const Node& y) { return x.name == y.name && x.devices == y.devices; };
  const auto same_type = [](const DeviceType& x, const DeviceType& y) {
    return x.name == y.name && x.memory == y.memory;
  };
  return a.name == b.name && std::ranges::equal(a.nodes, b.nodes, same_node) &&
         std::ranges::equal(a.device_types, b.device_types, same_type);
}

}  // namespace

QString run_outcome_name(RunOutcome state) {
  switch (state) {
    case RunOutcome::running:
      return QStringLiteral("running");
    case RunOutcome::finished:
      return QStringLiteral("finished");
    case RunOutcome::stopped:
      return QStringLiteral("stopped");
    case RunOutcome::failed:
      return QStringLiteral("failed");
  }
  return {};
}

std::optional<double> median_throughput(const std::vector<RunEvent>& events) {
  const auto median = median_step(events);
  for (const RunEvent& event : events)  // all steps have an equal number of samples
    if (const auto* step = std::get_if<StepDone>(&event))
      return median && median->count > 0 ? step->samples_per_second * step->duration.count / median->count
                                         : step->samples_per_second;
  return std::nullopt;
}

void sum_up(RunRecord& run) {
  run.samples_per_second = median_throughput(run.events);
  double samples = 0;
  run.steps_done = 0;
  for (const RunEvent& event : run.events) {
    if (std::holds_alternative<StepDone>(event)) ++*run.steps_done;
    if (const auto* step = std::get_if<StepDone>(&event)) samples += step->samples_per_second * step->duration.count;
    if (const auto* finished = std::get_if<RunFinished>(&event)) run.energy = whole_energy(*finished);
  }
  if (run.energy && samples > 0) run.energy_a_sample = *run.energy / samples;
}

const ProfileEntry* find_profile(const State& state, int id) { return find_id(state.profiles, id); }
const ClusterEntry* find_cluster(const State& state, int id) { return find_id(state.clusters, id); }
const PlanEntry* find_plan(const State& state, int id) { return find_id(state.plans, id); }
const RunEntry* find_run(const State& state, int id) { return find_id(state.runs, id); }

const ProfileEntry* find_profile(const State& state, const std::string& name) {
  const auto it = std::ranges::find(state.profiles, name, [](const ProfileEntry& e) { return e.profile->name; });
  return it == state.profiles.end() ? nullptr : &*it;
}

const ClusterEntry* find_cluster(const State& state, const std::string& name) {
  const auto it = std::ranges::find(state.clusters, name, [](const ClusterEntry& e) { return e.cluster->name; });
  return it == state.clusters.end() ? nullptr : &*it;
}

std::shared_ptr<const PlanningInputs> planning_inputs(const State& state, int profile, int cluster) {
  const ProfileEntry* of = find_profile(state, profile);
  const ClusterEntry* on = find_cluster(state, cluster);
  return of && on ? state.inputs.of(of->profile, on->cluster) : nullptr;
}

study::Origin origin_of(const State& state, int profile, int cluster) {
  if (const auto inputs = planning_inputs(state, profile, cluster); inputs && inputs->profile) return inputs->origin;
  return study::origin_of(*find_profile(state, profile)->profile, *find_cluster(state, cluster)->cluster);
}

std::optional<Problem> make_problem(const State& state, const PlanningSetup& question) {
  const auto inputs = planning_inputs(state, question.profile, question.cluster);
  if (!inputs || !inputs->profile) return std::nullopt;
  Problem problem{inputs->profile, find_cluster(state, question.cluster)->cluster, question.workload,
                  question.planning.pins, inputs->assumptions};
  problem.workload.conventions.efficiency = inputs->efficiency;
  return problem;
}

std::optional<Problem> make_problem(const State& state, const PlanEntry& entry) {
  auto problem = make_problem(state, PlanningSetup{entry.profile, entry.cluster, state.question.workload});
  if (!problem) return std::nullopt;
  problem->workload.global_batch = entry.plan->global_batch;
  problem->workload.micro_batch = entry.plan->micro_batch;
  problem->workload.optimizer = entry.plan->optimizer;
  problem->workload.precision = entry.plan->precision;
  problem->workload.zero = entry.plan->zero;
  problem->workload.adapters = adapters_of(*entry.plan);
  return problem;
}

QString question_name(const State& state, const PlanEntry& entry) {
  for (const QuestionName& one : state.question_names)
    if (one.profile == entry.profile && one.cluster == entry.cluster && one.global_batch == entry.plan->global_batch)
      return one.name;
  return {};
}

State with_question_name(State state, const PlanEntry& entry, const QString& name) {
  std::erase_if(state.question_names, [&](const QuestionName& one) {
    return one.profile == entry.profile && one.cluster == entry.cluster && one.global_batch == entry.plan->global_batch;
  });
  if (!name.isEmpty()) state.question_names.push_back({entry.profile, entry.cluster, entry.plan->global_batch, name});
  return state;
}

bool matches_setup(const State& state, const PlanEntry& entry) {
  return entry.profile == state.question.profile && entry.cluster == state.question.cluster &&
         entry.plan->global_batch == state.question.workload.global_batch;
}

std::vector<const PlanEntry*> plans_of_question(const State& state) {
  std::vector<const PlanEntry*> plans;
  for (const PlanEntry& entry : state.plans) {
    if (matches_setup(state, entry)) plans.push_back(&entry);
  }
  return plans;
}

Added with_profile(State state, Profile profile, std::shared_ptr<const ModelSpec> model) {
  for (const ProfileEntry& entry : state.profiles) {
    if (*entry.profile == profile) return {state, entry.id};
  }
  profile.name = unused_state_name(profile.name, [&](const std::string& name) { return find_profile(state, name); });
  const int id = state.next_id++;
  state.profiles.push_back({id, std::make_shared<const Profile>(std::move(profile)), std::move(model)});
  return {std::move(state), id};
}

Added with_measured_profile(State state, Profile profile, std::shared_ptr<const ModelSpec> model) {
  for (ProfileEntry& entry : state.profiles) {
    if (entry.profile->name != profile.name) continue;
    entry.profile = std::make_shared<const Profile>(std::move(profile));
    entry.model = std::move(model);
    const int id = entry.id;
    return {std::move(state), id};
  }
  return with_profile(std::move(state), std::move(profile), std::move(model));
}

Added with_cluster(State state, Cluster cluster) {
  for (const ClusterEntry& entry : state.clusters) {
    if (*entry.cluster == cluster) return {state, entry.id};
  }
  cluster.name = unused_state_name(cluster.name, [&](const std::string& name) { return find_cluster(state, name); });
  const int id = state.next_id++;
  state.clusters.push_back({id, std::make_shared<const Cluster>(std::move(cluster))});
  return {std::move(state), id};
}

Added with_measured_cluster(State state, Cluster cluster) {
  for (ClusterEntry& entry : state.clusters) {
    if (!same_machine(*entry.cluster, cluster)) continue;
    entry.cluster = std::make_shared<const Cluster>(std::move(cluster));
    const int id = entry.id;
    return {std::move(state), id};
  }
  return with_cluster(std::move(state), std::move(cluster));
}

Added with_plan(State state, PlanEntry entry) {
  entry.id = state.next_id++;
  Plan plan = *entry.plan;
  plan.name = unused_state_name(plan.name, [&](const std::string& name) {
    return std::ranges::any_of(state.plans, [&](const PlanEntry& other) {
      return other.profile == entry.profile && other.cluster == entry.cluster && other.plan->name == name &&
             other.plan->global_batch == entry.plan->global_batch;
    });
  });
  if (plan.name != entry.plan->name) entry.plan = std::make_shared<const Plan>(std::move(plan));
  const int id = entry.id;
  state.plans.push_back(std::move(entry));
  return {std::move(state), id};
}

Added with_run(State state, std::shared_ptr<const RunRecord> run) {
  const int id = state.next_id++;
  state.runs.push_back({id, std::move(run)});
  return {std::move(state), id};
}

namespace {

/// Removes the plans selected by `concerns` that are not valid any more.
template <class Concerns>
Replaced without_invalid_plans(State state, const Concerns& concerns) {
  const std::size_t before = state.plans.size();
  std::erase_if(state.plans, [&](const PlanEntry& entry) {
    return concerns(entry) && entry.feasible() &&
           !plan::validate(*entry.plan, *find_profile(state, entry.profile)->profile,
                           *find_cluster(state, entry.cluster)->cluster);
  });
  if (!find_plan(state, state.selected_plan)) state.selected_plan = 0;
  const int dropped = static_cast<int>(before - state.plans.size());
  return {std::move(state), dropped};
}

}  // namespace

Replaced with_profile_replaced(State state, int id, Profile profile) {
  const auto entry = std::ranges::find(state.profiles, id, &ProfileEntry::id);
  if (entry == state.profiles.end()) return {std::move(state), 0};
  entry->profile = std::make_shared<const Profile>(std::move(profile));
  return without_invalid_plans(std::move(state), [&](const PlanEntry& plan) { return plan.profile == id; });
}

Replaced with_cluster_replaced(State state, int id, Cluster cluster, ClusterLayout layout) {
  const auto entry = std::ranges::find(state.clusters, id, &ClusterEntry::id);
  if (entry == state.clusters.end()) return {std::move(state), 0};
  entry->layout = std::move(layout);
  // If only the drawing changed, plans keep their verdicts.
  if (cluster == *entry->cluster) return {std::move(state), 0};
  if (id == state.question.cluster && default_network(cluster) != default_network(*entry->cluster))
    state.question.workload.conventions.network = default_network(cluster);
  entry->cluster = std::make_shared<const Cluster>(std::move(cluster));
  return without_invalid_plans(std::move(state), [&](const PlanEntry& plan) { return plan.cluster == id; });
}

State with_calibration(State state, std::shared_ptr<const CalibrationRecord> record) {
  state.calibration.record = std::move(record);
  return with_calibration_on(std::move(state), true);
}

State with_calibration_on(State state, bool on) {
  state.calibration.on = on && state.calibration.record;
  state.question.workload.conventions.calibration =
      state.calibration.on ? state.calibration.record->values : Calibration();
  return state;
}

State without_plan(State state, int id) {
  std::erase_if(state.plans, [&](const PlanEntry& entry) { return entry.id == id; });
  if (state.selected_plan == id) {
    const auto rows = plans_of_question(state);
    state.selected_plan = rows.empty() ? 0 : rows.front()->id;
  }
  return state;
}

State without_run(State state, int id) {
  std::erase_if(state.runs, [&](const RunEntry& entry) { return entry.id == id; });
  return state;
}

State without_profile(State state, int id) {
  std::erase_if(state.profiles, [&](const ProfileEntry& entry) { return entry.id == id; });
  std::erase_if(state.plans, [&](const PlanEntry& entry) { return entry.profile == id; });
  if (state.question.profile == id) state.question.profile = 0;
  if (!find_plan(state, state.selected_plan)) state.selected_plan = 0;
  std::erase_if(state.flags, [id](const ChartFlag& flag) { return flag.profile == id; });
  return state;
}

State without_cluster(State state, int id) {
  std::erase_if(state.clusters, [&](const ClusterEntry& entry) { return entry.id == id; });
  std::erase_if(state.plans, [&](const PlanEntry& entry) { return entry.cluster == id; });
  if (state.question.cluster == id) state.question.cluster = 0;
  if (!find_plan(state, state.selected_plan)) state.selected_plan = 0;
  std::erase_if(state.flags, [id](const ChartFlag& flag) { return flag.cluster == id; });
  return state;
}

}  // namespace pipedeck::session::project
