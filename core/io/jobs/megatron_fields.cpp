// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

// megatron/bridge/training/config.py, comm_overlap.py and mixed_precision.py; Megatron Core's own configurations.
constexpr auto fields_of_bridge = std::to_array<MegatronField>({
    {"model.tensor_model_parallel_size", "tensor-model-parallel-size", FieldKind::value, "1"},
    {"model.pipeline_model_parallel_size", "pipeline-model-parallel-size", FieldKind::value, "1"},
    {"model.virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank", FieldKind::value, "null"},
    {"model.pipeline_model_parallel_layout", "pipeline-model-parallel-layout", FieldKind::value, "null"},
    {"model.num_layers_in_first_pipeline_stage", "decoder-first-pipeline-num-layers", FieldKind::value, "null"},
    {"model.num_layers_in_last_pipeline_stage", "decoder-last-pipeline-num-layers", FieldKind::value, "null"},
    {"model.account_for_embedding_in_pipeline_split", "account-for-embedding-in-pipeline-split", FieldKind::flag},
    {"model.account_for_loss_in_pipeline_split", "account-for-loss-in-pipeline-split", FieldKind::flag},
    {"model.microbatch_group_size_per_vp_stage", "microbatch-group-size-per-virtual-pipeline-stage"},
    {"model.context_parallel_size", "context-parallel-size", FieldKind::value, "1"},
    {"model.cp_comm_type", "cp-comm-type", FieldKind::value, "null"},
    {"model.hierarchical_context_parallel_sizes", "hierarchical-context-parallel-sizes", FieldKind::values, "null"},
    {"model.expert_model_parallel_size", "expert-model-parallel-size", FieldKind::value, "1"},
    {"model.expert_tensor_parallel_size", "expert-tensor-parallel-size", FieldKind::value, "1"},
    {"model.sequence_parallel", "sequence-parallel", FieldKind::flag},
    {"model.seq_length", "seq-length"},
    {"model.num_layers", "num-layers"},
    {"model.hidden_size", "hidden-size"},
    {"model.ffn_hidden_size", "ffn-hidden-size"},
    {"model.num_attention_heads", "num-attention-heads"},
    {"model.num_query_groups", "num-query-groups"},
    {"model.kv_channels", "kv-channels"},
    {"model.multi_latent_attention", "multi-latent-attention", FieldKind::flag},
    {"model.q_lora_rank", "q-lora-rank"},
    {"model.kv_lora_rank", "kv-lora-rank"},
    {"model.qk_head_dim", "qk-head-dim"},
    {"model.qk_pos_emb_head_dim", "qk-pos-emb-head-dim"},
    {"model.v_head_dim", "v-head-dim"},
    {"model.gated_linear_unit", "swiglu", FieldKind::flag},
    {"model.normalization", "normalization"},
    {"model.qk_layernorm", "qk-layernorm", FieldKind::flag},
    {"model.add_bias_linear", "disable-bias-linear", FieldKind::refusal, "", true},
    {"model.add_qkv_bias", "add-qkv-bias", FieldKind::flag},
    {"model.share_embeddings_and_output_weights", "untie-embeddings-and-output-weights", FieldKind::refusal, "", true},
    {"model.position_embedding_type", "position-embedding-type"},
    {"model.hidden_dropout", "hidden-dropout"},
    {"model.attention_dropout", "attention-dropout"},
    {"model.attention_backend", "attention-backend"},
    {"model.vocab_size", "vocab-size"},
    {"model.make_vocab_size_divisible_by", "make-vocab-size-divisible-by"},
    {"model.num_moe_experts", "num-experts"},
    {"model.moe_router_topk", "moe-router-topk"},
    {"model.moe_ffn_hidden_size", "moe-ffn-hidden-size"},
    {"model.moe_shared_expert_intermediate_size", "moe-shared-expert-intermediate-size"},
    {"model.moe_layer_freq", "moe-layer-freq", FieldKind::pattern},
    {"model.moe_shared_expert_gate", "moe-shared-expert-gate", FieldKind::flag},
    {"model.moe_router_enable_expert_bias", "moe-router-enable-expert-bias", FieldKind::flag},
    {"model.moe_router_force_load_balancing", "moe-router-force-load-balancing", FieldKind::flag},
    {"model.moe_token_dispatcher_type", "moe-token-dispatcher-type"},
    {"model.moe_flex_dispatcher_backend", "moe-flex-dispatcher-backend"},
    {"model.moe_enable_deepep", "moe-enable-deepep", FieldKind::flag},
    {"model.moe_expert_capacity_factor", "moe-expert-capacity-factor", FieldKind::value, "null"},
    {"model.moe_pad_expert_input_to_capacity", "moe-pad-expert-input-to-capacity", FieldKind::flag},
    {"model.moe_shared_expert_overlap", "moe-shared-expert-overlap", FieldKind::flag},
    {"model.moe_grouped_gemm", "moe-grouped-gemm", FieldKind::flag},
    {"model.moe_permute_fusion", "moe-permute-fusion", FieldKind::flag},
    {"model.moe_router_fusion", "moe-router-fusion", FieldKind::flag},
    {"model.recompute_granularity", "recompute-granularity", FieldKind::value, "null"},
    {"model.recompute_method", "recompute-method", FieldKind::value, "null"},
    {"model.recompute_num_layers", "recompute-num-layers", FieldKind::value, "null"},
    {"model.recompute_modules", "recompute-modules", FieldKind::values, "null"},
    {"model.cross_entropy_loss_fusion", "cross-entropy-loss-fusion", FieldKind::flag, "", true},
    {"model.cross_entropy_fusion_impl", "cross-entropy-fusion-impl"},
    {"model.cuda_graph_impl", "cuda-graph-impl", FieldKind::value, "none"},
    {"model.cuda_graph_scope", "cuda-graph-scope", FieldKind::values},
    {"model.mtp_num_layers", "mtp-num-layers", FieldKind::value, "null"},
    {"model.cpu_offloading_num_layers", "cpu-offloading-num-layers", FieldKind::value, "0"},
    {"model.gradient_accumulation_fusion", "no-gradient-accumulation-fusion", FieldKind::refusal, "", true},
    {"train.micro_batch_size", "micro-batch-size"},
    {"train.global_batch_size", "global-batch-size"},
    {"dataset.sequence_length", "seq-length"},
    {"dist.use_megatron_fsdp", "use-megatron-fsdp", FieldKind::flag},
    {"dist.use_torch_fsdp2", "use-torch-fsdp2", FieldKind::flag},
    {"ddp.use_distributed_optimizer", "use-distributed-optimizer", FieldKind::flag},
    {"ddp.data_parallel_sharding_strategy", "data-parallel-sharding-strategy", FieldKind::value, "no_shard"},
    {"ddp.outer_dp_sharding_strategy", "outer-dp-sharding-strategy"},
    {"ddp.num_distributed_optimizer_instances", "num-distributed-optimizer-instances", FieldKind::value, "1"},
    {"optimizer.use_distributed_optimizer", "use-distributed-optimizer", FieldKind::flag},
    {"optimizer.optimizer", "optimizer"},
    {"optimizer.sgd_momentum", "sgd-momentum"},
    {"optimizer.use_precision_aware_optimizer", "use-precision-aware-optimizer", FieldKind::flag},
    {"optimizer.main_grads_dtype", "main-grads-dtype", FieldKind::type, "torch.float32"},
    {"optimizer.main_params_dtype", "main-params-dtype", FieldKind::type, "torch.float32"},
    {"optimizer.exp_avg_dtype", "exp-avg-dtype", FieldKind::type, "torch.float32"},
    {"optimizer.exp_avg_sq_dtype", "exp-avg-sq-dtype", FieldKind::type, "torch.float32"},
    {"optimizer.optimizer_cpu_offload", "optimizer-cpu-offload", FieldKind::flag},
    {"checkpoint.ckpt_format", "ckpt-format"},
    {"comm_overlap.overlap_grad_reduce", "overlap-grad-reduce", FieldKind::flag},
    {"comm_overlap.overlap_param_gather", "overlap-param-gather", FieldKind::flag},
    {"comm_overlap.tp_comm_overlap", "tp-comm-overlap", FieldKind::flag},
    {"comm_overlap.overlap_p2p_comm", "no-overlap-p2p-communication", FieldKind::refusal, "", true},
    {"comm_overlap.overlap_moe_expert_parallel_comm", "overlap-moe-expert-parallel-comm", FieldKind::flag},
    {"comm_overlap.delay_wgrad_compute", "delay-wgrad-compute", FieldKind::flag},
    {"ddp.overlap_grad_reduce", "overlap-grad-reduce", FieldKind::flag},
    {"ddp.overlap_param_gather", "overlap-param-gather", FieldKind::flag},
    {"mixed_precision.bf16", "bf16", FieldKind::flag},
    {"mixed_precision.fp16", "fp16", FieldKind::flag},
    {"mixed_precision.fp8", "fp8-format", FieldKind::value, "null"},
    {"mixed_precision.fp8_recipe", "fp8-recipe"},
    {"mixed_precision.fp8_param_gather", "fp8-param-gather", FieldKind::flag},
    {"mixed_precision.fp4", "fp4-format", FieldKind::value, "null"},
    {"mixed_precision.fp4_recipe", "fp4-recipe"},
});

// examples/nlp/language_modeling/conf/megatron_gpt_config.yaml; megatron_gpt_model.py passes all other fields of
// Megatron Core's TransformerConfig on by their names.
constexpr auto fields_of_nemo = std::to_array<MegatronField>({
    {"model.micro_batch_size", "micro-batch-size"},
    {"model.global_batch_size", "global-batch-size"},
    {"model.tensor_model_parallel_size", "tensor-model-parallel-size"},
    {"model.pipeline_model_parallel_size", "pipeline-model-parallel-size"},
    {"model.virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank"},
    {"model.num_layers_in_first_pipeline_stage", "decoder-first-pipeline-num-layers"},
    {"model.num_layers_in_last_pipeline_stage", "decoder-last-pipeline-num-layers"},
    {"model.context_parallel_size", "context-parallel-size"},
    {"model.cp_comm_type", "cp-comm-type"},
    {"model.expert_model_parallel_size", "expert-model-parallel-size"},
    {"model.expert_tensor_parallel_size", "expert-tensor-parallel-size"},
    {"model.sequence_parallel", "sequence-parallel", FieldKind::flag},
    {"model.encoder_seq_length", "seq-length"},
    {"model.max_position_embeddings", "max-position-embeddings"},
    {"model.num_layers", "num-layers"},
    {"model.hidden_size", "hidden-size"},
    {"model.ffn_hidden_size", "ffn-hidden-size"},
    {"model.num_attention_heads", "num-attention-heads"},
    {"model.num_query_groups", "num-query-groups"},
    {"model.kv_channels", "kv-channels"},
    {"model.qk_layernorm", "qk-layernorm", FieldKind::flag},
    {"model.hidden_dropout", "hidden-dropout"},
    {"model.attention_dropout", "attention-dropout"},
    {"model.attention_backend", "attention-backend"},
    {"model.use_flash_attention", "use-flash-attn", FieldKind::flag},
    {"model.bias", "disable-bias-linear", FieldKind::refusal, "", true},
    {"model.add_qkv_bias", "add-qkv-bias", FieldKind::flag},
    {"model.share_embeddings_and_output_weights", "untie-embeddings-and-output-weights", FieldKind::refusal, "", true},
    {"model.make_vocab_size_divisible_by", "make-vocab-size-divisible-by"},
    {"model.position_embedding_type", "position-embedding-type"},
    {"model.num_moe_experts", "num-experts"},
    {"model.moe_router_topk", "moe-router-topk"},
    {"model.moe_ffn_hidden_size", "moe-ffn-hidden-size"},
    {"model.moe_shared_expert_intermediate_size", "moe-shared-expert-intermediate-size"},
    {"model.moe_layer_freq", "moe-layer-freq", FieldKind::pattern},
    {"model.moe_token_dispatcher_type", "moe-token-dispatcher-type"},
    {"model.moe_expert_capacity_factor", "moe-expert-capacity-factor"},
    {"model.moe_pad_expert_input_to_capacity", "moe-pad-expert-input-to-capacity", FieldKind::flag},
    {"model.moe_shared_expert_overlap", "moe-shared-expert-overlap", FieldKind::flag},
    {"model.moe_grouped_gemm", "moe-grouped-gemm", FieldKind::flag},
    {"model.activations_checkpoint_granularity", "recompute-granularity"},
    {"model.activations_checkpoint_method", "recompute-method"},
    {"model.activations_checkpoint_num_layers", "recompute-num-layers"},
    {"model.recompute_modules", "recompute-modules", FieldKind::values},
    {"model.cross_entropy_loss_fusion", "cross-entropy-loss-fusion", FieldKind::flag},
    {"model.cross_entropy_fusion_impl", "cross-entropy-fusion-impl"},
    {"model.ub_tp_comm_overlap", "tp-comm-overlap", FieldKind::flag},
    {"model.overlap_p2p_comm", "no-overlap-p2p-communication", FieldKind::refusal, "", true},
    {"model.gradient_accumulation_fusion", "no-gradient-accumulation-fusion", FieldKind::refusal, "", true},
    {"model.cpu_offloading_num_layers", "cpu-offloading-num-layers"},
    {"model.fp8_recipe", "fp8-recipe"},
    {"model.fp8_params", "fp8-param-gather", FieldKind::flag},
    {"model.optim.overlap_grad_sync", "overlap-grad-reduce", FieldKind::flag},
    {"model.optim.overlap_param_sync", "overlap-param-gather", FieldKind::flag},
    {"model.tokenizer.model", "tokenizer-model"},
});

struct TorchType {
  std::string_view name, torch;
};
constexpr std::array<TorchType, 4> torch_types{
    {{"fp32", "torch.float32"}, {"fp16", "torch.float16"}, {"bf16", "torch.bfloat16"}, {"fp8", "torch.uint8"}}};

std::string_view torch_type(std::string_view name) {
  const auto* const found = std::ranges::find(torch_types, name, &TorchType::name);
  return found == torch_types.end() ? name : found->torch;
}

/// A type is an object that names itself, as OmegaConf writes it.
constexpr std::string_view type_member = "_target_", call_member = "_call_";

class WordReader {
 public:
  explicit WordReader(Options& options) : options_(options) {}

  void read(const MegatronField& field) {
    const bool again = given_.contains(field.option);
    const std::size_t before = words_.size();
    if (field.kind == FieldKind::value) read_value(field);
    if (field.kind == FieldKind::values) add_all(field.option, options_.list(field.path));
    if (field.kind == FieldKind::pattern) read_pattern(field);
    if (field.kind == FieldKind::type) read_type(field);
    if (field.kind == FieldKind::flag) add(options_.flag(field.path, field.assumed), field.option);
    if (field.kind == FieldKind::refusal) add(!options_.flag(field.path, field.assumed), field.option);
    if (again) words_.resize(before);
    if (options_.has(field.path) || words_.size() > before) given_.insert(field.option);
  }
  std::vector<std::string> words() && { return std::move(words_); }

 private:
  void add(bool given, std::string_view option) {
    if (given) words_.push_back(fmt::format("--{}", option));
  }
  void add_all(std::string_view option, std::vector<std::string> all) {
    if (all.empty()) return;
    add(true, option);
    std::ranges::move(all, std::back_inserter(words_));
  }

  /// Values that the file computes, "${multiply:4, ${.hidden_size}}", are left to the default.
  void read_value(const MegatronField& field) {
    const std::string text = options_.word(field.path);
    if (text.empty()) return;
    if (text.find("${") == text.npos) return add_all(field.option, {text});
    options_.assume(fmt::format("the default of {}, which the file computes", field.path));
  }

  void read_pattern(const MegatronField& field) {
    const std::vector<std::string> list = options_.list(field.path);
    if (list.size() == 1) return add_all(field.option, list);
    if (!list.empty()) add_all(field.option, {fmt::format("[{}]", fmt::join(list, ","))});
  }

  void read_type(const MegatronField& field) {
    const std::string path(field.path);
    std::string torch = options_.word(fmt::format("{}.{}", path, type_member));
    options_.flag(fmt::format("{}.{}", path, call_member));
    if (torch.empty()) torch = options_.word(path);
    if (torch.empty()) return;
    const auto* const found = std::ranges::find(torch_types, torch, &TorchType::torch);
    if (found == torch_types.end())
      return options_.refuse(path, fmt::format("found {}, expected a type of torch", torch));
    add_all(field.option, {std::string(found->name)});
  }

  Options& options_;
  std::vector<std::string> words_;
  std::set<std::string_view> given_;
};

bool begins_option(const std::string& word) { return word.size() > 2 && word.starts_with("--"); }

/// Returns the options with their values.
std::vector<std::pair<std::string, std::vector<std::string>>> given_options(std::span<const std::string> words) {
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  for (const std::string& word : words)
    if (begins_option(word))
      options.emplace_back(word.substr(2), std::vector<std::string>());
    else if (!options.empty())
      options.back().second.push_back(word);
  return options;
}

json::Value scalar(std::string_view text) { return text == "null" ? json::Value() : json::Value(text); }

json::Value type_object(std::string_view torch) {
  return json::Members{{std::string(type_member), torch}, {std::string(call_member), "false"}};
}

/// Returns the list of "[0,1,1]"; another word as it is.
json::Value numbers_of(const std::string& word) {
  if (!word.starts_with('[') || word.find_first_of("*+()") != word.npos) return word;
  json::List list;
  for (const std::string_view number : text::words_between(word, "[,]")) list.emplace_back(number);
  return list;
}

/// Returns the value of a field whose option is given with these values, or is not given (null).
json::Value value_of(const MegatronField& field, const std::vector<std::string>* given) {
  if (field.kind == FieldKind::flag) return given ? "true" : "false";
  if (field.kind == FieldKind::refusal) return given ? "false" : "true";
  if (field.kind == FieldKind::type)
    return type_object(given && !given->empty() ? torch_type(given->front()) : field.absent);
  if (!given) return scalar(field.absent);
  if (field.kind == FieldKind::value) return given->empty() ? json::Value() : json::Value(given->front());
  if (field.kind == FieldKind::pattern) return given->empty() ? json::Value() : numbers_of(given->front());
  json::List list;
  for (const std::string& one : *given) list.emplace_back(one);
  return list;
}

}  // namespace

std::span<const MegatronField> bridge_fields() { return fields_of_bridge; }
std::span<const MegatronField> nemo_fields() { return fields_of_nemo; }

std::vector<std::string> words_of_fields(Options& options, std::span<const MegatronField> fields) {
  WordReader reader(options);
  for (const MegatronField& field : fields) reader.read(field);
  return std::move(reader).words();
}

FieldTree tree_of_words(std::span<const std::string> words, std::span<const MegatronField> fields) {
  const auto options = given_options(words);
  FieldTree tree;
  for (const MegatronField& field : fields) {
    const auto found = std::ranges::find_if(options, [&](const auto& one) { return one.first == field.option; });
    const bool given = found != options.end();
    const bool stated =
        given || !field.absent.empty() || field.kind == FieldKind::flag || field.kind == FieldKind::refusal;
    if (stated) set_at(tree.members, field.path, value_of(field, given ? &found->second : nullptr));
  }
  for (const auto& [name, values] : options)
    if (std::ranges::find(fields, name, &MegatronField::option) == fields.end())
      tree.without_field.push_back(fmt::format("--{}{}{}", name, values.empty() ? "" : " ", fmt::join(values, " ")));
  return tree;
}

void set_at(json::Members& tree, std::string_view path, json::Value value) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  auto found = std::ranges::find_if(tree, [&](const auto& member) { return member.first == key; });
  if (found == tree.end()) found = tree.insert(tree.end(), {key, json::Value()});
  if (dot == path.npos) {
    found->second = std::move(value);
    return;
  }
  if (!found->second.as<json::Members>()) found->second = json::Members();
  set_at(*found->second.as<json::Members>(), path.substr(dot + 1), std::move(value));
}

}  // namespace pipedeck::io::jobs
