// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/dapple/dapple_enumeration.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "core/model/cluster.hpp"
#include "core/plan/cuts.hpp"
#include "tests/core/planner/plan_enumeration.hpp"

namespace pipedeck {

namespace {

class Enumerator {
 public:
  Enumerator(const Problem& problem, int micro_batch, const DappleEnumeration& options,
             const std::function<void(const Plan&)>& each)
      : options_(options), each_(each), layers_(static_cast<int>(problem.profile->layers.size())) {
    plan_ = plan_without_stages(problem, "dapple", micro_batch);
    const std::vector<LayerId> order = topological_order(*problem.profile);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (order[i] != LayerId(i)) plan_.order = order;
    const std::vector<Device> devices = devices_of(*problem.cluster);
    free_.resize(problem.cluster->nodes.size());
    for (std::size_t d = 0; d < devices.size(); ++d) free_[devices[d].node.index()].push_back(DeviceId(d));
    used_.resize(free_.size(), false);
  }

  void run() { add_stage(0); }

 private:
  using Free = std::vector<std::vector<DeviceId>>;  // of every node, in order

  void add_stage(int first) {
    if (first == layers_) {
      const bool idle = std::any_of(free_.begin(), free_.end(), [](const auto& node) { return !node.empty(); });
      if (idle && !options_.allow_idle) return;
      plan_.warmup_counts = std::vector<int>(plan_.stages.size(), 1);
      return each_(plan_);
    }
    const std::array orders{fill(false), fill(true), scatter()};
    for (int wanted = 1; wanted <= plan_.micro_batch / options_.slice; ++wanted) {
      std::set<std::vector<DeviceId>> teams;  // the policies often take equal devices
      for (const auto& order : orders) {
        if (static_cast<int>(order.size()) < wanted) continue;
        std::vector<DeviceId> team(order.begin(), order.begin() + wanted);
        std::sort(team.begin(), team.end());
        teams.insert(std::move(team));
      }
      for (const auto& team : teams) take(team, first);
    }
  }

  /// Returns all free devices, those of nodes (not) in use before the others.
  std::vector<DeviceId> fill(bool used_first) const {
    std::vector<DeviceId> order;
    for (const bool used : {used_first, !used_first})
      for (std::size_t n = 0; n < free_.size(); ++n)
        if (used_[n] == used) order.insert(order.end(), free_[n].begin(), free_[n].end());
    return order;
  }

  /// Returns one device of each used node in turn, then likewise of the others.
  std::vector<DeviceId> scatter() const {
    std::vector<DeviceId> order;
    std::size_t most = 0;
    for (const auto& node : free_) most = std::max(most, node.size());
    for (const bool used : {true, false})
      for (std::size_t round = 0; round < most; ++round)
        for (std::size_t n = 0; n < free_.size(); ++n)
          if (used_[n] == used && round < free_[n].size()) order.push_back(free_[n][round]);
    return order;
  }

  void take(const std::vector<DeviceId>& devices, int first) {
    const Free free = free_;
    const std::vector<bool> used = used_;
    for (std::size_t n = 0; n < free_.size(); ++n) {
      const auto mine = [&](DeviceId device) { return std::binary_search(devices.begin(), devices.end(), device); };
      if (std::erase_if(free_[n], mine) > 0) used_[n] = true;
    }
    for (int last = first + 1; last <= layers_; ++last) {
      Stage stage;
      stage.first = first, stage.last = last, stage.devices = devices;
      stage.recompute.all = options_.recompute;
      plan_.stages.push_back(std::move(stage));
      add_stage(last);
      plan_.stages.pop_back();
    }
    free_ = free;
    used_ = used;
  }

  DappleEnumeration options_;
  const std::function<void(const Plan&)>& each_;
  int layers_;
  Plan plan_;
  Free free_;
  std::vector<bool> used_;
};

}  // namespace

void enumerate_dapple(const Problem& problem, int micro_batch, const DappleEnumeration& options,
                      const std::function<void(const Plan&)>& each) {
  Enumerator(problem, micro_batch, options, each).run();
}

}  // namespace pipedeck
