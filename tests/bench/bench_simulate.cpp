// SPDX-License-Identifier: Apache-2.0
// The simulator's speed: operations per second of long pipelines, plans per second of short ones.
#include <benchmark/benchmark.h>

#include "core/schedule/build.hpp"
#include "core/sim/explain/jitter.hpp"
#include "core/sim/explain/sensitivity.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;

namespace {

/// Equal stages of three layers, a device each.
Plan straight(int stages, int micro_batches, ScheduleKind schedule) {
  Plan plan;
  plan.global_batch = plan.micro_batches = micro_batches;
  plan.schedule = schedule;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = 3 * s;
    stage.last = 3 * s + 3;
    stage.devices = {DeviceId(std::int32_t{s})};
    plan.stages.push_back(stage);
  }
  return plan;
}

SimulationOptions judged_in(NetworkModel network) {
  SimulationOptions conventions;
  conventions.network = network;
  return conventions;
}

sim::Simulator simulator_of(int stages, NetworkModel network = NetworkModel::ideal) {
  Profile profile = test::uniform_profile(3 * stages, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(10'000'000), layer.saved = Bytes(20'000'000);
  return sim::Simulator::of(std::make_shared<const Profile>(profile),
                            std::make_shared<const Cluster>(test::flat_cluster(stages)), judged_in(network))
      .value();
}

/// Nodes of eight devices around one switch.
Cluster eights(int nodes) {
  Cluster cluster = test::flat_cluster(8);
  const Node first = cluster.nodes.front();
  cluster.nodes.clear();
  cluster.switches = {{"s"}};
  for (int n = 0; n < nodes; ++n) {
    cluster.nodes.push_back(first);
    cluster.nodes.back().name = "n" + std::to_string(n);
    cluster.links.push_back({cluster.nodes.back().name, "s", {gigabytes_per_second(12.5), microseconds(10)}});
  }
  return cluster;
}

/// 64 devices and 512 micro-batches with a given number of stages, replicated over the rest. With eight stages there is
/// one per node: each link between nodes carries eight transfers at once.
struct SixtyFour {
  Problem problem;
  Plan plan;
};

SixtyFour sixty_four(int stages, NetworkModel network) {
  const int replicas = 64 / stages, micro_batches = 512;
  Profile profile = test::uniform_profile(128, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000), layer.parameters = Bytes(10'000'000);
  SixtyFour all;
  all.problem.profile = std::make_shared<const Profile>(std::move(profile));
  all.problem.cluster = std::make_shared<const Cluster>(eights(8));
  all.problem.workload.conventions = judged_in(network);
  all.plan.micro_batch = 8;
  all.plan.micro_batches = micro_batches;
  all.plan.global_batch = 8 * micro_batches;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = 128 / stages * s;
    stage.last = stage.first + 128 / stages;
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId(std::int32_t{s * replicas + r}));
    all.plan.stages.push_back(stage);
  }
  return all;
}

void sixty_four_devices(benchmark::State& state) {
  const SixtyFour all =
      sixty_four(static_cast<int>(state.range(0)), state.range(1) ? NetworkModel::shared : NetworkModel::ideal);
  const sim::Simulator simulator =
      sim::Simulator::of(all.problem.profile, all.problem.cluster, all.problem.workload.conventions).value();
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(all.plan));
}
BENCHMARK(sixty_four_devices)
    ->ArgNames({"stages", "shared"})
    ->ArgsProduct({{64, 8}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// Every link and device made better by itself.
void sensitivities(benchmark::State& state) {
  const SixtyFour all =
      sixty_four(static_cast<int>(state.range(0)), state.range(1) ? NetworkModel::shared : NetworkModel::ideal);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        sim::explain::sensitivity(all.problem, all.plan, 1.1, {}, {}, static_cast<int>(state.range(2))));
}
BENCHMARK(sensitivities)
    ->ArgNames({"stages", "shared", "threads"})
    ->ArgsProduct({{64, 8}, {0, 1}, {1, 2}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// The order found by list scheduling, and the simulations that choose it.
void adaptive(benchmark::State& state) {
  const int stages = static_cast<int>(state.range(0)), micro_batches = static_cast<int>(state.range(1));
  const sim::Simulator simulator = simulator_of(stages);
  const Plan plan = straight(stages, micro_batches, ScheduleKind::adaptive);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
}
BENCHMARK(adaptive)
    ->ArgNames({"stages", "micro_batches"})
    ->Args({4, 16})
    ->Args({8, 32})
    ->Args({16, 128})
    ->Args({64, 512})
    ->Unit(benchmark::kMillisecond);

/// The lists of operations alone.
void schedules_built(benchmark::State& state) {
  const auto kind = static_cast<ScheduleKind>(state.range(0));
  const int stages = 64, micro_batches = 512;
  Plan plan = straight(stages, micro_batches, kind);
  const bool v = kind == ScheduleKind::zb_v || kind == ScheduleKind::v_half || kind == ScheduleKind::v_min ||
                 kind == ScheduleKind::dualpipe_v;
  for (int s = stages / 2; (v || kind == ScheduleKind::interleaved) && s < stages; ++s)
    plan.stages[static_cast<std::size_t>(s)].devices = {DeviceId(v ? stages - 1 - s : s - stages / 2)};
  state.SetLabel(std::string(name_of(kind)));
  schedule::StageEstimates roomy;
  roomy.max_in_flight = micro_batches;
  const std::vector<schedule::StageEstimates> figures(plan.stages.size(), roomy);
  if (!schedule::build_schedule(plan, figures)) return state.SkipWithError("no such plan");
  for (auto _ : state) benchmark::DoNotOptimize(schedule::build_schedule(plan, figures));
}
BENCHMARK(schedules_built)
    ->Apply([](benchmark::internal::Benchmark* bench) {
      for (const ScheduleTraits& info : all_schedules)
        if (info.kind != ScheduleKind::explicit_order && info.kind != ScheduleKind::adaptive)
          bench->Arg(static_cast<int>(info.kind));
    })
    ->Unit(benchmark::kMillisecond);

/// Compute operations and transfers.
std::int64_t operations(int stages, std::int64_t micro_batches) {
  return micro_batches * (2 * stages + 2 * (stages - 1));
}

void million_operations(benchmark::State& state) {
  const int stages = 8, micro_batches = 1'000'000 / (2 * stages + 2 * (stages - 1)) + 1;
  const sim::Simulator simulator = simulator_of(stages, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(stages, micro_batches, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
  state.SetItemsProcessed(state.iterations() * operations(stages, micro_batches));
}
BENCHMARK(million_operations)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void million_operations_with_verdict(benchmark::State& state) {
  const int stages = 8, micro_batches = 1'000'000 / (2 * stages + 2 * (stages - 1)) + 1;
  const sim::Simulator simulator = simulator_of(stages, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(stages, micro_batches, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.run(plan));
  state.SetItemsProcessed(state.iterations() * operations(stages, micro_batches));
}
BENCHMARK(million_operations_with_verdict)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// One item a plan.
void plans(benchmark::State& state) {
  const sim::Simulator simulator = simulator_of(8);
  const Plan plan = straight(8, 32, state.range(0) ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plans)->ArgName("1f1b")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// 64 stages x 512 micro-batches, every pass with a factor of its own, one thread; one item a run.
void jitter(benchmark::State& state) {
  constexpr int runs = 20;
  const sim::Simulator simulator = simulator_of(64, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(64, 512, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(sim::explain::jitter_band(simulator, plan, {.runs = runs}));
  state.SetItemsProcessed(state.iterations() * runs);
}
BENCHMARK(jitter)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
