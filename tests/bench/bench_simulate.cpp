// SPDX-License-Identifier: Apache-2.0
// How fast plans are judged: operations a second of long pipelines, plans a second of short ones.
#include <benchmark/benchmark.h>

#include "core/sim/jitter.hpp"
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

Conventions judged_in(NetworkModel network) {
  Conventions conventions;
  conventions.network = network;
  return conventions;
}

Simulator simulator_of(int stages, NetworkModel network = NetworkModel::ideal) {
  Profile profile = test::uniform_profile(3 * stages, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(10'000'000), layer.saved = Bytes(20'000'000);
  return Simulator::of(std::make_shared<const Profile>(profile),
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

/// 64 devices: so many stages, replicated over the rest. One stage a node where there are eight: each link between
/// nodes carries eight transfers at once.
void sixty_four_devices(benchmark::State& state) {
  const int stages = static_cast<int>(state.range(0)), replicas = 64 / stages, micro_batches = 512;
  Profile profile = test::uniform_profile(128, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.output = Bytes(1'000'000), layer.parameters = Bytes(10'000'000);
  Plan plan;
  plan.micro_batch = 8;
  plan.micro_batches = micro_batches;
  plan.global_batch = 8 * micro_batches;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = 128 / stages * s;
    stage.last = stage.first + 128 / stages;
    for (int r = 0; r < replicas; ++r) stage.devices.push_back(DeviceId(std::int32_t{s * replicas + r}));
    plan.stages.push_back(stage);
  }
  const Simulator simulator =
      Simulator::of(std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(eights(8)),
                    judged_in(state.range(1) ? NetworkModel::shared : NetworkModel::ideal))
          .value();
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
}
BENCHMARK(sixty_four_devices)
    ->ArgNames({"stages", "shared"})
    ->ArgsProduct({{64, 8}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// Compute operations and transfers.
std::int64_t operations(int stages, std::int64_t micro_batches) {
  return micro_batches * (2 * stages + 2 * (stages - 1));
}

void million_operations(benchmark::State& state) {
  const int stages = 8, micro_batches = 1'000'000 / (2 * stages + 2 * (stages - 1)) + 1;
  const Simulator simulator = simulator_of(stages, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(stages, micro_batches, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
  state.SetItemsProcessed(state.iterations() * operations(stages, micro_batches));
}
BENCHMARK(million_operations)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void million_operations_with_verdict(benchmark::State& state) {
  const int stages = 8, micro_batches = 1'000'000 / (2 * stages + 2 * (stages - 1)) + 1;
  const Simulator simulator = simulator_of(stages, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(stages, micro_batches, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.run(plan));
  state.SetItemsProcessed(state.iterations() * operations(stages, micro_batches));
}
BENCHMARK(million_operations_with_verdict)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// One item a plan.
void plans(benchmark::State& state) {
  const Simulator simulator = simulator_of(8);
  const Plan plan = straight(8, 32, state.range(0) ? ScheduleKind::one_f_one_b : ScheduleKind::gpipe);
  for (auto _ : state) benchmark::DoNotOptimize(simulator.iteration_time(plan));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plans)->ArgName("1f1b")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// 64 stages x 512 micro-batches, every pass with a factor of its own, one thread; one item a run.
void jitter(benchmark::State& state) {
  constexpr int runs = 20;
  const Simulator simulator = simulator_of(64, state.range(0) ? NetworkModel::shared : NetworkModel::ideal);
  const Plan plan = straight(64, 512, ScheduleKind::one_f_one_b);
  for (auto _ : state) benchmark::DoNotOptimize(jitter_band(simulator, plan, {.runs = runs}));
  state.SetItemsProcessed(state.iterations() * runs);
}
BENCHMARK(jitter)->ArgName("shared")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
