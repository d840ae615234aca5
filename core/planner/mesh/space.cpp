// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/space.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/mesh/stages.hpp"

namespace pipedeck::planner::mesh {
namespace {

/// Returns the given values, or those that divide `number` and are at most `most`.
std::vector<int> values(const std::vector<int>& given, int number, int most) {
  std::vector<int> all;
  if (given.empty()) all = divisors_of(number);
  std::erase_if(all, [&](int one) { return one > most; });
  for (const int one : given)
    if (one >= 1 && number % one == 0) all.push_back(one);
  return all;
}

bool in_a_v(ScheduleKind order) { return traits_of(order).placement == StagePlacement::v_shaped; }

plan::MeshQuestion rules_question(const Question& base, const Point& point, int devices) {
  plan::MeshQuestion asked;
  asked.model = &base.config;
  asked.shard = point.shard, asked.sharding = point.sharding;
  asked.devices = devices, asked.pipeline = point.pipeline, asked.virtual_stages = point.virtual_stages;
  asked.sequence = base.layer.count.sequence;
  if (in_a_v(point.order)) asked.schedule = point.order;  // ZB-H1 and ZB-H2 are of programs derived from Megatron-LM
  asked.micro_batch = point.micro_batch, asked.micro_batches = point.micro_batches;
  asked.even_blocks = false;  // layouts may have any number of blocks a stage
  asked.hides_pipeline = base.training.hidden.pipeline;
  return asked;
}

/// Returns the first rule of an engine that a mesh breaks; without a name, of every plan.
std::optional<BrokenRule> broken_of(const plan::MeshQuestion& asked, std::string_view engine) {
  for (const plan::MeshRule& rule : plan::mesh_rules())
    if (rule.engine == engine)
      if (auto text = rule.broken(asked)) return BrokenRule{&rule, *std::move(text)};
  return {};
}

bool keeps_rules(const plan::MeshQuestion& asked, const Space& space) {
  return !first_broken_rule(asked, space.engines);
}

/// Returns the ways of context parallelism over `shard.context` ranks. Heads are exchanged by as many ranks of a domain
/// as divide them.
std::vector<Shard> context_kinds(const Question& base, const Space& space, Shard shard, int domain) {
  std::vector<Shard> kinds;
  for (const ContextKind kind : space.context_kinds) {
    shard.context_kind = kind, shard.context_heads = 1;
    if (shard.context == 1 && !kinds.empty()) break;
    if (shard.context == 1) shard.context_kind = ContextKind::ring;
    if (kind == ContextKind::heads_ring && shard.context > 1) {
      shard.context_heads = ranks_that_exchange_heads(base.config, shard, domain);
      if (shard.context_heads == 1) continue;
    }
    kinds.push_back(shard);
  }
  return kinds;
}

}  // namespace

/// Schedules along a V, and weights sharded inside a pipeline, are torchtitan's: its rules hold for them.
std::optional<BrokenRule> first_broken_rule(const plan::MeshQuestion& asked,
                                            const std::vector<std::string_view>& engines) {
  if (auto broken = broken_of(asked, {})) return broken;
  if (engines.empty()) return {};
  const bool along_a_v = in_a_v(asked.schedule), weights_in_pipeline = asked.pipeline > 1 && asked.sharding.level == 3;
  if (along_a_v || weights_in_pipeline)
    if (auto broken = broken_of(asked, "torchtitan")) return broken;
  if (along_a_v) return {};
  plan::MeshQuestion others = asked;
  if (weights_in_pipeline) others.sharding.level = 1;
  for (const std::string_view engine : engines)
    if (auto broken = broken_of(others, engine)) return broken;
  return {};
}

int group_within(int group, int ranks) {
  const int within = std::gcd(group, ranks);
  return within == ranks ? 0 : within;
}

int domain_devices(const Cluster& cluster) {
  int devices = 0;
  for (const Node& node : cluster.nodes)
    if (&node == &cluster.nodes.front() || (!node.domain.empty() && node.domain == cluster.nodes.front().domain))
      devices += device_count(node);
  return std::max(1, devices);
}

int domain_devices(const Question& base, const Space& space) {
  return space.arranged().pools.empty() ? domain_devices(*base.cluster) : space.arranged().domain;
}

namespace {

/// Spreads blocks over the stages of a pool in the order of the model.
void spread(int blocks, const std::vector<std::size_t>& stages, std::vector<int>& counts) {
  const auto all = static_cast<int>(stages.size());
  for (const std::size_t stage : stages) counts[stage] = blocks / all;
  for (int i = 0; i < blocks % all; ++i) ++counts[stages[static_cast<std::size_t>((i + 1) % all)]];
}

/// Returns the stages of each pool, in the order of the model.
std::vector<std::vector<std::size_t>> stages_of_pools(const Point& point) {
  std::vector<std::vector<std::size_t>> all(point.pool_ranks.size());
  const auto ranks = static_cast<std::size_t>(point.pipeline);
  for (std::size_t s = 0; s < ranks * static_cast<std::size_t>(point.virtual_stages); ++s) {
    std::size_t pool = 0;
    for (int rank = static_cast<int>(s % ranks); rank >= point.pool_ranks[pool]; ++pool) rank -= point.pool_ranks[pool];
    all[pool].push_back(s);
  }
  return all;
}

}  // namespace

std::vector<int> blocks_of_stages(const Point& point, int blocks) {
  const int stages = point.pipeline * point.virtual_stages;
  std::vector<int> counts(static_cast<std::size_t>(stages));
  if (!point.pool_blocks.empty()) {
    const auto pools = stages_of_pools(point);
    for (std::size_t p = 0; p < pools.size(); ++p) spread(point.pool_blocks[p], pools[p], counts);
    return counts;
  }
  if (point.short_last) {
    std::ranges::fill(counts, (blocks + 1) / stages);
    --counts.back();
    return counts;
  }
  std::vector<std::size_t> all(counts.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  spread(blocks, all, counts);
  return counts;
}

int missing_blocks(const Point& point) {
  int missing = 0;
  for (std::size_t p = 0; p < point.pool_blocks.size(); ++p) {
    const int stages = point.pool_ranks[p] * point.virtual_stages;
    missing += (stages - point.pool_blocks[p] % stages) % stages;
  }
  return missing;
}

std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int d = 1; d <= number / d; ++d)
    if (number % d == 0) {
      low.push_back(d);
      if (d != number / d) high.push_back(number / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

int ranks_that_exchange_heads(const TransformerConfig& config, const Shard& shard, int domain) {
  const int key_values = config.latent ? config.heads : config.key_value_heads;
  int most = 1;
  for (const int heads : divisors_of(shard.context))
    if (heads < shard.context && heads * shard.tensor <= domain && config.heads % (shard.tensor * heads) == 0 &&
        std::max(1, key_values / shard.tensor) % heads == 0)
      most = heads;
  return most;
}

std::vector<Shard> shards_of(const Question& base, const Space& space, int devices) {
  const int domain = domain_devices(base, space);
  const std::optional<Experts>& experts = base.config.experts;
  std::vector<Shard> all;
  for (const int tensor : values(space.tensor, devices, domain))
    for (const int context : values(space.context, devices / tensor, devices))
      for (const bool sequence : {true, false}) {
        if ((tensor == 1 && sequence) || (tensor > 1 && space.sequence && *space.sequence != sequence)) continue;
        Shard shard;
        shard.tensor = tensor, shard.context = context, shard.sequence = sequence;
        for (const int expert : experts ? values(space.expert, experts->count, devices) : std::vector{1})
          for (const int width :
               experts ? values(space.expert_tensor, experts->feed_forward, domain) : std::vector{1}) {
            shard.expert = expert, shard.expert_tensor = width;
            if (devices % (std::int64_t{expert} * width) != 0) continue;
            for (const Shard& kind : context_kinds(base, space, shard, domain)) {
              Point point;
              point.shard = kind;
              if (keeps_rules(rules_question(base, point, devices), space)) all.push_back(kind);
            }
          }
      }
  return all;
}

namespace {

/// Adds the layouts of a point, if the space has that number of stages. Several pools get their blocks later.
void add_layouts(const Space& space, Point point, int blocks, std::vector<Point>& points) {
  const int v = point.virtual_stages;
  if (!space.virtual_stages.empty() && std::ranges::find(space.virtual_stages, v) == space.virtual_stages.end()) return;
  const bool unlaid = space.arranged().pools.size() > 1;
  const int stages = point.pipeline * v, missing = (stages - blocks % stages) % stages;
  if (v > 1 && missing > most_missing_blocks && !unlaid) return;
  if ((space.stages > 0 && stages != space.stages) || (space.most_stages > 0 && stages > space.most_stages)) return;
  points.push_back(point);
  if (missing != 1 || stages == 1 || unlaid) return;
  point.short_last = true;
  points.push_back(point);
}

/// Adds the point with the schedules other than 1F1B. Stages of all ranks of a V are on devices of one kind.
void add_other_orders(const Question& base, const Space& space, int devices, Point point, std::vector<Point>& points) {
  const int blocks = base.config.layers + base.config.decoder_layers;
  for (const ScheduleKind order : space.orders) {
    const bool v_shaped = in_a_v(order);
    point.order = order, point.virtual_stages = v_shaped ? 2 : 1;
    if (order == ScheduleKind::one_f_one_b || point.pipeline == 1) continue;
    if (point.pipeline * point.virtual_stages > blocks || (v_shaped && !space.arranged().pools.empty())) continue;
    if (order == ScheduleKind::dualpipe_v && point.micro_batches < 2 * point.pipeline) continue;
    Point sharded = point;
    sharded.sharding.level = 3;  // all levels that rules let pass are asked for one by one
    if (v_shaped && !keeps_rules(rules_question(base, sharded, devices), space)) continue;
    add_layouts(space, point, blocks, points);
  }
}

}  // namespace

std::vector<Point> points_of(const Question& base, const Space& space, int devices, const Shard& shard,
                             int micro_batch) {
  std::vector<Point> points;
  const int blocks = base.config.layers + base.config.decoder_layers;
  const int replicas = devices / shard.replica_devices();
  for (const int pipeline : values(space.pipeline, replicas, blocks)) {
    const int data = replicas / pipeline;
    if (space.whole_micro_batch > 0 && data * micro_batch != space.whole_micro_batch) continue;
    if (!space.data.empty() && std::ranges::find(space.data, data) == space.data.end()) continue;
    if (space.global_batch % (std::int64_t{data} * micro_batch) != 0) continue;
    if (devices / pipeline % (shard.expert * shard.expert_tensor) != 0) continue;
    Point point;
    point.shard = shard, point.micro_batch = micro_batch, point.data = data, point.pipeline = pipeline;
    const std::vector<Pool>& pools = space.arranged().pools;
    point.arrangement = space.arrangement;
    point.pool_ranks = ranks_of_pools(space.arranged(), devices / pipeline,
                                      {shard.replica_devices(), shard.expert * shard.expert_tensor});
    if (point.pool_ranks.size() != pools.size()) continue;
    point.micro_batches = space.global_batch / (data * micro_batch);
    add_other_orders(base, space, devices, point, points);
    if (std::ranges::find(space.orders, ScheduleKind::one_f_one_b) == space.orders.end()) continue;
    for (int v = 1; v <= blocks / pipeline; ++v) {
      if (v > 1 && (pipeline == 1 || point.micro_batches % pipeline != 0)) break;
      point.virtual_stages = v;
      add_layouts(space, point, blocks, points);
    }
  }
  return points;
}

bool takes_recomputation(const Space& space, const Point& point) {
  const Recomputed& recomputed = space.recomputed[point.recomputed];
  return !pipedeck::mesh::splits_backward(point.order) || (!recomputed.blocks && recomputed.parts.empty());
}

std::vector<Sharding> shardings_of(const Question& base, const Space& space, const Point& point) {
  const int ranks = point.data * point.shard.context;
  const int inside = std::max(1, domain_devices(base, space) / point.shard.tensor);
  std::vector<Sharding> all;
  for (const ShardingChoice& choice : space.shardings) {
    Sharding sharding = base.sharding;
    sharding.level = choice.level;
    sharding.group = choice.group > 0 ? choice.group : choice.among == ShardingGroup::domain ? inside : 0;
    if (ranks == 1 && !all.empty()) break;  // nothing to shard: the first choice stands for all
    if (choice.among == ShardingGroup::domain && choice.group == 0 && (inside <= 1 || inside >= ranks)) continue;
    if (choice.level == 0) sharding.group = 0;
    if (in_a_v(point.order) && choice.level == 3)
      sharding.reshard = Reshard::after_step, sharding.copies = CopySync::each_micro_batch;
    if (sharding.group > 0 && ranks % sharding.group != 0) continue;
    if (sharding.group == ranks) sharding.group = 0;
    all.push_back(sharding);
  }
  return all;
}

bool is_admissible(const Question& base, const Space& space, const Point& point) {
  plan::MeshQuestion asked = rules_question(base, point, point.shard.replica_devices() * point.data * point.pipeline);
  asked.global_batch = space.global_batch;
  return takes_recomputation(space, point) && keeps_rules(asked, space);
}

std::string engines_text(const Question& base, const Space& space, const Point& point) {
  plan::MeshQuestion asked = rules_question(base, point, point.shard.replica_devices() * point.data * point.pipeline);
  asked.global_batch = space.global_batch, asked.schedule = point.order;
  std::vector<std::string> broken = plan::broken_rules(asked, "Megatron-LM");
  std::ranges::move(plan::broken_rules(asked, "TransformerEngine"), std::back_inserter(broken));
  std::vector<std::string_view> kept;
  if (broken.empty()) kept.emplace_back("Megatron-LM");
  for (const std::string_view engine : {"torchtitan", "DeepSpeed"})
    if (plan::broken_rules(asked, engine).empty()) kept.push_back(engine);
  std::string text = kept.empty()
                         ? "No engine's rules for degrees and schedules are kept"
                         : fmt::format("Rules for degrees and schedules kept: those of {}", fmt::join(kept, ", "));
  return text + (broken.empty() ? "." : "; " + broken.front() + ".");
}

Question question_of(const Question& base, const Space& space, const Point& point) {
  Question question = base;
  question.layer.shard = point.shard;
  question.layer.count.micro_batch = point.micro_batch;
  question.layer.recomputed = space.recomputed[point.recomputed];
  question.sharding = point.sharding;
  question.data = point.data, question.pipeline = point.pipeline, question.virtual_stages = point.virtual_stages;
  question.micro_batches = point.micro_batches, question.order = point.order;
  question.blocks.clear();
  // Engines hide sends between stages where each rank has several of them (schedules.py), and where weight gradients
  // wait for a gap (arXiv 2401.10241, section 4).
  question.training.hidden.pipeline =
      base.training.hidden.pipeline && (point.virtual_stages > 1 || pipedeck::mesh::splits_backward(point.order));
  if (point.short_last || !point.pool_blocks.empty())
    question.blocks = blocks_of_stages(point, base.config.layers + base.config.decoder_layers);
  question.placement = placement_of(space.arrangements[point.arrangement], point.pool_ranks);
  return question;
}

Result<std::vector<Recomputed>> recomputations_of(const Question& base) {
  using analytic::transformer::shards::bytes_of;
  struct Module {
    std::set<analytic::times::Part> parts;
    double saved = 0, work = 0;
  };
  Question whole = base;
  whole.layer.shard = {};
  whole.layer.recomputed = {};
  const auto sums = [&](const Recomputed& recomputed) -> Result<std::pair<double, double>> {
    Question asked = whole;
    asked.layer.recomputed = recomputed;
    TRY(const auto model, pipedeck::mesh::different_parts(asked));
    std::pair<double, double> sum;
    const auto add = [&](const pipedeck::mesh::StageLayers& layers) {
      for (const auto& layer : layers) {
        sum.first += bytes_of(layer.kept);
        sum.second += layer.recompute.flops() + layer.recompute.memory_bytes * 300;  // about as many operations a byte
      }
    };
    add(model.before);
    for (const std::size_t block : model.order) add(model.blocks[block]);
    add(model.after);
    return sum;
  };
  TRY(const auto none, sums({}));
  std::vector<Module> modules;
  for (const char* name : {"core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts"}) {
    TRY(auto parts, analytic::transformer::shards::parts_of_module(name));
    TRY(const auto with, sums({.parts = parts}));
    Module module{std::move(parts), none.first - with.first, with.second - none.second};
    if (module.saved > 0.001 * none.first) modules.push_back(std::move(module));
  }
  std::ranges::stable_sort(modules,
                           [](const Module& a, const Module& b) { return a.work / a.saved < b.work / b.saved; });
  std::vector<Recomputed> choices{{}};
  for (const Module& module : modules) {
    Recomputed next{.parts = choices.back().parts};
    next.parts.insert(module.parts.begin(), module.parts.end());
    if (next.parts != choices.back().parts) choices.push_back(std::move(next));
  }
  choices.push_back({.blocks = true});
  return choices;
}

}  // namespace pipedeck::planner::mesh
