// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/nemo.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"

namespace pipedeck::io::jobs {
namespace {

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
    words_ = words_of_fields(options_, nemo_fields());
    if (std::ranges::find(words_, "--num-query-groups") != words_.end()) add("group-query-attention");
    // The optimizer keeps masters of 16-bit weights, as Megatron-LM's does.
    if (!options_.flag("model.megatron_amp_O2")) options_.leave_out("model.megatron_amp_O2");
    read_norm_and_activation();
    read_precision();
    read_optimizer();
    const int devices = devices_of_trainer();
    if (options_.error()) return tl::unexpected(*options_.error());
    TRY(TrainingJob job, job_from_arguments(words_, std::move(name)));
    job.version = "core 0.15, as NeMo 1 calls it";
    // Apex's optimizer steps with gradients in 16 bits.
    if (options_.word("model.optim.name") == "distributed_fused_adam" && job.choices.states)
      job.choices.states->step = 0;
    job.devices = devices;
    for (const std::string& assumed : job.share.assumed) options_.assume(assumed);
    job.share = options_.share(no_effect_in_nemo);
    return job;
  }

 private:
  void add(std::string_view option) { words_.push_back(fmt::format("--{}", option)); }

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
    const std::string sent = options_.word("model.optim.grad_sync_dtype");
    const bool half = std::ranges::find(words_, "--fp16") != words_.end();
    // Apex's optimizer sends the type of the weights by default, Megatron Core's fp32 (megatron_gpt_model.py).
    const bool narrow = sent.empty() ? name == "distributed_fused_adam" : sent != "fp32";
    if (narrow && !half) add("grad-reduce-in-bf16");
    if (half && (sent == "fp32" || (sent.empty() && name == "mcore_distributed_optim")))
      add("accumulate-allreduce-grads-in-fp32");
    if (narrow && sent.empty()) options_.assume("gradients reduced in 16 bits, as NeMo does by default");
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
