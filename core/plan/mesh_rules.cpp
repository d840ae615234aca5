// SPDX-License-Identifier: Apache-2.0
#include "core/plan/mesh_rules.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/plan/groups.hpp"

namespace pipedeck::plan {
namespace {

using Broken = std::optional<std::string>;
using Question = MeshQuestion;

/// Returns "found 12 experts, expected a multiple of 5 expert ranks" unless `divisor` divides `number`.
Broken not_multiple(std::int64_t number, std::string_view of, std::int64_t divisor, std::string_view ranks) {
  if (divisor > 0 && number % divisor == 0) return {};
  return fmt::format("found {} {}, expected a multiple of {} {}", number, of, divisor, ranks);
}

/// Returns the first rule that is broken.
Broken first_of(std::initializer_list<Broken> all) {
  const auto* const found = std::ranges::find_if(all, [](const Broken& one) { return one.has_value(); });
  return found == all.end() ? std::nullopt : *found;
}

// Rules of every plan.

Broken world(const Question& q) {
  if (q.pipeline < 1 || q.virtual_stages < 1) return fmt::format("found {} pipeline ranks", q.pipeline);
  if (Broken uneven = not_multiple(q.devices, "devices", q.pipeline, "pipeline ranks")) return uneven;
  const auto degrees = degrees_of(q.devices / q.pipeline, q.shard, q.sharding);
  if (!degrees) return degrees.error().message;
  return {};
}

Broken batch(const Question& q) {
  if (q.micro_batch < 1 || q.micro_batches < 1)
    return fmt::format("found {} micro-batches of {} samples", q.micro_batches, q.micro_batch);
  const auto stage = degrees_of(q.devices / std::max(1, q.pipeline), q.shard, q.sharding);
  if (!stage || q.global_batch == 0) return {};
  const std::int64_t samples = std::int64_t{q.micro_batch} * stage->data * q.micro_batches;
  if (samples == q.global_batch) return {};
  return fmt::format("found a global batch of {} samples, expected {} micro-batches of {} on {} data ranks = {}",
                     q.global_batch, q.micro_batches, q.micro_batch, stage->data, samples);
}

Broken attention_heads(int heads, int groups, bool latent, int ranks) {
  if (Broken uneven = not_multiple(heads, "heads", ranks, "tensor ranks")) return uneven;
  if (latent || groups % ranks == 0 || ranks % groups == 0) return {};
  return fmt::format("found {} key-value heads and {} tensor ranks, expected one to divide the other", groups, ranks);
}

Broken heads(const Question& q) {
  if (!q.model) return {};
  const TransformerConfig& model = *q.model;
  const int ranks = q.shard.tensor;
  const bool latent = model.latent.has_value();
  if (Broken own = attention_heads(model.heads, model.key_value_heads, latent, ranks)) return own;
  for (const BlockKind& kind : model.kinds)
    if (kind.mixer == Mixer::attention)
      if (Broken own = attention_heads(kind.heads, kind.key_value_heads, latent, ranks)) return own;
  if (model.state_space && model.state_space->heads > 0)
    if (Broken own = not_multiple(model.state_space->heads, "state-space heads", ranks, "tensor ranks")) return own;
  if (model.linear_attention)
    return not_multiple(model.linear_attention->value_heads, "linear attention's heads", ranks, "tensor ranks");
  return {};
}

Broken widths(const Question& q) {
  if (!q.model) return {};
  const bool dense = !q.model->experts || !q.model->experts->dense.empty();
  const int shared = q.model->experts ? q.model->experts->shared_feed_forward : 0;
  for (const BlockKind& kind : q.model->kinds)
    if (Broken uneven =
            not_multiple(dense ? kind.feed_forward : 0, "feed-forward columns", q.shard.tensor, "tensor ranks"))
      return uneven;
  return first_of(
      {not_multiple(dense ? q.model->feed_forward : 0, "feed-forward columns", q.shard.tensor, "tensor ranks"),
       not_multiple(shared, "columns of shared experts", q.shard.tensor, "tensor ranks")});
}

Broken experts(const Question& q) {
  if (!q.model) return {};
  if (!q.model->experts)
    return q.shard.expert > 1
               ? Broken(fmt::format("found {} expert ranks, expected 1 for a model without experts", q.shard.expert))
               : Broken();
  return first_of({not_multiple(q.model->experts->count, "experts", q.shard.expert, "expert ranks"),
                   not_multiple(q.model->experts->feed_forward, "columns of an expert", q.shard.expert_tensor,
                                "expert-tensor ranks")});
}

Broken tokens(const Question& q) {
  const std::int64_t ranks = std::int64_t{q.shard.context} * (q.shard.divides_tokens() ? q.shard.tensor : 1);
  return not_multiple(q.sequence, "tokens per sample", ranks, "ranks that divide them");
}

Broken exchanged_heads(const Question& q) {
  if (!q.model || q.model->heads % q.shard.tensor != 0) return {};
  return not_multiple(q.model->heads / q.shard.tensor, "heads of a tensor rank", q.shard.heads_ranks(),
                      "context ranks that exchange heads");
}

// Rules of Megatron-LM.

Broken experts_need_sequence(const Question& q) {
  if (!q.model || !q.model->experts || q.shard.tensor == 1 || q.shard.sequence) return {};
  return fmt::format("found a model with experts on {} tensor ranks, expected sequence parallelism", q.shard.tensor);
}

Broken balanced_chunks(const Question& q) {
  if (q.shard.context == 1) return {};
  return not_multiple(q.sequence, "tokens per sample", std::int64_t{2} * q.shard.context,
                      "chunks, two for each context rank");
}

Broken blocks(const Question& q) {
  if (!q.model || !q.even_blocks) return {};
  return not_multiple(q.model->layers + q.model->decoder_layers + q.ends_counted_as_blocks,
                      "blocks (with the ends that count as one)", std::int64_t{q.pipeline} * q.virtual_stages,
                      "stages");
}

Broken virtual_pipeline(const Question& q) {
  const int fewest = q.hides_pipeline ? 2 : 3;
  if (q.virtual_stages == 1 || q.pipeline >= fewest) return {};
  return fmt::format("found {} stages on each of {} pipeline ranks, expected {} ranks or more", q.virtual_stages,
                     q.pipeline, fewest);
}

bool is_1f1b(const Question& q) {
  return q.schedule == ScheduleKind::one_f_one_b || q.schedule == ScheduleKind::interleaved;
}

Broken interleaved(const Question& q) {
  if (q.virtual_stages == 1 || !is_1f1b(q)) return {};
  const int p = q.pipeline, n = q.group > 0 ? q.group : p, m = q.micro_batches;
  if (n < p || n > m) return fmt::format("found groups of {} micro-batches, expected {} to {}", n, p, m);
  if (m % n == 0 || m % n >= p) return {};
  return fmt::format("found {} micro-batches in groups of {}, expected {} or more in the last group", m, n, p);
}

Broken megatron_schedule(const Question& q) {
  if (q.pipeline == 1 || is_1f1b(q)) return {};
  return fmt::format("found the schedule '{}', expected 1f1b or interleaved", name_of(q.schedule));
}

/// Megatron-FSDP, which shards gradients and weights, has no pipeline.
Broken sharded_gradients_alone(const Question& q) {
  if (q.pipeline == 1 || q.sharding.level < 2) return {};
  return fmt::format("found sharding level {} on {} pipeline ranks, expected level 0 or 1", q.sharding.level,
                     q.pipeline);
}

Broken hidden_gathers(const Question& q) {
  if (!q.hides_gathers) return {};
  if (q.sharding.level == 0) return "found hidden gathers of weights without sharded states";
  if (!q.hides_reductions) return "found hidden gathers of weights, expected hidden reductions of gradients, too";
  return {};
}

Broken hidden_tensor(const Question& q) {
  if (!q.hides_tensor || q.shard.divides_tokens()) return {};
  return "found hidden tensor-parallel communication, expected sequence parallelism";
}

Broken fsdp2_alone(const Question& q) {
  if (q.pipeline == 1 && q.shard.expert == 1) return {};
  return fmt::format("found {} pipeline and {} expert ranks, expected 1 and 1", q.pipeline, q.shard.expert);
}

// Rules of TransformerEngine.

Broken exchanged_key_value_heads(const Question& q) {
  if (!q.model || q.shard.heads_ranks() == 1 || q.model->latent) return {};
  return not_multiple(std::max(1, q.model->key_value_heads / q.shard.tensor), "key-value heads of a tensor rank",
                      q.shard.heads_ranks(), "context ranks that exchange heads");
}

// Rules of torchtitan.

Broken titan_context(const Question& q) {
  if (q.shard.context == 1 || q.shard.heads_ranks() == 1) return {};
  return fmt::format("found context parallelism by {}, expected gather or ring", name_of(q.shard.context_kind));
}

Broken titan_expert_tensor(const Question& q) {
  if (q.shard.expert_tensor == 1) return {};
  return fmt::format("found {} expert-tensor ranks, expected 1", q.shard.expert_tensor);
}

/// Names torchtitan's schedules that Pipedeck has, too.
Broken titan_schedule(const Question& q) {
  const bool in_a_v = q.schedule == ScheduleKind::zb_v || q.schedule == ScheduleKind::dualpipe_v;
  if (q.pipeline == 1 || is_1f1b(q)) return {};
  if (!in_a_v) return fmt::format("found '{}', expected 1f1b, interleaved, zb-v or dualpipev", name_of(q.schedule));
  if (q.virtual_stages == 2) return {};
  return fmt::format("found {} stages on each pipeline rank, expected 2 for '{}'", q.virtual_stages,
                     name_of(q.schedule));
}

Broken titan_sequence(const Question& q) {
  if (q.shard.tensor == 1 || q.shard.sequence) return {};
  return fmt::format("found {} tensor ranks without sequence parallelism, expected it", q.shard.tensor);
}

Broken titan_sharding(const Question& q) {
  if (q.sharding.level == 0 || q.sharding.level == 3) return {};
  return fmt::format("found sharding level {}, expected 0 or 3", q.sharding.level);
}

Broken titan_tokens(const Question& q) {
  const std::int64_t chunks = (q.shard.context > 1 ? std::int64_t{2} * q.shard.context : 1) * q.shard.tensor;
  return not_multiple(q.sequence, "tokens per sample", chunks, "parts, two for each context and tensor rank");
}

Broken titan_experts(const Question& q) {
  const auto stage = degrees_of(q.devices / std::max(1, q.pipeline), q.shard, q.sharding);
  if (!stage || q.shard.expert == 1) return {};
  const int sharding = q.sharding.level > 0 ? stage->sharding : stage->context;
  return not_multiple(std::int64_t{sharding} * stage->tensor, "sharding x tensor ranks", q.shard.expert,
                      "expert ranks");
}

// Rules of DeepSpeed.

Broken deepspeed_pipeline(const Question& q) {
  if (q.pipeline == 1 || q.sharding.level < 2) return {};
  return fmt::format("found {} pipeline ranks at ZeRO {}, expected ZeRO 0 or 1", q.pipeline, q.sharding.level);
}

Broken deepspeed_schedule(const Question& q) {
  if (q.pipeline == 1 || (q.schedule == ScheduleKind::one_f_one_b && q.virtual_stages == 1)) return {};
  return fmt::format("found the schedule '{}' with {} stages on a pipeline rank, expected 1f1b with one",
                     name_of(q.schedule), q.virtual_stages);
}

Broken deepspeed_context(const Question& q) {
  if (q.shard.context == 1 || q.shard.context_kind == ContextKind::heads) return {};
  return fmt::format("found context parallelism by {}, expected heads", name_of(q.shard.context_kind));
}

Broken deepspeed_experts(const Question& q) {
  const auto stage = degrees_of(q.devices / std::max(1, q.pipeline), q.shard, q.sharding);
  if (!stage || q.shard.expert == 1) return {};
  return not_multiple(stage->data, "data ranks", q.shard.expert, "expert ranks");
}

// Rules of Accelerate, and of Axolotl, which calls it.

Broken one_stage(const Question& q) {
  if (q.pipeline == 1) return {};
  return fmt::format("found {} pipeline ranks, expected 1", q.pipeline);
}

Broken whole_experts(const Question& q) {
  if (q.shard.expert == 1 && q.shard.expert_tensor == 1) return {};
  return fmt::format("found {} expert and {} expert-tensor ranks, expected 1 and 1", q.shard.expert,
                     q.shard.expert_tensor);
}

Broken sharded_context(const Question& q) {
  if (q.shard.context == 1 || q.sharding.level == 3) return {};
  return fmt::format("found {} context ranks at sharding level {}, expected level 3 (FSDP)", q.shard.context,
                     q.sharding.level);
}

/// Copies of a model on several tensor or context ranks are copies of shards.
Broken sharded_copies(const Question& q) {
  const auto stage = degrees_of(q.devices / std::max(1, q.pipeline), q.shard, q.sharding);
  if (!stage || q.shard.replica_devices() == 1) return {};
  const int copies = q.sharding.level > 0 ? stage->copies : stage->data;
  if (copies == 1 || stage->data / copies > 1) return {};
  return fmt::format("found {} copies without shards on {} tensor and {} context ranks, expected 2 shards or more",
                     copies, q.shard.tensor, q.shard.context);
}

Broken ring_alone(const Question& q) {
  if (q.shard.context == 1 || q.shard.context_kind == ContextKind::ring) return {};
  return fmt::format("found context parallelism by {}, expected a ring", name_of(q.shard.context_kind));
}

constexpr std::string_view megatron = "Megatron-LM", megatron_fsdp2 = "Megatron-LM with torch FSDP2",
                           transformer_engine = "TransformerEngine", torchtitan = "torchtitan", deepspeed = "DeepSpeed",
                           accelerate = "Accelerate", axolotl = "Axolotl";

constexpr std::array<MeshRule, 40> rules{{
    {"", "devices", "arXiv 2104.04473, section 3; arXiv 2504.14960", world},
    {"", "global batch", "arXiv 2104.04473, section 2", batch},
    {"", "heads", "arXiv 1909.08053, section 3; attention.py:1851", heads},
    {"", "widths", "arXiv 1909.08053, section 3", widths},
    {"", "experts", "moe_layer.py:186", experts},
    {"", "tokens", "arXiv 2205.05198, section 4.2.2; arXiv 2310.01889", tokens},
    {"", "exchanged heads", "arXiv 2309.14509", exchanged_heads},
    {megatron, "experts need sequence parallelism", "moe_layer.py:636", experts_need_sequence},
    {megatron, "balanced context chunks", "arguments.py:1336", balanced_chunks},
    {megatron, "blocks", "arguments.py:1006", blocks},
    {megatron, "virtual stages", "arguments.py:945", virtual_pipeline},
    {megatron, "interleaved micro-batches", "schedules.py:1161", interleaved},
    {megatron, "schedule", "pipeline_parallel/schedules.py", megatron_schedule},
    {megatron, "sharded gradients and pipeline", "distributed/fsdp", sharded_gradients_alone},
    {megatron, "hidden gathers", "arguments.py:1025", hidden_gathers},
    {megatron, "hidden tensor parallelism", "arguments.py:1442", hidden_tensor},
    {megatron_fsdp2, "alone", "arguments.py:1034", fsdp2_alone},
    {transformer_engine, "exchanged key-value heads", "context_parallel.py:4246", exchanged_key_value_heads},
    {torchtitan, "context kind", "config/job_config.py", titan_context},
    {torchtitan, "schedule", "distributed/pipeline_parallel.py", titan_schedule},
    {torchtitan, "sequence parallelism", "models/llama3/infra/parallelize.py", titan_sequence},
    {torchtitan, "sharding level", "distributed/parallel_dims.py", titan_sharding},
    {torchtitan, "expert tensor parallelism", "parallel_dims.py", titan_expert_tensor},
    {torchtitan, "tokens", "parallel_dims.py:671", titan_tokens},
    {torchtitan, "experts", "parallel_dims.py", titan_experts},
    {deepspeed, "pipeline and ZeRO", "pipe/engine.py", deepspeed_pipeline},
    {deepspeed, "schedule", "pipe/schedule.py", deepspeed_schedule},
    {deepspeed, "context kind", "Ulysses", deepspeed_context},
    {deepspeed, "experts", "utils/groups.py", deepspeed_experts},
    {accelerate, "pipeline", "parallelism_config.py", one_stage},
    {accelerate, "experts", "parallelism_config.py", whole_experts},
    {accelerate, "context kind", "utils/dataclasses.py", titan_context},
    {accelerate, "balanced context chunks", "torch/distributed/tensor/experimental", balanced_chunks},
    {accelerate, "sharded context ranks", "accelerator.py", sharded_context},
    {accelerate, "copies", "parallelism_config.py", sharded_copies},
    {axolotl, "pipeline", "utils/schemas/config.py", one_stage},
    {axolotl, "experts", "utils/schemas/config.py", whole_experts},
    {axolotl, "context kind", "utils/schemas/validation.py", ring_alone},
    {axolotl, "sharded context ranks", "utils/distributed.py", sharded_context},
    {axolotl, "copies", "utils/distributed.py", sharded_copies},
}};

}  // namespace

std::span<const MeshRule> mesh_rules() { return rules; }

std::vector<std::string> broken_rules(const MeshQuestion& question, std::string_view engine) {
  std::vector<std::string> broken;
  for (const MeshRule& rule : rules)
    if (rule.engine == engine)
      if (const Broken text = rule.broken(question))
        broken.push_back(engine.empty() ? *text : fmt::format("{} ({}: {})", *text, engine, rule.source));
  return broken;
}

Result<void> check_mesh(const MeshQuestion& question) {
  const std::vector<std::string> broken = broken_rules(question);
  if (!broken.empty()) return fail(ErrorCode::bad_input, broken.front());
  return {};
}

std::int64_t padded_vocabulary(std::int64_t vocabulary, int tensor, int multiple) {
  const std::int64_t unit = std::int64_t{multiple} * tensor;
  return unit == 0 ? vocabulary : (vocabulary + unit - 1) / unit * unit;
}

int usual_vocabulary_multiple(std::int64_t vocabulary, int tensor) {
  return vocabulary % (std::int64_t{8} * tensor) == 0 ? 0 : 128;
}

}  // namespace pipedeck::plan
