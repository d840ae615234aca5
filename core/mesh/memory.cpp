// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/analytic/transformer/shards/adapters.hpp"
#include "core/cost/data_traffic.hpp"
#include "core/cost/state_bytes.hpp"
#include "core/mesh/stages.hpp"
#include "core/mesh/trained_weights.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::mesh {
namespace {

using analytic::transformer::shards::adapted_part;
using analytic::transformer::shards::adapter_elements;
using analytic::transformer::shards::adapter_weights;
using analytic::transformer::shards::bytes_of;
using analytic::transformer::shards::is_linear;
using analytic::transformer::shards::KeptItem;
using analytic::transformer::shards::LayerShard;
using analytic::transformer::shards::linear_weights;
using analytic::transformer::shards::ShardProduct;
using analytic::transformer::shards::ShardWeights;
using analytic::transformer::shards::WorkKind;

/// Returns true if the layer begins a block: one with experts has two layers.
bool begins_block(const LayerShard& layer) { return layer.kind == "transformer" || layer.kind == "attention"; }
bool is_root(const LayerShard& layer) { return layer.kind == "embedding" || layer.kind == "linear"; }

bool is_narrow(const Training& training) { return training.products != "bf16" && training.products != "fp16"; }

/// Returns the bytes of an element in a product's precision, with its scales.
double element_bytes(std::string_view precision) {
  if (precision == "mxfp8") return 1 + 1.0 / 32;
  if (precision == "nvfp4") return 0.5 + 1.0 / 16;
  return precision == "fp8" ? 1 : 2;
}

/// Returns the bytes of a kept item: what products alone use is kept as they use it, what others use too is kept twice.
double kept_bytes(const KeptItem& item, const Training& training) {
  if (!is_narrow(training)) return item.bytes;
  static constexpr std::array<std::string_view, 7> of_products{
      "queries, keys, values: input", "attention input", "feed-forward: input", "feed-forward out: input",
      "shared experts out: input",    "experts: input",  "experts out: input"};
  static constexpr std::array<std::string_view, 2> of_both{"attention output: input",
                                                           "router and shared experts: input"};
  const double share = element_bytes(training.products) / 2;
  if (std::ranges::find(of_products, item.name) != of_products.end()) return item.bytes * share;
  if (std::ranges::find(of_both, item.name) != of_both.end()) return item.bytes * (1 + share);
  return item.bytes;
}

/// Returns true for the input of a frozen product without an adapter: no gradient needs it. Attention needs its output
/// all the same, and a norm's output that several products take is kept.
bool is_of_frozen(const KeptItem& item, const LayerShard& layer, const Adapters& adapters) {
  constexpr std::string_view ending = ": input";
  if (adapters.rank == 0 || !item.name.ends_with(ending) || item.name == "attention output: input") return false;
  const std::string name = item.name.substr(0, item.name.size() - ending.size());
  const auto product = std::ranges::find_if(
      layer.forward.products, [&](const ShardProduct& one) { return one.name == name || one.name == name + " in"; });
  return product != layer.forward.products.end() && !adapted_part(*product, adapters).any();
}

double kept_bytes(const std::vector<KeptItem>& items, const LayerShard& layer, const Training& training) {
  double sum = 0;
  for (const KeptItem& item : items)
    if (!is_of_frozen(item, layer, training.adapters)) sum += kept_bytes(item, training);
  return sum;
}

/// Returns the bytes that are kept if torchtitan recomputes by operation (activation_checkpoint.py): outputs of every
/// second product, from the first one of a block on, and of attention.
double kept_by_operations(const Question& question, const LayerShard& layer) {
  double kept = 0;
  for (const KeptItem& item : layer.kept)
    if (item.name == "attention norm: input" || item.name == "attention output: input" || item.name == "row sums")
      kept += item.bytes;
  const TransformerConfig& config = question.config;
  for (const ShardProduct& product : layer.forward.products) {
    if (product.kind == WorkKind::attention) continue;
    const double output = question.layer.count.element * product.rows * product.columns * product.times;
    if (product.name == "queries, keys, values")  // queries and values of three products
      kept += output * (config.heads + config.key_value_heads) / (config.heads + 2.0 * config.key_value_heads);
    else if (product.name == "feed-forward in")
      kept += config.gated ? output / 2 : 0;
    else if (product.name == "feed-forward out")  // only a sum reads it, no backward: a compiler drops it
      kept += question.training.compiled ? 0 : output;
    else if (product.name != "attention output")
      kept += output;
  }
  return kept;
}

/// A number of bytes of a layer from forward to backward.
struct KeptBytes {
  double kept = 0, restored = 0;
};

/// Returns the bytes of a layer of block number `block` of its stage.
KeptBytes kept_of(const Question& question, const LayerShard& layer, int block) {
  const Training& training = question.training;
  const auto& recomputed = question.layer.recomputed;
  const bool is_restored = recomputed.blocks && (recomputed.count < 0 || block < recomputed.count);
  KeptBytes made{kept_bytes(layer.kept, layer, training), kept_bytes(layer.restored, layer, training)};
  (is_restored ? made.restored : made.kept) +=
      question.layer.count.element * adapter_elements(layer, training.adapters);
  const double all = made.kept + made.restored;
  if (recomputed.operations) {
    made.kept = std::min(all, kept_by_operations(question, layer));
    made.restored = all - made.kept;
  } else if (recomputed.blocks && !is_restored) {
    made = {all, 0};
  }
  return made;
}

/// A number of bytes per logit.
struct LogitBytes {
  double kept = 0;  ///< from the loss to its backward
  double peak = 0;  ///< while one of them runs
  double left = 0;  ///< in the head's backward
};

class Counter {
 public:
  Counter(const Question& question, const plan::StageDegrees& degrees, std::span<const LayerShard> layers,
          bool is_first, bool is_last)
      : question_(question),
        training_(question.training),
        degrees_(degrees),
        layers_(layers),
        is_first_(is_first),
        is_last_(is_last) {}

  StageMemory count() {
    count_blocks();
    count_ends();
    count_states();
    if (!is_first_) made_.boundary = boundary();
    if (!is_first_ || !is_last_) made_.transfers = 2 * boundary();
    if (training_.keeps_stage_outputs && !is_last_) made_.kept += boundary();
    return made_;
  }

 private:
  double element() const { return question_.layer.count.element; }

  /// Returns the bytes of a layer's input once it is gathered.
  double whole_input() const {
    const analytic::transformer::CountOptions& count = question_.layer.count;
    return element() * count.micro_batch * count.sequence * question_.config.hidden / question_.shard().context;
  }
  double boundary() const {
    const Shard& shard = question_.shard();
    return whole_input() / (shard.divides_tokens() ? shard.tensor : 1);
  }

  /// Returns the bytes of the largest frozen weights that are converted to 16 bits before their product.
  double widest_converted(const LayerShard& layer) const {
    if (training_.adapters.rank == 0 || training_.adapters.frozen == FrozenWeights::same) return 0;
    double widest = 0;
    for (const ShardProduct& product : layer.forward.products)
      if (is_linear(product)) widest = std::max(widest, 2 * product.inner * product.columns);
    return widest;
  }

  void count_blocks() {
    int block = -1;
    double restored = 0, transient = 0, last_block = 0, workspace = 0, offloaded = 0;
    for (const LayerShard& layer : layers_) {
      if (!is_block(layer)) continue;
      if (begins_block(layer)) ++block, restored = transient = last_block = 0;
      const auto [kept, again] = kept_of(question_, layer, block);
      const double here = block < training_.offloaded_blocks ? 0 : kept;
      offloaded = std::max(offloaded, kept - here);
      made_.offloaded += kept - here;
      made_.kept += here, last_block += here;
      restored += again;
      transient = std::max(transient, gradients_of(layer));
      made_.peak_backward = std::max(made_.peak_backward, restored + transient);
      made_.peak_forward = std::max({made_.peak_forward, transient, restored});
      workspace = std::max(workspace, std::max(layer.workspace, widest_converted(layer)));
    }
    if (is_last_) made_.kept += last_block * training_.multi_token_blocks;
    // A block on its way from or to the host is here, too.
    made_.peak_backward += workspace + offloaded, made_.peak_forward += workspace + offloaded;
  }

  /// Returns the bytes of activations' gradients at the layer's widest place: of the activation's input and output.
  double gradients_of(const LayerShard& layer) const {
    double widest = 0;
    for (const ShardProduct& product : layer.forward.products)
      if (product.kind != WorkKind::attention)
        widest = std::max(widest, element() * product.rows * (product.columns + product.inner) * product.times);
    return widest;
  }

  void count_ends() {
    const int heads = is_last_ ? 1 + training_.multi_token_blocks : 0;
    double logits = 0, weights = 0;
    for (const LayerShard& layer : layers_) {
      if (is_block(layer)) continue;
      if (layer.kind == "linear") weights = layer.weights.dense;
      if (layer.kind == "softmax_cross_entropy")
        logits = bytes_of(layer.kept) / 4;
      else
        made_.kept += bytes_of(layer.kept) * (layer.kind == "embedding" ? 1 : std::max(heads, 1));
    }
    const LogitBytes bytes = logit_bytes();
    // The head's input and its gradient are whole, next to a 16-bit gradient of its weights or the place of one.
    if (question_.sharding.level == 3 || training_.adapters.rank > 0) weights = 0;  // among `gathered`; frozen
    const double backward = bytes.left * logits + 2 * weights + (logits > 0 ? 2 * whole_input() : 0);
    const double others = heads > 1 ? (heads - 1) * bytes.kept * logits : 0;
    made_.peak_backward = std::max({made_.peak_backward, bytes.peak * logits + others, backward + others});
    made_.peak_forward = std::max(made_.peak_forward, bytes.peak * logits + others);
  }

  LogitBytes logit_bytes() const {
    switch (training_.loss) {
      case LossKind::plain:
        return {4, 6, 2};
      case LossKind::fused:
        return {2, 4, 4};
      case LossKind::in_place:
        return {2, 2, 2};
      case LossKind::chunked:
        return {0, 6.0 / training_.loss_chunks, 2.0 / training_.loss_chunks};
      case LossKind::separate:  // several ranks: torch/distributed/tensor/parallel/loss.py
        return {4, question_.shard().tensor > 1 ? 16.0 : 12.0, 2};
    }
    return {};
  }

  /// Returns the weights of the products with different shapes: TransformerEngine keeps a place for a 16-bit gradient
  /// of each shape (module/base.py, get_dummy_wgrad), though products add to the gradients in place.
  double shapes() const {
    std::set<std::pair<double, double>> seen;
    double sum = 0;
    for (const LayerShard& layer : layers_)
      for (const ShardProduct& product : layer.forward.products)
        if (is_block(layer) && product.kind != WorkKind::attention &&
            seen.emplace(product.inner, product.columns).second)
          sum += product.inner * product.columns;
    return sum;
  }

  void count_states() {
    cost::RankWeights all, linear, adapters;
    double unit = 0, widest = 0, root = 0;
    const auto add = [](cost::RankWeights& sum, const ShardWeights& weights) {
      sum.dense += weights.dense + weights.whole, sum.expert += weights.expert;
    };
    for (const LayerShard& layer : layers_) {
      add(all, layer.weights);
      all.dense -= shared_weights(layer, question_);
      if (is_root(layer)) root += layer.weights.dense + layer.weights.whole - shared_weights(layer, question_);
      if (!is_block(layer)) continue;
      if (begins_block(layer)) unit = 0;
      unit += gathered_weights(layer);
      widest = std::max(widest, unit);
      add(linear, linear_weights(layer)), add(adapters, adapter_weights(layer, training_.adapters));
    }
    if (is_last_ && training_.multi_token_blocks > 0) add_multi_token(all);

    const bool has_adapters = training_.adapters.rank > 0;
    if (has_adapters) add_frozen(all, linear);
    add_trained(has_adapters ? adapters : all);
    const Sharding& sharding = question_.sharding;
    if (sharding.level == 3 && sharding.reshard != Reshard::after_step) {
      // Two units of a block, and the ends whole from the forward to the backward (torchtitan, FSDP2).
      double whole = 2 * widest + root;
      if (sharding.reshard == Reshard::after_backward)
        whole = all.dense + all.expert + (frozen_share() - 1) * (linear.dense + linear.expert);
      made_.gathered = whole * question_.wire.weights;
      if (!has_adapters) made_.gathered += 2 * widest * question_.wire.gradients + 2 * root;
    }
    if (is_narrow(training_) && sharding.level < 3 && !training_.narrow_weights && training_.recipe != "tensorwise" &&
        training_.recipe != "rowwise")
      made_.copies = linear_of_blocks() * 2 * element_bytes(training_.products);
    if (training_.fused_weight_gradients && !has_adapters) made_.copies += 2 * shapes();
  }

  /// Returns a layer's weights as gathered, in units of trained ones.
  double gathered_weights(const LayerShard& layer) const {
    return layer.weights.all() + (frozen_share() - 1) * linear_weights(layer).all();
  }
  /// Returns the bytes of a frozen weight of a product over those of others, as gathered.
  double frozen_share() const {
    const double wire = question_.wire.weights;
    return training_.adapters.rank > 0 ? frozen_bytes(training_.adapters.frozen, wire) / wire : 1;
  }

  /// Returns the weights of blocks' products, cut by T or by experts.
  double linear_of_blocks() const {
    double sum = 0;
    for (const LayerShard& layer : layers_)
      if (is_block(layer)) sum += layer.weights.dense + layer.weights.expert;
    return sum;
  }

  /// Adds frozen weights: those of products in their own format, the others as trained ones.
  void add_frozen(cost::RankWeights others, const cost::RankWeights& linear) {
    others.dense -= linear.dense, others.expert -= linear.expert;
    const auto weights = [&](double bytes, const cost::RankWeights& count) {
      return cost::held_bytes({bytes, 0, 0, 0}, question_.sharding, degrees_, count).weights;
    };
    const double same = question_.states.weights;
    made_.weights = weights(same, others) + weights(frozen_bytes(training_.adapters.frozen, same), linear);
  }

  void add_trained(const cost::RankWeights& trained) {
    StateBytes held = cost::held_bytes(question_.states, question_.sharding, degrees_, trained);
    made_.weights += held.weights, made_.gradients = held.gradients;
    if (training_.offloads_optimizer || training_.pages_optimizer) {
      made_.host_states = held.optimizer;
      held.optimizer = 0;
    }
    if (training_.offloads_optimizer) {
      Sharding by_optimizer = question_.sharding;
      by_optimizer.level = std::min(by_optimizer.level, 1);
      const StateBytes moved{0, 0, question_.wire.gradients + question_.wire.weights, 0};
      made_.host_copies = cost::held_bytes(moved, by_optimizer, degrees_, trained).optimizer;
      held.step = held.freed = 0;
    }
    made_.optimizer = held.optimizer, made_.freed = held.freed;
    made_.step = held.step + 4 * training_.bucket;  // two buckets in 16 bits: one is filled, one is on its way
  }

  /// Adds blocks that predict further tokens: each one more block, a product of 2h x h, three norms.
  void add_multi_token(cost::RankWeights& all) const {
    double dense = 0, expert = 0;
    for (const LayerShard& layer : layers_) {
      if (!is_block(layer)) continue;
      if (begins_block(layer)) dense = expert = 0;
      dense += layer.weights.dense + layer.weights.whole, expert += layer.weights.expert;
    }
    const double h = question_.config.hidden;
    const int count = training_.multi_token_blocks;
    all.dense += count * (dense + 2 * h * h / question_.shard().tensor + 3 * h);
    all.expert += count * expert;
    if (!is_first_)  // the embedding of the further tokens
      for (const LayerShard& layer : layers_)
        if (layer.kind == "linear") all.dense += layer.weights.dense;
  }

  const Question& question_;
  const Training& training_;
  const plan::StageDegrees& degrees_;
  std::span<const LayerShard> layers_;
  bool is_first_, is_last_;
  StageMemory made_;
};

Bytes whole_bytes(double bytes) { return Bytes(saturating::whole(std::ceil(bytes))); }

}  // namespace

Result<StageMemory> stage_memory(const Question& question, std::span<const LayerShard> layers, bool is_first,
                                 bool is_last) {
  const TRY(plan::StageDegrees degrees,
            plan::degrees_of(question.shard().replica_devices() * question.data, question.shard(), question.sharding));
  return Counter(question, degrees, layers, is_first, is_last).count();
}

double kept_items(const LayerShard& layer, const Training& training) { return kept_bytes(layer.kept, layer, training); }

double kept_for_backward(const Question& question, const LayerShard& layer, int block) {
  return kept_of(question, layer, block).kept;
}

double fixed_bytes(const Question& question) {
  const Shard& shard = question.shard();
  int communicators = question.pipeline > 1 ? 3 : 1;  // of all ranks, with either neighbour
  for (const int ranks : {shard.tensor, shard.context, shard.context * question.data, shard.expert})
    if (ranks > 1) ++communicators;
  if (question.training.own_groups) {
    const int pipeline = question.pipeline, tied = question.config.tied ? pipeline : 1;
    for (const int ranks : {shard.tensor * pipeline, shard.context * question.data, pipeline, shard.tensor, tied})
      if (ranks > 1) ++communicators;
  }
  constexpr double communicator = 250e6;
  return question.training.context + communicators * communicator;
}

double micro_batches_kept(const Question& question, int rank, int chunk) {
  const int ranks = question.pipeline, behind = ranks - rank, all = question.micro_batches;
  const double v = question.virtual_stages;
  switch (question.schedule()) {
    case ScheduleKind::zb_h1:
      return std::min(ranks, all);
    case ScheduleKind::zb_h2:
      return std::min(2 * ranks - 1, all);
    case ScheduleKind::zb_v:
      return std::min(chunk == 0 ? 2 * ranks - 1 - rank : rank + 1, all);
    case ScheduleKind::dualpipe_v:
      return std::min(chunk == 0 ? 2 * ranks - rank : rank + 1, all);
    case ScheduleKind::interleaved:
      return std::min(all * v, 2.0 * (behind - 1) + (v - 1) * ranks + 1) / v;
    default:
      return std::min(behind, all);
  }
}

RankMemory rank_memory(const Question& question, int rank, std::span<const StageMemory> stages) {
  StageMemory all;
  for (std::size_t chunk = 0; chunk < stages.size(); ++chunk) {
    const StageMemory& stage = stages[chunk];
    const double in_flight = micro_batches_kept(question, rank, static_cast<int>(chunk));
    all.weights += stage.weights, all.gradients += stage.gradients, all.optimizer += stage.optimizer;
    all.step += stage.step, all.freed += stage.freed, all.copies += stage.copies;
    all.transfers = std::max(all.transfers, stage.transfers);
    all.kept += in_flight * stage.kept, all.boundary += in_flight * stage.boundary;
    all.offloaded += in_flight * stage.offloaded;
    all.host_states += stage.host_states, all.host_copies += stage.host_copies;
    all.gathered = std::max(all.gathered, stage.gathered);
    all.peak_forward = std::max(all.peak_forward, stage.peak_forward);
    all.peak_backward = std::max(all.peak_backward, stage.peak_backward);
  }
  const double workspace = std::max(all.peak_forward, all.peak_backward) + library_workspace;
  const double pass = all.gathered + all.kept + workspace + all.transfers;
  const bool in_step = all.step > pass;
  // Large buffers of the step seldom fit into what passes have left free.
  const double cached = question.training.cached * pass + std::min(all.step, pass) + all.freed;

  RankMemory made;
  made.items[MemoryItem::weights] = whole_bytes(all.weights + all.copies + (in_step ? 0 : all.gathered));
  made.items[MemoryItem::gradients] = whole_bytes(all.gradients);
  made.items[MemoryItem::optimizer] = whole_bytes(all.optimizer + (in_step ? all.step : 0));
  if (!in_step) {
    made.items[MemoryItem::activations] = whole_bytes(all.kept - all.boundary);
    made.items[MemoryItem::boundary] = whole_bytes(all.boundary);
    made.items[MemoryItem::communication] = whole_bytes(all.transfers);
    made.items[MemoryItem::workspace] = whole_bytes(workspace);
  }
  made.host.states = whole_bytes(all.host_states), made.host.copies = whole_bytes(all.host_copies);
  made.host.activations = whole_bytes(all.offloaded);
  made.peak = static_cast<double>(made.items.total().count);
  const double fixed = fixed_bytes(question);
  made.needed = made.peak + fixed;
  made.items[MemoryItem::reserve] = whole_bytes(cached + fixed);
  made.with_context = static_cast<double>(made.items.total().count);
  return made;
}

}  // namespace pipedeck::mesh
