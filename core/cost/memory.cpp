// SPDX-License-Identifier: Apache-2.0
#include "core/cost/memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/cost/compute.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/cuts.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {
namespace {

bool is_mixed(Precision precision) { return precision != Precision::fp32; }

/// Returns the bytes per parameter with Adam in addition to weights and gradients: the rest of the name's 16, 18 or 20.
double adam_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return 8;  // two fp32 moments
    case Precision::mixed_16:
    case Precision::mixed_18:
      return 12;  // fp32 weights and two moments
    case Precision::mixed_20:
      return 14;  // with the 16-bit gradients; the fp32 ones count as the gradients
  }
  return 0;
}

/// Returns the optimizer's bytes: Adam has two fp32 moments, momentum and RMSProp one, plain SGD none.
double optimizer_bytes(Optimizer optimizer, Precision precision) {
  switch (optimizer) {
    case Optimizer::none:
      return 0;
    case Optimizer::sgd:
      return adam_bytes(precision) - 8;
    case Optimizer::momentum:
    case Optimizer::rmsprop:
      return adam_bytes(precision) - 4;
    case Optimizer::adam:
      return adam_bytes(precision);
  }
  return 0;
}

/// Rounds up, so that the estimate is never too small.
Bytes times(Bytes bytes, double factor, int parts) {
  return ceil_to_bytes(static_cast<double>(bytes.count) * factor / parts);
}

int weight_versions(const Plan& plan, StageId stage) {
  if (plan.synchronous()) return 1;
  if (plan.schedule == ScheduleKind::pipedream_2bw) return 2;
  if (plan.schedule != ScheduleKind::pipedream_vertical) return pipedream_versions(plan, stage);
  // With vertical sync, a mini-batch uses everywhere the version that the input stage had when it entered. The
  // versions are those of all mini-batches in flight after the input stage, one per round of this stage's replicas.
  const int in_flight = pipedream_versions(plan, StageId(0)) * plan.stages.front().replicas();
  const int replicas = plan.stages[stage.index()].replicas();
  return (in_flight + replicas - 1) / replicas;
}

}  // namespace

StateFactors state_factors(Optimizer optimizer, Precision precision, int zero) {
  const double weight_bytes = is_mixed(precision) ? 2 : 4;
  StateFactors factors;
  factors.gradients = precision == Precision::mixed_18 || precision == Precision::mixed_20 ? 2 : 1;
  factors.optimizer = optimizer_bytes(optimizer, precision) / weight_bytes;
  if (precision == Precision::mixed_20 && zero >= 1) {
    // The 16-bit gradients are whole on every replica; the fp32 ones exist only for the replica's own part of the
    // optimizer. This is Megatron's distributed optimizer, 4 + 16/n.
    factors.gradients -= 1;
    factors.optimizer += 1;
  }
  factors.zero = zero;
  return factors;
}

MemoryBreakdown state_memory(Bytes parameters, int replicas, Optimizer optimizer, Precision precision, int zero,
                             int weight_versions) {
  const StateFactors factors = state_factors(optimizer, precision, zero);
  MemoryBreakdown parts;
  parts[MemoryItem::weights] = times(parameters, factors.weights, zero >= 3 ? replicas : 1);
  parts[MemoryItem::gradients] = times(parameters, factors.gradients, zero >= 2 ? replicas : 1);
  parts[MemoryItem::optimizer] = times(parameters, factors.optimizer, zero >= 1 ? replicas : 1);
  parts[MemoryItem::stashed_weights] = parts[MemoryItem::weights] * (weight_versions - 1);
  return parts;
}

Bytes frozen_memory(Bytes parameters, Precision precision, const Adapters& adapters) {
  const double wide = precision == Precision::fp32 ? 4 : 2;
  const double share = frozen_bytes(adapters.frozen, wide) / wide;
  return Bytes(static_cast<std::int64_t>(static_cast<double>(parameters.count) * share));
}

Bytes held_copies(const plan::Weights& weights, int zero, int weight_versions) {
  return zero >= 3 || weight_versions > 1 ? Bytes() : weights.copies;
}

int pipedream_versions(const Plan& plan, StageId stage) {
  int workers = 0;
  for (std::size_t t = stage.index(); t < plan.stages.size(); ++t) workers += plan.stages[t].replicas();
  const int replicas = plan.stages[stage.index()].replicas();
  return (workers + replicas - 1) / replicas;
}

int pipedream_in_flight(int before, int kept, int replicas) {
  const int common = std::gcd(before, replicas), apart = replicas / common;
  return before / common * ((kept + apart - 1) / apart);
}

Seconds optimizer_time(Bytes parameters, Optimizer optimizer, Precision precision, const DeviceType& type) {
  if (!type.memory_bandwidth || optimizer == Optimizer::none) return {};
  // Per fp32 parameter: reads weights and gradients, writes weights; reads and writes each state.
  const double moved = optimizer == Optimizer::sgd ? 12 : optimizer == Optimizer::adam ? 28 : 20;
  const double count = static_cast<double>(parameters.count) / (is_mixed(precision) ? 2 : 4);
  return Seconds(count * moved / type.memory_bandwidth->count);
}

bool is_recomputed(const Stage& stage, int position) {
  const std::vector<LayerId>& chosen = stage.recompute.layers;
  return stage.recompute.all ||
         std::find(chosen.begin(), chosen.end(), LayerId(std::int32_t{position})) != chosen.end();
}

namespace {

bool same_sharding_as_previous(const Plan& plan, StageId id) {
  const Stage &own = plan.stages[id.index()], &before = plan.stages[id.index() - 1];
  return own.tensor_parallel == before.tensor_parallel && own.shard_fractions == before.shard_fractions &&
         replica_samples(own, plan.micro_batch) == replica_samples(before, plan.micro_batch);
}

}  // namespace

int measured_degree(const Plan& plan, const Profile& profile, std::span<const LayerId> order, StageId id,
                    int position) {
  const Stage& stage = plan.stages[id.index()];
  const int degree = plan::even_parts(stage);
  if (degree == 1 || position > stage.first || position == 0 || !profile.is_chain()) return degree;
  const Layer& before = profile.layers[order[static_cast<std::size_t>(position - 1)].index()];
  return plan::output_in_columns(before, degree) && !same_sharding_as_previous(plan, id) ? 1 : degree;
}

namespace {

class SavedCounter {
 public:
  SavedCounter(const Plan& plan, const Profile& profile, std::span<const LayerId> order, std::span<const Bytes> cuts,
               StageId id)
      : plan_(plan),
        profile_(profile),
        order_(order),
        cuts_(cuts),
        id_(id),
        stage_(plan.stages[id.index()]),
        ways_(stage_sharding(plan, profile, order, id)) {}

  SavedBytes count() const {
    SavedBytes kept;
    for (int p = stage_.first; p < stage_.last; ++p) kept.all += saved(p);
    if (!stage_.recompute.any()) return {kept.all, kept.all, kept.all};
    kept.before = kept.all;
    const bool by_block = stage_.recompute.each == RecomputeUnit::block;
    // In a graph several blocks may take one tensor, which is kept once.
    const bool shared = by_block && !profile_.is_chain();
    const std::vector<Bytes> inputs = shared ? plan::input_bytes(profile_, order_) : std::vector<Bytes>();
    std::vector<bool> takes(profile_.layers.size(), false);
    Bytes restored;
    for (const auto& [first, last] : plan::recomputed_segments(stage_, plan::block_starts(profile_, order_))) {
      Bytes whole, own = shared ? inputs[static_cast<std::size_t>(first)] : input(first);
      for (int p = first; p < last; ++p) {
        whole += saved(p);
        if (const LayerMemory* const memory = memory_of(p)) own += memory->recompute_saved;
        takes[order_[static_cast<std::size_t>(p)].index()] = true;
      }
      kept.before -= whole;
      if (!shared) kept.before += own;
      restored = by_block ? std::max(restored, whole - own) : restored + (whole - own);
    }
    if (shared) kept.before += plan::input_bytes_of(profile_, takes);
    // If keeping the inputs costs more than recomputing saves, both phases have the larger value.
    kept.full = kept.before + std::max(Bytes(), restored);
    return kept;
  }

 private:
  const Layer& layer(int position) const { return profile_.layers[order_[static_cast<std::size_t>(position)].index()]; }
  const ShardingCost* way(int position) const {
    return ways_.empty() ? nullptr : ways_[static_cast<std::size_t>(position - stage_.first)];
  }
  const LayerMemory* memory_of(int position) const {
    if (const ShardingCost* const own = way(position)) return &own->memory;
    return layer(position).memory ? &*layer(position).memory : nullptr;
  }
  Bytes saved(int position) const {
    if (const ShardingCost* const own = way(position)) return own->saved;
    return plan::saved_bytes(layer(position), measured_degree(plan_, profile_, order_, id_, position));
  }
  /// Returns the bytes kept of the input of the segment that begins here.
  Bytes input(int position) const {
    if (const LayerMemory* const memory = memory_of(position)) return memory->input;
    const TensorParallelPoint* const point = plan::point_of_degree(layer(position), plan::even_parts(stage_));
    if (point && point->details.input) return *point->details.input;
    return cuts_[static_cast<std::size_t>(position)];
  }

  const Plan& plan_;
  const Profile& profile_;
  std::span<const LayerId> order_;
  std::span<const Bytes> cuts_;
  StageId id_;
  const Stage& stage_;
  std::vector<const ShardingCost*> ways_;
};

}  // namespace

SavedBytes stage_saved_bytes(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                             std::span<const Bytes> cuts, StageId id) {
  return SavedCounter(plan, profile, order, cuts, id).count();
}

int communicators(const Plan& plan, StageId id) {
  const Stage& stage = plan.stages[id.index()];
  return (id.index() > 0 ? 1 : 0) + (id.index() + 1 < plan.stages.size() ? 1 : 0) + (stage.replicas() > 1 ? 1 : 0) +
         (stage.tensor_parallel > 1 ? 1 : 0);
}

namespace {

/// Returns the states that a profile measured on a rank.
MemoryBreakdown state_memory(const RankStates& states, const Plan& plan, int weight_versions) {
  MemoryBreakdown parts;
  parts[MemoryItem::weights] = states.weights;
  parts[MemoryItem::gradients] = states.gradients;
  parts[MemoryItem::optimizer] = times(states.updated, state_factors(plan.optimizer, plan.precision, 0).optimizer, 1);
  parts[MemoryItem::stashed_weights] = states.weights * (weight_versions - 1);
  return parts;
}

}  // namespace

MemoryBreakdown persistent_memory(const Plan& plan, const plan::Weights& weights, StageId id,
                                  const SimulationOptions& conventions, int rank) {
  const Stage& stage = plan.stages[id.index()];
  const int versions = weight_versions(plan, id);
  // Copies reduce their gradients together with the replicas, and ZeRO shards over both.
  MemoryBreakdown parts =
      weights.states.weights > Bytes()
          ? state_memory(weights.states, plan, versions)
          : state_memory(plan::share_of(weights, stage, rank), stage.replicas() * num_stage_copies(plan),
                         plan.optimizer, plan.precision, plan.zero, versions);
  parts[MemoryItem::weights] += held_copies(weights, plan.zero, versions);
  parts[MemoryItem::communication] = conventions.communication * communicators(plan, id);
  parts[MemoryItem::reserve] = conventions.reserve;
  return parts;
}

std::vector<MemoryBreakdown> persistent_memory(const Plan& plan, const plan::Weights& weights, StageId id,
                                               const SimulationOptions& conventions) {
  const Stage& stage = plan.stages[id.index()];
  std::vector<MemoryBreakdown> ranks;
  for (int rank = 0; rank < (stage.shard_fractions ? stage.tensor_parallel : 1); ++rank)
    ranks.push_back(persistent_memory(plan, weights, id, conventions, rank));
  return ranks;
}

std::vector<int> max_in_flight_micro_batches(const Plan& plan, const Profile& profile, const Network& network,
                                             const SimulationOptions& conventions) {
  const std::vector<LayerId> order = order_of(plan, profile);
  const std::vector<Bytes> cuts = plan::boundary_bytes(profile, order);
  std::vector<int> fitting;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const plan::Weights weights = stage_weights(plan, profile, order, StageId(s));
    fitting.push_back(
        max_in_flight_micro_batches(plan, profile, network, stage_saved_bytes(plan, profile, order, cuts, StageId(s)),
                                    persistent_memory(plan, weights, StageId(s), conventions), StageId(s)));
  }
  return fitting;
}

int max_in_flight_micro_batches(const Plan& plan, const Profile& profile, const Network& network,
                                const SavedBytes& kept, std::span<const MemoryBreakdown> held, StageId id) {
  const Stage& stage = plan.stages[id.index()];
  const std::vector<int> samples = replica_samples(stage, plan.micro_batch);
  std::int64_t fewest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < stage.devices.size(); ++i) {
    const int share = samples[i / static_cast<std::size_t>(stage.tensor_parallel)];
    const Bytes each = scale_bytes(kept.before, share, profile.micro_batch);
    // With recompute, one micro-batch at a time is restored in full.
    const Bytes again = scale_bytes(kept.full, share, profile.micro_batch) - each;
    const MemoryBreakdown& own = held[i % held.size()];  // one entry, or one per rank
    const Bytes room = network.type(stage.devices[i]).memory - own.total() - again;
    if (each.count > 0) fewest = std::min(fewest, room.count / each.count);
  }
  return static_cast<int>(std::max<std::int64_t>(1, fewest));
}

}  // namespace pipedeck::cost
