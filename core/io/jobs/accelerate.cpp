// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/accelerate.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/hugging_face.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_accelerate = std::to_array<std::string_view>({"compute_environment",
                                                                          "debug",
                                                                          "downcast_bf16",
                                                                          "enable_cpu_affinity",
                                                                          "machine_rank",
                                                                          "main_",
                                                                          "rdzv_",
                                                                          "same_network",
                                                                          "tpu_",
                                                                          "use_cpu",
                                                                          "gpu_ids",
                                                                          "dynamo_",
                                                                          "fsdp_config.fsdp_auto_wrap",
                                                                          "fsdp_config.fsdp_cpu_ram",
                                                                          "fsdp_config.fsdp_state_dict",
                                                                          "fsdp_config.fsdp_sync_module",
                                                                          "fsdp_config.fsdp_transformer_layer",
                                                                          "fsdp_config.fsdp_use_orig",
                                                                          "fsdp_config.fsdp_min_num",
                                                                          "deepspeed_config.zero3_init",
                                                                          "deepspeed_config.zero3_save",
                                                                          "deepspeed_config.deepspeed_multinode",
                                                                          "deepspeed_config.gradient_clipping"});

class AccelerateReader {
 public:
  AccelerateReader(Options& options, TrainingJob& job)
      : options_(options), job_(job), training_(job.choices.training) {}

  void run() {
    job_.devices = options_.number("num_processes", 1, 1);
    machines_ = options_.number("num_machines", 1, 1);
    if (job_.devices > limits::devices || job_.devices % machines_ != 0)
      options_.refuse("num_processes", fmt::format("found {} on {} machines, expected a multiple of them up to {}",
                                                   job_.devices, machines_, limits::devices));
    read_degrees();
    read_precision();
    const std::string kind = options_.word("distributed_type", {"NO", "MULTI_GPU", "FSDP", "DEEPSPEED"});
    job_.engine = kind == "DEEPSPEED" ? "DeepSpeed" : "Accelerate";
    job_.version = kind == "DEEPSPEED" ? "0.17" : "1";
    if (kind == "FSDP")
      read_fsdp();
    else if (kind == "DEEPSPEED")
      read_deepspeed();
    set_torch_habits(job_, options_);
    options_.assume("Adam: the optimizer is the program's own");
  }

 private:
  /// Since version 1.10.
  void read_degrees() {
    const std::string at = "parallelism_config.parallelism_config_";
    job_.shard.tensor = options_.number(at + "tp_size", 1, 1);
    job_.shard.context = options_.number(at + "cp_size", 1, 1);
    const bool passed_on = options_.word(at + "cp_comm_strategy", {"allgather", "alltoall"}) == "alltoall";
    if (job_.shard.context > 1) job_.shard.context_kind = passed_on ? ContextKind::ring : ContextKind::gather;
    copies_ = options_.number(at + "dp_replicate_size", 1, 1);
    options_.number(at + "dp_shard_size", 1, 1);
    if (std::max({job_.shard.tensor, job_.shard.context, copies_}) > limits::devices)
      options_.refuse(at + "tp_size", fmt::format("found a degree above {}, expected at most that", limits::devices));
  }

  void read_precision() {
    const std::string name = options_.word("mixed_precision", {"no", "fp16", "bf16", "fp8"});
    set_mixed_precision(job_, name);
  }

  void read_fsdp() {
    const std::string strategy = options_.word("fsdp_config.fsdp_sharding_strategy",
                                               {"1", "2", "3", "4", "5", "FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
                                                "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2", "HYBRID_SHARD_ZERO2"});
    const int version = options_.number("fsdp_config.fsdp_version", 1, 1);
    const bool hybrid = strategy == "4" || strategy == "5" || strategy.find("HYBRID") != strategy.npos;
    const bool none = strategy == "3" || strategy == "NO_SHARD";
    const bool stay = strategy == "2" || strategy == "5" || strategy == "SHARD_GRAD_OP" || strategy.ends_with("ZERO2");
    // Version 1 has the word of a strategy here, version 2 a truth value.
    const std::string after = options_.word("fsdp_config.fsdp_reshard_after_forward");
    if (hybrid) copies_ = machines_;
    const bool ahead = options_.flag("fsdp_config.fsdp_forward_prefetch") || version >= 2;
    if (!none) set_fully_sharded(job_, stay || after == "false" || after == "SHARD_GRAD_OP", copies_, ahead);
    options_.word("fsdp_config.fsdp_backward_prefetch", {"BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"});
    job_.recompute.all = options_.flag("fsdp_config.fsdp_activation_checkpointing");
    if (options_.flag("fsdp_config.fsdp_offload_params")) options_.leave_out("fsdp_config.fsdp_offload_params");
  }

  void read_deepspeed() {
    if (options_.has("deepspeed_config.deepspeed_config_file"))
      options_.assume(fmt::format("nothing of {}, which this file names: read that one instead",
                                  options_.word("deepspeed_config.deepspeed_config_file")));
    job_.sharding.level = options_.number("deepspeed_config.zero_stage", 2, 0);
    if (job_.sharding.level > 3)
      options_.refuse("deepspeed_config.zero_stage", fmt::format("found {}, expected 0 to 3", job_.sharding.level));
    job_.micro_batches = options_.number("deepspeed_config.gradient_accumulation_steps", 1, 1);
    if (job_.precision != Precision::fp32)
      job_.choices.states = job_.sharding.level == 3 ? StateBytes{2, 4, 12} : StateBytes{2, 6, 12};
    job_.choices.wire->gradients = job_.precision == Precision::fp32 ? 4 : 2;
    training_.hidden = {.gradients = job_.sharding.level == 3, .weights = job_.sharding.level == 3, .pipeline = true};
    training_.offloads_optimizer =
        options_.word("deepspeed_config.offload_optimizer_device", {"none", "cpu", "nvme"}) == "cpu";
    const std::string weights = options_.word("deepspeed_config.offload_param_device", {"none", "cpu", "nvme"});
    if (!weights.empty() && weights != "none") options_.leave_out("deepspeed_config.offload_param_device");
  }

  Options& options_;
  TrainingJob& job_;
  Training& training_;
  int machines_ = 1, copies_ = 1;
};

}  // namespace

bool looks_like_accelerate(const std::string& text) {
  return text.find("distributed_type:") != text.npos && text.find("num_processes:") != text.npos;
}

Result<TrainingJob> job_from_accelerate(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_yaml(text));
  Options options(tree);
  TrainingJob job;
  job.name = std::move(name);
  AccelerateReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  job.share = options.share(no_effect_in_accelerate);
  return job;
}

}  // namespace pipedeck::io::jobs
