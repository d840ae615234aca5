// SPDX-License-Identifier: Apache-2.0
#include "core/study/reasons.hpp"

#include <algorithm>
#include <limits>

#include "core/cost/all_reduce.hpp"
#include "core/cost/compute.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/sim/costs/plan_costs.hpp"

namespace pipedeck::study {
namespace {

class Reasons {
 public:
  Reasons(const sim::costs::SimulatorInputs& inputs, const Plan& plan, const Simulation& simulation)
      : inputs_(inputs), plan_(plan), simulation_(simulation) {}

  PlanReasons all() const {
    PlanReasons reasons;
    reasons.replicas = replicas();
    reasons.replication = replication();
    reasons.widest_cut = widest_cut();
    reasons.balance = balance();
    reasons.ideal_bubble = ideal_bubble();
    for (std::size_t s = 0; s < plan_.stages.size(); ++s)
      if (plan_.stages[s].recompute.any()) reasons.recomputed.push_back(static_cast<int>(s));
    return reasons;
  }

 private:
  bool within_one_node(const Stage& stage) const {
    return std::ranges::all_of(stage.devices, [&](DeviceId d) {
      return inputs_.network.node_of(d) == inputs_.network.node_of(stage.devices.front());
    });
  }

  std::optional<ReplicaPlace> replicas() const {
    const bool replicated = std::ranges::any_of(plan_.stages, [](const Stage& s) { return s.replicas() > 1; });
    if (plan_.stages.size() < 2 || !replicated) return std::nullopt;
    const bool inside = std::ranges::all_of(plan_.stages, [&](const Stage& s) { return within_one_node(s); });
    return inside ? ReplicaPlace::within_nodes : ReplicaPlace::across_nodes;
  }

  std::optional<ReplicationReason> replication() const {
    if (adapters_of(plan_).rank > 0) return std::nullopt;  // replicas would reduce the adapters' gradients alone
    const std::vector<DeviceId> used = devices_used(plan_);
    plan::Weights weights;
    for (const Layer& layer : inputs_.profile->layers) weights += plan::weights_of(layer);
    const auto parts = cost::AllReduce(inputs_.network, used, inputs_.conventions.collectives).parts(weights.all);
    if (parts.empty()) return std::nullopt;
    ReplicationReason reason{weights.all, static_cast<int>(used.size()), {}, parts.front().rate, waiting()};
    for (const cost::AllReducePart& part : parts) {
      reason.all_reduce += part.time;
      reason.narrowest = std::min(reason.narrowest, part.rate);
    }
    return reason;
  }

  Seconds waiting() const {
    const auto count = std::max<std::size_t>(simulation_.devices.size(), 1);
    return Seconds(to_seconds(simulation_.idle.waiting_all_reduce).count / static_cast<double>(count));
  }

  std::optional<Bytes> widest_cut() const {
    if (plan_.stages.size() < 2) return std::nullopt;
    const bool listed = !plan_.order || *plan_.order == inputs_.list_order;
    const std::vector<Bytes> cuts = listed ? inputs_.list_cuts : plan::boundary_bytes(*inputs_.profile, *plan_.order);
    Bytes widest;
    for (std::size_t s = 1; s < plan_.stages.size(); ++s)
      widest = std::max(widest, cuts[static_cast<std::size_t>(plan_.stages[s].first)]);
    return cost::scale_bytes(widest, plan_.micro_batch, inputs_.profile->micro_batch);
  }

  /// Returns the busy time of the busiest device of each stage.
  std::vector<std::int64_t> stage_busy() const {
    std::vector<std::int64_t> of_device(static_cast<std::size_t>(inputs_.network.device_count()), 0);
    for (const SimulatedDevice& simulated : simulation_.devices)
      of_device[simulated.device.index()] = simulated.busy.count;
    std::vector<std::int64_t> busy;
    for (const Stage& stage : plan_.stages) {
      std::int64_t most = 0;
      for (const DeviceId device : stage.devices) most = std::max(most, of_device[device.index()]);
      busy.push_back(most);
    }
    return busy;
  }

  std::optional<BalanceReason> balance() const {
    if (plan_.stages.size() < 2 || is_interleaved_on_device(plan_.schedule)) return std::nullopt;
    const std::vector<std::int64_t> busy = stage_busy();
    const auto [least, most] = std::ranges::minmax_element(busy);
    if (*most <= 0) return std::nullopt;
    return BalanceReason{static_cast<int>(most - busy.begin()), static_cast<int>(least - busy.begin()),
                         1 - static_cast<double>(*least) / static_cast<double>(*most)};
  }

  std::optional<double> ideal_bubble() const {
    const auto stages = static_cast<double>(plan_.stages.size());
    const bool known = plan_.schedule == ScheduleKind::gpipe || plan_.schedule == ScheduleKind::one_f_one_b;
    if (!known || stages < 2) return std::nullopt;
    // (S - 1) / (M + S - 1) with S stages, M micro-batches: Huang et al., GPipe, section 2.3.
    return (stages - 1) / (plan_.micro_batches + stages - 1);
  }

  const sim::costs::SimulatorInputs& inputs_;
  const Plan& plan_;
  const Simulation& simulation_;
};

}  // namespace

PlanReasons reasons_of(const sim::Simulator& simulator, const Plan& plan, const Simulation& simulation) {
  return Reasons(simulator.inputs(), plan, simulation).all();
}

}  // namespace pipedeck::study
