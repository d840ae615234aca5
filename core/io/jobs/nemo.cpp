// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/nemo.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"

namespace pipedeck::io::jobs {
namespace {

struct SameChoice {
  std::string_view path, option;  ///< of NeMo, of Megatron-LM
};

constexpr auto values = std::to_array<SameChoice>({
    {"model.micro_batch_size", "micro-batch-size"},
    {"model.global_batch_size", "global-batch-size"},
    {"model.tensor_model_parallel_size", "tensor-model-parallel-size"},
    {"model.pipeline_model_parallel_size", "pipeline-model-parallel-size"},
    {"model.virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank"},
    {"model.context_parallel_size", "context-parallel-size"},
    {"model.expert_model_parallel_size", "expert-model-parallel-size"},
    {"model.expert_tensor_parallel_size", "expert-tensor-parallel-size"},
    {"model.encoder_seq_length", "seq-length"},
    {"model.max_position_embeddings", "max-position-embeddings"},
    {"model.num_layers", "num-layers"},
    {"model.hidden_size", "hidden-size"},
    {"model.ffn_hidden_size", "ffn-hidden-size"},
    {"model.num_attention_heads", "num-attention-heads"},
    {"model.kv_channels", "kv-channels"},
    {"model.hidden_dropout", "hidden-dropout"},
    {"model.attention_dropout", "attention-dropout"},
    {"model.make_vocab_size_divisible_by", "make-vocab-size-divisible-by"},
    {"model.position_embedding_type", "position-embedding-type"},
    {"model.num_moe_experts", "num-experts"},
    {"model.moe_router_topk", "moe-router-topk"},
    {"model.activations_checkpoint_granularity", "recompute-granularity"},
    {"model.activations_checkpoint_method", "recompute-method"},
    {"model.activations_checkpoint_num_layers", "recompute-num-layers"},
    {"model.tokenizer.model", "tokenizer-model"},
});

constexpr auto flags = std::to_array<SameChoice>({
    {"model.sequence_parallel", "sequence-parallel"},
    {"model.cross_entropy_loss_fusion", "cross-entropy-loss-fusion"},
    {"model.ub_tp_comm_overlap", "tp-comm-overlap"},
    {"model.use_flash_attention", "use-flash-attn"},
    {"model.moe_grouped_gemm", "moe-grouped-gemm"},
    {"model.optim.overlap_grad_sync", "overlap-grad-reduce"},
    {"model.optim.overlap_param_sync", "overlap-param-gather"},
});

/// Choices that are on in NeMo unless the file switches them off.
constexpr auto refusals = std::to_array<SameChoice>({
    {"model.bias", "disable-bias-linear"},
    {"model.share_embeddings_and_output_weights", "untie-embeddings-and-output-weights"},
    {"model.gradient_accumulation_fusion", "no-gradient-accumulation-fusion"},
    {"model.overlap_p2p_comm", "no-overlap-p2p-communication"},
});

constexpr auto no_effect_in_nemo = std::to_array<std::string_view>({"run",
                                                                    "name",
                                                                    "defaults",
                                                                    "hydra",
                                                                    "restore_from_path",
                                                                    "exp_manager",
                                                                    "trainer",
                                                                    "model.data",
                                                                    "model.tokenizer",
                                                                    "model.optim.lr",
                                                                    "model.optim.weight_decay",
                                                                    "model.optim.betas",
                                                                    "model.optim.eps",
                                                                    "model.optim.sched",
                                                                    "model.nsys_profile",
                                                                    "model.seed",
                                                                    "model.init_method",
                                                                    "model.use_scaled_init",
                                                                    "model.layernorm_epsilon",
                                                                    "model.do_layer_norm_weight_decay",
                                                                    "model.pre_process",
                                                                    "model.post_process",
                                                                    "model.native_amp",
                                                                    "model.hysteresis",
                                                                    "model.resume_from",
                                                                    "model.use_cpu_initialization",
                                                                    "model.onnx_safe",
                                                                    "model.apex_transformer",
                                                                    "model.fp8_margin",
                                                                    "model.fp8_interval",
                                                                    "model.fp8_amax",
                                                                    "model.rotary_",
                                                                    "model.seq_len_interpolation",
                                                                    "model.gc_interval",
                                                                    "model.mcore_gpt",
                                                                    "model.persist_layer_norm",
                                                                    "model.normalize_attention",
                                                                    "model.apply_query_key",
                                                                    "model.apply_rope_fusion",
                                                                    "model.transformer_block_type",
                                                                    "model.headscale"});

class NemoReader {
 public:
  explicit NemoReader(Options& options) : options_(options) {}

  Result<TrainingJob> job(std::string name) {
    for (const auto& [path, option] : values) value(path, option);
    for (const auto& [path, option] : flags)
      if (options_.flag(path)) add(option);
    for (const auto& [path, option] : refusals)
      if (!options_.flag(path, true)) add(option);
    if (options_.has("model.num_query_groups") && value("model.num_query_groups", "num-query-groups"))
      add("group-query-attention");
    read_norm_and_activation();
    read_precision();
    read_optimizer();
    const int devices = devices_of_trainer();
    if (options_.error()) return tl::unexpected(*options_.error());
    TRY(TrainingJob job, job_from_arguments(words_, std::move(name)));
    job.version = "core 0.15, as NeMo 1 calls it";
    job.devices = devices;
    for (const std::string& assumed : job.share.assumed) options_.assume(assumed);
    job.share = options_.share(no_effect_in_nemo);
    return job;
  }

 private:
  void add(std::string_view option) { words_.push_back(fmt::format("--{}", option)); }

  /// Adds an option with its value. Values that the file computes, "${multiply:4, ${.hidden_size}}", are left to the
  /// default.
  bool value(std::string_view path, std::string_view option) {
    const std::string text = options_.word(path);
    if (text.empty()) return false;
    if (text.find("${") != text.npos) {
      options_.assume(fmt::format("the default of {}, which the file computes", path));
      return false;
    }
    add(option);
    words_.push_back(text);
    return true;
  }

  void read_norm_and_activation() {
    const std::string norm = options_.word("model.normalization", {"layernorm", "layernorm1p", "rmsnorm"});
    if (norm == "rmsnorm") words_.insert(words_.end(), {"--normalization", "RMSNorm"});
    const std::string activation = options_.word("model.activation");
    if (activation.find("swiglu") != activation.npos)
      add("swiglu");
    else if (activation.find("geglu") != activation.npos)
      add("geglu");
    else if (activation == "squared-relu")
      add("squared-relu");
  }

  void read_precision() {
    const std::string precision = options_.word("trainer.precision");
    if (precision.starts_with("bf16"))
      add("bf16");
    else if (precision.starts_with("16"))
      add("fp16");
    else if (!precision.empty() && !precision.starts_with("32"))
      options_.refuse("trainer.precision", fmt::format("found \"{}\", expected bf16, 16 or 32", precision));
    const bool narrow = options_.flag("model.fp8"), hybrid = options_.flag("model.fp8_hybrid");
    options_.flag("model.fp8_e4m3");
    if (narrow) words_.insert(words_.end(), {"--fp8-format", hybrid ? "hybrid" : "e4m3"});
  }

  void read_optimizer() {
    const std::string name = options_.word("model.optim.name");
    if (name == "distributed_fused_adam" || name == "mcore_distributed_optim") add("use-distributed-optimizer");
    if (options_.word("model.optim.grad_sync_dtype") != "fp32" && name == "distributed_fused_adam") {
      add("grad-reduce-in-bf16");
      options_.assume("gradients reduced in 16 bits, as NeMo does by default");
    }
  }

  int devices_of_trainer() {
    const std::int64_t devices = options_.number("trainer.devices", 1, 1),
                       nodes = options_.number("trainer.num_nodes", 1, 1);
    if (devices * nodes <= limits::devices) return static_cast<int>(devices * nodes);
    options_.refuse("trainer.devices",
                    fmt::format("found {} on {} nodes, expected at most {}", devices, nodes, limits::devices));
    return 0;
  }

  Options& options_;
  std::vector<std::string> words_;
};

}  // namespace

bool looks_like_nemo(const std::string& text) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  return has("tensor_model_parallel_size:") && has("trainer:") && has("model:");
}

Result<TrainingJob> job_from_nemo(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_yaml(text));
  Options options(tree);
  return NemoReader(options).job(std::move(name));
}

}  // namespace pipedeck::io::jobs
