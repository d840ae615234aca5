// SPDX-License-Identifier: Apache-2.0
#include "tests/core/study/engines/megatron_questions.hpp"

#include "core/io/jobs/megatron_states.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::test {

using mesh::Question;

Profile computed_profile_of(const std::string& preset) {
  AnalyticOptions options;
  options.sequence = 4096, options.dropout = false, options.degrees = {2};
  const ParsedTransformer model = presets::transformer_preset(preset).value();
  return presets::computed_profile(model, presets::catalogue_device("H100-SXM").value(), options)->profile;
}

int one_of(Random& random, const std::vector<int>& values) {
  return values[static_cast<std::size_t>(random.integer(0, static_cast<int>(values.size()) - 1))];
}
bool yes(Random& random) { return random.integer(0, 1) == 1; }

namespace {

void add_degrees(Random& random, Question& q) {
  Shard& shard = q.layer.shard;
  shard.tensor = one_of(random, {1, 2, 4, 8});
  shard.sequence = shard.tensor > 1 && (q.config.experts || yes(random));
  shard.context = one_of(random, {1, 1, 2, 4});
  if (shard.context > 1) {
    const ContextKind kinds[] = {ContextKind::ring, ContextKind::gather, ContextKind::heads, ContextKind::heads_ring};
    shard.context_kind = kinds[random.integer(0, 3)];
    if (shard.context_kind == ContextKind::heads_ring) shard.context_heads = 2;
  }
  if (q.config.experts) shard.expert = one_of(random, {1, 2, 4, 8}), shard.expert_tensor = one_of(random, {1, 2});
  q.data = one_of(random, {1, 2, 4});
  q.pipeline = one_of(random, {1, 1, 2, 4});
  if (q.pipeline > 1) q.virtual_stages = one_of(random, {1, 1, 2});
  q.layer.count.micro_batch = random.integer(1, 2);
  q.micro_batches = q.pipeline * random.integer(1, 3);
}

/// Even stages, other ones at the ends, or any.
void add_blocks(Random& random, Question& q) {
  const int stages = q.pipeline * q.virtual_stages, blocks = q.config.layers;
  q.blocks.assign(static_cast<std::size_t>(stages), blocks / stages);
  if (blocks % stages == 0 && (stages == 1 || random.integer(0, 2) > 0)) return;
  q.blocks.assign(static_cast<std::size_t>(stages), 1);
  for (int b = stages; b < blocks; ++b) ++q.blocks[static_cast<std::size_t>(random.integer(0, stages - 1))];
}

void add_sharding(Random& random, Question& q) {
  q.sharding.level = q.pipeline > 1 ? random.integer(0, 1) : random.integer(0, 3);
  const int ranks = q.data * q.shard().context;
  if (q.sharding.level > 0 && ranks % 2 == 0 && random.integer(0, 2) == 0) q.sharding.group = ranks / 2;
}

void add_numbers(Random& random, Question& q) {
  Training& t = q.training;
  const char* const products[] = {"bf16", "fp16", "fp8", "mxfp8", "nvfp4"};
  t.products = products[random.integer(0, 4)];
  const char* const recipes[] = {"delayed", "current", "blockwise"};
  if (t.products == "fp8") t.recipe = recipes[random.integer(0, 2)];
  t.narrow_weights = (t.products == "fp8" || t.products == "mxfp8") && yes(random);
  if (q.sharding.level < 2 && random.integer(0, 4) == 0) t.optimizer_step = OptimizerStep::muon;
  const bool muon = t.optimizer_step == OptimizerStep::muon;
  io::jobs::MegatronStates states;
  states.muon = muon;
  states.narrow_gradients = yes(random);
  states.precision_aware = !muon && q.sharding.level > 0 && yes(random);
  if (states.precision_aware) {
    states.first_moment = one_of(random, {1, 2, 4}), states.second_moment = one_of(random, {1, 2, 4});
    states.narrow_main_gradients = yes(random);
  }
  q.states = io::jobs::state_bytes_of(states, t);
  q.wire = {t.narrow_weights && t.products == "fp8" ? 1.0 : 2.0, states.narrow_gradients ? 2.0 : 4.0};
}

void add_choices(Random& random, Question& q) {
  Training& t = q.training;
  t.hidden.gradients = yes(random);
  t.hidden.weights = q.sharding.level == 0 || (t.hidden.gradients && yes(random));
  t.hidden.tensor = q.shard().divides_tokens() && yes(random);
  t.hidden.expert = q.config.experts && yes(random);
  t.hidden.pipeline = q.pipeline == 1 || (q.virtual_stages > 1 && yes(random));
  const LossKind losses[] = {LossKind::plain, LossKind::fused, LossKind::in_place};
  t.loss = losses[random.integer(0, 2)];
  const Graphs graphs[] = {Graphs::none, Graphs::dense, Graphs::all};
  t.graphs = graphs[random.integer(0, 2)];
  t.multi_token_blocks = random.integer(0, 1);
  t.offloaded_blocks = random.integer(0, 2);
  t.offloads_optimizer = yes(random);
  t.fused_weight_gradients = yes(random);
  q.layer.vocabulary_multiple = one_of(random, {0, 64, 128});
  if (!q.config.experts) return;
  const Dispatcher dispatchers[] = {Dispatcher::all_to_all, Dispatcher::all_gather, Dispatcher::flex};
  q.layer.dispatcher = dispatchers[random.integer(0, 2)];
  q.layer.capacity = yes(random) ? 1.5 : 0;
  q.layer.hides_behind_shared_experts = yes(random);
  q.layer.weighs_activation = true;
}

void add_recomputation(Random& random, Question& q) {
  auto& again = q.layer.recomputed;
  const int kind = random.integer(0, 3);
  if (kind == 1) again.blocks = q.training.graphs == Graphs::none;
  if (kind == 2 && q.training.graphs == Graphs::none) again.blocks = true, again.count = random.integer(1, 3);
  if (kind != 3) return;
  for (const char* const module : {"core_attn", "layernorm", "mlp"})
    if (yes(random)) again.parts.merge(analytic::transformer::shards::parts_of_module(module).value());
}

}  // namespace

mesh::Question megatron_question(Random& random, const TransformerConfig& config,
                                 std::shared_ptr<const Cluster> cluster) {
  while (true) {
    Question q;
    q.config = config;
    q.cluster = cluster;
    add_degrees(random, q);
    add_blocks(random, q);
    add_sharding(random, q);
    add_numbers(random, q);
    add_choices(random, q);
    add_recomputation(random, q);
    plan::MeshQuestion rules;
    rules.model = &config, rules.shard = q.shard(), rules.sharding = q.sharding, rules.devices = q.devices();
    rules.pipeline = q.pipeline, rules.virtual_stages = q.virtual_stages, rules.sequence = 4096;
    rules.micro_batch = q.layer.count.micro_batch, rules.micro_batches = q.micro_batches, rules.even_blocks = false;
    rules.hides_pipeline = q.training.hidden.pipeline;
    bool keeps = true;
    for (const char* const engine : {"", "Megatron-LM", "TransformerEngine"})
      keeps = keeps && plan::broken_rules(rules, engine).empty();
    if (keeps && q.devices() <= 512) return q;
  }
}

}  // namespace pipedeck::test
