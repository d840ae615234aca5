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
  if (training.adapters.rank > 0) return pipedeck::mesh::kept_items(layer, training);
  const bool wide = training.products == "bf16" || training.products == "fp16";
  return analytic::transformer::shards::bytes_of(layer.kept) * (wide ? 1 : 0.25);
}

/// Simulations count whole nanoseconds.
Seconds rounded(Seconds time) { return to_seconds(round_to_nanoseconds(time)); }

}  // namespace

LayerSum& LayerSum::operator+=(const LayerSum& other) {
  forward += other.forward, backward += other.backward, input += other.input, weight += other.weight;
  dense += other.dense, expert += other.expert;
  kept += other.kept;
  return *this;
}

LayerSum LayerSum::operator*(double times) const {
  return {forward * times, backward * times, input * times, weight * times,
          dense * times,   expert * times,   kept * times};
}

Costs::Costs(const Question& base, const Space& space, const Rates& rates, cost::Network network)
    : base_(base), space_(space), rates_(rates), devices_(space.devices > 0 ? space.devices : network.device_count()) {
  const std::vector<Pool>& pools = space.arranged().pools;
  if (!pools.empty()) devices_ = space.arranged().devices();
  own_cards_ = true;
  for (const DeviceId device : network.representative_devices())
    own_cards_ = own_cards_ && network.nic(network.node_of(device)).has_value();
  Question all = base;
  all.layer.shard = {}, all.pipeline = 1, all.data = devices_;
  all.placement = placement_of(space.arranged(), std::vector<int>(pools.size(), 1));
  domain_ = pipedeck::mesh::domain_devices(all);
  const auto usable = [](Bytes memory) { return pipedeck::mesh::usable_share * static_cast<double>(memory.count); };
  if (pools.empty()) capacities_ = {usable(rates.type.memory)};
  for (const Pool& pool : pools) {
    capacities_.push_back(std::numeric_limits<double>::infinity());
    for (const std::vector<DeviceId>& kind : pool.kinds)
      capacities_.back() =
          std::min(capacities_.back(), usable(rates.of(network.device(kind.front()).type).type.memory));
  }
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
  options.domains = std::gcd((ranks + domain_ - 1) / domain_, shard.expert);
  return options;
}

/// A question with all devices of a pool in one stage, made once it is needed: groups inside a stage are the same for
/// any P.
class Costs::Whole {
 public:
  Whole(Costs& costs, const Point& point, std::size_t pool) : pool(pool), costs_(costs), point_(point) {}

  Result<const std::vector<pipedeck::mesh::TypeTimes>*> types() {
    if (!types_) {
      TRY_VOID(ask());
      const auto& pools = costs_.space_.arranged().pools;
      if (pools.empty()) {
        TRY(auto groups, GroupTimes::of(question, costs_.rates_, costs_.alone_));
        types_.emplace().push_back({0, &costs_.rates_, std::move(groups)});
      } else {
        TRY(const auto times, pipedeck::mesh::PipelineTimes::of(question, costs_.rates_, costs_.alone_));
        types_.emplace(times.types_of(0));
      }
    }
    return &*types_;
  }
  Question question;
  const std::size_t pool;

 private:
  Result<void> ask() {
    point_.pipeline = point_.virtual_stages = 1, point_.short_last = false, point_.sharding = costs_.base_.sharding;
    point_.sharding.level = 0, point_.sharding.group = 0;
    point_.pool_ranks.clear(), point_.pool_blocks.clear(), point_.arrangement = 0;
    point_.data = costs_.devices_of_pool(pool) / point_.shard.replica_devices();
    Space space = {};
    space.recomputed = costs_.space_.recomputed;
    question = question_of(costs_.base_, space, point_);
    if (const auto& pools = costs_.space_.arranged().pools; !pools.empty())
      question.placement = placement_of({{pools[pool]}, 0}, {1});
    return {};
  }

  Costs& costs_;
  Point point_;
  std::optional<std::vector<pipedeck::mesh::TypeTimes>> types_;
};

int Costs::devices_of_pool(std::size_t pool) const {
  const std::vector<Pool>& pools = space_.arranged().pools;
  return pools.empty() ? devices_ : pools[pool].devices();
}

std::size_t Costs::pool_of(const Point& point, std::size_t stage) const {
  std::size_t pool = 0;
  int rank = static_cast<int>(stage % static_cast<std::size_t>(point.pipeline));
  for (; pool + 1 < point.pool_ranks.size() && rank >= point.pool_ranks[pool]; ++pool) rank -= point.pool_ranks[pool];
  return pool;
}

Result<LayerSum> Costs::layer_sum(Whole& whole, const Point& point, std::size_t layer) {
  const Counted& model = counted(point.micro_batch, point.shard.tensor);
  const LayerKey key{layer, layer_key(model.layers[layer].kind, point.shard, point.micro_batch), point.recomputed,
                     whole.pool};
  if (const auto known = layers_.find(key); known != layers_.end()) return known->second;
  TRY(const auto* const types, whole.types());
  const LayerShard shard =
      analytic::transformer::shards::shard_layer(model.config, model.layers[layer], options_of(whole.question));
  LayerSum sum{0,
               0,
               0,
               0,
               shard.weights.dense + shard.weights.whole,
               shard.weights.expert,
               kept_at_least(shard, base_.training)};
  // One type's times are a bound on a stage of several, whose passes take as long as the slowest type's.
  const auto speed = [](const pipedeck::mesh::TypeTimes& one) { return operations_per_second(one.rates->type); };
  const pipedeck::mesh::TypeTimes& type = *std::ranges::min_element(*types, {}, speed);
  pipedeck::mesh::TimedLayers timed;
  TRY(const pipedeck::mesh::TimedLayer times,
      pipedeck::mesh::timed_layer(shard, whole.question, *type.rates, type.groups, timed));
  cost::PassTime forward = cost::walk_pass(std::span(&times.pass, 1), OpKind::forward);
  cost::PassTime backward = cost::walk_pass(std::span(&times.pass, 1), OpKind::backward);
  cost::PassTime input = cost::walk_pass(std::span(&times.pass, 1), OpKind::backward_input);
  if (base_.training.hidden.expert)
    for (cost::PassTime* const pass : {&forward, &backward, &input}) (*pass)[cost::PassPart::expert] = Seconds();
  sum.forward = forward.duration().count, sum.backward = backward.duration().count;
  sum.input = input.duration().count, sum.weight = times.pass.weight_gradient.count;
  return layers_.emplace(key, sum).first->second;
}

Result<PoolCosts> Costs::pool_costs(const Point& point, std::size_t pool) {
  Whole whole(*this, point, pool);
  PoolCosts costs;
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

Result<ShardCosts> Costs::shard_costs(const Point& point) {
  ShardCosts costs;
  for (std::size_t pool = 0; pool < pools(); ++pool) {
    TRY(auto own, pool_costs(point, pool));
    costs.pools.push_back(std::move(own));
  }
  return costs;
}

namespace {

double pass_seconds(const LayerSum& sum) { return sum.forward + sum.backward; }

}  // namespace

Seconds Costs::floor_of(const ShardCosts& shard, const Point& point) const {
  const double samples = static_cast<double>(space_.global_batch) * point.shard.replica_devices();
  // Pool i has N_i devices and needs S_i seconds for the whole model: a layer of t_i seconds takes t_i / S_i of it. The
  // step is T with T sum(N_i / S_i) >= passes sum(min(t_i / S_i)) over all layers, wherever each of them is.
  std::vector<double> whole;
  double speed = 0, least_speed = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shard.pools.size(); ++i) {
    LayerSum all = shard.pools[i].before;
    all += shard.pools[i].after, all += shard.pools[i].further;
    for (const std::size_t kind : order_) all += shard.pools[i].blocks[kind];
    whole.push_back(pass_seconds(all));
    speed += devices_of_pool(i) / whole.back();
    least_speed = std::min(least_speed, static_cast<double>(devices_of_pool(i)));
  }
  const double passes = samples / (static_cast<double>(point.micro_batch) * least_speed);  // M / P
  const double rounding = 1e-9 * passes * 4 * static_cast<double>(order_.size());
  if (shard.pools.size() == 1) return Seconds(whole.front() * passes * (1 - 1e-9) - rounding);
  const auto least = [&](const auto& part) {
    double share = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < whole.size(); ++i)
      share = std::min(share, pass_seconds(part(shard.pools[i])) / whole[i]);
    return share;
  };
  double shares = least([](const PoolCosts& pool) { return pool.before; });
  LayerSum PoolCosts::*const ends[] = {&PoolCosts::after, &PoolCosts::further};
  for (const auto end : ends) shares += least([&](const PoolCosts& pool) { return pool.*end; });
  std::vector<double> of_kind;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
    of_kind.push_back(least([&](const PoolCosts& pool) { return pool.blocks[kind]; }));
  for (const std::size_t kind : order_) shares += of_kind[kind];
  return Seconds(shares / speed * samples / point.micro_batch * (1 - 1e-9) - rounding);
}

std::vector<Point> Costs::layouts(const ShardCosts& shard, const Point& point, Seconds below) const {
  if (point.pool_ranks.size() < 2) return {point};
  std::vector<int> most;  // blocks of each pool
  for (std::size_t i = 0; i < shard.pools.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const LayerSum& block : shard.pools[i].blocks) least = std::min(least, pass_seconds(block));
    const double blocks_in_time = below.count * point.pool_ranks[i] / (least * (1 - 1e-6) * point.micro_batches);
    most.push_back(static_cast<int>(std::min<double>(blocks(), blocks_in_time)));
  }
  std::vector<Point> all;
  Point one = point;
  const auto add = [&](const auto& self, std::size_t pool, int left) -> void {
    const int least = point.pool_ranks[pool] * point.virtual_stages;
    const bool is_last = pool + 1 == most.size();
    for (int own = is_last ? std::max(left, least) : least; own <= std::min(left, most[pool]); ++own) {
      one.pool_blocks.push_back(own);
      if (!is_last)
        self(self, pool + 1, left - own);
      else if (point.virtual_stages == 1 || missing_blocks(one) <= most_missing_blocks)
        all.push_back(one);
      one.pool_blocks.pop_back();
    }
  };
  one.pool_blocks.clear();
  add(add, 0, blocks());
  return all;
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

Seconds Costs::floor_of_pipeline(const ShardCosts& shard, const Point& point) {
  const std::vector<int> counts = blocks_of_stages(point, blocks());
  std::vector<FloorStage> stages(counts.size());
  std::size_t next = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const PoolCosts& pool = shard.pools[pool_of(point, s)];
    LayerSum sum;
    if (s == 0) sum += pool.before;
    for (int b = 0; b < counts[s]; ++b) sum += pool.blocks[order_[next++]];
    if (s + 1 == stages.size()) sum += pool.after, sum += pool.further;
    const double less = 1 - 1e-9;
    stages[s].forward = Seconds(sum.forward * less - 1e-9), stages[s].backward = Seconds(sum.backward * less - 1e-9);
    stages[s].input = Seconds(sum.input * less - 1e-9), stages[s].weight = Seconds(sum.weight * less - 1e-9);
    for (Seconds FloorStage::*const pass :
         {&FloorStage::forward, &FloorStage::backward, &FloorStage::input, &FloorStage::weight})
      stages[s].*pass = std::max(stages[s].*pass, Seconds());
  }
  return floor_of_order(stages, point);
}

Seconds Costs::floor_of_order(std::span<const FloorStage> stages, const Point& point) {
  if (pipedeck::mesh::splits_backward(point.order))
    return split_floor(stages, {point.order, point.pipeline, point.micro_batches});
  return pipeline_floor(stages, point.pipeline, point.micro_batches);
}

double Costs::capacity() const { return std::ranges::max(capacities_); }

double Costs::memory_floor(const ShardCosts& shard, const Point& point) const {
  const auto degrees = plan::degrees_of(point.shard.replica_devices() * point.data, point.shard, point.sharding);
  if (!degrees) return std::numeric_limits<double>::infinity();
  const std::vector<int> counts = blocks_of_stages(point, blocks());
  const auto ranks = static_cast<std::size_t>(point.pipeline);
  Question asked;
  asked.pipeline = point.pipeline, asked.virtual_stages = point.virtual_stages;
  asked.micro_batches = point.micro_batches, asked.order = point.order;
  std::vector<LayerSum> sums(ranks);
  std::size_t next = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    const std::size_t rank = asked.rank_of_stage(s);
    LayerSum stage;
    for (int b = 0; b < counts[s]; ++b) stage += shard.pools.front().blocks[order_[next++]];
    stage.kept *= pipedeck::mesh::micro_batches_kept(asked, static_cast<int>(rank), static_cast<int>(s / ranks));
    sums[rank] += stage;
  }
  const Adapters& adapters = base_.training.adapters;
  const StateBytes least =
      adapters.rank == 0 ? base_.states : StateBytes{frozen_bytes(adapters.frozen, base_.states.weights), 0, 0};
  double most = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    double bytes = sums[rank].kept;
    const StateBytes held = cost::held_bytes(least, point.sharding, *degrees, {sums[rank].dense, sums[rank].expert, 0});
    bytes += held.weights + held.gradients + held.optimizer;
    if (bytes > capacity_of(pool_of(point, rank))) return std::numeric_limits<double>::infinity();
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

std::array<int, 7> traffic_key(const Question& question) {
  return {question.sharding.level,
          question.sharding.group,
          question.data,
          question.pipeline,
          question.micro_batches == 1,
          question.training.hidden.pipeline,
          static_cast<int>(question.order)};
}

}  // namespace

int Costs::pools_behind(const Point& point, std::size_t stage) const {
  return static_cast<int>(pool_of(point, stage) * pools() + pool_of(point, stage + 1));
}

Result<std::vector<const StageCosts*>> Costs::stages(const Question& question, const Point& point) {
  TRY(Detail* const known, detail(question, point));
  std::optional<pipedeck::mesh::PipelineTimes> times;
  std::vector<const StageCosts*> all;
  const auto stages = ranges(question);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto [first, last] = stages[s];
    const bool is_last = s + 1 == stages.size();
    const StageKey key{shard_key(point.shard, point.micro_batch),
                       point.recomputed,
                       traffic_key(question),
                       {same_blocks(first, last), s == 0, is_last, pools_behind(point, s)}};
    auto found = stage_costs_.find(key);
    if (found == stage_costs_.end()) {
      if (!times) {
        TRY(auto made, pipedeck::mesh::PipelineTimes::of(question, rates_, known_));
        times.emplace(std::move(made));
      }
      const StageLayers layers = pipedeck::mesh::layers_of_stage(question, known->model, s, stages.size(), first, last);
      auto& timed = known->timed[own_cards_ ? 0 : devices_ / point.pipeline][pools_behind(point, s)];
      TRY(StageCosts costs, times->costs(s, layers, is_last, timed));
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
  std::vector<std::vector<StageMemory>> ranks(static_cast<std::size_t>(point.pipeline));
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto [first, last] = stages[s];
    const bool is_last = s + 1 == stages.size();
    const StageKey key{shard_key(point.shard, point.micro_batch),
                       point.recomputed,
                       traffic_key(question),
                       {same_blocks(first, last), s == 0, is_last, 0}};
    auto found = stage_memory_.find(key);
    if (found == stage_memory_.end()) {
      const StageLayers layers = pipedeck::mesh::layers_of_stage(question, known->model, s, stages.size(), first, last);
      TRY(const StageMemory made,
          pipedeck::mesh::stage_memory(question, pipedeck::mesh::without_multi_token(layers), s == 0, is_last));
      found = stage_memory_.emplace(key, made).first;
    }
    ranks[question.rank_of_stage(s)].push_back(found->second);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const double needed = pipedeck::mesh::rank_memory(question, static_cast<int>(rank), ranks[rank]).needed;
    const double room = capacity_of(pool_of(point, rank));
    memory.needed = std::max(memory.needed, needed);
    if (rank > 0 && needed / room <= memory.fullest / memory.capacity) continue;
    memory.fullest = needed, memory.capacity = room;
  }
  return memory;
}

Result<Seconds> Costs::floor(const Point& point) {
  const Question question = question_of(base_, space_, point);
  TRY(const auto costs, stages(question, point));
  std::vector<FloorStage> floor(costs.size());
  std::vector<std::vector<std::pair<Seconds, Seconds>>> reductions(costs.size());
  const bool split = pipedeck::mesh::splits_backward(point.order);
  const bool hidden = question.training.hidden.pipeline;
  const bool sends = point.pipeline > 1;
  for (std::size_t s = 0; s < costs.size(); ++s) {
    const StageCosts& stage = *costs[s];
    const auto send_of = [&](std::size_t from) {
      const bool turns = from + 1 < costs.size() && question.rank_of_stage(from) == question.rank_of_stage(from + 1);
      return turns ? Seconds() : costs[from]->send;
    };
    const Seconds back = s > 0 && !hidden ? send_of(s - 1) : Seconds();
    floor[s].forward = rounded(stage.forward.duration() + (hidden ? Seconds() : send_of(s)));
    floor[s].backward = rounded(stage.backward.duration() + back);
    floor[s].input = rounded(stage.input.duration() + back), floor[s].weight = rounded(stage.weight.duration());
    floor[s].send = hidden && sends ? rounded(send_of(s)) : Seconds();
    if (s < static_cast<std::size_t>(point.pipeline)) floor[s].begin = rounded(stage.gather);
    floor[s].optimizer = rounded(stage.optimizer);
    for (const pipedeck::mesh::StageReduction& one : stage.reductions)
      reductions[s].emplace_back(rounded(split ? std::min(one.ready, one.ready_in_weight) : one.ready),
                                 rounded(one.time));
    floor[s].reductions = reductions[s];
  }
  return floor_of_order(floor, point) * (1 - 1e-12);
}

Result<MeshParts> Costs::parts(const Point& point, Seconds iteration) {
  const Question question = question_of(base_, space_, point);
  TRY(const auto costs, stages(question, point));
  MeshParts parts;
  const double passes = static_cast<double>(point.micro_batches) / point.pipeline;
  Seconds sum;
  const bool apart = pipedeck::mesh::splits_backward(point.order) &&
                     point.order != ScheduleKind::dualpipe_v;  // that one has some whole
  const auto backward_of = [&](const StageCosts& stage, std::size_t part) {
    return apart ? stage.input.parts[part] + stage.weight.parts[part] : stage.backward.parts[part];
  };
  for (const StageCosts* stage : costs) {
    for (std::size_t i = 0; i < parts.passes.size(); ++i)
      parts.passes[i] += (stage->forward.parts[i] + backward_of(*stage, i)) * passes;
    parts.recompute += stage->recompute * passes;
    parts.optimizer += stage->optimizer / point.pipeline;
    Seconds lane, ready = stage->backward.duration();
    for (const auto& one : stage->reductions) lane = std::max(lane, one.ready) + one.time;
    if (point.virtual_stages == 1) parts.data += std::max(lane - ready, Seconds()) / point.pipeline;
  }
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(point.pipeline); ++rank)  // before its first pass
    parts.passes[static_cast<std::size_t>(cost::PassPart::gather)] += costs[rank]->gather / point.pipeline;
  for (const Seconds part : parts.passes) sum += part;
  parts.iteration = iteration;
  parts.bubble = std::max(Seconds(), iteration - sum - parts.optimizer - parts.data);
  return parts;
}

}  // namespace pipedeck::planner::mesh
