// SPDX-License-Identifier: Apache-2.0
// How long the paths of large clusters take to be made ready, and to be asked for.
#include <benchmark/benchmark.h>

#include "core/cost/network.hpp"
#include "core/cost/ring_times.hpp"

using namespace pipedeck;

namespace {

/// Returns nodes of `devices` devices: under one switch, or 32 per leaf switch below a spine.
Cluster cluster_of(int nodes, int devices, bool leaves) {
  Cluster cluster;
  DeviceType type;
  type.name = "X";
  cluster.device_types = {type};
  cluster.switches = {{"spine"}};
  const int below = leaves ? (nodes + 31) / 32 : 0;
  for (int s = 0; s < below; ++s) {
    cluster.switches.push_back({"leaf" + std::to_string(s)});
    cluster.links.push_back({"spine", cluster.switches.back().name, Link{gigabytes_per_second(400), microseconds(2)}});
  }
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{type.name, devices}};
    node.link = Link{gigabytes_per_second(130), {}};
    const std::string above = leaves ? "leaf" + std::to_string(n / 32) : "spine";
    cluster.links.push_back({node.name, above, Link{gigabytes_per_second(25), microseconds(5)}});
    cluster.nodes.push_back(std::move(node));
  }
  return cluster;
}

void make_ready(benchmark::State& state) {
  const Cluster cluster =
      cluster_of(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), state.range(2) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(cost::Network::of(cluster));
}
BENCHMARK(make_ready)
    ->ArgNames({"nodes", "devices", "leaves"})
    ->Args({2, 8, 0})
    ->Args({2048, 8, 0})
    ->Args({2048, 8, 1})
    ->Args({16384, 1, 0})
    ->Args({16384, 1, 1})
    ->Unit(benchmark::kMillisecond);

void reduce_over_all(benchmark::State& state) {
  const cost::Network network =
      cost::Network::of(cluster_of(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), true)).value();
  std::vector<DeviceId> all;
  for (int d = 0; d < network.device_count(); ++d) all.push_back(DeviceId(std::int32_t{d}));
  for (auto _ : state) benchmark::DoNotOptimize(cost::all_reduce(network, all, Bytes(1'000'000)));
}
BENCHMARK(reduce_over_all)
    ->ArgNames({"nodes", "devices"})
    ->Args({2, 8})
    ->Args({2048, 8})
    ->Args({16384, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
