// SPDX-License-Identifier: Apache-2.0
#include "tests/core/sim/reference_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace pipedeck::test {
namespace {

struct Task {
  std::string resource;
  std::int64_t duration = 0;
  std::vector<std::pair<int, std::int64_t>> after;  // task, and the ns of it that must have passed; -1: all of it
  int turn = -1;                                    // place in its resource's list; -1: first come, first served
  std::tuple<int, int, int> tie;
  std::int64_t start = -1;
  std::int64_t end() const { return start + duration; }
};

class Reference {
 public:
  Reference(const Problem& problem, const Plan& plan)
      : profile_(*problem.profile),
        cluster_(*problem.cluster),
        plan_(plan),
        overlap_(problem.workload.conventions.overlap) {
    const auto& known = problem.workload.conventions.efficiency;
    if (!known.empty()) efficiency_ = known.begin()->second;  // there is one type
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n)
      for (const DeviceGroup& group : cluster_.nodes[n].devices)
        for (int i = 0; i < group.count; ++i) node_.push_back(static_cast<int>(n));
  }

  std::int64_t run() {
    for (int s = 0; s < stages(); ++s) owners_.push_back(owners(s));
    for (int s = 0; s < stages(); ++s)
      for (int r = 0; r < replicas(s); ++r) add_list(s, r);
    for (int m = 0; m < plan_.micro_batches; ++m)
      for (int s = 0; s + 1 < stages(); ++s) {
        add_transfers(s, s + 1, m, false);
        add_transfers(s + 1, s, m, true);
      }
    for (int s = 0; s < stages(); ++s) add_all_reduces(s);
    return step_through();
  }

 private:
  using Key = std::tuple<char, int, int, int>;  // pass, stage, replica, micro-batch

  const Stage& stage(int s) const { return plan_.stages[static_cast<std::size_t>(s)]; }
  int stages() const { return static_cast<int>(plan_.stages.size()); }
  int replicas(int s) const { return static_cast<int>(stage(s).devices.size()); }
  int device(int s, int r) const { return stage(s).devices[static_cast<std::size_t>(r)].value; }
  int node(int s, int r) const { return node_[static_cast<std::size_t>(device(s, r))]; }
  const Layer& layer(int l) const { return profile_.layers[static_cast<std::size_t>(l)]; }
  static std::int64_t rounded(double seconds) { return static_cast<std::int64_t>(std::floor(seconds * 1e9 + 0.5)); }

  /// Returns the replica of each sample of a micro-batch.
  std::vector<int> owners(int s) const {
    std::vector<int> owner;
    for (int r = 0; r < replicas(s); ++r) {
      int share = plan_.micro_batch / replicas(s) + (r < plan_.micro_batch % replicas(s) ? 1 : 0);
      if (stage(s).samples_per_replica) share = (*stage(s).samples_per_replica)[static_cast<std::size_t>(r)];
      owner.insert(owner.end(), static_cast<std::size_t>(share), r);
    }
    return owner;
  }

  int samples(int s, int r) const {
    const auto& owner = owners_[static_cast<std::size_t>(s)];
    return static_cast<int>(std::count(owner.begin(), owner.end(), r));
  }

  double pass_seconds(int s, int r, bool backward, int from_layer) const {
    double sum = 0;
    for (int l = from_layer; l < stage(s).last; ++l)
      sum += (backward ? layer(l).backward.count : layer(l).forward.count) * samples(s, r) / profile_.micro_batch;
    return sum;
  }

  int add(Task task) {
    tasks_.push_back(std::move(task));
    return static_cast<int>(tasks_.size()) - 1;
  }

  void add_list(int s, int r) {
    const int count = plan_.micro_batches;
    int warmup = plan_.warmup == Warmup::A ? stages() - s : 2 * (stages() - s) - 1;
    if (plan_.schedule == ScheduleKind::gpipe || warmup > count) warmup = count;
    std::vector<std::pair<char, int>> list;
    int forwards = 0, backwards = 0;
    while (forwards < warmup) list.emplace_back('F', forwards++);
    while (backwards < count) {
      list.emplace_back('B', backwards++);
      if (forwards < count) list.emplace_back('F', forwards++);
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [pass, m] = list[i];
      Task task;
      task.resource = "device " + std::to_string(device(s, r));
      task.duration = rounded(pass_seconds(s, r, pass == 'B', stage(s).first));
      task.turn = static_cast<int>(i);
      tasks_of_[Key{pass, s, r, m}] = add(task);
    }
    last_[{s, r}] = tasks_of_.at(Key{'B', s, r, count - 1});
  }

  /// Adds transfers sample by sample from the sending to the receiving replica, joined by pair of nodes; with network
  /// cards, by pair of devices.
  void add_transfers(int from, int to, int m, bool gradient) {
    struct Load {
      std::set<int> senders, receivers;
      int samples = 0;
      double latency = 0, bandwidth = 0;
      bool leaves_node = false;
    };
    std::map<std::string, Load> loads;
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan_.micro_batch); ++i) {
      const int a = owners_[static_cast<std::size_t>(from)][i], b = owners_[static_cast<std::size_t>(to)][i];
      const int node_a = node(from, a), node_b = node(to, b);
      const bool by_device = node_a == node_b || (nic(node_a) && nic(node_b));
      const std::string pair = by_device ? "d" + std::to_string(device(from, a)) + ">" + std::to_string(device(to, b))
                                         : "n" + std::to_string(node_a) + ">" + std::to_string(node_b);
      Load& load = loads[pair];
      load.senders.insert(a);
      load.receivers.insert(b);
      ++load.samples;
      std::tie(load.latency, load.bandwidth) = path(node_a, node_b, 1, 1);
      load.leaves_node = node_a != node_b;
    }
    const std::int64_t output = layer(stage(std::min(from, to)).last - 1).output.count;
    for (const auto& [pair, load] : loads) {
      Task task;
      task.resource = pair;
      const std::int64_t bytes = (output * load.samples + profile_.micro_batch - 1) / profile_.micro_batch;
      task.duration = rounded(reached(load.latency + static_cast<double>(bytes) / load.bandwidth, load.leaves_node));
      task.tie = {m, gradient, from};
      for (const int a : load.senders) task.after.emplace_back(tasks_of_.at(Key{gradient ? 'B' : 'F', from, a, m}), -1);
      const int id = add(task);
      for (const int b : load.receivers)
        tasks_[static_cast<std::size_t>(tasks_of_.at(Key{gradient ? 'B' : 'F', to, b, m}))].after.emplace_back(id, -1);
    }
  }

  std::optional<BytesPerSecond> nic(int n) const { return cluster_.nodes[static_cast<std::size_t>(n)].nic; }

  /// Latency and bandwidth; between nodes over this many cards of either.
  std::pair<double, double> path(int a, int b, int cards_a, int cards_b) const {
    const auto link = [&](int n) { return cluster_.links[static_cast<std::size_t>(n)].link; };
    if (a == b) {
      const Link own = *cluster_.nodes[static_cast<std::size_t>(a)].link;
      return {own.latency.count, own.bandwidth.count};
    }
    double bandwidth = std::min(link(a).bandwidth.count, link(b).bandwidth.count);
    if (nic(a)) bandwidth = std::min(bandwidth, cards_a * nic(a)->count);
    if (nic(b)) bandwidth = std::min(bandwidth, cards_b * nic(b)->count);
    return {link(a).latency.count + link(b).latency.count, bandwidth};
  }

  /// Returns the seconds of a transfer or an all-reduce that takes `seconds` by data sheet (simulator.md,
  /// "Efficiencies").
  double reached(double seconds, bool leaves_node) const {
    if (seconds == 0) return 0;
    return leaves_node ? efficiency_.network_call.count + seconds / efficiency_.network
                       : efficiency_.link_call.count + seconds / efficiency_.link;
  }

  void add_all_reduces(int s) {
    if (replicas(s) < 2) return;
    int turn = 0;
    const auto reduce = [&](std::int64_t bytes, int from_layer) {
      if (bytes == 0) return;
      Task task;
      task.resource = "all-reduce " + std::to_string(s);
      task.duration = rounded(all_reduce_seconds(s, static_cast<double>(bytes)));
      task.turn = turn++;
      for (int r = 0; r < replicas(s); ++r)
        task.after.emplace_back(last_.at({s, r}), rounded(pass_seconds(s, r, true, from_layer)));
      add(task);
    };
    std::int64_t all = 0;
    for (int l = stage(s).last - 1; l >= stage(s).first; --l) {
      all += layer(l).parameters.count;
      if (overlap_ == Overlap::layer) reduce(layer(l).parameters.count, l);
    }
    if (overlap_ == Overlap::none) reduce(all, stage(s).first);
  }

  double all_reduce_seconds(int s, double bytes) const {
    std::vector<int> members;
    for (int r = 0; r < replicas(s); ++r) members.push_back(device(s, r));
    std::sort(members.begin(), members.end());
    std::map<int, int> in_node;
    for (const int d : members) ++in_node[node_[static_cast<std::size_t>(d)]];
    const auto ring = [&](const std::vector<int>& nodes, double n) {  // nodes of the ring's members, in order
      double alpha = 0, beta = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int from = nodes[i], to = nodes[(i + 1) % nodes.size()];
        const auto [latency, bandwidth] = path(from, to, in_node.at(from), in_node.at(to));
        alpha = std::max(alpha, latency);
        beta = std::min(beta, bandwidth);
      }
      return 2 * (n - 1) * (alpha + bytes / (n * beta));
    };
    std::vector<int> flat, over;
    double p = 0, inside = 0, alpha = 0, beta = std::numeric_limits<double>::infinity();
    for (const int d : members) flat.push_back(node_[static_cast<std::size_t>(d)]);
    for (const auto& [n, count] : in_node) {
      over.push_back(n);
      p = std::max(p, static_cast<double>(count));
      if (count < 2) continue;
      alpha = std::max(alpha, path(n, n, 1, 1).first);
      beta = std::min(beta, path(n, n, 1, 1).second);
    }
    if (p > 1) inside = 2 * (p - 1) * (alpha + bytes / (p * beta));
    const double k = static_cast<double>(over.size());
    const double hierarchical = inside + (k > 1 ? ring(over, k) : 0);
    return reached(std::min(ring(flat, static_cast<double>(flat.size())), hierarchical), k > 1);
  }

  // --- time

  /// Returns when all inputs of a task are complete; the largest value while one has not started.
  std::int64_t ready_at(const Task& task) const {
    std::int64_t ready = 0;
    for (const auto& [id, part] : task.after) {
      const Task& before = tasks_[static_cast<std::size_t>(id)];
      if (before.start < 0) return std::numeric_limits<std::int64_t>::max();
      ready = std::max(ready, part < 0 ? before.end() : before.start + part);
    }
    return ready;
  }

  /// Returns the task that its idle resource takes at `now`, or -1.
  int choice(const std::vector<int>& members, std::int64_t now) const {
    int best = -1;
    for (const int id : members) {
      const Task& task = tasks_[static_cast<std::size_t>(id)];
      if (task.start >= 0) {
        if (task.end() > now) return -1;
        continue;
      }
      if (task.turn >= 0) return ready_at(task) <= now ? id : -1;
      if (ready_at(task) > now) continue;
      if (best < 0) best = id;
      const Task& other = tasks_[static_cast<std::size_t>(best)];
      if (std::make_pair(ready_at(task), task.tie) < std::make_pair(ready_at(other), other.tie)) best = id;
    }
    return best;
  }

  std::int64_t step_through() {
    std::map<std::string, std::vector<int>> members;
    for (std::size_t i = 0; i < tasks_.size(); ++i) members[tasks_[i].resource].push_back(static_cast<int>(i));
    std::int64_t now = 0, latest = 0;
    while (true) {
      for (const auto& [resource, list] : members)
        if (const int id = choice(list, now); id >= 0) {
          tasks_[static_cast<std::size_t>(id)].start = now;
          latest = std::max(latest, tasks_[static_cast<std::size_t>(id)].end());
        }
      std::int64_t next = std::numeric_limits<std::int64_t>::max();
      for (const Task& task : tasks_) {
        if (task.start < 0) {
          const std::int64_t ready = ready_at(task);
          if (ready > now) next = std::min(next, ready);
        } else if (task.end() > now) {
          next = std::min(next, task.end());
        }
      }
      if (next == std::numeric_limits<std::int64_t>::max()) return latest;
      now = next;
    }
  }

  const Profile& profile_;
  const Cluster& cluster_;
  const Plan& plan_;
  Overlap overlap_;
  HardwareEfficiency efficiency_{};
  std::vector<int> node_;                 // of a device
  std::vector<std::vector<int>> owners_;  // by stage and sample
  std::vector<Task> tasks_;
  std::map<Key, int> tasks_of_;
  std::map<std::pair<int, int>, int> last_;  // last backward by stage and replica
};

}  // namespace

std::int64_t reference_iteration(const Problem& problem, const Plan& plan) { return Reference(problem, plan).run(); }

}  // namespace pipedeck::test
