// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/moves.hpp"

#include <algorithm>
#include <set>

#include "core/planner/joint/parts.hpp"

namespace pipedeck::planner::joint {

namespace {

using Part = JointStage;
using Parts = Stages;
using Group = JointStage::Group;

constexpr int max_devices_by_node = 128;  // devices; beyond it, devices of one type count as equal on all nodes
constexpr std::size_t few_stages = 6;     // up to this number, any two stages exchange devices

class Neighbours {
 public:
  Neighbours(JointCosts& costs, const Plan& plan, const std::vector<int>& sizes)
      : costs_(costs), network_(costs.chain().network()), plan_(plan), sizes_(sizes), parts_(stages_of(plan)) {
    const std::vector<DeviceId> used = devices_used(plan);
    for (int d = 0; d < network_.device_count(); ++d)
      if (!std::binary_search(used.begin(), used.end(), DeviceId(d))) idle_.push_back(DeviceId(d));
  }

  std::vector<Plan> run() {
    move_cuts();
    for (std::size_t s = 0; s < parts_.size(); ++s) {
      give(s);
      use_unused(s);
      drop(s);
      split(s);
      exchange(s);
      split_by_columns(s);
      recompute(s);
      even_shares(s);
    }
    merge();
    other_sizes();
    return std::move(found_);
  }

 private:
  // --- making plans

  void add(const Parts& parts) {
    if (auto plan = plan_with(costs_, plan_, parts, plan_.micro_batch)) found_.push_back(std::move(*plan));
  }

  /// Adds the plan with these layers and with rebalanced ones.
  void add_balanced(Parts parts) {
    add(parts);
    if (balance_joint(costs_, plan_, parts)) add(parts);
  }

  // --- equal devices

  std::vector<int> signature(const Group& group) const {
    std::vector<int> word;
    for (const DeviceId device : group) {
      if (network_.device_count() <= max_devices_by_node) word.push_back(network_.node_of(device).value);
      word.push_back(network_.device(device).type);
    }
    return word;
  }

  /// Returns one replica of each kind, the last one.
  std::vector<std::size_t> kinds(const Part& part) const {
    std::set<std::vector<int>> seen;
    std::vector<std::size_t> found;
    for (std::size_t g = part.groups.size(); g-- > 0;)
      if (seen.insert(signature(part.groups[g])).second) found.push_back(g);
    return found;
  }

  bool near(std::size_t s, std::size_t t) const { return parts_.size() <= few_stages || s + 1 == t || t + 1 == s; }

  // --- moves

  void move_cuts() {
    for (std::size_t s = 0; s + 1 < parts_.size(); ++s)
      for (const int by : {-1, 1, -2, 2, -4, 4, -8, 8}) {
        Parts parts = parts_;
        parts[s].last += by;
        parts[s + 1].first += by;
        add(parts);
      }
  }

  void give(std::size_t s) {
    if (parts_[s].groups.size() < 2) return;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      if (t == s || !near(s, t) || parts_[t].degree != parts_[s].degree) continue;
      for (const std::size_t g : kinds(parts_[s])) {
        Parts parts = parts_;
        parts[t].groups.push_back(parts[s].groups[g]);
        parts[s].groups.erase(parts[s].groups.begin() + static_cast<std::ptrdiff_t>(g));
        add_balanced(std::move(parts));
      }
    }
  }

  /// Returns groups of idle devices, one per kind, each as large as a replica.
  std::vector<Group> unused_groups(int degree) const {
    std::vector<Group> found;
    std::set<std::vector<int>> seen;
    for (std::size_t i = 0; i + static_cast<std::size_t>(degree) <= idle_.size(); ++i) {
      Group group(idle_.begin() + static_cast<std::ptrdiff_t>(i),
                  idle_.begin() + static_cast<std::ptrdiff_t>(i) + degree);
      if (seen.insert(signature(group)).second) found.push_back(std::move(group));
    }
    return found;
  }

  void use_unused(std::size_t s) {
    for (const Group& group : unused_groups(parts_[s].degree)) {
      Parts parts = parts_;
      parts[s].groups.push_back(group);
      add_balanced(parts);
      for (const std::size_t g : kinds(parts_[s])) {
        if (signature(group) == signature(parts_[s].groups[g])) continue;
        parts = parts_;
        parts[s].groups[g] = group;
        add_balanced(std::move(parts));
      }
    }
  }

  void drop(std::size_t s) {
    if (parts_[s].groups.size() < 2) return;
    for (const std::size_t g : kinds(parts_[s])) {
      Parts parts = parts_;
      parts[s].groups.erase(parts[s].groups.begin() + static_cast<std::ptrdiff_t>(g));
      add_balanced(std::move(parts));
    }
  }

  void split(std::size_t s) {
    const Part& part = parts_[s];
    const std::size_t count = part.groups.size();
    if (part.last - part.first < 2) return;
    for (const std::size_t front : std::set<std::size_t>{1, count / 2, count - count / 2, count - 1}) {
      if (front == 0 || front >= count) continue;
      const std::ptrdiff_t cut = static_cast<std::ptrdiff_t>(front);
      split_with(s, {part.groups.begin(), part.groups.begin() + cut}, {part.groups.begin() + cut, part.groups.end()});
    }
    for (const Group& group : unused_groups(part.degree)) {
      split_with(s, part.groups, {group});
      split_with(s, {group}, part.groups);
    }
  }

  void split_with(std::size_t s, std::vector<Group> front, std::vector<Group> back) {
    Parts parts = parts_;
    const int layers = parts[s].last - parts[s].first;
    const int share = static_cast<int>(front.size()) * layers / static_cast<int>(front.size() + back.size());
    Part behind = parts[s];
    behind.groups = std::move(back);
    parts[s].groups = std::move(front);
    behind.first = parts[s].last = parts[s].first + std::clamp(share, 1, layers - 1);
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(s) + 1, std::move(behind));
    add_balanced(std::move(parts));
  }

  void merge() {
    for (std::size_t s = 0; s + 1 < parts_.size(); ++s) {
      if (parts_[s].degree != parts_[s + 1].degree) continue;
      Parts parts = parts_;
      parts[s].last = parts[s + 1].last;
      parts[s].groups.insert(parts[s].groups.end(), parts[s + 1].groups.begin(), parts[s + 1].groups.end());
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(s) + 1);
      add_balanced(std::move(parts));
    }
  }

  /// Exchanges all devices of two stages, or one replica of each.
  void exchange(std::size_t s) {
    for (std::size_t t = s + 1; t < parts_.size(); ++t) {
      if (!near(s, t)) continue;
      if (parts_[s].groups.size() != parts_[t].groups.size() || !alike(parts_[s], parts_[t])) {
        Parts parts = parts_;
        std::swap(parts[s].groups, parts[t].groups);
        std::swap(parts[s].degree, parts[t].degree);
        add_balanced(std::move(parts));
      }
      if (parts_[s].degree != parts_[t].degree) continue;
      for (const std::size_t a : kinds(parts_[s]))
        for (const std::size_t b : kinds(parts_[t])) {
          if (signature(parts_[s].groups[a]) == signature(parts_[t].groups[b])) continue;
          Parts parts = parts_;
          std::swap(parts[s].groups[a], parts[t].groups[b]);
          add_balanced(std::move(parts));
        }
    }
  }

  bool alike(const Part& a, const Part& b) const {
    std::multiset<std::vector<int>> left, right;
    for (const Group& group : a.groups) left.insert(signature(group));
    for (const Group& group : b.groups) right.insert(signature(group));
    return left == right;
  }

  void split_by_columns(std::size_t s) {
    std::set<int> degrees{1};
    for (const TensorParallelPoint& point : costs_.chain().profile().layers.front().tensor_parallel)
      degrees.insert(point.degree);
    const int devices = static_cast<int>(parts_[s].groups.size()) * parts_[s].degree;
    for (const int degree : degrees) {
      if (degree == parts_[s].degree || devices % degree != 0) continue;
      Parts parts = parts_;
      Group all;
      for (const Group& group : parts[s].groups) all.insert(all.end(), group.begin(), group.end());
      parts[s].groups.clear();
      parts[s].degree = degree;
      for (int d = 0; d < devices; d += degree) parts[s].groups.emplace_back(all.begin() + d, all.begin() + d + degree);
      add_balanced(std::move(parts));
    }
  }

  /// Switches recomputation if memory limits the plan, or some stage recomputes already.
  void recompute(std::size_t s) {
    const bool any = std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.recompute; });
    if (!plan_.synchronous() || (!plan_.warmup_counts && !any)) return;
    Parts parts = parts_;
    parts[s].recompute = !parts[s].recompute;
    add_balanced(parts);
    for (Part& part : parts) part.recompute = parts[s].recompute;
    if (s == 0) add_balanced(std::move(parts));
  }

  void even_shares(std::size_t s) {
    if (!plan_.stages[s].samples_per_replica) return;
    auto plan = plan_with(costs_, plan_, parts_, plan_.micro_batch);
    if (!plan) return;
    plan->stages[s].samples_per_replica.reset();
    found_.push_back(std::move(*plan));
  }

  void other_sizes() {
    if (!plan_.synchronous()) return;
    const auto here = std::find(sizes_.begin(), sizes_.end(), plan_.micro_batch) - sizes_.begin();
    for (const std::ptrdiff_t by : {-2, -1, 1, 2}) {
      const std::ptrdiff_t other = here + by;
      if (other < 0 || other >= static_cast<std::ptrdiff_t>(sizes_.size())) continue;
      if (auto plan = plan_with(costs_, plan_, parts_, sizes_[static_cast<std::size_t>(other)]))
        found_.push_back(std::move(*plan));
    }
  }

  JointCosts& costs_;
  const cost::Network& network_;
  const Plan& plan_;
  const std::vector<int>& sizes_;
  Parts parts_;
  std::vector<DeviceId> idle_;
  std::vector<Plan> found_;
};

}  // namespace

std::vector<Plan> joint_neighbours(JointCosts& costs, const Plan& plan, const std::vector<int>& sizes) {
  return Neighbours(costs, plan, sizes).run();
}

}  // namespace pipedeck::planner::joint
