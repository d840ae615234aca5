// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/project/training_state.hpp"

#include <tuple>
#include <utility>

#include "core/cost/memory.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::session::project {

namespace {

Bytes parameters_of(const Profile& profile) {
  Bytes weights;
  for (const Layer& layer : profile.layers) weights += layer.parameters;
  return weights;
}

}  // namespace

TrainingState training_state_of(const State& state) {
  const Workload& workload = state.question.workload;
  const SimulationOptions& simulation = workload.conventions;
  const ClusterEntry* const cluster = find_cluster(state, state.question.cluster);
  return {workload.optimizer,
          workload.precision,
          workload.zero,
          workload.adapters,
          simulation.reserve,
          simulation.communication,
          simulation.fragmentation,
          cluster ? presets::memory_defaults(*cluster->cluster) : MemoryDefaults()};
}

MemoryBreakdown model_state_bytes(const Profile& profile, const TrainingState& training, int replicas) {
  return cost::state_memory(parameters_of(profile), replicas, training.optimizer, training.precision, training.zero);
}

Bytes frozen_weight_bytes(const Profile& profile, const TrainingState& training) {
  return cost::frozen_memory(parameters_of(profile), training.precision, training.adapters);
}

State with_training_state(State state, const TrainingState& training) {
  const auto set = [&](auto& target) {
    target.optimizer = training.optimizer;
    target.precision = training.precision;
    target.zero = training.zero;
  };
  set(state.question.workload);
  state.question.workload.adapters = training.adapters;
  SimulationOptions& simulation = state.question.workload.conventions;
  simulation.reserve = training.reserve;
  simulation.communication = training.communication;
  simulation.fragmentation = training.fragmentation;
  for (PlanEntry& entry : state.plans) {
    if (!matches_setup(state, entry)) continue;
    Plan plan = *entry.plan;
    set(plan);
    if (plan.choices) plan.choices->training.adapters = training.adapters;
    if (plan != *entry.plan) entry.plan = std::make_shared<const Plan>(std::move(plan));
  }
  return state;
}

void load_setup_from_plan(Workload& workload, const Plan& plan) {
  workload.global_batch = plan.global_batch;
  workload.optimizer = plan.optimizer;
  workload.precision = plan.precision;
  workload.zero = plan.zero;
  workload.adapters = adapters_of(plan);
}

State with_selected_profile(State state, int profile) {
  const auto usual = [&](int id) {
    const ProfileEntry* entry = find_profile(state, id);
    return entry ? io::documents::training_precision(*entry->profile) : Precision::fp32;
  };
  PlanningSetup& question = state.question;
  if (usual(profile) != usual(question.profile)) question.workload.precision = usual(profile);
  question.profile = profile;
  return state;
}

State with_selected_cluster(State state, int cluster) {
  const auto usual = [&](int id) {
    const ClusterEntry* entry = find_cluster(state, id);
    return std::pair(entry ? default_network(*entry->cluster) : NetworkModel::ideal,
                     entry ? presets::memory_defaults(*entry->cluster) : MemoryDefaults());
  };
  const auto [old_network, old_memory] = usual(state.question.cluster);
  const auto [network, memory] = usual(cluster);
  const auto figures = [](const auto& of) { return std::tuple(of.reserve, of.communication, of.fragmentation); };
  SimulationOptions& simulation = state.question.workload.conventions;
  if (network != old_network) simulation.network = network;
  if (figures(simulation) == figures(old_memory))
    std::tie(simulation.reserve, simulation.communication, simulation.fragmentation) = figures(memory);
  state.question.cluster = cluster;
  return state;
}

}  // namespace pipedeck::session::project
