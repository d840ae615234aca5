// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/stage_costs.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/mesh/group_times.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/optimizer_time.hpp"
#include "core/mesh/pipeline_times.hpp"
#include "core/mesh/sample_lengths.hpp"
#include "core/mesh/trained_weights.hpp"

namespace pipedeck::mesh {
namespace {

using analytic::transformer::shards::LayerCollective;
using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::LayerWork;
using analytic::transformer::shards::NamedTime;
using analytic::transformer::shards::WorkTime;
using cost::DataCollective;
using cost::DataMoment;
using plan::GroupFamily;

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

class Builder {
 public:
  Builder(const Question& question, const TypeRates& rates, const GroupTimes& groups, TimedLayers& known)
      : question_(question), rates_(rates), groups_(groups), layers_(known) {}

  Result<StageCosts> stage(const StageLayers& layers, bool is_last) {
    StageCosts costs;
    std::vector<cost::PassLayer> pass;
    bool in_block = false;
    Seconds attention;
    for (const LayerShard& layer : layers) {
      TRY(TimedLayer known, timed_layer(layer));
      cost::PassLayer timed = std::move(known.pass);
      attention += known.attention;
      add_sharded(timed, layer);
      // Norm, head and loss are one unit, and so is a block of two layers (torchtitan; Megatron-FSDP).
      timed.in_unit_of_previous = layer.kind == "experts" || (in_block && layer.kind != "transformer" &&
                                                              layer.kind != "attention" && layer.kind != "layer_norm");
      in_block = layer.kind != "embedding";
      costs.recompute += timed.recompute;
      pass.push_back(std::move(timed));
    }
    costs.forward = cost::walk_pass(pass, OpKind::forward, question_.training.forward_ahead);
    costs.backward = cost::walk_pass(pass, OpKind::backward);
    if (splits_backward(question_.order)) {
      costs.input = cost::walk_pass(pass, OpKind::backward_input);
      costs.weight = cost::walk_pass(pass, OpKind::backward_weight);
    }
    if (question_.training.hidden.expert) hide_experts(costs);
    if (question_.training.offloaded_blocks > 0) TRY_VOID(add_host_copies(costs, layers, pass));
    if (!is_last) costs.send = send_time(layers.back().output);
    add_step(costs, layers, pass);
    TRY(const PackedWork work, packed_work(question_));
    costs.waiting = attention * waiting_of(question_, work);
    TRY(costs.optimizer, optimizer_time(question_, rates_, groups_, layers));
    return costs;
  }

  /// Equal layers are timed once.
  Result<TimedLayer> timed_layer(const LayerShard& layer) {
    const TimedLayers::key_type key{layer.kind,          layer.forward.flops(),      layer.recompute.flops(),
                                    layer.weights.all(), layer.forward.memory_bytes, layer.recompute.memory_bytes};
    if (const auto known = layers_.find(key); known != layers_.end()) return known->second;
    TRY(const LayerWork work,
        analytic::transformer::shards::layer_work(layer, rates_, question_.training, question_.states.gradients));
    cost::PassLayer timed{work.forward.total, work.recompute.total, work.input_gradient.total,
                          work.weight_gradient.total};
    Seconds sent_forward, sent_backward;
    for (const LayerCollective& one : layer.collectives) {
      const Seconds sent = add_collective(timed, work, one);
      (one.pass == Pass::forward ? sent_forward : sent_backward) += sent;
    }
    add_slowdown(timed, sent_forward, sent_backward);
    const Seconds attention = work.forward.attention + work.recompute.attention + work.input_gradient.attention;
    return layers_.emplace(key, TimedLayer{std::move(timed), attention}).first->second;
  }

  /// Adds what copies of kept activations exceed the compute behind which they are: blocks leave in the forward and
  /// come back in the backward, each while its neighbour computes (parallelism.md, "Host").
  Result<void> add_host_copies(StageCosts& costs, const StageLayers& layers,
                               std::span<const cost::PassLayer> pass) const {
    TRY(const BytesPerSecond rate, host_rate(rates_, "activations on the host"));
    const auto first = std::ranges::find_if(layers, is_block);
    const auto from = static_cast<std::size_t>(first - layers.begin());
    std::vector<Seconds> forward, backward;  // compute of each block
    std::vector<double> kept;
    for (std::size_t i = from; i < layers.size() && is_block(layers[i]); ++i) {
      if (layers[i].kind != "experts") forward.emplace_back(), backward.emplace_back(), kept.push_back(0);
      forward.back() += cost::walk_pass(pass.subspan(i, 1), OpKind::forward).duration();
      backward.back() += cost::walk_pass(pass.subspan(i, 1), OpKind::backward).duration();
      kept.back() += kept_for_backward(question_, layers[i], static_cast<int>(kept.size()) - 1);
    }
    const std::size_t offloaded = std::min(kept.size(), static_cast<std::size_t>(question_.training.offloaded_blocks));
    for (std::size_t b = 0; b < offloaded; ++b) {
      const Seconds copy(kept[b] / rate.count);
      const std::size_t next = std::min(b + 1, kept.size() - 1);
      costs.forward[cost::PassPart::host] += std::max(Seconds(), copy - forward[next]);
      const Seconds back = std::max(Seconds(), copy - backward[next]);
      costs.backward[cost::PassPart::host] += back;
      if (splits_backward(question_.order)) costs.input[cost::PassPart::host] += back;
    }
    return {};
  }

 private:
  /// Returns the time for which the collective's lane is busy.
  Seconds add_collective(cost::PassLayer& timed, const LayerWork& work, const LayerCollective& one) const {
    cost::TimedCollective collective{one.group, one.pass, {}, one.behind, one.product, one.ranks};
    collective.time = groups_.time(one.group, one.kind, one.bytes, one.leaving);
    if (question_.training.waits_for_input_gradients && one.group == GroupFamily::tensor &&
        one.behind == Behind::weight_gradient)
      collective.behind = Behind::nothing;
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

  /// Returns the time of a stage's output on its way to the next one. `bytes`: of a rank.
  Seconds send_time(double bytes) const {
    const Shard& shard = question_.shard();
    const bool whole = shard.divides_tokens() || shard.tensor == 1;
    if (whole || !question_.training.scatters_sends) return groups_.to_next_stage(bytes);
    const double part = bytes / shard.tensor;
    return groups_.to_next_stage(part) + groups_.time(GroupFamily::tensor, CollectiveKind::all_gather, bytes - part);
  }

  std::vector<DataCollective> traffic(const LayerShard& layer) const {
    return traffic_of(layer, question_, groups_.degrees());
  }
  Seconds time(const DataCollective& one) const { return groups_.time(one.group, one.kind, one.bytes); }

  /// Adds what each micro-batch gathers and scatters, and the slower compute while it does.
  void add_sharded(cost::PassLayer& timed, const LayerShard& layer) const {
    for (const DataCollective& one : traffic(layer)) {
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
    costs.input[cost::PassPart::expert] = costs.input[cost::PassPart::expert] * left;
  }

  /// Adds the communication of a step, layer by layer.
  void add_step(StageCosts& costs, const StageLayers& layers, std::span<const cost::PassLayer> pass) const {
    const Hidden& hidden = question_.training.hidden;
    Seconds backward, weight, compute, gathered, unhidden;
    std::map<GroupFamily, double> broadcast;
    std::vector<Seconds> reduced(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      Seconds gather;
      for (const DataCollective& one : traffic(layers[i])) {
        if (one.moment == DataMoment::next_forward && question_.training.owned_tensors > 0)
          broadcast[one.group] += one.bytes;
        else if (one.moment == DataMoment::first_forward || one.moment == DataMoment::next_forward)
          gather += time(one);
        if (one.moment == DataMoment::last_backward) reduced[i] += time(one);
        if (one.moment == DataMoment::after_backward) unhidden += time(one);
      }
      gathered += gather;
      // Each layer waits for its own gather; earlier ones compute meanwhile.
      costs.gather = hidden.weights ? std::max(costs.gather, gathered - compute) : gathered;
      compute += cost::walk_pass(pass.subspan(i, 1), OpKind::forward).duration();
    }
    for (const auto& [group, bytes] : broadcast) {
      const auto tensors = question_.training.owned_tensors * static_cast<int>(layers.size());
      costs.gather += groups_.broadcasts(group, bytes, std::min(groups_.size(group), tensors));
    }
    for (std::size_t i = layers.size(); i-- > 0;) {
      backward += cost::walk_pass(pass.subspan(i, 1), OpKind::backward).duration();
      weight += pass[i].weight_gradient;
      if (reduced[i].count <= 0) continue;
      if (hidden.gradients)
        costs.reductions.push_back({backward, reduced[i], weight});
      else
        unhidden += reduced[i];
    }
    if (unhidden.count > 0) costs.reductions.push_back({costs.backward.duration(), unhidden, costs.weight.duration()});
  }

  const Question& question_;
  const TypeRates& rates_;
  const GroupTimes& groups_;
  TimedLayers& layers_;
};

}  // namespace

void add_tied_table(std::vector<StageCosts>& stages, const Question& question, const PipelineTimes& times,
                    const StageLayers& last) {
  if (question.shares_table() || question.training.adapters.rank > 0) return;
  double weights = 0;
  for (const LayerShard& layer : last) weights += tied_weights(layer, question);
  const plan::StageDegrees& degrees = times.types_of(0).front().groups.degrees();
  if (question.sharding.level >= 2) weights /= degrees.sharding;
  const Seconds time = times.between_ends(weights * question.wire.gradients);
  if (time.count <= 0) return;
  for (StageCosts* const stage : {&stages.front(), &stages.back()})
    stage->reductions.push_back({stage->backward.duration(), time, stage->weight.duration()});
}

void add_waiting(std::vector<StageCosts>& stages, const Question& question) {
  for (std::size_t s = static_cast<std::size_t>(question.pipeline); s < stages.size(); ++s)
    stages[question.rank_of_stage(s)].waiting += std::exchange(stages[s].waiting, Seconds());
  for (StageCosts& stage : stages)
    if (stage.waiting.count > 0)
      stage.reductions.push_back({stage.backward.duration(), stage.waiting, stage.weight.duration()});
}

Seconds send_behind(const Question& question, std::span<const StageCosts> stages, std::size_t s) {
  const bool turns = s + 1 < stages.size() && question.rank_of_stage(s) == question.rank_of_stage(s + 1);
  return turns ? Seconds() : stages[s].send;
}

std::vector<DataCollective> traffic_of(const LayerShard& layer, const Question& question,
                                       const plan::StageDegrees& degrees) {
  const auto of = [&](const cost::RankWeights& weights) {
    return cost::data_traffic(question.sharding, degrees, weights, question.wire);
  };
  std::vector<DataCollective> all = of(trained_weights(layer, question));
  if (question.training.adapters.rank == 0 || question.sharding.level < 3) return all;
  for (const DataCollective& one : of(frozen_weights(layer, question)))
    if (!one.of_gradients && one.moment != DataMoment::next_forward) all.push_back(one);
  return all;
}

Result<TimedLayer> timed_layer(const LayerShard& layer, const Question& question, const TypeRates& rates,
                               const GroupTimes& groups, TimedLayers& known) {
  return Builder(question, rates, groups, known).timed_layer(layer);
}

Result<StageCosts> stage_costs_of(const Question& question, const TypeRates& rates, const GroupTimes& groups,
                                  const StageLayers& layers, bool is_last, TimedLayers& known) {
  return Builder(question, rates, groups, known).stage(layers, is_last);
}

Result<std::vector<StageCosts>> stage_costs(const Question& question, const Rates& rates,
                                            const std::vector<StageLayers>& stages,
                                            std::shared_ptr<KnownGroups> groups) {
  TRY(const PipelineTimes times, PipelineTimes::of(question, rates, std::move(groups)));
  LayersTimedByKind known;
  std::vector<StageCosts> all;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    TRY(StageCosts costs, times.costs(s, stages[s], s + 1 == stages.size(), known));
    all.push_back(std::move(costs));
  }
  add_tied_table(all, question, times, stages.back());
  add_waiting(all, question);
  return all;
}

}  // namespace pipedeck::mesh
