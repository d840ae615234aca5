// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/plan_enumeration.hpp"

#include "core/cost/network.hpp"
#include "core/model/profile.hpp"

namespace pipedeck {

namespace {

using Set = unsigned;  ///< of layers, or of devices: a bit each

class Enumeration {
 public:
  Enumeration(const Problem& problem, const std::function<void(const Plan&)>& each)
      : problem_(problem), each_(each), network_(*cost::Network::of(*problem.cluster, problem.workload.conventions)) {
    for (const Edge& edge : edges_of(*problem.profile)) edges_.push_back(edge);
    for (Set set = 0; set < Set{1} << problem.profile->layers.size(); ++set)
      if (closed(set)) closed_.push_back(set);
  }

  void run() {
    for (int size = 1; size <= problem_.workload.global_batch; ++size) {
      if (problem_.workload.global_batch % size != 0) continue;
      plan_ = plan_without_stages(problem_, "enumeration", size);
      add_stages(0, 0);
    }
  }

 private:
  bool closed(Set set) const {
    for (const Edge& edge : edges_)
      if ((set >> edge.to.value & 1) != 0 && (set >> edge.from.value & 1) == 0) return false;
    return true;
  }

  /// Adds every further pipeline after these layers, on unused devices.
  void add_stages(Set done, Set used) {
    if (done == closed_.back()) return with_schedules();
    for (const Set next : closed_)
      if (next != done && (next & done) == done)
        for (Set team = 1; team < Set{1} << network_.device_count(); ++team)
          if ((team & used) == 0 && in_order(team, used)) add_stage(done, next, team, used);
  }

  void add_stage(Set done, Set next, Set team, Set used) {
    Stage stage;
    for (int d = 0; d < network_.device_count(); ++d)
      if ((team >> d & 1) != 0) stage.devices.push_back(DeviceId(d));
    if (stage.replicas() > plan_.micro_batch) return;
    const std::vector<LayerId> before = order_;
    stage.first = static_cast<int>(order_.size());
    while (done != next)
      for (std::size_t i = 0; i < problem_.profile->layers.size(); ++i)
        if ((next >> i & 1) != 0 && (done >> i & 1) == 0 && closed(done | Set{1} << i))
          order_.push_back(LayerId(i)), done |= Set{1} << i;
    stage.last = static_cast<int>(order_.size());
    plan_.stages.push_back(stage);
    add_stages(next, used | team);
    plan_.stages.pop_back();
    order_ = before;
  }

  /// Returns true if each device follows the equal device before it on its node, which this stage or an earlier one
  /// must have.
  bool in_order(Set team, Set used) const {
    for (int d = 1; d < network_.device_count(); ++d) {
      const Device &mine = network_.device(DeviceId(d)), &other = network_.device(DeviceId(d - 1));
      if ((team >> d & 1) != 0 && mine.node == other.node && mine.type == other.type &&
          ((team | used) >> (d - 1) & 1) == 0)
        return false;
    }
    return true;
  }

  void with_schedules() {
    plan_.order = order_;
    bool listed = true;
    for (std::size_t p = 0; p < order_.size(); ++p) listed &= order_[p] == LayerId(p);
    if (listed) plan_.order.reset();
    plan_.schedule = ScheduleKind::gpipe;
    each_(plan_);
    plan_.schedule = ScheduleKind::one_f_one_b;
    for (const Warmup warmup : {Warmup::A, Warmup::B}) {
      plan_.warmup = warmup;
      each_(plan_);
    }
  }

  const Problem& problem_;
  const std::function<void(const Plan&)>& each_;
  cost::Network network_;
  std::vector<Edge> edges_;
  std::vector<Set> closed_;
  std::vector<LayerId> order_;  ///< of the stages so far
  Plan plan_;
};

}  // namespace

Plan plan_without_stages(const Problem& problem, const std::string& planner, int micro_batch) {
  Plan plan;
  plan.planner = planner;
  plan.global_batch = problem.workload.global_batch;
  plan.micro_batch = micro_batch;
  plan.micro_batches = plan.global_batch / micro_batch;
  plan.optimizer = problem.workload.optimizer;
  plan.precision = problem.workload.precision;
  plan.zero = problem.workload.zero;
  return plan;
}

void every_synchronous_plan(const Problem& problem, const std::function<void(const Plan&)>& each) {
  Enumeration(problem, each).run();
}

}  // namespace pipedeck
