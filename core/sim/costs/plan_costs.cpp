// SPDX-License-Identifier: Apache-2.0
#include "core/sim/costs/plan_costs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/cost/all_reduce.hpp"
#include "core/cost/compute.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::sim::costs {
namespace {

std::int64_t nanoseconds(double seconds) { return round_to_nanoseconds(Seconds(seconds)).count; }

/// One layer's passes on one replica in seconds, its tensor-parallel all-reduces included; and these alone.
struct Passes {
  double forward = 0, backward = 0, weight = 0;
  double forward_reduced = 0, backward_reduced = 0;
};

class CostBuilder {
 public:
  CostBuilder(const SimulatorInputs& inputs, const Plan& plan)
      : inputs_(inputs), plan_(plan), profile_(*inputs.profile) {
    if (!plan.order || *plan.order == inputs.list_order) {
      order_ = inputs.list_order;
      costs_.cuts = inputs.list_cuts;
    } else {
      order_ = *plan.order;
      costs_.cuts = plan::boundary_bytes(profile_, order_);
    }
  }

  PlanCosts run() {
    costs_.held_cuts = cost::sharded_boundary_bytes(plan_, profile_, order_, costs_.cuts);
    costs_.chunks = stage_copies(plan_);
    copies_ = costs_.chunks.size() / plan_.stages.size();
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) add_stage(s);
    return std::move(costs_);
  }

 private:
  const Layer& layer(int position) const { return profile_.layers[order_[static_cast<std::size_t>(position)].index()]; }

  void add_stage(std::size_t s) {
    const Stage& stage = plan_.stages[s];
    StageCosts costs;
    for (int p = stage.first; p < stage.last; ++p) costs.weights += plan::weights_of(layer(p));
    costs.kept = cost::stage_saved_bytes(plan_, profile_, order_, costs_.held_cuts, StageId(s));
    costs.held = cost::persistent_memory(plan_, cost::stage_weights(plan_, profile_, order_, StageId(s)), StageId(s),
                                         inputs_.conventions);
    costs.reductions = reductions(s);
    costs.first_worker = costs_.workers.size();
    costs_.fitting.push_back(
        cost::max_in_flight_micro_batches(plan_, profile_, inputs_.network, costs.kept, costs.held, StageId(s)));
    add_workers(s, costs);
    costs_.stages.push_back(std::move(costs));
  }

  // --- gradient synchronisation

  bool by_parts() const { return plan_.synchronous() && inputs_.conventions.overlap != Overlap::none; }

  /// How many bytes of gradients are reduced at once.
  Bytes bucket() const {
    if (!by_parts()) return Bytes(std::numeric_limits<std::int64_t>::max());
    return inputs_.conventions.overlap == Overlap::layer ? Bytes(1) : inputs_.conventions.bucket;
  }

  /// In the order in which gradients are done: layers from the last to the first, gathered until a bucket is full.
  /// Nothing to reduce, no all-reduce.
  std::vector<Reduction> reductions(std::size_t s) const {
    const Stage& stage = plan_.stages[s];
    std::vector<Reduction> list;
    if (stage.replicas() < 2 && copies_ < 2) return list;
    const std::vector<cost::AllReduce> ranks = all_reduces(s);
    plan::Weights gathered;
    const auto reduce = [&](int position) {
      if (gathered.all.count > 0) list.push_back({reduction_time(stage, ranks, gathered), position, gathered});
      gathered = {};
    };
    int lowest = stage.first;  // of the layers gathered
    for (int p = stage.last - 1; p >= stage.first; --p) {
      const plan::Weights own = plan::reduced_weights(layer(p));
      if (own.all.count == 0) continue;
      gathered += own;
      lowest = p;
      if (gathered.all >= bucket()) reduce(p);
    }
    reduce(by_parts() ? lowest : stage.first);
    return list;
  }

  const StageCopy& chunk(std::size_t s, std::size_t copy) const { return costs_.chunks[s * copies_ + copy]; }

  std::vector<cost::AllReduce> all_reduces(std::size_t s) const {
    std::vector<cost::AllReduce> ranks;
    for (const std::vector<DeviceId>& group : rank_groups(plan_, costs_, s))
      ranks.emplace_back(inputs_.network, group, inputs_.conventions.collectives);
    return ranks;
  }

  /// The ranks side by side, the slowest counts.
  static std::int64_t reduction_time(const Stage& stage, const std::vector<cost::AllReduce>& ranks,
                                     const plan::Weights& weights) {
    Seconds slowest;
    for (int rank = 0; rank < stage.tensor_parallel; ++rank)
      slowest = std::max(slowest, ranks[static_cast<std::size_t>(rank)].time(plan::share_of(weights, stage, rank)));
    return nanoseconds(slowest.count);
  }

  // --- compute

  void add_workers(std::size_t s, const StageCosts& costs) {
    const Stage& stage = plan_.stages[s];
    const std::vector<int> shares = replica_samples(stage, plan_.micro_batch);
    std::map<ReplicaClass, std::size_t> known;
    for (std::size_t copy = 0; copy < copies_; ++copy) {
      int low = 0;
      for (int r = 0; r < stage.replicas(); ++r) {
        StageReplicaCosts worker = worker_of(s, copy, r);
        // Asynchronous schedules never cut a micro-batch: each replica processes whole ones in turn.
        worker.low = plan_.synchronous() ? low : 0;
        worker.high = plan_.synchronous() ? low + shares[static_cast<std::size_t>(r)] : plan_.micro_batch;
        low = worker.high;
        const auto [like, fresh] = known.try_emplace(replica_class(worker, stage), costs_.workers.size());
        if (fresh)
          add_passes(worker, stage, costs.reductions), add_memory(worker, s);
        else
          copy_passes(costs_.workers[like->second], worker);
        add_optimizer(worker, stage, costs.weights);
        costs_.workers.push_back(std::move(worker));
      }
    }
  }

  StageReplicaCosts worker_of(std::size_t s, std::size_t copy, int replica) {
    const auto degree = static_cast<std::size_t>(plan_.stages[s].tensor_parallel);
    StageReplicaCosts worker;
    worker.stage = static_cast<int>(s);
    worker.copy = static_cast<int>(copy);
    worker.replica = replica;
    worker.devices = std::span(chunk(s, copy).devices).subspan(static_cast<std::size_t>(replica) * degree, degree);
    const std::size_t lead = worker.devices.front().index();
    if (lane_of_.size() <= lead) lane_of_.resize(lead + 1, none);
    if (lane_of_[lead] == none) {
      lane_of_[lead] = costs_.lanes.size();
      costs_.lanes.push_back({worker.devices, {}});
    }
    worker.lane = lane_of_[lead];
    costs_.lanes[worker.lane].workers.push_back(costs_.workers.size());
    return worker;
  }

  /// Replicas of a stage that look the same take the same times: samples and device type, and where several devices
  /// work as one, which devices these are.
  using ReplicaClass = std::tuple<int, int, int>;

  ReplicaClass replica_class(const StageReplicaCosts& worker, const Stage& stage) const {
    const DeviceId lead = worker.devices.front();
    return {worker.samples(), inputs_.network.device(lead).type, stage.tensor_parallel > 1 ? lead.value : -1};
  }

  static void copy_passes(const StageReplicaCosts& from, StageReplicaCosts& to) {
    to.duration = from.duration;
    to.tensor_parallel = from.tensor_parallel;
    to.ready_in_backward = from.ready_in_backward;
    to.ready_in_weight = from.ready_in_weight;
    to.memory = from.memory;
  }

  void add_memory(StageReplicaCosts& worker, std::size_t s) const {
    worker.memory = cost::pass_memory(plan_, profile_, order_, costs_.held_cuts, StageId(s), worker.samples());
  }

  void add_passes(StageReplicaCosts& worker, const Stage& stage, const std::vector<Reduction>& reductions) const {
    const cost::AllReduce tensor(inputs_.network, worker.devices, inputs_.conventions.collectives);
    // The overhead of an operation comes before its first layer.
    const double overhead = inputs_.conventions.calibration.operation_overhead.count;
    Passes sum;
    double again = 0, again_reduced = 0;  // recomputed forwards
    std::size_t next = 0;
    for (int p = stage.last - 1; p >= stage.first; --p) {
      const Passes passes = passes_of(layer(p), stage, worker, tensor);
      sum.forward += passes.forward;
      sum.backward += passes.backward;
      sum.weight += passes.weight;
      sum.forward_reduced += passes.forward_reduced;
      sum.backward_reduced += passes.backward_reduced;
      if (cost::is_recomputed(stage, p)) again += passes.forward, again_reduced += passes.forward_reduced;
      if (next < reductions.size() && reductions[next].position == p) {
        worker.ready_in_backward.push_back(nanoseconds(overhead + sum.backward));
        worker.ready_in_weight.push_back(nanoseconds(overhead + sum.weight));
        ++next;
      }
    }
    const auto set = [&](OpKind kind, double seconds, double reduced) {
      worker.duration[static_cast<std::size_t>(kind)] = nanoseconds(overhead + seconds);
      worker.tensor_parallel[static_cast<std::size_t>(kind)] = nanoseconds(reduced);
    };
    set(OpKind::forward, sum.forward, sum.forward_reduced);
    set(OpKind::backward, sum.backward, sum.backward_reduced);
    set(OpKind::backward_input, sum.backward - sum.weight, sum.backward_reduced);
    set(OpKind::backward_weight, sum.weight, 0);
    set(OpKind::recompute, again, again_reduced);
  }

  /// The slowest device of the replica, and the all-reduces over its devices.
  Passes passes_of(const Layer& layer, const Stage& stage, const StageReplicaCosts& worker,
                   const cost::AllReduce& tensor) const {
    const std::span<const DeviceId> devices = worker.devices;
    const int degree = stage.tensor_parallel, samples = worker.samples();
    Passes slowest;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto type = [&](std::size_t rank) { return inputs_.network.device(devices[rank]).type; };
      if (!stage.shard_fractions && i > 0 && type(i) == type(i - 1)) continue;
      const cost::LayerTimes times =
          cost::layer_times(profile_, layer, samples, *inputs_.cluster, inputs_.network.type(devices[i]), degree);
      const double factor = shard_factor(stage, static_cast<int>(i));
      slowest.forward = std::max(slowest.forward, factor * times.forward.count);
      slowest.backward = std::max(slowest.backward, factor * times.backward.count);
      slowest.weight = std::max(slowest.weight, factor * times.backward_weight.count);
    }
    if (degree == 1) return slowest;
    for (const TensorParallelPoint& point : layer.tensor_parallel) {
      if (point.degree != degree) continue;
      const auto time = [&](Bytes bytes) {
        return tensor.time(cost::scale_bytes(bytes, samples, profile_.micro_batch)).count;
      };
      slowest.forward += slowest.forward_reduced = time(point.forward_allreduce);
      slowest.backward += slowest.backward_reduced = time(point.backward_allreduce);
    }
    return slowest;
  }

  void add_optimizer(StageReplicaCosts& worker, const Stage& stage, const plan::Weights& weights) const {
    const plan::Weights updated = plan::updated_weights(weights);
    for (const DeviceId device : worker.devices) {
      const Bytes own = plan::share_of(updated, stage, static_cast<int>(worker.optimizer.size()));
      worker.optimizer.push_back(
          nanoseconds(cost::optimizer_time(own, plan_.optimizer, plan_.precision, inputs_.network.type(device)).count));
    }
  }

  const SimulatorInputs& inputs_;
  const Plan& plan_;
  const Profile& profile_;
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  std::vector<LayerId> order_;
  std::size_t copies_ = 1;
  std::vector<std::size_t> lane_of_;  // by lead device
  PlanCosts costs_;
};

}  // namespace

std::vector<std::vector<DeviceId>> rank_groups(const Plan& plan, const PlanCosts& costs, std::size_t stage) {
  const auto degree = static_cast<std::size_t>(plan.stages[stage].tensor_parallel);
  std::vector<std::vector<DeviceId>> groups(degree);
  for (const StageCopy& chunk : costs.chunks)
    if (chunk.stage.index() == stage)
      for (std::size_t i = 0; i < chunk.devices.size(); ++i) groups[i % degree].push_back(chunk.devices[i]);
  return groups;
}

PlanCosts plan_costs(const SimulatorInputs& inputs, const Plan& plan) { return CostBuilder(inputs, plan).run(); }

}  // namespace pipedeck::sim::costs
