// SPDX-License-Identifier: Apache-2.0
#include "core/planner/evaluation/evaluation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/cuts.hpp"

namespace pipedeck::planner::evaluation {

int Evaluation::max_samples(int s) const {
  const std::vector<int> samples = replica_samples(stage(s), plan.micro_batch);
  return plan.synchronous() ? *std::max_element(samples.begin(), samples.end()) : plan.micro_batch;
}

plan::Weights weights_of(const Evaluation& e, int stage) {
  plan::Weights sum;
  for (int p = e.stage(stage).first; p < e.stage(stage).last; ++p) sum += plan::weights_of(e.layer(p));
  return sum;
}

Bytes saved_by(const Evaluation& e, int stage, int samples) {
  Bytes sum;
  for (int p = e.stage(stage).first; p < e.stage(stage).last; ++p)
    sum += cost::scale_bytes(plan::saved_bytes(e.layer(p), plan::even_parts(e.stage(stage))), samples,
                             e.profile().micro_batch);
  return sum;
}

Bytes largest_workspace(const Evaluation& e, int stage, int samples) {
  Bytes most;
  for (int p = e.stage(stage).first; p < e.stage(stage).last; ++p)
    most = std::max(most, plan::workspace_bytes(e.layer(p), plan::even_parts(e.stage(stage))));
  return cost::scale_bytes(most, samples, e.profile().micro_batch);
}

Bytes crossing(const Evaluation& e, int stage, int samples) {
  if (stage == 0 || stage == e.stages()) return {};
  const int cut = e.stage(stage).first;
  if (e.profile().is_chain()) {  // output of the layer before the cut
    const Layer& before = e.layer(cut - 1);
    return before.kind == data_kind ? Bytes() : cost::scale_bytes(before.output, samples, e.profile().micro_batch);
  }
  std::vector<int> position(e.order.size());
  for (std::size_t p = 0; p < e.order.size(); ++p) position[e.order[p].index()] = static_cast<int>(p);

  std::set<std::pair<LayerId, int>> used;  // outputs of layers before the cut that a later layer reads; -1: all
  for (const Edge& edge : e.profile().edges)
    if (position[edge.from.index()] < cut && position[edge.to.index()] >= cut &&
        e.profile().layers[edge.from.index()].kind != data_kind)
      used.insert({edge.from, edge.output.value_or(-1)});
  Bytes sum;
  for (const auto& [from, output] : used) {
    const Layer& layer = e.profile().layers[from.index()];
    if (output < 0)
      sum += layer.output;
    else if (!used.contains({from, -1}))
      sum += layer.outputs.at(static_cast<std::size_t>(output));
  }
  return cost::scale_bytes(sum, samples, e.profile().micro_batch);
}

Bytes smallest_memory(const Evaluation& e, int stage) {
  Bytes least = e.network.type(e.stage(stage).devices.front()).memory;
  for (const DeviceId device : e.stage(stage).devices) least = std::min(least, e.network.type(device).memory);
  return least;
}

namespace {

/// Returns true for schedules with a known number of micro-batches in flight. For others, only a simulation determines
/// it.
bool kept_is_known(const Plan& plan) {
  return plan.schedule == ScheduleKind::gpipe || plan.schedule == ScheduleKind::one_f_one_b || !plan.synchronous();
}

/// Returns K_i, the number of micro-batches in flight on stage i.
int kept(const Evaluation& e, int stage) {
  const Plan& plan = e.plan;
  if (plan.schedule == ScheduleKind::gpipe) return plan.micro_batches;
  if (!plan.synchronous()) return cost::pipedream_versions(plan, StageId(stage));
  if (plan.warmup_counts) return plan.warmup_counts->at(static_cast<std::size_t>(stage));
  const int behind = e.stages() - stage;
  return std::min(plan.warmup == Warmup::A ? behind : 2 * behind - 1, plan.micro_batches);
}

/// Returns the number of a replica's micro-batches here that may be between forward and backward on the previous stage.
int outstanding(const Evaluation& e, int s) {
  if (s == 0) return kept(e, s);
  if (e.plan.synchronous()) return std::max(kept(e, s - 1), kept(e, s));
  return cost::pipedream_in_flight(e.stage(s - 1).replicas(), kept(e, s - 1), e.stage(s).replicas());
}

/// A stage's weights, saved bytes and workspace for a number of samples, with the shardings that neighbouring stages
/// allow.
struct Held {
  plan::Weights weights;
  Bytes saved, workspace;
};

Held held_by(const Evaluation& e, int s, int samples) {
  const std::vector<const ShardingCost*> ways = cost::stage_sharding(e.plan, e.profile(), e.order, StageId(s));
  Held held{weights_of(e, s), {}, {}};
  if (ways.empty()) {
    held.saved = saved_by(e, s, samples), held.workspace = largest_workspace(e, s, samples);
    return held;
  }
  held.weights.whole = {};
  for (const ShardingCost* way : ways) {
    held.weights.whole += way->replicated_parameters, held.saved += way->saved;
    held.workspace = std::max(held.workspace, way->workspace);
  }
  held.saved = cost::scale_bytes(held.saved, samples, e.profile().micro_batch);
  held.workspace = cost::scale_bytes(held.workspace, samples, e.profile().micro_batch);
  return held;
}

/// A stage's memory with recomputation of all its layers: the inputs that it keeps of a micro-batch, and the saved
/// bytes that a backward restores at a time.
struct Recomputed {
  bool any = false;
  Bytes kept, restored;
};

Recomputed recomputed_by(const Evaluation& e, int s, int samples) {
  const Stage& stage = e.stage(s);
  if (!stage.recompute.all) return {};
  const cost::SavedBytes saved =
      cost::stage_saved_bytes(e.plan, e.profile(), e.order, plan::boundary_bytes(e.profile(), e.order), StageId(s));
  const auto scaled = [&](Bytes bytes) { return cost::scale_bytes(bytes, samples, e.profile().micro_batch); };
  return {true, scaled(saved.before), scaled(saved.full) - scaled(saved.before)};
}

/// Returns the peak memory of the device of rank `rank` of the stage with `samples` samples. n micro-batches are in
/// flight here and `before` on the previous stage. Each of the latter has its input or input gradient here, unless it
/// is one of the n. Each of the n has its output or the output's gradient.
Bytes max_needed(const Evaluation& e, int s, int samples, int rank) {
  const Plan& plan = e.plan;
  const int here = kept(e, s), before = outstanding(e, s);
  const int versions = plan.synchronous() ? 1 : here;
  const Held held = held_by(e, s, samples);
  const Bytes weights = plan::share_of(held.weights, e.stage(s), rank);
  const Bytes fixed =
      cost::state_memory(weights, e.stage(s).replicas(), plan.optimizer, plan.precision, plan.zero, versions).total() +
      e.problem.workload.conventions.max_non_model_bytes() + held.workspace;
  const Bytes saved = held.saved;
  const Bytes input = crossing(e, s, samples), output = crossing(e, s + 1, samples);
  const Recomputed again = recomputed_by(e, s, samples);
  Bytes most;
  for (int n = 1; n <= here; ++n)
    most = std::max(most, ((again.any ? again.kept : saved) + output) * n + input * (std::max(before, n) - n + 1));
  return fixed + again.restored + most;
}

Result<void> broken(const Evaluation& e, int stage, const std::string& what) {
  return fail(ErrorCode::internal, fmt::format("{}: stage {}: {}", e.plan.planner, stage, what));
}

/// Checks every device's capacity against the memory for its own share of the micro-batch.
Result<void> check_memory(const Evaluation& e, int s) {
  const Stage& stage = e.stage(s);
  const std::vector<int> samples = replica_samples(stage, e.plan.micro_batch);
  std::map<std::pair<int, int>, Bytes> needs;  // by samples and, for uneven shards, rank
  for (std::size_t i = 0; i < stage.devices.size(); ++i) {
    const auto degree = static_cast<std::size_t>(stage.tensor_parallel);
    const int share = e.plan.synchronous() ? samples[i / degree] : e.plan.micro_batch;
    const int rank = stage.shard_fractions ? static_cast<int>(i % degree) : 0;
    const auto [need, added] = needs.try_emplace({share, rank});
    if (added) need->second = max_needed(e, s, share, rank);
    const Bytes capacity = e.network.type(stage.devices[i]).memory;
    if (need->second > capacity)
      return broken(e, s, fmt::format("needs {} bytes, a device has {}", need->second.count, capacity.count));
  }
  return {};
}

}  // namespace

Result<void> check_constraints(const Evaluation& e) {
  const Plan& plan = e.plan;
  if (plan.micro_batch * plan.micro_batches != plan.global_batch)
    return fail(ErrorCode::internal, plan.planner + ": the micro-batches are not the global batch");
  std::set<DeviceId> used;
  int layer = 0;
  for (int s = 0; s < e.stages(); ++s) {
    const Stage& stage = e.stage(s);
    if (stage.first != layer || stage.last <= stage.first) return broken(e, s, "its layers do not follow on");
    layer = stage.last;
    for (const DeviceId device : stage.devices)
      if (!used.insert(device).second && !is_interleaved_on_device(plan.schedule))
        return broken(e, s, "a device that another stage has");
    if (plan.synchronous() && stage.replicas() > plan.micro_batch) return broken(e, s, "a replica without samples");
    if (e.options.ignore_memory || !kept_is_known(plan)) continue;
    if (const auto held = check_memory(e, s); !held) {
      if (!e.options.fits) return held;
      TRY(const auto fits, e.options.fits(plan, e.options.stop));
      if (!fits) return held;
    }
  }
  if (layer != static_cast<int>(e.order.size()))
    return fail(ErrorCode::internal, plan.planner + ": layers without a stage");
  return {};
}

}  // namespace pipedeck::planner::evaluation
