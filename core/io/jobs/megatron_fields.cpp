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

/// A field of one engine.
struct Place {
  std::string_view path{};    ///< empty: the engine has no field for the option
  std::string_view absent{};  ///< as MegatronField::absent
  bool assumed = false;       ///< as MegatronField::assumed
};

/// An option of Megatron-LM with the fields of both engines. An option with several fields has several rows.
struct SharedField {
  std::string_view option;
  FieldKind kind = FieldKind::value;
  Place bridge{}, nemo{};
};

/// Returns an option that both engines have under one name. A recipe may have a value, NeMo's defaults are known.
constexpr SharedField both(std::string_view option, std::string_view path, FieldKind kind = FieldKind::value,
                           std::string_view absent = {}, bool assumed = false) {
  return {option, kind, {path, absent, assumed}, {path, {}, assumed && kind == FieldKind::refusal}};
}
constexpr SharedField bridge(std::string_view option, std::string_view path, FieldKind kind = FieldKind::value,
                             std::string_view absent = {}, bool assumed = false) {
  return {option, kind, {path, absent, assumed}, {}};
}
constexpr SharedField nemo(std::string_view option, std::string_view path, FieldKind kind = FieldKind::value) {
  return {option, kind, {}, {path}};
}
/// Returns an option that the engines have under different names.
constexpr SharedField each(std::string_view option, FieldKind kind, Place of_bridge, Place of_nemo) {
  return {option, kind, of_bridge, of_nemo};
}

// Bridge: megatron/bridge/training/config.py, comm_overlap.py and mixed_precision.py; Megatron Core's own
// configurations. NeMo 1: examples/nlp/language_modeling/conf/megatron_gpt_config.yaml; megatron_gpt_model.py passes
// all other fields of Megatron Core's TransformerConfig on by their names.
constexpr auto shared_fields = std::to_array<SharedField>({
    both("tensor-model-parallel-size", "model.tensor_model_parallel_size", FieldKind::value, "1"),
    both("pipeline-model-parallel-size", "model.pipeline_model_parallel_size", FieldKind::value, "1"),
    both("num-virtual-stages-per-pipeline-rank", "model.virtual_pipeline_model_parallel_size", FieldKind::value,
         "null"),
    bridge("pipeline-model-parallel-layout", "model.pipeline_model_parallel_layout", FieldKind::value, "null"),
    both("decoder-first-pipeline-num-layers", "model.num_layers_in_first_pipeline_stage", FieldKind::value, "null"),
    both("decoder-last-pipeline-num-layers", "model.num_layers_in_last_pipeline_stage", FieldKind::value, "null"),
    bridge("account-for-embedding-in-pipeline-split", "model.account_for_embedding_in_pipeline_split", FieldKind::flag),
    bridge("account-for-loss-in-pipeline-split", "model.account_for_loss_in_pipeline_split", FieldKind::flag),
    bridge("microbatch-group-size-per-virtual-pipeline-stage", "model.microbatch_group_size_per_vp_stage"),
    both("context-parallel-size", "model.context_parallel_size", FieldKind::value, "1"),
    both("cp-comm-type", "model.cp_comm_type", FieldKind::value, "null"),
    bridge("hierarchical-context-parallel-sizes", "model.hierarchical_context_parallel_sizes", FieldKind::values,
           "null"),
    both("expert-model-parallel-size", "model.expert_model_parallel_size", FieldKind::value, "1"),
    both("expert-tensor-parallel-size", "model.expert_tensor_parallel_size", FieldKind::value, "1"),
    both("sequence-parallel", "model.sequence_parallel", FieldKind::flag),
    each("seq-length", FieldKind::value, {"model.seq_length"}, {"model.encoder_seq_length"}),
    both("num-layers", "model.num_layers"),
    both("hidden-size", "model.hidden_size"),
    both("ffn-hidden-size", "model.ffn_hidden_size"),
    both("num-attention-heads", "model.num_attention_heads"),
    both("num-query-groups", "model.num_query_groups"),
    both("kv-channels", "model.kv_channels"),
    bridge("multi-latent-attention", "model.multi_latent_attention", FieldKind::flag),
    bridge("q-lora-rank", "model.q_lora_rank"),
    bridge("kv-lora-rank", "model.kv_lora_rank"),
    bridge("qk-head-dim", "model.qk_head_dim"),
    bridge("qk-pos-emb-head-dim", "model.qk_pos_emb_head_dim"),
    bridge("v-head-dim", "model.v_head_dim"),
    bridge("swiglu", "model.gated_linear_unit", FieldKind::flag),
    bridge("normalization", "model.normalization"),
    both("qk-layernorm", "model.qk_layernorm", FieldKind::flag),
    each("disable-bias-linear", FieldKind::refusal, {"model.add_bias_linear", "", true}, {"model.bias", "", true}),
    both("add-qkv-bias", "model.add_qkv_bias", FieldKind::flag),
    both("untie-embeddings-and-output-weights", "model.share_embeddings_and_output_weights", FieldKind::refusal, "",
         true),
    both("position-embedding-type", "model.position_embedding_type"),
    both("hidden-dropout", "model.hidden_dropout"),
    both("attention-dropout", "model.attention_dropout"),
    both("attention-backend", "model.attention_backend"),
    bridge("vocab-size", "model.vocab_size"),
    both("make-vocab-size-divisible-by", "model.make_vocab_size_divisible_by"),
    both("num-experts", "model.num_moe_experts"),
    both("moe-router-topk", "model.moe_router_topk"),
    both("moe-ffn-hidden-size", "model.moe_ffn_hidden_size"),
    both("moe-shared-expert-intermediate-size", "model.moe_shared_expert_intermediate_size"),
    both("moe-layer-freq", "model.moe_layer_freq", FieldKind::pattern),
    bridge("moe-shared-expert-gate", "model.moe_shared_expert_gate", FieldKind::flag),
    bridge("moe-router-enable-expert-bias", "model.moe_router_enable_expert_bias", FieldKind::flag),
    bridge("moe-router-force-load-balancing", "model.moe_router_force_load_balancing", FieldKind::flag),
    both("moe-token-dispatcher-type", "model.moe_token_dispatcher_type"),
    bridge("moe-flex-dispatcher-backend", "model.moe_flex_dispatcher_backend"),
    bridge("moe-enable-deepep", "model.moe_enable_deepep", FieldKind::flag),
    both("moe-expert-capacity-factor", "model.moe_expert_capacity_factor", FieldKind::value, "null"),
    both("moe-pad-expert-input-to-capacity", "model.moe_pad_expert_input_to_capacity", FieldKind::flag),
    both("moe-shared-expert-overlap", "model.moe_shared_expert_overlap", FieldKind::flag),
    both("moe-grouped-gemm", "model.moe_grouped_gemm", FieldKind::flag),
    bridge("moe-permute-fusion", "model.moe_permute_fusion", FieldKind::flag),
    bridge("moe-router-fusion", "model.moe_router_fusion", FieldKind::flag),
    each("recompute-granularity", FieldKind::value, {"model.recompute_granularity", "null"},
         {"model.activations_checkpoint_granularity"}),
    each("recompute-method", FieldKind::value, {"model.recompute_method", "null"},
         {"model.activations_checkpoint_method"}),
    each("recompute-num-layers", FieldKind::value, {"model.recompute_num_layers", "null"},
         {"model.activations_checkpoint_num_layers"}),
    both("recompute-modules", "model.recompute_modules", FieldKind::values, "null"),
    both("cross-entropy-loss-fusion", "model.cross_entropy_loss_fusion", FieldKind::flag, "", true),
    both("cross-entropy-fusion-impl", "model.cross_entropy_fusion_impl"),
    bridge("cuda-graph-impl", "model.cuda_graph_impl", FieldKind::value, "none"),
    bridge("cuda-graph-scope", "model.cuda_graph_scope", FieldKind::values),
    bridge("mtp-num-layers", "model.mtp_num_layers", FieldKind::value, "null"),
    both("cpu-offloading-num-layers", "model.cpu_offloading_num_layers", FieldKind::value, "0"),
    both("no-gradient-accumulation-fusion", "model.gradient_accumulation_fusion", FieldKind::refusal, "", true),
    each("micro-batch-size", FieldKind::value, {"train.micro_batch_size"}, {"model.micro_batch_size"}),
    each("global-batch-size", FieldKind::value, {"train.global_batch_size"}, {"model.global_batch_size"}),
    bridge("seq-length", "dataset.sequence_length"),
    bridge("use-megatron-fsdp", "dist.use_megatron_fsdp", FieldKind::flag),
    bridge("use-torch-fsdp2", "dist.use_torch_fsdp2", FieldKind::flag),
    bridge("use-distributed-optimizer", "ddp.use_distributed_optimizer", FieldKind::flag),
    bridge("data-parallel-sharding-strategy", "ddp.data_parallel_sharding_strategy", FieldKind::value, "no_shard"),
    bridge("outer-dp-sharding-strategy", "ddp.outer_dp_sharding_strategy"),
    bridge("num-distributed-optimizer-instances", "ddp.num_distributed_optimizer_instances", FieldKind::value, "1"),
    bridge("use-distributed-optimizer", "optimizer.use_distributed_optimizer", FieldKind::flag),
    bridge("optimizer", "optimizer.optimizer"),
    bridge("sgd-momentum", "optimizer.sgd_momentum"),
    bridge("use-precision-aware-optimizer", "optimizer.use_precision_aware_optimizer", FieldKind::flag),
    bridge("main-grads-dtype", "optimizer.main_grads_dtype", FieldKind::type, "torch.float32"),
    bridge("main-params-dtype", "optimizer.main_params_dtype", FieldKind::type, "torch.float32"),
    bridge("exp-avg-dtype", "optimizer.exp_avg_dtype", FieldKind::type, "torch.float32"),
    bridge("exp-avg-sq-dtype", "optimizer.exp_avg_sq_dtype", FieldKind::type, "torch.float32"),
    bridge("optimizer-cpu-offload", "optimizer.optimizer_cpu_offload", FieldKind::flag),
    bridge("ckpt-format", "checkpoint.ckpt_format"),
    each("overlap-grad-reduce", FieldKind::flag, {"comm_overlap.overlap_grad_reduce"},
         {"model.optim.overlap_grad_sync"}),
    each("overlap-param-gather", FieldKind::flag, {"comm_overlap.overlap_param_gather"},
         {"model.optim.overlap_param_sync"}),
    each("tp-comm-overlap", FieldKind::flag, {"comm_overlap.tp_comm_overlap"}, {"model.ub_tp_comm_overlap"}),
    each("no-overlap-p2p-communication", FieldKind::refusal, {"comm_overlap.overlap_p2p_comm", "", true},
         {"model.overlap_p2p_comm", "", true}),
    bridge("overlap-moe-expert-parallel-comm", "comm_overlap.overlap_moe_expert_parallel_comm", FieldKind::flag),
    bridge("delay-wgrad-compute", "comm_overlap.delay_wgrad_compute", FieldKind::flag),
    bridge("overlap-grad-reduce", "ddp.overlap_grad_reduce", FieldKind::flag),
    bridge("overlap-param-gather", "ddp.overlap_param_gather", FieldKind::flag),
    bridge("bf16", "mixed_precision.bf16", FieldKind::flag),
    bridge("fp16", "mixed_precision.fp16", FieldKind::flag),
    bridge("fp8-format", "mixed_precision.fp8", FieldKind::value, "null"),
    each("fp8-recipe", FieldKind::value, {"mixed_precision.fp8_recipe"}, {"model.fp8_recipe"}),
    each("fp8-param-gather", FieldKind::flag, {"mixed_precision.fp8_param_gather"}, {"model.fp8_params"}),
    bridge("fp4-format", "mixed_precision.fp4", FieldKind::value, "null"),
    bridge("fp4-recipe", "mixed_precision.fp4_recipe"),
    nemo("max-position-embeddings", "model.max_position_embeddings"),
    nemo("use-flash-attn", "model.use_flash_attention", FieldKind::flag),
    nemo("tokenizer-model", "model.tokenizer.model"),
});

/// Returns the fields of one engine, in the order of the table.
std::vector<MegatronField> fields_of(Place SharedField::*engine) {
  std::vector<MegatronField> fields;
  for (const SharedField& row : shared_fields)
    if (const Place& place = row.*engine; !place.path.empty())
      fields.push_back({place.path, row.option, row.kind, place.absent, place.assumed});
  return fields;
}

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

std::span<const MegatronField> bridge_fields() {
  static const std::vector<MegatronField> fields = fields_of(&SharedField::bridge);
  return fields;
}
std::span<const MegatronField> nemo_fields() {
  static const std::vector<MegatronField> fields = fields_of(&SharedField::nemo);
  return fields;
}

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
