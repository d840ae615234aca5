// SPDX-License-Identifier: Apache-2.0
#include "core/sim/explain/sensitivity.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "core/plan/validate.hpp"

namespace pipedeck::sim::explain {
namespace {

/// One thing made better, and how.
struct Change {
  SensitivityEntry entry;
  std::function<Problem(const Problem&)> apply;
};

Problem with_cluster(const Problem& problem, Cluster cluster) {
  Problem changed = problem;
  changed.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return changed;
}

// --- links

Change node_link(const Cluster& cluster, std::size_t node, double factor) {
  SensitivityEntry entry;
  entry.from = entry.to = cluster.nodes[node].name;
  return {entry, [node, factor](const Problem& problem) {
            Cluster changed = *problem.cluster;
            changed.nodes[node].link->bandwidth = changed.nodes[node].link->bandwidth * factor;
            return with_cluster(problem, std::move(changed));
          }};
}

Change network_link(const Cluster& cluster, std::size_t link, double factor) {
  SensitivityEntry entry;
  entry.from = cluster.links[link].from;
  entry.to = cluster.links[link].to;
  return {entry, [link, factor](const Problem& problem) {
            Cluster changed = *problem.cluster;
            changed.links[link].link.bandwidth = changed.links[link].link.bandwidth * factor;
            return with_cluster(problem, std::move(changed));
          }};
}

/// With a matrix, all that is between two nodes is one link, and all inside a node.
Change matrix_link(const Cluster& cluster, NodeId a, NodeId b, double factor) {
  SensitivityEntry entry;
  entry.from = cluster.nodes[a.index()].name;
  entry.to = cluster.nodes[b.index()].name;
  return {entry, [a, b, factor](const Problem& problem) {
            Cluster changed = *problem.cluster;
            const std::vector<Device> devices = devices_of(changed);
            auto& matrix = *changed.bandwidth_matrix;
            for (std::size_t i = 0; i < devices.size(); ++i)
              for (std::size_t j = 0; j < devices.size(); ++j)
                if (std::minmax(devices[i].node, devices[j].node) == std::minmax(a, b))
                  matrix[i][j] = matrix[i][j] * factor;
            return with_cluster(problem, std::move(changed));
          }};
}

void add_links(const Cluster& cluster, double factor, std::vector<Change>& changes) {
  if (cluster.bandwidth_matrix) {
    for (std::size_t a = 0; a < cluster.nodes.size(); ++a)
      for (std::size_t b = a; b < cluster.nodes.size(); ++b)
        changes.push_back(matrix_link(cluster, NodeId(a), NodeId(b), factor));
    return;
  }
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
    if (cluster.nodes[n].link) changes.push_back(node_link(cluster, n, factor));
  for (std::size_t l = 0; l < cluster.links.size(); ++l) changes.push_back(network_link(cluster, l, factor));
}

// --- devices

/// Gives the device groups of their own: its node's groups before it, itself, and those behind.
void isolate_device(Cluster& cluster, DeviceId device, const std::string& type) {
  const Device place = devices_of(cluster)[device.index()];
  std::vector<DeviceGroup>& groups = cluster.nodes[place.node.index()].devices;
  std::size_t group = 0;
  int slot = place.slot;
  for (; slot >= groups[group].count; ++group) slot -= groups[group].count;
  const DeviceGroup whole = groups[group];
  std::vector<DeviceGroup> pieces{{whole.type, slot}, {type, 1}, {whole.type, whole.count - slot - 1}};
  std::erase_if(pieces, [](const DeviceGroup& piece) { return piece.count == 0; });
  const auto at = groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
  groups.insert(at, pieces.begin(), pieces.end());
}

/// The device gets a type of its own, `speed` times as fast in passes and memory traffic, with `memory` times as much.
Problem with_device(const Problem& problem, DeviceId device, double speed, double memory) {
  Cluster cluster = *problem.cluster;
  const Device place = devices_of(cluster)[device.index()];
  const DeviceType old = cluster.device_types[static_cast<std::size_t>(place.type)];
  DeviceType type = old;
  type.name = fmt::format("{} as device {}", old.name, device.value);
  while (find_device_type(cluster, type.name)) type.name += '\'';
  if (memory != 1) type.memory = Bytes(static_cast<std::int64_t>(static_cast<double>(type.memory.count) * memory));
  type.relative_speed *= speed;
  if (type.memory_bandwidth) type.memory_bandwidth = *type.memory_bandwidth * speed;
  cluster.device_types.push_back(type);
  isolate_device(cluster, device, type.name);
  Problem changed = with_cluster(problem, std::move(cluster));

  // The profile's own device may be in no list of types; then its speed is 1.
  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers) {
    if (const auto on = layer.on.find(old.name); on != layer.on.end())
      layer.on[type.name] = {on->second.forward * (1 / speed), on->second.backward * (1 / speed)};
    if (old.name == profile.device) layer.on[type.name] = {layer.forward * (1 / speed), layer.backward * (1 / speed)};
  }
  changed.profile = std::make_shared<const Profile>(std::move(profile));
  return changed;
}

void add_devices(const Plan& plan, double factor, std::vector<Change>& changes) {
  for (const SensitivityKind kind : {SensitivityKind::device_speed, SensitivityKind::device_memory})
    for (const DeviceId device : devices_used(plan)) {
      SensitivityEntry entry;
      entry.kind = kind;
      entry.device = device;
      const bool speed = kind == SensitivityKind::device_speed;
      changes.push_back({entry, [device, speed, factor](const Problem& problem) {
                           return with_device(problem, device, speed ? factor : 1, speed ? 1 : factor);
                         }});
    }
}

Result<Simulator> simulator_of(const Problem& problem) {
  return Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
}

Result<Nanoseconds> iteration_of(const Simulator& simulator, const Plan& plan, const std::stop_token& stop) {
  const Result<Seconds> time = simulator.iteration_time(plan, stop);
  if (!time) return tl::unexpected(time.error());
  return round_to_nanoseconds(*time);
}

/// The plan as it is.
struct Base {
  const Problem& problem;
  const Plan& plan;
  Schedule schedule;
  Nanoseconds iteration;
};

Result<Nanoseconds> iteration_with(const Base& base, const Change& change, const std::stop_token& stop) {
  const Result<Simulator> simulator = simulator_of(change.apply(base.problem));
  if (!simulator) return tl::unexpected(simulator.error());
  if (change.entry.kind != SensitivityKind::device_memory) return iteration_of(*simulator, base.plan, stop);
  // Memory has no other way to an iteration's length than the order of operations.
  const Result<Schedule> schedule = simulator->schedule(base.plan);
  if (!schedule) return tl::unexpected(schedule.error());
  return *schedule == base.schedule ? Result<Nanoseconds>(base.iteration) : iteration_of(*simulator, base.plan, stop);
}

/// Runs all changes on threads as they come free; the calling thread reports progress.
class Simulations {
 public:
  Simulations(const Base& base, const std::vector<Change>& changes, const Progress& progress, std::stop_token stop)
      : base_(base), changes_(changes), progress_(progress), stop_(std::move(stop)), times_(changes.size()) {}

  /// A time for each change, or the first error.
  Result<std::vector<Nanoseconds>> run(int threads) {
    {
      std::vector<std::jthread> others;
      for (int t = 1; t < threads; ++t) others.emplace_back([this] { work({}); });
      work(progress_);
    }
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "the simulation was stopped");
    std::vector<Nanoseconds> times;
    for (const Result<Nanoseconds>& time : times_) {
      if (!time) return tl::unexpected(time.error());
      times.push_back(*time);
    }
    return times;
  }

 private:
  void work(const Progress& progress) {
    for (std::size_t i = next_++; i < changes_.size() && !failed_; i = next_++) {
      report(progress, static_cast<double>(i) / static_cast<double>(changes_.size()),
             "making links and devices better");
      if (stop_.stop_requested()) return;
      times_[i] = iteration_with(base_, changes_[i], stop_);
      if (!times_[i]) failed_ = true;
    }
  }

  const Base& base_;
  const std::vector<Change>& changes_;
  const Progress& progress_;
  std::stop_token stop_;
  std::vector<Result<Nanoseconds>> times_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Result<Sensitivity> sensitivity(const Problem& problem, const Plan& plan, double factor, const Progress& progress,
                                std::stop_token stop, int threads) {
  if (Result<void> valid = plan::validate(plan, *problem.profile, *problem.cluster); !valid)
    return tl::unexpected(valid.error());
  std::vector<Change> changes;
  add_links(*problem.cluster, factor, changes);
  add_devices(plan, factor, changes);

  const Result<Simulator> simulator = simulator_of(problem);
  if (!simulator) return tl::unexpected(simulator.error());
  const Result<Nanoseconds> own = iteration_of(*simulator, plan, stop);
  if (!own) return tl::unexpected(own.error());
  Result<Schedule> schedule = simulator->schedule(plan);
  if (!schedule) return tl::unexpected(schedule.error());
  const Base base{problem, plan, std::move(*schedule), *own};
  TRY(const auto times, Simulations(base, changes, progress, std::move(stop)).run(threads));

  Sensitivity answer{factor, *own, {}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].entry.iteration = times[i];
    changes[i].entry.gain = *own - times[i];
    answer.entries.push_back(std::move(changes[i].entry));
  }
  std::stable_sort(answer.entries.begin(), answer.entries.end(),
                   [](const SensitivityEntry& a, const SensitivityEntry& b) { return a.gain > b.gain; });
  return answer;
}

}  // namespace pipedeck::sim::explain
