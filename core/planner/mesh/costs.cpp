// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/costs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/cost/state_bytes.hpp"
#include "core/plan/blocks.hpp"

namespace pipedeck::planner::mesh {
namespace {

using analytic::transformer::shards::LayerShard;
using pipedeck::mesh::GroupTimes;
using pipedeck::mesh::StageCosts;
using pipedeck::mesh::StageMemory;

using ShardKey = std::array<int, 11>;

ShardKey shard_key(const Shard& s, int micro_batch) {
  return {s.tensor,
          s.sequence,
          s.context,
          static_cast<int>(s.context_kind),
          s.context_heads,
          s.expert,
          s.expert_tensor,
          micro_batch,
          0,
          0,
          0};
}

/// Returns what the costs of one layer depend on: attention does not ask for experts, and experts ask for the tokens of
/// a rank, not for how context ranks exchange them.
ShardKey layer_key(std::string_view kind, const Shard& s, int micro_batch) {
  ShardKey key = shard_key(s, micro_batch);
  if (kind != "experts") {
    key[5] = key[6] = 0;
    return key;
  }
  const int common = std::gcd(micro_batch, s.context);
  key[2] = s.context / common, key[3] = key[4] = 0, key[7] = micro_batch / common;
  return key;
}

/// Returns no more bytes than a stage keeps of the layer, in any precision of products.
double kept_at_least(const LayerShard& layer, const Training& training) {
  if (training.offloaded_blocks > 0) return 0;
  const bool wide = training.products == "bf16" || training.products == "fp16";
  return analytic::transformer::shards::bytes_of(layer.kept) * (wide ? 1 : 0.25);
}

/// Simulations count whole nanoseconds.
Seconds rounded(Seconds time) { return to_seconds(round_to_nanoseconds(time)); }

}  // namespace

LayerSum& LayerSum::operator+=(const LayerSum& other) {
  forward += other.forward, backward += other.backward, dense += other.dense, expert += other.expert;
  kept += other.kept;
  return *this;
}

LayerSum LayerSum::operator*(double times) const {
  return {forward * times, backward * times, dense * times, expert * times, kept * times};
}

Costs::Costs(const Question& base, const Space& space, const Rates& rates, cost::Network network)
    : base_(base), space_(space), rates_(rates), devices_(space.devices > 0 ? space.devices : network.device_count()) {
  own_cards_ = network.nic(network.node_of(DeviceId(0))).has_value();
  known_ = std::make_shared<pipedeck::mesh::KnownGroups>(network);
  alone_ = own_cards_ ? known_ : std::make_shared<pipedeck::mesh::KnownGroups>(std::move(network), true);
}

Result<Costs> Costs::of(const Question& base, const Space& space, const Rates& rates) {
  TRY(auto network, cost::Network::of(*base.cluster));
  Costs costs(base, space, rates, std::move(network));
  const Counted& counted = costs.counted(1, 1);
  std::string_view last;
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < counted.layers.size(); ++i) {
    const analytic::times::LayerCount& layer = counted.layers[i];
    if (!analytic::transformer::is_block_kind(layer.kind)) {
      (blocks.empty() ? costs.before_ : costs.after_).push_back(i);
      continue;
    }
    const std::string_view name = plan::block_name(layer.name);
    if (blocks.empty() || name != last) blocks.emplace_back();
    blocks.back().push_back(i);
    last = name;
  }
  for (const std::vector<std::size_t>& block : blocks) {
    const auto same = std::ranges::find_if(costs.kinds_, [&](const std::vector<std::size_t>& kind) {
      return std::ranges::equal(kind, block, [&](std::size_t a, std::size_t b) {
        return pipedeck::mesh::are_alike(counted.layers[a], counted.layers[b]);
      });
    });
    costs.order_.push_back(static_cast<std::size_t>(same - costs.kinds_.begin()));
    if (same == costs.kinds_.end()) costs.kinds_.push_back(block);
  }
  return costs;
}

const Costs::Counted& Costs::counted(int micro_batch, int tensor) {
  const int multiple = base_.layer.vocabulary_multiple;
  const auto [found, fresh] = counted_.try_emplace({micro_batch, multiple > 0 ? tensor : 1});
  if (fresh) {
    Counted& made = found->second;
    made.config = base_.config;
    made.config.vocabulary = plan::padded_vocabulary(base_.config.vocabulary, tensor, multiple);
    analytic::transformer::CountOptions count = base_.layer.count;
    count.micro_batch = micro_batch;
    made.layers = analytic::transformer::count_layers(made.config, count).layers;
  }
  return found->second;
}

analytic::transformer::shards::ShardOptions Costs::options_of(const Question& question) const {
  analytic::transformer::shards::ShardOptions options = question.layer;
  const Shard& shard = options.shard;
  const int ranks = shard.expert * shard.expert_tensor;
  options.domains = std::gcd(pipedeck::mesh::domains_of_ranks(*base_.cluster, ranks), shard.expert);
  return options;
}

/// A question with all devices in one stage, made once it is needed: groups inside a stage are the same for any P.
class Costs::Whole {
 public:
  Whole(Costs& costs, const Point& point) : costs_(costs), point_(point) {}

  Result<const GroupTimes*> groups() {
    if (!groups_) {
      point_.pipeline = point_.virtual_stages = 1, point_.short_last = false, point_.sharding = costs_.base_.sharding;
      point_.sharding.level = 0, point_.sharding.group = 0;
      point_.data = costs_.devices_ / point_.shard.replica_devices();
      question = question_of(costs_.base_, costs_.space_, point_);
      TRY(auto made, GroupTimes::of(question, costs_.rates_, costs_.alone_));
      groups_.emplace(std::move(made));
    }
    return &*groups_;
  }
  Question question;

 private:
  Costs& costs_;
  Point point_;
  std::optional<GroupTimes> groups_;
};

Result<LayerSum> Costs::layer_sum(Whole& whole, const Point& point, std::size_t layer) {
  const Counted& model = counted(point.micro_batch, point.shard.tensor);
  const LayerKey key{layer, layer_key(model.layers[layer].kind, point.shard, point.micro_batch), point.recomputed};
  if (const auto known = layers_.find(key); known != layers_.end()) return known->second;
  TRY(const GroupTimes* const groups, whole.groups());
  const LayerShard shard =
      analytic::transformer::shards::shard_layer(model.config, model.layers[layer], options_of(whole.question));
  pipedeck::mesh::TimedLayers timed;
  TRY(const pipedeck::mesh::TimedLayer times,
      pipedeck::mesh::timed_layer(shard, whole.question, rates_, *groups, timed));
  cost::PassTime forward = cost::walk_pass(std::span(&times.pass, 1), OpKind::forward);
  cost::PassTime backward = cost::walk_pass(std::span(&times.pass, 1), OpKind::backward);
  if (base_.training.hidden.expert) forward[cost::PassPart::expert] = backward[cost::PassPart::expert] = Seconds();
  const LayerSum sum{forward.duration().count, backward.duration().count, shard.weights.dense + shard.weights.whole,
                     shard.weights.expert, kept_at_least(shard, base_.training)};
  return layers_.emplace(key, sum).first->second;
}

Result<ShardCosts> Costs::shard_costs(const Point& point) {
  Whole whole(*this, point);
  ShardCosts costs;
  const auto add = [&](LayerSum& sum, const std::vector<std::size_t>& layers) -> Result<void> {
    for (const std::size_t layer : layers) {
      TRY(const LayerSum one, layer_sum(whole, point, layer));
      sum += one;
    }
    return {};
  };
  TRY_VOID(add(costs.before, before_));
  TRY_VOID(add(costs.after, after_));
  for (const std::vector<std::size_t>& kind : kinds_) TRY_VOID(add(costs.blocks.emplace_back(), kind));
  if (const int count = base_.training.multi_token_blocks; count > 0) {
    costs.further = costs.after;
    costs.further.dense = 0;
    costs.further += costs.blocks[order_.back()];
    costs.further = costs.further * count;
  }
  return costs;
}

Seconds Costs::floor_of(const ShardCosts& shard, const Point& point) const {
  LayerSum all = shard.before;
  all += shard.after, all += shard.further;
  for (const std::size_t kind : order_) all += shard.blocks[kind];
  const double passes = static_cast<double>(space_.global_batch) * point.shard.replica_devices() /
                        (static_cast<double>(point.micro_batch) * devices_);  // M / P
  return Seconds((all.forward + all.backward) * passes * (1 - 1e-9) -
                 1e-9 * passes * 4 * static_cast<double>(order_.size()));
}

std::vector<std::pair<std::size_t, std::size_t>> Costs::ranges(const Question& question) const {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  std::size_t first = 0;
  for (const int count : pipedeck::mesh::blocks_of_stages(question)) {
    all.emplace_back(first, first + static_cast<std::size_t>(count));
    first = all.back().second;
  }
  return all;
}

namespace {

/// Returns the blocks of each stage as pipedeck::mesh::blocks_of_stages() has them.
std::vector<int> counts_of(const Point& point, int blocks) {
  const int stages = point.pipeline * point.virtual_stages;
  std::vector<int> counts(static_cast<std::size_t>(stages), blocks / stages);
  if (point.short_last) {
    std::ranges::fill(counts, (blocks + 1) / stages);
    --counts.back();
    return counts;
  }
  for (int i = 0; i < blocks % stages; ++i) ++counts[static_cast<std::size_t>((i + 1) % stages)];
  return counts;
}

}  // namespace

Seconds Costs::floor_of_pipeline(const ShardCosts& shard, const Point& point) {
  const std::vector<int> counts = counts_of(point, blocks());
  std::vector<FloorStage> stages(counts.size());
  std::size_t next = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    LayerSum sum;
    if (s == 0) sum += shard.before;
    for (int b = 0; b < counts[s]; ++b) sum += shard.blocks[order_[next++]];
    if (s + 1 == stages.size()) sum += shard.after, sum += shard.further;
    const double less = 1 - 1e-9;
    stages[s].forward = Seconds(sum.forward * less - 1e-9), stages[s].backward = Seconds(sum.backward * less - 1e-9);
    stages[s].forward = std::max(stages[s].forward, Seconds()),
    stages[s].backward = std::max(stages[s].backward, Seconds());
  }
  return pipeline_floor(stages, point.pipeline, point.micro_batches);
}

double Costs::capacity() const { return pipedeck::mesh::usable_share * static_cast<double>(rates_.type.memory.count); }

double Costs::memory_floor(const ShardCosts& shard, const Point& point) const {
  const auto degrees = plan::degrees_of(point.shard.replica_devices() * point.data, point.shard, point.sharding);
  if (!degrees) return std::numeric_limits<double>::infinity();
  const std::vector<int> counts = counts_of(point, blocks());
  const auto ranks = static_cast<std::size_t>(point.pipeline);
  std::vector<LayerSum> sums(ranks);
  std::size_t next = 0;
  for (std::size_t s = 0; s < counts.size(); ++s)
    for (int b = 0; b < counts[s]; ++b) sums[s % ranks] += shard.blocks[order_[next++]];
  Question asked;
  asked.pipeline = point.pipeline, asked.virtual_stages = point.virtual_stages;
  asked.micro_batches = point.micro_batches;
  const bool all_trained = base_.training.adapters.rank == 0;
  double most = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    double bytes =
        pipedeck::mesh::micro_batches_kept(asked, static_cast<int>(rank)) / point.virtual_stages * sums[rank].kept;
    const StateBytes held =
        cost::held_bytes(base_.states, point.sharding, *degrees, {sums[rank].dense, sums[rank].expert, 0});
    if (all_trained) bytes += held.weights + held.gradients + held.optimizer;
    most = std::max(most, bytes);
  }
  return most;
}

int Costs::same_blocks(std::size_t first, std::size_t last) {
  const auto [range, fresh] = ranges_known_.try_emplace({first, last}, 0);
  if (fresh) {
    std::vector<std::size_t> kinds(order_.begin() + static_cast<std::ptrdiff_t>(first),
                                   order_.begin() + static_cast<std::ptrdiff_t>(last));
    range->second = block_lists_.try_emplace(std::move(kinds), static_cast<int>(block_lists_.size())).first->second;
  }
  return range->second;
}

Result<Costs::Detail*> Costs::detail(const Question& question, const Point& point) {
  const auto [found, fresh] = details_.try_emplace({shard_key(point.shard, point.micro_batch), point.recomputed});
  if (fresh) {
    const Counted& model = counted(point.micro_batch, point.shard.tensor);
    const auto options = options_of(question);
    const auto add = [&](StageLayers& layers, const std::vector<std::size_t>& positions) {
      for (const std::size_t layer : positions)
        layers.push_back(analytic::transformer::shards::shard_layer(model.config, model.layers[layer], options));
    };
    pipedeck::mesh::ModelParts& parts = found->second.model;
    add(parts.before, before_);
    add(parts.after, after_);
    for (const std::vector<std::size_t>& kind : kinds_) add(parts.blocks.emplace_back(), kind);
    parts.order = order_;
  }
  return &found->second;
}

namespace {

std::array<int, 6> traffic_key(const Question& question) {
  return {question.sharding.level, question.sharding.group,     question.data,
          question.pipeline,       question.micro_batches == 1, question.training.hidden.pipeline};
}

}  // namespace

Result<std::vector<const StageCosts*>> Costs::stages(const Question& question, const Point& point) {
  TRY(Detail* const known, detail(question, point));
  std::optional<GroupTimes> groups;
  std::vector<const StageCosts*> all;
  const auto stages = ranges(question);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto [first, last] = stages[s];
    const bool is_last = s + 1 == stages.size();
    const StageKey key{shard_key(point.shard, point.micro_batch),
                       point.recomputed,
                       traffic_key(question),
                       {same_blocks(first, last), s == 0, is_last}};
    auto found = stage_costs_.find(key);
    if (found == stage_costs_.end()) {
      if (!groups) {
        TRY(auto made, GroupTimes::of(question, rates_, known_));
        groups.emplace(std::move(made));
      }
      const StageLayers layers = pipedeck::mesh::layers_of_stage(question, known->model, s, stages.size(), first, last);
      pipedeck::mesh::TimedLayers& timed = known->timed[own_cards_ ? 0 : devices_ / point.pipeline];
      TRY(StageCosts costs, pipedeck::mesh::stage_costs_of(question, rates_, *groups, layers, is_last, timed));
      found = stage_costs_.emplace(key, std::move(costs)).first;
    }
    all.push_back(&found->second);
  }
  return all;
}

Result<MeshMemory> Costs::memory(const Point& point) {
  const Question question = question_of(base_, space_, point);
  TRY(const Detail* const known, detail(question, point));
  const auto stages = ranges(question);
  MeshMemory memory;
  memory.capacity = capacity();
  std::vector<std::vector<StageMemory>> ranks(static_cast<std::size_t>(point.pipeline));
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto [first, last] = stages[s];
    const bool is_last = s + 1 == stages.size();
    const StageKey key{shard_key(point.shard, point.micro_batch),
                       point.recomputed,
                       traffic_key(question),
                       {same_blocks(first, last), s == 0, is_last}};
    auto found = stage_memory_.find(key);
    if (found == stage_memory_.end()) {
      const StageLayers layers = pipedeck::mesh::layers_of_stage(question, known->model, s, stages.size(), first, last);
      TRY(const StageMemory made,
          pipedeck::mesh::stage_memory(question, pipedeck::mesh::without_multi_token(layers), s == 0, is_last));
      found = stage_memory_.emplace(key, made).first;
    }
    ranks[s % ranks.size()].push_back(found->second);
  }
  for (int rank = 0; rank < point.pipeline; ++rank)
    memory.needed = std::max(memory.needed,
                             pipedeck::mesh::rank_memory(question, rank, ranks[static_cast<std::size_t>(rank)]).needed);
  return memory;
}

Result<Seconds> Costs::floor(const Point& point) {
  const Question question = question_of(base_, space_, point);
  TRY(const auto costs, stages(question, point));
  std::vector<FloorStage> floor(costs.size());
  std::vector<std::vector<std::pair<Seconds, Seconds>>> reductions(costs.size());
  const bool hidden = question.training.hidden.pipeline;
  const bool sends = point.pipeline > 1;
  for (std::size_t s = 0; s < costs.size(); ++s) {
    const StageCosts& stage = *costs[s];
    const Seconds back = s > 0 && !hidden ? costs[s - 1]->send : Seconds();
    floor[s].forward = rounded(stage.forward.duration() + (hidden ? Seconds() : stage.send));
    floor[s].backward = rounded(stage.backward.duration() + back);
    floor[s].send = hidden && sends ? rounded(stage.send) : Seconds();
    if (s < static_cast<std::size_t>(point.pipeline)) floor[s].begin = rounded(stage.gather);
    floor[s].optimizer = rounded(stage.optimizer);
    for (const pipedeck::mesh::StageReduction& one : stage.reductions)
      reductions[s].emplace_back(rounded(one.ready), rounded(one.time));
    floor[s].reductions = reductions[s];
  }
  return pipeline_floor(floor, point.pipeline, point.micro_batches) * (1 - 1e-12);
}

Result<MeshParts> Costs::parts(const Point& point, Seconds iteration) {
  const Question question = question_of(base_, space_, point);
  TRY(const auto costs, stages(question, point));
  MeshParts parts;
  const double passes = static_cast<double>(point.micro_batches) / point.pipeline;
  Seconds sum;
  for (const StageCosts* stage : costs) {
    for (std::size_t i = 0; i < parts.passes.size(); ++i)
      parts.passes[i] += (stage->forward.parts[i] + stage->backward.parts[i]) * passes;
    parts.recompute += stage->recompute * passes;
    parts.optimizer += stage->optimizer / point.pipeline;
    Seconds lane, ready = stage->backward.duration();
    for (const auto& one : stage->reductions) lane = std::max(lane, one.ready) + one.time;
    if (point.virtual_stages == 1) parts.data += (std::max(lane - ready, Seconds()) + stage->gather) / point.pipeline;
  }
  for (const Seconds part : parts.passes) sum += part;
  parts.iteration = iteration;
  parts.bubble = std::max(Seconds(), iteration - sum - parts.optimizer - parts.data);
  return parts;
}

}  // namespace pipedeck::planner::mesh
