// SPDX-License-Identifier: Apache-2.0
// This machine as a cluster: links measured through training's transport, memory measured through the optimizer.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/runtime/machine/cores.hpp"
#include "core/runtime/machine/local_machine.hpp"
#include "core/runtime/machine/robust.hpp"
#include "core/runtime/profile/link_probe.hpp"
#include "core/runtime/profile/profiler.hpp"
#include "core/runtime/tensor/optimizer.hpp"

namespace pipedeck::runtime::profile {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A benchmark of one device's optimizer steps while other devices do theirs. Between two steps of a run activations
/// pass through the caches; here a buffer of that size does. The constructor allocates all memory, because a thread
/// could not report an exception.
class OptimizerBenchmark {
 public:
  explicit OptimizerBenchmark(const DeviceLoad& load)
      : bytes_(28.0 * static_cast<double>(parameters_of(load))),
        weights_(tensor::Tensor::zeros(memory_, 1, parameters_of(load))),
        gradients_(tensor::Tensor::zeros(memory_, 1, parameters_of(load))),
        activations_(
            tensor::Tensor::zeros(memory_, 1, load.activations.count / static_cast<std::int64_t>(sizeof(float)) + 1)),
        adam_(Optimizer::adam, 1e-3, parameters_of(load), memory_),
        rates_(steps) {}

  void run(std::barrier<>& together) {
    for (double& rate : rates_) {
      std::fill_n(activations_.data(), activations_.size(), 1.0f);
      together.arrive_and_wait();
      const auto start = Clock::now();
      adam_.update(weights_, gradients_);
      rate = bytes_ / seconds_since(start);
    }
  }

  /// Returns the rate of every step in bytes per second, as predictions count them: 28 bytes per parameter for Adam.
  const std::vector<double>& rates() const { return rates_; }

 private:
  static constexpr std::size_t steps = 15;
  static std::int64_t parameters_of(const DeviceLoad& load) { return std::max<std::int64_t>(load.parameters, 1024); }

  double bytes_;
  std::shared_ptr<tensor::DeviceMemory> memory_ = std::make_shared<tensor::DeviceMemory>();
  tensor::Tensor weights_, gradients_, activations_;
  tensor::OptimizerState adam_;
  std::vector<double> rates_;
};

/// Measures all devices at once, or as many as there are cores.
BytesPerSecond measured_memory(int devices, const DeviceLoad& load) {
  const int busy = std::clamp(static_cast<int>(machine::usable_cores().size()), 1, devices);
  std::deque<OptimizerBenchmark> stepping;
  for (int device = 0; device < busy; ++device) stepping.emplace_back(load);
  std::barrier<> together(busy);
  std::vector<std::jthread> threads;
  for (OptimizerBenchmark& device : stepping) threads.emplace_back([&] { device.run(together); });
  threads.clear();  // joins them
  std::vector<double> rates;
  for (const OptimizerBenchmark& device : stepping)
    rates.insert(rates.end(), device.rates().begin(), device.rates().end());
  return BytesPerSecond(machine::summary_of(std::move(rates)).median);
}

}  // namespace

DeviceLoad load_of(const Profile& profile, int devices) {
  Bytes weights, passing;
  for (const Layer& layer : profile.layers) {
    weights += layer.states ? layer.states->updated : layer.parameters;
    passing += layer.saved + layer.output + layer.workspace;
  }
  // A rank's layers are divided over the stages alone.
  const int ranks = profile.ranks ? profile.ranks->shard.replica_devices() * profile.ranks->data : 1;
  const int shares = std::max(1, devices / ranks);
  return {weights.count / static_cast<std::int64_t>(sizeof(float)) / shares, Bytes(passing.count / shares)};
}

Cluster cpu_cluster(int devices, const DeviceLoad& load) {
  return cpu_cluster(devices, load, devices > 1 ? measure_thread_link().link : Link());
}

Cluster cpu_cluster(int devices, const DeviceLoad& load, const Link& link) {
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  DeviceType core;
  core.name = machine::cpu_device_type;
  core.memory = Bytes(memory / std::max(devices, 1));
  core.memory_bandwidth = measured_memory(std::max(devices, 1), load);
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

}  // namespace pipedeck::runtime::profile
