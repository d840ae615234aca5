// SPDX-License-Identifier: Apache-2.0
// This machine as a cluster: links measured through the transport that training uses, memory through the optimizer.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <unistd.h>

#include "core/runtime/machine.hpp"
#include "core/runtime/optimizer.hpp"
#include "core/runtime/profile/link_probe.hpp"
#include "core/runtime/profile/robust.hpp"
#include "core/runtime/profiler.hpp"
#include "core/runtime/thread_of_its_own.hpp"

namespace pipedeck {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What the optimizer step reaches, counted as predictions count its bytes: 28 a parameter for Adam. Between two steps
/// of a run activations pass through the caches that are a core's own; here something as large does.
BytesPerSecond measured_memory(std::int64_t parameters) {
  const double bytes = 28.0 * static_cast<double>(parameters);
  constexpr std::int64_t passed_by = std::int64_t{1} << 20;  // floats: 4 MiB
  std::vector<double> rates;
  on_one_core([&] {
    const auto memory = std::make_shared<DeviceMemory>();
    Tensor weights = Tensor::zeros(memory, 1, parameters), gradients = Tensor::zeros(memory, 1, parameters);
    OptimizerState adam(Optimizer::adam, 1e-3, parameters, memory);
    Tensor activations = Tensor::zeros(memory, 1, passed_by);
    for (int i = 0; i < 15; ++i) {
      std::fill_n(activations.data(), activations.size(), static_cast<float>(i));
      const auto start = Clock::now();
      adam.update(weights, gradients);
      rates.push_back(bytes / seconds_since(start));
    }
  });
  return BytesPerSecond(summary_of(std::move(rates)).median);
}

}  // namespace

Cluster cpu_cluster(int devices, std::int64_t parameters) {
  return cpu_cluster(devices, parameters, devices > 1 ? measure_thread_link().link : Link());
}

Cluster cpu_cluster(int devices, std::int64_t parameters, const Link& link) {
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  DeviceType core;
  core.name = cpu_device_type;
  core.memory = Bytes(memory / std::max(devices, 1));
  core.memory_bandwidth = measured_memory(std::max<std::int64_t>(parameters, 1024));
  Node node;
  node.name = "this machine";
  node.devices = {{core.name, devices}};
  if (devices > 1) node.link = link;
  Cluster cluster;
  cluster.name = fmt::format("{} CPU {} of this machine", devices, devices == 1 ? "thread" : "threads");
  cluster.device_types = {core};
  cluster.nodes = {node};
  return cluster;
}

}  // namespace pipedeck
