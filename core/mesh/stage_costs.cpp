// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/stage_costs.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/mesh/group_times.hpp"

namespace pipedeck::mesh {
namespace {

using analytic::transformer::shards::LayerCollective;
using analytic::transformer::shards::LayerShard;
using cost::DataCollective;
using cost::DataMoment;
using plan::GroupFamily;

/// A layer's compute by pass.
struct LayerWork {
  WorkTime forward, recompute, input_gradient, weight_gradient;

  const WorkTime& of(Pass pass) const {
    return pass == Pass::forward ? forward : pass == Pass::recompute ? recompute : input_gradient;
  }
};

Result<LayerWork> work_of(const LayerShard& layer, const Rates& rates, const Training& training) {
  LayerWork work;
  TRY(work.forward, work_time(layer, Compute::forward, rates, training));
  TRY(work.recompute, work_time(layer, Compute::recompute, rates, training));
  TRY(work.input_gradient, work_time(layer, Compute::input_gradient, rates, training));
  TRY(work.weight_gradient, work_time(layer, Compute::weight_gradient, rates, training));
  return work;
}

Seconds product_time(const WorkTime& work, std::string_view name) {
  Seconds sum;
  for (const NamedTime& product : work.products)
    if (product.name == name) sum += product.time;
  return sum;
}

/// Returns the exposed time of a collective in pieces along with its product (TransformerEngine, module/base.py:353;
/// parallelism.md, section 2): a gather as a ring of T pieces, a reduction as a pipeline of 4.
Seconds exposed_in_pieces(CollectiveKind kind, Seconds time, Seconds product, int ranks) {
  const auto above_zero = [](Seconds left) { return std::max(left, Seconds()); };
  if (kind == CollectiveKind::all_gather) return above_zero(time - product * (ranks - 1) / ranks);
  constexpr int pieces = 4;
  return time / pieces + above_zero(time - product) * (pieces - 1) / pieces;
}

/// Adds the compute that hides a collective, unless it is there.
void add_hiding(cost::PassLayer& layer, const LayerWork& work, const LayerCollective& collective) {
  cost::HidingCompute hiding{collective.pass, collective.behind, collective.product};
  for (const cost::HidingCompute& known : layer.hiding)
    if (std::tie(known.pass, known.behind, known.product) == std::tie(hiding.pass, hiding.behind, hiding.product))
      return;
  switch (collective.behind) {
    case Behind::nothing:
      return;
    case Behind::input_gradient:
      hiding.time = product_time(work.input_gradient, collective.product);
      break;
    case Behind::weight_gradient:
      hiding.weight_gradient = product_time(work.weight_gradient, collective.product);
      break;
    case Behind::attention_pieces:
      hiding.time = work.of(collective.pass).attention;
      break;
    case Behind::shared_experts:
      hiding.time = work.of(collective.pass).shared_experts;
      if (collective.pass == Pass::backward) hiding.weight_gradient = work.weight_gradient.shared_experts;
      break;
  }
  layer.hiding.push_back(std::move(hiding));
}

/// A layer's part of the weights of each class on a rank.
cost::RankWeights rank_weights(const LayerShard& layer) {
  return {layer.weights.dense + layer.weights.whole, layer.weights.expert, layer.weights.tensor_reduced};
}

class Builder {
 public:
  Builder(const Question& question, const Rates& rates, const GroupTimes& groups)
      : question_(question), rates_(rates), groups_(groups) {}

  Result<StageCosts> stage(const StageLayers& layers, bool is_last) {
    StageCosts costs;
    std::vector<cost::PassLayer> pass;
    bool in_block = false;
    for (const LayerShard& layer : layers) {
      TRY(cost::PassLayer timed, timed_layer(layer));
      // Norm, head and loss are one unit, and so is a block of two layers (torchtitan; Megatron-FSDP).
      timed.in_unit_of_previous = layer.kind == "experts" || (in_block && layer.kind != "transformer" &&
                                                              layer.kind != "attention" && layer.kind != "layer_norm");
      in_block = layer.kind != "embedding";
      costs.recompute += timed.recompute;
      pass.push_back(std::move(timed));
    }
    costs.forward = cost::walk_pass(pass, OpKind::forward, question_.training.forward_ahead);
    costs.backward = cost::walk_pass(pass, OpKind::backward);
    if (question_.training.hidden.expert) hide_experts(costs);
    if (!is_last) costs.send = groups_.to_next_stage(layers.back().output);
    add_step(costs, layers, pass);
    return costs;
  }

 private:
  /// Equal layers are timed once.
  Result<cost::PassLayer> timed_layer(const LayerShard& layer) {
    const Key key{layer.kind,          layer.forward.flops(),      layer.recompute.flops(),
                  layer.weights.all(), layer.forward.memory_bytes, layer.recompute.memory_bytes};
    if (const auto known = layers_.find(key); known != layers_.end()) return known->second;
    TRY(const LayerWork work, work_of(layer, rates_, question_.training));
    cost::PassLayer timed{work.forward.total, work.recompute.total, work.input_gradient.total,
                          work.weight_gradient.total};
    Seconds sent_forward, sent_backward;
    for (const LayerCollective& one : layer.collectives) {
      const Seconds sent = add_collective(timed, work, one);
      (one.pass == Pass::forward ? sent_forward : sent_backward) += sent;
    }
    add_slowdown(timed, sent_forward, sent_backward);
    add_sharded(timed, layer);
    return layers_.emplace(key, std::move(timed)).first->second;
  }

  /// Returns the time for which the collective's lane is busy.
  Seconds add_collective(cost::PassLayer& timed, const LayerWork& work, const LayerCollective& one) const {
    cost::TimedCollective collective{one.group, one.pass, {}, one.behind, one.product, one.ranks};
    collective.time = groups_.time(one.group, one.kind, one.bytes, one.leaving);
    const Seconds busy = collective.time;
    const bool in_pieces = question_.training.hidden.tensor && one.group == GroupFamily::tensor &&
                           one.behind == Behind::nothing && question_.shard().divides_tokens();
    if (in_pieces && !one.product.empty())
      collective.time = exposed_in_pieces(one.kind, busy, product_time(work.of(one.pass), one.product), one.ranks);
    add_hiding(timed, work, one);
    timed.collectives.push_back(std::move(collective));
    return busy;
  }

  /// Compute takes longer next to a busy lane.
  void add_slowdown(cost::PassLayer& timed, Seconds sent_forward, Seconds sent_backward) const {
    const auto hidden = [&](OpKind kind, Seconds sent) {
      return std::max(Seconds(), sent - cost::walk_pass(std::span(&timed, 1), kind).exposed());
    };
    const double slower = rates_.reached.busy - 1;
    const Seconds forward = hidden(OpKind::forward, sent_forward), backward = hidden(OpKind::backward, sent_backward);
    timed.forward += forward * slower;
    timed.input_gradient += backward * slower;
  }

  std::vector<DataCollective> traffic(const cost::RankWeights& weights) const {
    return cost::data_traffic(question_.sharding, groups_.degrees(), weights, question_.training.wire);
  }
  Seconds time(const DataCollective& one) const { return groups_.time(one.group, one.kind, one.bytes); }

  /// Adds what each micro-batch gathers and scatters, and the slower compute while it does.
  void add_sharded(cost::PassLayer& timed, const LayerShard& layer) const {
    for (const DataCollective& one : traffic(rank_weights(layer))) {
      if (one.moment == DataMoment::every_forward) timed.gather_forward += time(one);
      if (one.moment == DataMoment::every_backward)
        (one.of_gradients ? timed.scatter : timed.gather_backward) += time(one);
    }
    const double slower = rates_.reached.busy - 1;
    timed.forward += std::min(timed.forward, timed.gather_forward) * slower;
    timed.input_gradient +=
        std::min(timed.input_gradient + timed.weight_gradient, timed.gather_backward + timed.scatter) * slower;
  }

  /// The pair of a forward and another micro-batch's backward takes the longer of all compute and all exchanges
  /// (parallelism.md, section 4).
  void hide_experts(StageCosts& costs) const {
    if (question_.micro_batches == 1) return;
    Seconds& forward = costs.forward[cost::PassPart::expert];
    Seconds& backward = costs.backward[cost::PassPart::expert];
    const Seconds exchanged = forward + backward;
    if (exchanged.count <= 0) return;
    const Seconds hidden =
        std::min(exchanged, costs.forward[cost::PassPart::compute] + costs.backward[cost::PassPart::compute]);
    const double left = 1 - hidden.count / exchanged.count;
    forward = forward * left;
    backward = backward * left;
  }

  /// Adds the communication of a step, layer by layer, and the optimizer.
  void add_step(StageCosts& costs, const StageLayers& layers, std::span<const cost::PassLayer> pass) const {
    const Hidden& hidden = question_.training.hidden;
    Seconds backward, compute, gathered, unhidden;
    std::vector<Seconds> reduced(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Seconds gather;
      for (const DataCollective& one : traffic(rank_weights(layers[i]))) {
        if (one.moment == DataMoment::first_forward || one.moment == DataMoment::next_forward) gather += time(one);
        if (one.moment == DataMoment::last_backward) reduced[i] += time(one);
        if (one.moment == DataMoment::after_backward) unhidden += time(one);
      }
      gathered += gather;
      // Each layer waits for its own gather; earlier ones compute meanwhile.
      costs.gather = hidden.weights ? std::max(costs.gather, gathered - compute) : gathered;
      compute += cost::walk_pass(pass.subspan(i, 1), OpKind::forward).duration();
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      backward += cost::walk_pass(pass.subspan(i, 1), OpKind::backward).duration();
      if (reduced[i].count <= 0) continue;
      if (hidden.gradients)
        costs.reductions.push_back({backward, reduced[i]});
      else
        unhidden += reduced[i];
    }
    if (unhidden.count > 0) costs.reductions.push_back({costs.backward.duration(), unhidden});
    costs.optimizer = optimizer_time(layers);
  }

  /// Gradients are read for their norm and again for the step, states are read and written, weights are written.
  Seconds optimizer_time(const StageLayers& layers) const {
    cost::RankWeights weights;
    for (const LayerShard& layer : layers) {
      const cost::RankWeights own = rank_weights(layer);
      weights.dense += own.dense, weights.expert += own.expert;
    }
    Sharding by_optimizer = question_.sharding;
    if (by_optimizer.level > 0) by_optimizer.level = 1;
    cost::StateBytes moved = question_.training.states;
    moved.optimizer = 2 * moved.optimizer + 2 * moved.gradients + moved.weights;
    moved.weights = moved.gradients = moved.step = 0;
    const double bytes = cost::held_bytes(moved, by_optimizer, groups_.degrees(), weights).optimizer;
    const double rate = rates_.type.memory_bandwidth ? rates_.type.memory_bandwidth->count : 0;
    return rate > 0 ? Seconds(bytes / (rate * rates_.reached.memory)) : Seconds();
  }

  const Question& question_;
  const Rates& rates_;
  const GroupTimes& groups_;
  using Key = std::tuple<std::string, double, double, double, double, double>;
  std::map<Key, cost::PassLayer> layers_;
};

}  // namespace

Result<std::vector<StageCosts>> stage_costs(const Question& question, const Rates& rates,
                                            const std::vector<StageLayers>& stages) {
  TRY(const GroupTimes groups, GroupTimes::of(question, rates));
  Builder builder(question, rates, groups);
  std::vector<StageCosts> all;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    TRY(StageCosts costs, builder.stage(stages[s], s + 1 == stages.size()));
    all.push_back(std::move(costs));
  }
  return all;
}

}  // namespace pipedeck::mesh
