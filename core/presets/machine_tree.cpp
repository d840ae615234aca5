// SPDX-License-Identifier: Apache-2.0
#include "core/presets/machine_tree.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/quantity_text.hpp"

namespace pipedeck::presets {
namespace {

const Seconds switch_latency(1e-6);  // of a hop from switch to switch, assumed

std::map<std::string, int> sizes_of(const std::vector<DetectedMachine>& machines) {
  std::map<std::string, int> sizes;
  for (const DetectedMachine& machine : machines)
    for (const std::string& partition : machine.partitions) ++sizes[partition];
  return sizes;
}

std::string listed(const std::map<std::string, int>& sizes) {
  constexpr std::size_t most = 12;
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, machines] : sizes) {
    if (++count > most) return fmt::format("{} and {} more", text, sizes.size() - most);
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, machines);
  }
  return text;
}

/// Switches from the leaves up: what each has below it, and what of it is there.
class TreeBuilder {
 public:
  TreeBuilder(Cluster& cluster, const std::vector<FoundSwitch>& tree, const std::vector<BytesPerSecond>& networks,
              Seconds latency, std::optional<BytesPerSecond> uplink)
      : cluster_(cluster), tree_(tree), networks_(networks), latency_(latency), uplink_(uplink) {
    for (std::size_t i = 0; i < tree.size(); ++i) position_[tree[i].name] = i;
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
      node_[cluster.nodes[n].name] = n;
      taken_.insert(cluster.nodes[n].name);
    }
  }

  /// How many trees there are.
  int build() {
    std::set<std::string> below;
    for (const FoundSwitch& found : tree_) below.insert(found.switches.begin(), found.switches.end());
    int roots = 0;
    for (const FoundSwitch& found : tree_)
      if (!below.contains(found.name) && !add(found).name.empty()) ++roots;
    return roots;
  }
  bool joined_switches() const { return joined_switches_; }

 private:
  struct Added {
    std::string name;  ///< of the switch in the cluster; empty: nothing hangs below it
    BytesPerSecond below;
  };

  /// As deep as the tree, which its reader bounds.
  Added add(const FoundSwitch& found) {
    std::vector<NetworkLink> links;
    Added made;
    for (const std::string& machine : found.machines) {
      const auto node = node_.find(machine);
      if (node == node_.end()) continue;
      links.push_back({machine, {}, Link{networks_[node->second], latency_}});
      made.below += networks_[node->second];
    }
    for (const std::string& name : found.switches) {
      const Added child = add(tree_[position_.at(name)]);
      if (child.name.empty()) continue;
      joined_switches_ = true;
      links.push_back({child.name, {}, Link{uplink_.value_or(child.below), switch_latency}});
      made.below += child.below;
    }
    if (links.empty()) return {};
    made.name = free_name(found.name);
    cluster_.switches.push_back({made.name});
    for (NetworkLink& link : links) {
      link.to = made.name;
      cluster_.links.push_back(std::move(link));
    }
    return made;
  }

  /// Nodes and switches share one set of names in a cluster.
  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i)
      name = fmt::format("{}-switch{}", wanted, i == 2 ? "" : std::to_string(i));
    return name;
  }

  Cluster& cluster_;
  const std::vector<FoundSwitch>& tree_;
  const std::vector<BytesPerSecond>& networks_;
  Seconds latency_;
  std::optional<BytesPerSecond> uplink_;
  std::map<std::string, std::size_t> position_, node_;
  std::set<std::string> taken_;
  bool joined_switches_ = false;
};

}  // namespace

std::string partitions_text(const std::vector<DetectedMachine>& machines) {
  const auto sizes = sizes_of(machines);
  return sizes.size() < 2 ? std::string()
                          : fmt::format("All partitions are taken, with their machines: {}", listed(sizes));
}

Result<std::vector<DetectedMachine>> machines_of_partition(std::vector<DetectedMachine> machines,
                                                           const std::string& partition) {
  const auto sizes = sizes_of(machines);
  if (sizes.empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("found the partition '{}', expected none: the machines have no partitions", partition));
  if (!sizes.contains(partition))
    return fail(ErrorCode::bad_usage,
                fmt::format("found no partition '{}' with GPUs, expected one of: {}", partition, listed(sizes)));
  std::erase_if(machines, [&](const DetectedMachine& machine) {
    return std::ranges::find(machine.partitions, partition) == machine.partitions.end();
  });
  return machines;
}

std::vector<DetectedMachine> machines_of_tree(std::vector<DetectedMachine> machines,
                                              const std::vector<FoundSwitch>& tree, ImportMessages& notes) {
  std::set<std::string> below;
  for (const FoundSwitch& found : tree) below.insert(found.machines.begin(), found.machines.end());
  const std::size_t all = machines.size();
  std::erase_if(machines, [&](const DetectedMachine& machine) { return !below.contains(machine.name); });
  if (machines.size() < all)
    notes.add(fmt::format("Machines below no switch were left out: {}", all - machines.size()));
  return machines;
}

void add_switch_tree(Cluster& cluster, const std::vector<FoundSwitch>& tree,
                     const std::vector<BytesPerSecond>& networks, Seconds latency, std::optional<BytesPerSecond> uplink,
                     ImportMessages& notes) {
  TreeBuilder builder(cluster, tree, networks, latency, uplink);
  const int roots = builder.build();
  if (builder.joined_switches() && !uplink)
    notes.assume("Links between switches are assumed to carry everything below them at once");
  if (builder.joined_switches())
    notes.assume(fmt::format("A latency of {:.0f} µs is assumed between switches", in_microseconds(switch_latency)));
  if (roots > 1)
    notes.add(fmt::format("The switches form {} trees that nothing joins: no plan reaches over them", roots));
}

}  // namespace pipedeck::presets
