// SPDX-License-Identifier: Apache-2.0
#include "core/sim/explain/sensitivity.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <variant>

#include <fmt/format.h>

#include "core/plan/validate.hpp"

namespace pipedeck::sim::explain {
namespace {

/// One thing made better, or a lever, and how.
struct Change {
  std::variant<SensitivityEntry, SensitivityLever> of;
  std::function<Problem(const Problem&)> apply;

  bool is_memory() const {
    const auto* entry = std::get_if<SensitivityEntry>(&of);
    return entry ? entry->kind == SensitivityKind::device_memory
                 : std::get<SensitivityLever>(of).kind == LeverKind::device_memory;
  }
  bool is_batch() const {
    const auto* lever = std::get_if<SensitivityLever>(&of);
    return lever && lever->kind == LeverKind::micro_batches;
  }
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
            NetworkLink& wider = changed.links[link];
            wider.link.bandwidth = wider.link.bandwidth * factor;
            for (Node& node : changed.nodes)  // with its cards
              if (node.nic && (node.name == wider.from || node.name == wider.to)) node.nic = *node.nic * factor;
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

/// Sets the times on a type that is `speed` times as fast as `old`. The profile's own device may be in no list of
/// types; then its speed is 1.
void set_times(Layer& layer, const std::string& profile_device, const DeviceType& old, const std::string& type,
               double speed) {
  if (const auto on = layer.on.find(old.name); on != layer.on.end())
    layer.on[type] = {on->second.forward * (1 / speed), on->second.backward * (1 / speed)};
  if (old.name == profile_device) layer.on[type] = {layer.forward * (1 / speed), layer.backward * (1 / speed)};
}

/// Gives a type the efficiency of the one that it was made of.
void keep_efficiency(Problem& problem, const std::string& old, const std::string& type) {
  auto& known = problem.workload.conventions.efficiency;
  if (const auto found = known.find(old); found != known.end()) known.emplace(type, found->second);
}

/// The device gets a type of its own, `speed` times as fast in passes and memory traffic, with `memory` times as much.
Problem with_device(const Problem& problem, DeviceId device, double speed, double memory) {
  Cluster cluster = *problem.cluster;
  const Device place = devices_of(cluster)[device.index()];
  const DeviceType old = cluster.device_types[static_cast<std::size_t>(place.type)];
  DeviceType type = old;
  type.name = fmt::format("{} as device {}", old.name, device.value);
  while (find_device_type(cluster, type.name)) type.name += '\'';
  if (memory != 1) type.memory = Bytes(saturating::whole(static_cast<double>(type.memory.count) * memory));
  type.relative_speed *= speed;
  if (type.memory_bandwidth) type.memory_bandwidth = *type.memory_bandwidth * speed;
  cluster.device_types.push_back(type);
  isolate_device(cluster, device, type.name);
  Problem changed = with_cluster(problem, std::move(cluster));
  keep_efficiency(changed, old.name, type.name);

  Profile profile = *problem.profile;
  for (Layer& layer : profile.layers) set_times(layer, profile.device, old, type.name, speed);
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

// --- levers

/// Devices of these types get types of their own, as with_device does for one.
Problem with_types(const Problem& problem, const std::set<std::string>& types, double speed, double memory) {
  Problem changed = problem;
  Cluster cluster = *problem.cluster;
  Profile profile = *problem.profile;
  for (const std::string& name : types) {
    const DeviceType old = *find_device_type(cluster, name);
    DeviceType type = old;
    while (find_device_type(cluster, type.name)) type.name += '\'';
    type.memory = Bytes(saturating::whole(static_cast<double>(type.memory.count) * memory));
    type.relative_speed *= speed;
    if (type.memory_bandwidth) type.memory_bandwidth = *type.memory_bandwidth * speed;
    cluster.device_types.push_back(type);
    for (Node& node : cluster.nodes)
      for (DeviceGroup& group : node.devices)
        if (group.type == name) group.type = type.name;
    for (Layer& layer : profile.layers) set_times(layer, profile.device, old, type.name, speed);
    keep_efficiency(changed, old.name, type.name);
  }
  changed.cluster = std::make_shared<const Cluster>(std::move(cluster));
  changed.profile = std::make_shared<const Profile>(std::move(profile));
  return changed;
}

std::set<std::string> used_types(const Cluster& cluster, const Plan& plan) {
  const std::vector<Device> devices = devices_of(cluster);
  std::set<std::string> types;
  for (const DeviceId device : devices_used(plan))
    types.insert(cluster.device_types[static_cast<std::size_t>(devices[device.index()].type)].name);
  return types;
}

/// Multiplies the links inside of nodes, or those between them. Returns the narrowest before; 0: there are none.
BytesPerSecond scale_links(Cluster& cluster, bool inside, double factor) {
  BytesPerSecond narrowest;
  const auto scale = [&](BytesPerSecond& bandwidth) {
    if (narrowest.count == 0 || bandwidth < narrowest) narrowest = bandwidth;
    bandwidth = bandwidth * factor;
  };
  if (cluster.bandwidth_matrix) {
    const std::vector<Device> devices = devices_of(cluster);
    auto& matrix = *cluster.bandwidth_matrix;
    for (std::size_t i = 0; i < devices.size(); ++i)
      for (std::size_t j = 0; j < devices.size(); ++j)
        if (i != j && (devices[i].node == devices[j].node) == inside) scale(matrix[i][j]);
    return narrowest;
  }
  if (inside) {
    for (Node& node : cluster.nodes)
      if (node.link) scale(node.link->bandwidth);
  } else {
    for (NetworkLink& link : cluster.links) scale(link.link.bandwidth);
  }
  return narrowest;
}

void add_link_lever(const Cluster& cluster, bool inside, std::vector<Change>& changes) {
  Cluster copy = cluster;
  SensitivityLever lever{inside ? LeverKind::links_inside : LeverKind::links_between, link_step, {}, {}, {}, 0, {}, {}};
  lever.before = scale_links(copy, inside, link_step);
  if (lever.before.count <= 0) return;
  lever.after = lever.before * link_step;
  changes.push_back({lever, [inside](const Problem& problem) {
                       Cluster changed = *problem.cluster;
                       scale_links(changed, inside, link_step);
                       return with_cluster(problem, std::move(changed));
                     }});
}

/// Twice as many micro-batches of the same size; lists of operations are for those that the plan has.
std::optional<Plan> with_more_micro_batches(const Plan& plan) {
  constexpr int most = 1 << 29;
  if (plan.operations || plan.micro_batches > most || plan.global_batch > most) return std::nullopt;
  Plan more = plan;
  more.micro_batches *= 2;
  more.global_batch *= 2;
  return more;
}

void add_levers(const Problem& problem, const Plan& plan, double factor, std::vector<Change>& changes) {
  const std::set<std::string> types = used_types(*problem.cluster, plan);
  const auto add = [&](LeverKind kind, const std::set<std::string>& of, const std::string& type) {
    const bool memory = kind == LeverKind::device_memory;
    changes.push_back({SensitivityLever{kind, factor, type, {}, {}, 0, {}, {}}, [=](const Problem& before) {
                         return with_types(before, of, memory ? 1 : factor, memory ? factor : 1);
                       }});
  };
  add(LeverKind::all_devices, types, {});
  if (types.size() > 1)
    for (const std::string& type : types) add(LeverKind::device_type, {type}, type);
  add(LeverKind::device_memory, types, {});
  for (const bool inside : {true, false}) add_link_lever(*problem.cluster, inside, changes);
  if (with_more_micro_batches(plan))
    changes.push_back({SensitivityLever{LeverKind::micro_batches, 2, {}, {}, {}, plan.micro_batches, {}, {}},
                       [](const Problem& before) { return before; }});
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
  if (change.is_batch())
    return iteration_of(*simulator, *with_more_micro_batches(base.plan), stop).map([](Nanoseconds both) {
      return Nanoseconds((both.count + 1) / 2);
    });
  if (!change.is_memory()) return iteration_of(*simulator, base.plan, stop);
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
  if (has_mesh(plan))
    return fail(ErrorCode::bad_input,
                "what faster parts would bring is not known for plans in several dimensions of parallelism");
  std::vector<Change> changes;
  add_links(*problem.cluster, factor, changes);
  add_devices(plan, factor, changes);
  add_levers(problem, plan, factor, changes);

  const Result<Simulator> simulator = simulator_of(problem);
  if (!simulator) return tl::unexpected(simulator.error());
  const Result<Nanoseconds> own = iteration_of(*simulator, plan, stop);
  if (!own) return tl::unexpected(own.error());
  Result<Schedule> schedule = simulator->schedule(plan);
  if (!schedule) return tl::unexpected(schedule.error());
  const Base base{problem, plan, std::move(*schedule), *own};
  TRY(const auto times, Simulations(base, changes, progress, std::move(stop)).run(threads));

  Sensitivity answer{factor, *own, {}, {}};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::visit(
        [&](auto& of) {
          of.iteration = times[i];
          of.gain = *own - times[i];
        },
        changes[i].of);
    if (auto* entry = std::get_if<SensitivityEntry>(&changes[i].of))
      answer.entries.push_back(std::move(*entry));
    else
      answer.levers.push_back(std::get<SensitivityLever>(std::move(changes[i].of)));
  }
  const auto larger = [](const auto& a, const auto& b) { return a.gain > b.gain; };
  std::stable_sort(answer.entries.begin(), answer.entries.end(), larger);
  std::stable_sort(answer.levers.begin(), answer.levers.end(), larger);
  return answer;
}

}  // namespace pipedeck::sim::explain
