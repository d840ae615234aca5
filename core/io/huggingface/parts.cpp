// SPDX-License-Identifier: Apache-2.0
#include "core/io/huggingface/parts.hpp"

#include <set>

#include <fmt/format.h>

namespace pipedeck::io::huggingface {

using json::Value;

void Parts::heads(std::string_view key, int otherwise, bool width_is_told) {
  c_.heads = c_.key_value_heads = width(key, otherwise);
  c_.head_width = c_.heads > 0 ? c_.hidden / c_.heads : 0;
  if (in_.ok() && c_.hidden % c_.heads != 0 && !in_.has("head_dim") && !width_is_told)
    in_.fail(key,
             fmt::format("found {} heads, expected a number that divides the hidden size, {}", c_.heads, c_.hidden));
}

void Parts::window_in(int blocks_with) {
  if (!in_.bool_or("use_sliding_window", false)) return;
  const int size = in_.count_or("sliding_window", has_key("sliding_window") ? 0 : 4096, 0, max_width);
  if (in_.has("layer_types")) {
    blocks_with = 0;
    in_.values("layer_types", [&](const Value& value, const std::string&) {
      blocks_with += value == Value("sliding_attention") ? 1 : 0;
    });
  }
  if (blocks_with >= c_.layers) c_.window = size;
  if (size == 0 || blocks_with == 0 || blocks_with >= c_.layers) return;
  notes_.push_back(fmt::format("{} of {} blocks see {} positions at most: all are counted as if they saw every one",
                               blocks_with, c_.layers, size));
}

void Parts::latent_attention() {
  LatentAttention latent;
  latent.query_rank = in_.count_or("q_lora_rank", has_key("q_lora_rank") ? 0 : 1536, 0, max_width);
  latent.key_value_rank = width("kv_lora_rank", 512);
  latent.plain_width = width("qk_nope_head_dim", 128), latent.rotary_width = width("qk_rope_head_dim", 64);
  latent.value_width = width("v_head_dim", 128);
  c_.latent = latent;
}

Experts Parts::sparse_blocks() {
  Experts experts;
  const int step = in_.count_or("decoder_sparse_step", 1, 1, max_blocks);
  std::set<std::int64_t> dense;
  if (in_.has("mlp_only_layers"))
    in_.values("mlp_only_layers", [&](const Value& value, const std::string& place) {
      dense.insert(json::read_integer(value, 0, max_blocks, place, in_.problems()));
    });
  for (int i = 0; i < c_.layers; ++i)
    if (dense.contains(i) || (i + 1) % step != 0) experts.dense.push_back(i);
  return experts;
}

Experts Parts::blocks_with_experts(std::string_view key, int step) {
  Experts experts;
  std::set<std::int64_t> listed;
  const bool told = in_.has(key);
  if (told)
    in_.values(key, [&](const Value& value, const std::string& place) {
      listed.insert(json::read_integer(value, 0, max_blocks, place, in_.problems()));
    });
  for (int i = 0; i < c_.layers; ++i)
    if (told ? !listed.contains(i) : (i + 1) % step != 0) experts.dense.push_back(i);
  return experts;
}

void Parts::deepseek_experts(const ExpertDefaults& otherwise) {
  const int count =
      in_.count_or("n_routed_experts", has_key("n_routed_experts") ? 0 : otherwise.experts, 0, max_experts);
  if (count == 0) return;
  Experts experts;
  experts.count = count;
  experts.per_token = in_.count_or("num_experts_per_tok", std::max(1, otherwise.per_token), 1, max_experts);
  experts.feed_forward = width("moe_intermediate_size", otherwise.width);
  const int shared =
      in_.count_or("n_shared_experts", has_key("n_shared_experts") ? 0 : otherwise.shared, 0, max_experts);
  experts.shared_feed_forward =
      static_cast<int>(std::min<std::int64_t>(max_width, std::int64_t{experts.feed_forward} * shared));
  const int first = in_.count_or("first_k_dense_replace", otherwise.first_dense, 0, max_blocks),
            every = in_.count_or("moe_layer_freq", 1, 1, max_blocks);
  for (int i = 0; i < c_.layers; ++i)
    if (i < first || i % every != 0) experts.dense.push_back(i);
  c_.experts = std::move(experts);
}

}  // namespace pipedeck::io::huggingface
