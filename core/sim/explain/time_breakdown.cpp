// SPDX-License-Identifier: Apache-2.0
#include "core/sim/explain/time_breakdown.hpp"

#include <algorithm>
#include <array>

#include "core/sim/engine_plan.hpp"
#include "core/sim/simulation_size.hpp"

namespace pipedeck::sim::explain {
namespace {

/// Links without latency and of bandwidth beyond measure.
Result<costs::SimulatorInputs> without_network(const costs::SimulatorInputs& inputs) {
  const Link free{BytesPerSecond(1e30), Seconds()};
  Cluster cluster = *inputs.cluster;
  for (Node& node : cluster.nodes) node.link = free;
  for (NetworkLink& link : cluster.links) link.link = free;
  if (cluster.bandwidth_matrix)
    for (auto& row : *cluster.bandwidth_matrix)
      for (BytesPerSecond& bandwidth : row) bandwidth = free.bandwidth;
  Result<cost::Network> network = cost::Network::of(cluster);
  if (!network) return tl::unexpected(network.error());
  costs::SimulatorInputs out = inputs;
  out.cluster = std::make_shared<const Cluster>(std::move(cluster));
  out.network = std::move(*network);
  return out;
}

/// Forward and backward passes of an iteration on the average device and on the busiest, ns.
struct PassTimes {
  std::int64_t mean = 0, most = 0;
};

std::int64_t pass_duration(const engine::EngineInput& run, const costs::LaneCosts& lane, const Operation& operation) {
  if (operation.kind == OpKind::recompute) return 0;
  const int copy = run.schedule.copy_of(operation.micro_batch);
  for (const std::size_t w : lane.workers) {
    const costs::StageReplicaCosts& worker = run.costs.workers[w];
    if (lane.workers.size() == 1 || (worker.stage == operation.stage.value && worker.copy == copy))
      return worker.duration[static_cast<std::size_t>(operation.kind)];
  }
  return 0;
}

/// An asynchronous run has more micro-batches than an iteration.
PassTimes pass_times(const engine::EngineInput& run) {
  const double share = static_cast<double>(run.plan.global_batch) /
                       (static_cast<double>(run.plan.micro_batch) * run.schedule.micro_batches);
  std::int64_t sum = 0, devices = 0;
  PassTimes times;
  for (const costs::LaneCosts& lane : run.costs.lanes) {
    const auto order = std::find_if(run.schedule.lanes.begin(), run.schedule.lanes.end(),
                                    [&](const DeviceLane& known) { return known.device == lane.devices.front(); });
    std::int64_t own = 0;
    for (int i = 0; i < operation_count(order->order); ++i)
      own += pass_duration(run, lane, operation_at(order->order, i));
    if (!run.schedule.synchronous) own = static_cast<std::int64_t>(static_cast<double>(own) * share);
    sum += own * static_cast<std::int64_t>(lane.devices.size());
    devices += static_cast<std::int64_t>(lane.devices.size());
    times.most = std::max(times.most, own);
  }
  times.mean = sum / devices;
  return times;
}

/// A plan from which one thing after another is left out. Its lists stay.
class AblatedCosts {
 public:
  AblatedCosts(const costs::SimulatorInputs& inputs, const costs::SimulatorInputs& no_network, const Plan& plan,
               EnginePlan prepared, std::stop_token stop)
      : inputs_(inputs), no_network_(no_network), plan_(plan), prepared_(std::move(prepared)), stop_(std::move(stop)) {}

  engine::EngineInput run() const { return prepared_.run_of(inputs_, plan_, false); }

  Result<Nanoseconds> iteration() {
    prepared_.apply_overlap_slowdown(inputs_, plan_, stop_);  // what is left out slows nothing down
    const Result<engine::Trace> trace = run_to_end(run(), stop_);
    if (!trace) return tl::unexpected(trace.error());
    return iteration_of(run(), window_of(run(), *trace));
  }

  void leave_out_all_reduces() {
    for (costs::StageCosts& stage : prepared_.costs.stages) stage.reductions.clear();
    renew_flows(inputs_);
  }
  void leave_out_transfers() {
    prepared_.channels = costs::channels_of(no_network_, plan_, prepared_.costs);
    renew_flows(no_network_);
  }
  void leave_out_tensor_parallel() {
    const costs::PlanCosts costs = costs::plan_costs(no_network_, plan_);
    for (std::size_t w = 0; w < costs.workers.size(); ++w)
      prepared_.costs.workers[w].duration = costs.workers[w].duration;
  }
  void leave_out_optimizer() {
    for (costs::StageReplicaCosts& worker : prepared_.costs.workers)
      std::fill(worker.optimizer.begin(), worker.optimizer.end(), 0);
  }
  void leave_out_recompute() {
    for (costs::StageReplicaCosts& worker : prepared_.costs.workers)
      worker.duration[static_cast<std::size_t>(OpKind::recompute)] = 0;
  }

 private:
  void renew_flows(const costs::SimulatorInputs& inputs) {
    if (prepared_.flows) prepared_.flows = network::shared_flows(inputs, plan_, prepared_.costs, prepared_.channels);
  }

  const costs::SimulatorInputs& inputs_;
  const costs::SimulatorInputs& no_network_;
  const Plan& plan_;
  EnginePlan prepared_;
  std::stop_token stop_;
};

}  // namespace

Result<TimeBreakdown> time_breakdown(const Simulator& simulator, const Plan& plan, std::stop_token stop) {
  if (Result<void> small = check_size(plan, false); !small) return tl::unexpected(small.error());
  Result<EnginePlan> prepared = prepare(simulator.inputs(), plan, stop);
  if (!prepared) return tl::unexpected(prepared.error());
  const Result<costs::SimulatorInputs> no_network = without_network(simulator.inputs());
  if (!no_network) return tl::unexpected(no_network.error());
  AblatedCosts stripped(simulator.inputs(), *no_network, plan, *std::move(prepared), std::move(stop));

  TimeBreakdown parts;
  Result<Nanoseconds> before = stripped.iteration();
  if (!before) return tl::unexpected(before.error());
  constexpr std::array<std::pair<TimePart, void (AblatedCosts::*)()>, 5> steps{
      {{TimePart::all_reduce, &AblatedCosts::leave_out_all_reduces},
       {TimePart::point_to_point, &AblatedCosts::leave_out_transfers},
       {TimePart::tensor_parallel, &AblatedCosts::leave_out_tensor_parallel},
       {TimePart::optimizer, &AblatedCosts::leave_out_optimizer},
       {TimePart::recompute, &AblatedCosts::leave_out_recompute}}};
  for (const auto& [part, leave_out] : steps) {
    (stripped.*leave_out)();
    const Result<Nanoseconds> after = stripped.iteration();
    if (!after) return tl::unexpected(after.error());
    parts[part] = *before - *after;
    before = after;
  }
  const PassTimes passes = pass_times(stripped.run());
  parts[TimePart::compute] = Nanoseconds(passes.mean);
  parts[TimePart::imbalance] = Nanoseconds(passes.most - passes.mean);
  parts[TimePart::bubble] = *before - Nanoseconds(passes.most);
  return parts;
}

}  // namespace pipedeck::sim::explain
