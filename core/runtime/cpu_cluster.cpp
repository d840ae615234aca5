// SPDX-License-Identifier: Apache-2.0
// This machine as a cluster: links measured through the transport that training uses, memory through the optimizer.
#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "core/runtime/machine.hpp"
#include "core/runtime/optimizer.hpp"
#include "core/runtime/profiler.hpp"
#include "core/runtime/thread_of_its_own.hpp"
#include "core/runtime/transport/mailbox.hpp"

namespace pipedeck {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Two mailboxes, and a thread that sends back a slice of whatever it gets.
class PingPong {
 public:
  explicit PingPong(int rounds) : rounds_(rounds), echo_([this] { echo(); }) {}
  ~PingPong() {
    if (echo_.joinable()) echo_.join();
  }
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;

  /// Seconds one way, a round, of `floats` floats that are copied on the way.
  std::vector<double> times(std::int64_t floats) {
    std::vector<double> times;
    const Tensor ball = Tensor::zeros(here_.memory(), 1, floats);
    for (int round = 0; round < rounds_; ++round) {
      const auto start = Clock::now();
      there_.post(0, {false, {}, round}, {ball.slice(0, 1, there_.memory()), {}});
      here_.take(1, {true, {}, round}, control_);
      times.push_back(seconds_since(start) / 2);
    }
    return times;
  }

 private:
  void echo() {
    for (int round = 0; round < rounds_; ++round) {
      const Message message = there_.take(0, {false, {}, round}, control_);
      here_.post(1, {true, {}, round}, {message.tensor.slice(0, 1, here_.memory()), {}});
    }
  }

  int rounds_;
  RunControl control_{std::chrono::hours(1), {}};
  Mailbox here_{std::make_shared<DeviceMemory>()}, there_{std::make_shared<DeviceMemory>()};
  std::thread echo_;
};

Link measured_link() {
  constexpr std::int64_t large = std::int64_t{1} << 18;  // 1 MiB: an activation
  const double latency = median(PingPong(100).times(1));
  const double transfer = std::max(median(PingPong(50).times(large)) - latency, 1e-9);
  return {BytesPerSecond(static_cast<double>(large) * sizeof(float) / transfer), Seconds(latency)};
}

/// What the optimizer step reaches, counted as predictions count its bytes: 28 a parameter for Adam.
BytesPerSecond measured_memory() {
  constexpr std::int64_t parameters = std::int64_t{1} << 20;
  constexpr double bytes = 28.0 * static_cast<double>(parameters);
  std::vector<double> rates;
  on_one_core([&] {
    const auto memory = std::make_shared<DeviceMemory>();
    Tensor weights = Tensor::zeros(memory, 1, parameters), gradients = Tensor::zeros(memory, 1, parameters);
    OptimizerState adam(Optimizer::adam, 1e-3, parameters, memory);
    for (int i = 0; i < 15; ++i) {
      const auto start = Clock::now();
      adam.update(weights, gradients);
      rates.push_back(bytes / seconds_since(start));
    }
  });
  return BytesPerSecond(median(rates));
}

}  // namespace

Cluster cpu_cluster(int devices) {
  const std::int64_t memory = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  DeviceType core;
  core.name = cpu_device_type;
  core.memory = Bytes(memory / std::max(devices, 1));
  core.memory_bandwidth = measured_memory();
  Node node;
  node.name = "this machine";
  node.devices = {{core.name, devices}};
  if (devices > 1) node.link = measured_link();
  Cluster cluster;
  cluster.name = fmt::format("{} CPU {} of this machine", devices, devices == 1 ? "thread" : "threads");
  cluster.device_types = {core};
  cluster.nodes = {node};
  return cluster;
}

}  // namespace pipedeck
