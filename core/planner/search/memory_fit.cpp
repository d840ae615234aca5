// SPDX-License-Identifier: Apache-2.0
#include "core/planner/search/memory_fit.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/plan/warmups.hpp"

namespace pipedeck::planner::search {

Bytes StageNeed::peak(int warmup, int warmup_before) const {
  const auto with = [&](int n) { return (kept + output) * n + input * (std::max(warmup_before, n) - n + 1); };
  return fixed + once + workspace + std::max(with(1), with(warmup));
}

StageNeed stage_need(const Workload& workload, const StageBytes& stage, int replicas, bool recompute, int versions,
                     int tensor_parallel) {
  const SimulationOptions& conventions = workload.conventions;
  StageNeed need;
  const Bytes share = plan::share_of(stage.weights, tensor_parallel);
  const Bytes states =
      cost::state_memory(share, replicas, workload.optimizer, workload.precision, workload.zero, versions).total() +
      cost::held_copies(stage.weights, workload.zero, versions);
  need.fixed = states + conventions.max_non_model_bytes();
  need.certain = states + conventions.reserve;
  need.workspace = stage.workspace;
  need.input = stage.input;
  need.output = stage.output;
  need.once = recompute ? stage.restored : Bytes();
  need.kept = recompute ? stage.kept_inputs : stage.saved;
  return need;
}

StageBytes stage_bytes(Chain& chain, int first, int last, int samples, int degree) {
  if (const cost::ShardedRanges* ranges = chain.cut_ranges(degree))
    return stage_bytes(chain, first, last, samples, ranges->most(first, last));
  return {chain.weights(first, last), chain.saved(first, last, samples, degree),
          chain.workspace(first, last, samples, degree), chain.cut(first, samples), chain.cut(last, samples)};
}

StageBytes stage_bytes(Chain& chain, int first, int last, int samples, const cost::ShardedRangeBytes& figures) {
  const int measured = chain.profile().micro_batch;
  const plan::Weights weights = chain.weights(first, last);
  return {{weights.all, figures.replicated_parameters, {}, weights.copies},
          cost::scale_bytes(figures.saved, samples, measured),
          cost::scale_bytes(figures.workspace, samples, measured),
          chain.cut(first, samples),
          chain.cut(last, samples)};
}

void add_recompute(Chain& chain, StageBytes& bytes, int first, int last, int samples, int degree) {
  bytes.kept_inputs = chain.kept_inputs(first, last, samples, degree);
  bytes.restored = chain.restored(first, last, samples, degree);
}

void add_recompute(Chain& chain, StageBytes& bytes, int first, int last, int samples,
                   std::span<const ShardingCost* const> ways) {
  Stage stage = stage_on(first, last, {});
  stage.recompute = chain.recompute(true);
  const int measured = chain.profile().micro_batch;
  Bytes kept, restored;
  for (const plan::RecomputedSegment& segment : plan::recomputed_segments(stage, chain.block_starts())) {
    Bytes saved, own = ways[static_cast<std::size_t>(segment.first - first)]->memory.input;
    for (int p = segment.first; p < segment.last; ++p) {
      const ShardingCost& way = *ways[static_cast<std::size_t>(p - first)];
      saved += way.saved, own += way.memory.recompute_saved;
    }
    kept += own, restored = std::max(restored, saved - own);
  }
  bytes.kept_inputs = cost::scale_bytes(kept, samples, measured);
  bytes.restored = cost::scale_bytes(restored, samples, measured);
}

StageNeed stage_need(Chain& chain, int first, int last, int replicas, int samples, bool recompute, int versions,
                     int tensor_parallel) {
  StageBytes bytes = stage_bytes(chain, first, last, samples, tensor_parallel);
  if (recompute) add_recompute(chain, bytes, first, last, samples, tensor_parallel);
  return stage_need(chain.workload(), bytes, replicas, recompute, versions, tensor_parallel);
}

Bytes capacity_of(const cost::Network& network, const std::vector<DeviceId>& devices) {
  Bytes least = network.type(devices.front()).memory;
  for (const DeviceId device : devices) least = std::min(least, network.type(device).memory);
  return least;
}

namespace {

/// A stage's limits: needs and capacities of its replicas, one entry for equal ones.
struct Limited {
  std::vector<std::pair<StageNeed, Bytes>> replicas;

  bool fits_with(int warmup, int warmup_before) const {
    return std::all_of(replicas.begin(), replicas.end(), [&](const auto& replica) {
      return replica.first.peak(warmup, warmup_before) <= replica.second;
    });
  }
};

/// Returns the simulator's bytes: the adjacent stages determine the shardings of the layers.
StageBytes bytes_of(Chain& chain, const Plan& plan, StageId id, int samples) {
  const Stage& stage = plan.stages[id.index()];
  const std::vector<const ShardingCost*> ways = cost::stage_sharding(plan, chain.profile(), chain.order(), id);
  if (ways.empty()) return stage_bytes(chain, stage.first, stage.last, samples, plan::even_parts(stage));
  return stage_bytes(chain, stage.first, stage.last, samples, cost::figures_of(ways));
}

Limited limit_of(Chain& chain, const Plan& plan, StageId id) {
  const Stage& stage = plan.stages[id.index()];
  const std::vector<int> samples = replica_samples(stage, plan.micro_batch);
  const plan::Weights all = bytes_of(chain, plan, id, samples.front()).weights;
  const std::vector<const ShardingCost*> ways = cost::stage_sharding(plan, chain.profile(), chain.order(), id);
  // With shards every device by itself, else a replica by its smallest one.
  const auto together = static_cast<std::ptrdiff_t>(stage.shard_fractions ? 1 : stage.tensor_parallel);
  std::set<std::tuple<int, Bytes, Bytes>> kinds;  // samples, weights, least memory
  for (std::size_t r = 0; r < samples.size(); ++r)
    for (int rank = 0; rank < stage.tensor_parallel; rank += static_cast<int>(together)) {
      const auto begin = stage.devices.begin() + static_cast<std::ptrdiff_t>(r) * stage.tensor_parallel + rank;
      kinds.insert(
          {samples[r], plan::share_of(all, stage, rank), capacity_of(chain.network(), {begin, begin + together})});
    }
  Limited limited;
  for (const auto& [share, weights, capacity] : kinds) {
    StageBytes bytes = bytes_of(chain, plan, id, share);
    bytes.weights = {weights, {}, {}, bytes.weights.copies};
    if (stage.recompute.all && ways.empty())
      add_recompute(chain, bytes, stage.first, stage.last, share, plan::even_parts(stage));
    else if (stage.recompute.all)
      add_recompute(chain, bytes, stage.first, stage.last, share, ways);
    limited.replicas.push_back({stage_need(chain.workload(), bytes, stage.replicas(), stage.recompute.all), capacity});
  }
  return limited;
}

std::vector<Limited> limits_of(Chain& chain, const Plan& plan) {
  std::vector<Limited> limits;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) limits.push_back(limit_of(chain, plan, StageId(s)));
  return limits;
}

/// Returns counts of at most `most`; nothing if a stage can't hold one micro-batch after the warm-up before it.
std::optional<std::vector<int>> under(const std::vector<Limited>& limits, const std::vector<int>& policy, int most) {
  std::vector<int> counts;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const int before = counts.empty() ? policy[i] : counts.back();
    int count = std::min({policy[i], most, before});
    while (count > 0 && !limits[i].fits_with(count, before)) --count;
    if (count == 0) return {};
    counts.push_back(count);
  }
  return counts;
}

}  // namespace

std::optional<std::vector<int>> warmups_that_fit(Chain& chain, const Plan& plan) {
  const std::vector<Limited> limits = limits_of(chain, plan);
  const std::vector<int> policy =
      plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup);
  for (int most = policy.front(); most > 0; --most)
    if (auto counts = under(limits, policy, most)) return counts;
  return {};
}

namespace {

bool stage_fits(const std::vector<Limited>& limits, const std::vector<int>& counts, std::size_t i) {
  return limits[i].fits_with(counts[i], i == 0 ? counts[i] : std::max(counts[i - 1], counts[i]));
}

/// Recomputes in `other` only the stages that do not fit without it: the last ones hold so little that their kept
/// inputs may be more. Returns false if that does not fit either.
bool recompute_where_needed(Chain& chain, const Plan& plan, const std::vector<int>& counts, Plan& other) {
  const std::vector<Limited> limits = limits_of(chain, plan);
  for (std::size_t s = 0; s < limits.size(); ++s)
    if (stage_fits(limits, counts, s)) other.stages[s].recompute = {};
  return warmups_fit(chain, other, counts);
}

}  // namespace

bool warmups_fit(Chain& chain, const Plan& plan, const std::vector<int>& counts) {
  const std::vector<Limited> limits = limits_of(chain, plan);
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (!stage_fits(limits, counts, i)) return false;
  return true;
}

bool warmups_may_fit(Chain& chain, const Plan& plan, const std::vector<int>& counts) {
  const std::vector<Limited> limits = limits_of(chain, plan);
  for (std::size_t i = 0; i < limits.size(); ++i)
    for (const auto& [need, capacity] : limits[i].replicas)
      if (need.least_peak(counts[i]) > capacity) return false;
  return true;
}

bool set_warmup(Chain& chain, Plan& plan, Warmup policy, WhenShort when_short) {
  plan.schedule = ScheduleKind::one_f_one_b;
  plan.warmup = policy;
  plan.warmup_counts.reset();
  if (when_short == WhenShort::ignore_memory) return true;
  const auto wanted = plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, policy);
  if (warmups_fit(chain, plan, wanted)) return true;
  if (when_short == WhenShort::shorten) {
    plan.warmup_counts = warmups_that_fit(chain, plan);
    return plan.warmup_counts.has_value();
  }
  if (std::ranges::any_of(plan.stages, [](const Stage& stage) { return stage.recompute.any(); })) return false;
  Plan other = plan;
  for (Stage& stage : other.stages) stage.recompute = chain.recompute(true);
  if (!warmups_fit(chain, other, wanted) && !recompute_where_needed(chain, plan, wanted, other)) return false;
  plan = std::move(other);
  return true;
}

bool gpipe_fits(Chain& chain, const Plan& plan) {
  for (const Limited& limit : limits_of(chain, plan))
    if (!limit.fits_with(plan.micro_batches, plan.micro_batches)) return false;
  return true;
}

bool set_gpipe(Chain& chain, Plan& plan, WhenShort when_short) {
  if (when_short == WhenShort::ignore_memory || gpipe_fits(chain, plan)) return true;
  Plan other = plan;
  for (Stage& stage : other.stages) stage.recompute = chain.recompute(true);
  if (when_short != WhenShort::recompute || !gpipe_fits(chain, other)) return false;
  plan = std::move(other);
  return true;
}

}  // namespace pipedeck::planner::search
