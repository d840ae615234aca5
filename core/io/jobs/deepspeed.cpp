// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/deepspeed.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/options.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_deepspeed =
    std::to_array<std::string_view>({"optimizer.params",
                                     "scheduler",
                                     "gradient_clipping",
                                     "steps_per_print",
                                     "wall_clock_breakdown",
                                     "tensorboard",
                                     "wandb",
                                     "csv_monitor",
                                     "comet",
                                     "dump_state",
                                     "fp16.loss",
                                     "fp16.initial",
                                     "fp16.hysteresis",
                                     "fp16.min_loss",
                                     "fp16.consecutive",
                                     "bf16.check",
                                     "checkpoint",
                                     "data_efficiency",
                                     "prescale_gradients",
                                     "comms_logger",
                                     "gradient_predivide_factor",
                                     "zero_force_ds_cpu_optimizer",
                                     "zero_allow_untested_optimizer",
                                     "flops_profiler",
                                     "activation_checkpointing.profile",
                                     "zero_optimization.stage3_gather_16bit_weights",
                                     "zero_optimization.load_from",
                                     "zero_optimization.elastic_checkpoint",
                                     "zero_optimization.ignore_unused",
                                     "seed"});

class DeepspeedReader {
 public:
  DeepspeedReader(Options& options, TrainingJob& job) : options_(options), job_(job), training_(job.choices.training) {}

  void run() {
    read_batch();
    read_precision();
    read_sharding();
    read_rest();
  }

 private:
  void broken(std::string name, std::string source, std::string message) {
    job_.broken.push_back({std::move(name), std::move(source), std::move(message)});
  }

  /// train_batch_size = micro-batch x accumulation x data ranks (config.py). Two of the first three give the ranks.
  void read_batch() {
    job_.global_batch = options_.number("train_batch_size", 0, 1);
    job_.micro_batch = options_.number("train_micro_batch_size_per_gpu", 0, 1);
    job_.micro_batches = options_.number("gradient_accumulation_steps", 0, 1);
    job_.shard.context = options_.number("sequence_parallel_size", 1, 1);
    if (job_.shard.context > 1) job_.shard.context_kind = ContextKind::heads;  // Ulysses
    job_.shard.tensor = options_.number("tensor_parallel.autotp_size", 1, 1);
    if (job_.shard.tensor > limits::devices || job_.shard.context > limits::devices)
      options_.refuse("tensor_parallel.autotp_size",
                      fmt::format("found more than {} ranks, expected fewer", limits::devices));
    if (job_.global_batch == 0 || job_.micro_batch == 0 || job_.micro_batches == 0) return;
    const std::int64_t samples = std::int64_t{job_.micro_batch} * job_.micro_batches;
    if (job_.global_batch % samples != 0)
      return broken("batch", "runtime/config.py",
                    fmt::format("found train_batch_size {}, expected a multiple of {} = micro-batch x accumulation",
                                job_.global_batch, samples));
    const std::int64_t devices = job_.global_batch / samples * job_.shard.replica_devices();
    if (devices <= limits::devices) job_.devices = static_cast<int>(devices);
  }

  void read_precision() {
    const bool bf16 = options_.flag("bf16.enabled"), fp16 = options_.flag("fp16.enabled");
    if (bf16 && fp16) broken("precision", "runtime/config.py", "found bf16 and fp16 enabled, expected one of them");
    options_.flag("fp16.auto_cast");
    training_.products = fp16 ? "fp16" : bf16 ? "bf16" : "";
    job_.precision = bf16 || fp16 ? Precision::mixed_18 : Precision::fp32;
    std::string type = options_.word("optimizer.type");
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (type == "sgd") job_.optimizer = Optimizer::momentum;
    if (!type.empty() && type != "adam" && type != "adamw" && type != "sgd") options_.leave_out("optimizer.type");
    if (type.empty()) options_.assume("Adam: the optimizer is the program's own");
  }

  void read_sharding() {
    Sharding& sharding = job_.sharding;
    sharding.level = options_.number("zero_optimization.stage", 0, 0);
    if (sharding.level > 3)
      options_.refuse("zero_optimization.stage", fmt::format("found {}, expected 0 to 3", sharding.level));
    if (const int group = options_.number("zero_optimization.mics_shard_size", 0, -1); group > 0) {
      sharding.group = group;
      sharding.copies = CopySync::each_step;
    }
    const bool wide = options_.word("data_types.grad_accum_dtype") == "fp32";
    if (job_.precision != Precision::fp32 && job_.optimizer == Optimizer::adam)
      job_.choices.states = sharding.level == 3 ? StateBytes{2, 4, 12} : StateBytes{2, 6, 12};
    if (wide && job_.choices.states) job_.choices.states->gradients = 4;
    const std::string sent = options_.word("communication_data_type", {"fp32", "fp16", "bf16", "bfp16"});
    const double gradients = job_.precision == Precision::fp32 || sent == "fp32" ? 4 : 2;
    job_.choices.wire = WireBytes{job_.precision == Precision::fp32 ? 4.0 : 2.0, gradients};
    const bool overlap = options_.flag("zero_optimization.overlap_comm", sharding.level == 3);
    training_.hidden = {.gradients = overlap, .weights = sharding.level == 3, .pipeline = true};
    options_.flag("zero_optimization.contiguous_gradients");
    training_.bucket = sharding.level > 0 ? options_.fraction("zero_optimization.reduce_bucket_size", 5e8) : 0;
    const std::string states = offload("zero_optimization.offload_optimizer"),
                      weights = offload("zero_optimization.offload_param");
    training_.offloads_optimizer = states == "cpu" || options_.flag("zero_optimization.cpu_offload");
    if (weights != "none") options_.leave_out("zero_optimization.offload_param.device");
    if (states != "none" && states != "cpu") options_.leave_out("zero_optimization.offload_optimizer.device");
  }

  /// Returns "none", "cpu" or "nvme".
  std::string offload(const std::string& section) {
    options_.flag(section + ".pin_memory");
    const std::string device = options_.word(section + ".device", {"none", "cpu", "nvme"});
    return device.empty() ? "none" : device;
  }

  void read_rest() {
    training_.fused_weight_gradients = false;
    training_.loss = LossKind::separate;
    options_.assume("PyTorch's loss: logits and their gradients as tensors of their own");
    options_.assume("no recomputation: the program chooses it, not this file");
  }

  Options& options_;
  TrainingJob& job_;
  Training& training_;
};

}  // namespace

bool looks_like_deepspeed(const json::Value& object) {
  return object.find("zero_optimization") || object.find("train_micro_batch_size_per_gpu") ||
         (object.find("train_batch_size") && (object.find("optimizer") || object.find("bf16") || object.find("fp16")));
}

Result<TrainingJob> job_from_deepspeed(const json::Value& object, std::string name) {
  Options options(object);
  TrainingJob job;
  job.name = std::move(name);
  job.engine = "DeepSpeed", job.version = "0.17";
  DeepspeedReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  job.share = options.share(no_effect_in_deepspeed);
  return job;
}

}  // namespace pipedeck::io::jobs
