// SPDX-License-Identifier: Apache-2.0
// How long the searches take, without and with simulation, on models of the papers' sizes.
#include <benchmark/benchmark.h>

#include "core/planner/amp/space.hpp"
#include "core/planner/capture/search.hpp"
#include "core/planner/pipedream/search.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_problem.hpp"

using namespace pipedeck;
using test::branches, test::servers, test::transformer;

namespace {

/// The whole search, all micro-batch sizes; the argument: ranked by simulated time, or by L_max.
void dapple_search(benchmark::State& state, int nodes, int devices) {
  const Problem problem = test::transformer(52, test::servers(nodes, devices), 64);
  const planner::PlannerOptions options{{"rank-by", state.range(0) ? "simulated" : "objective"}};
  for (auto _ : state) {
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    planner::PlannerContext context;
    context.score = sim::score_of(simulator);
    benchmark::DoNotOptimize(planner::run_planner(**planner::find_planner("dapple"), problem, options, context));
  }
}
void dapple_2x8(benchmark::State& state) { dapple_search(state, 2, 8); }
void dapple_4x8(benchmark::State& state) { dapple_search(state, 4, 8); }
void dapple_8x8(benchmark::State& state) { dapple_search(state, 8, 8); }
BENCHMARK(dapple_2x8)->ArgName("simulated")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(dapple_4x8)->ArgName("simulated")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(dapple_8x8)->ArgName("simulated")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// The search alone, its figures made.
void pipedream_search(benchmark::State& state, const Problem& problem, bool memory) {
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  const planner::pipedream::Figures figures(chain, *planner::search::Ideals::of(*problem.profile), 2);
  const planner::pipedream::Topology topology = planner::pipedream::pipedream_topology(chain.network(), false);
  state.counters["ideals"] = figures.ideals().count();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        planner::pipedream::PipedreamSearch(figures, topology, {.ignore_memory = !memory}, {}, {}).run());
}
void pipedream_chain(benchmark::State& state) {
  const Cluster cluster = test::servers(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  pipedream_search(state, test::transformer(static_cast<int>(state.range(2)), cluster, 64), state.range(3) != 0);
}
BENCHMARK(pipedream_chain)
    ->ArgNames({"nodes", "devices", "layers", "memory"})
    ->Args({16, 1, 40, 0})
    ->Args({16, 1, 40, 1})
    ->Args({16, 1, 240, 0})
    ->Args({16, 1, 240, 1})
    ->Args({16, 1, 1494, 0})
    ->Args({8, 2, 240, 0})
    ->Args({2, 8, 240, 0})
    ->Args({4, 4, 240, 0})
    ->Args({4, 4, 240, 1})
    ->Args({1024, 1, 96, 0})
    ->Args({128, 8, 96, 0})
    ->Unit(benchmark::kMillisecond);
void pipedream_graph(benchmark::State& state) {
  pipedream_search(state, test::branches(2, static_cast<int>(state.range(1)), test::servers(16, 1)), false);
}
BENCHMARK(pipedream_graph)
    ->ArgNames({"branches", "length"})
    ->Args({2, 15})
    ->Args({2, 37})
    ->Unit(benchmark::kMillisecond);
void ideals(benchmark::State& state) {
  const Problem problem = test::branches(2, static_cast<int>(state.range(0)), test::servers(16, 1));
  for (auto _ : state) benchmark::DoNotOptimize(planner::search::Ideals::of(*problem.profile));
}
BENCHMARK(ideals)->ArgName("length")->Arg(15)->Arg(37)->Arg(68)->Unit(benchmark::kMillisecond);

void capture_exact(benchmark::State& state) {
  const int layers = static_cast<int>(state.range(0)), devices = static_cast<int>(state.range(1));
  const Problem problem = test::transformer(layers, test::servers(1, devices), 32);
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  const auto order = planner::search::device_orders(chain.network(), {}, 1).orders.front();
  for (auto _ : state) {
    planner::capture::Space space(chain, 2, 2, {.ignore_memory = true, .pipeline_only = state.range(2) == 0}, order);
    benchmark::DoNotOptimize(planner::capture::Search(space, {}).min_peak(INT64_MAX));
  }
}
BENCHMARK(capture_exact)
    ->ArgNames({"layers", "devices", "hybrid"})
    ->Args({25, 8, 0})
    ->Args({25, 8, 1})
    ->Args({1000, 512, 0})
    ->Args({2000, 1024, 0})
    ->Args({20000, 1024, 0})
    ->Args({1000, 1024, 1})
    ->Unit(benchmark::kMillisecond);

/// All strategies and micro-batches with simulation; half of the nodes have a slower device of half the memory.
void whale_whole(benchmark::State& state) {
  const int nodes = static_cast<int>(state.range(0));
  Cluster cluster = test::servers(nodes, 8, Bytes(std::int64_t{32} << 30));
  cluster.device_types.push_back(cluster.device_types[0]);
  DeviceType& slower = cluster.device_types[1];
  slower.name = "slower", slower.relative_speed = 0.6, slower.memory = Bytes(std::int64_t{16} << 30);
  for (int n = nodes / 2; n < nodes; ++n) cluster.nodes[static_cast<std::size_t>(n)].devices.front().type = slower.name;
  const Problem problem = test::transformer(static_cast<int>(state.range(1)), cluster, 64 * nodes);
  for (auto _ : state) {
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    planner::PlannerContext context;
    context.score = sim::score_of(simulator);
    benchmark::DoNotOptimize(planner::run_planner(**planner::find_planner("whale"), problem, {}, context));
  }
}
BENCHMARK(whale_whole)
    ->ArgNames({"nodes", "layers"})
    ->Args({2, 52})
    ->Args({32, 96})
    ->Args({128, 96})
    ->Args({512, 96})
    ->Args({128, 300})
    ->Unit(benchmark::kMillisecond);

/// Uneven layers on 4 nodes of 4 devices.
Problem uneven(int layers) {
  test::Random random(static_cast<std::uint64_t>(layers));
  Problem problem = test::random_problem(random, {.layers = layers, .nodes = {4, 4, 4, 4}});
  problem.workload.global_batch = 32;
  return problem;
}

/// One strategy: its costs and its assignment.
void amp_assignment(benchmark::State& state) {
  const int stages = static_cast<int>(state.range(1)), replicas = 16 / stages;
  const planner::amp::Strategy strategy{stages, replicas, 1, replicas};
  const Problem problem = uneven(static_cast<int>(state.range(0)));
  planner::search::Chain chain = *planner::search::Chain::of(problem);
  for (auto _ : state) {
    planner::amp::AmpCosts costs(chain, {.ignore_memory = state.range(2) == 0});
    const planner::amp::Task task = costs.task(strategy, planner::amp::megatron_placement(strategy));
    planner::amp::Assigner assigner(task);
    std::size_t effort = 400000000;
    benchmark::DoNotOptimize(assigner.search(std::numeric_limits<double>::infinity(), effort));
  }
}
BENCHMARK(amp_assignment)
    ->ArgNames({"layers", "stages", "memory"})
    ->ArgsProduct({{30, 56}, {16, 8, 4}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

/// All degrees and micro-batches on 4 x 4, without simulation.
void amp_whole(benchmark::State& state) {
  const Problem problem = uneven(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(planner::run_planner(**planner::find_planner("amp"), problem, {}, {}));
}
BENCHMARK(amp_whole)->ArgName("layers")->Arg(30)->Arg(56)->Unit(benchmark::kMillisecond);

/// Measures the default planners of `compare`.
void all_planners(benchmark::State& state) {
  const Problem problem = test::transformer(52, test::servers(2, 8), 64);
  for (auto _ : state) {
    const sim::Simulator simulator =
        *sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
    planner::PlannerContext context;
    context.score = sim::score_of(simulator);
    for (const planner::PlannerInfo& planner : planner::planners())
      if (planner.compared_by_default) benchmark::DoNotOptimize(planner::run_planner(planner, problem, {}, context));
  }
}
BENCHMARK(all_planners)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
