// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/axolotl.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/hugging_face.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_axolotl = std::to_array<std::string_view>({"base_model",
                                                                       "model_type",
                                                                       "tokenizer",
                                                                       "special_tokens",
                                                                       "datasets",
                                                                       "dataset_",
                                                                       "test_datasets",
                                                                       "val_set_size",
                                                                       "chat_template",
                                                                       "output_dir",
                                                                       "hub_",
                                                                       "wandb_",
                                                                       "mlflow_",
                                                                       "use_wandb",
                                                                       "num_epochs",
                                                                       "max_steps",
                                                                       "learning_rate",
                                                                       "lr_scheduler",
                                                                       "warmup_",
                                                                       "weight_decay",
                                                                       "adam_",
                                                                       "max_grad_norm",
                                                                       "logging_steps",
                                                                       "saves_per",
                                                                       "save_",
                                                                       "evals_per",
                                                                       "eval_",
                                                                       "seed",
                                                                       "tf32",
                                                                       "strict",
                                                                       "resume_from",
                                                                       "train_on_inputs",
                                                                       "group_by_length",
                                                                       "gradient_checkpointing_kwargs",
                                                                       "fsdp_config.cpu_ram",
                                                                       "fsdp_config.state_dict",
                                                                       "fsdp_config.final_state",
                                                                       "fsdp_config.auto_wrap",
                                                                       "fsdp_config.transformer_layer"});

class AxolotlReader {
 public:
  AxolotlReader(Options& options, TrainingJob& job) : options_(options), job_(job) {}

  void run() {
    read_batch();
    read_degrees();
    read_precision();
    read_sharding();
    read_rest();
    set_torch_habits(job_, options_);
  }

 private:
  int degree(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      const int found = options_.number(name, 1, 1);
      if (found > limits::devices)
        options_.refuse(name, fmt::format("found {}, expected at most {}", found, limits::devices));
      if (options_.has(name)) return found;
    }
    return 1;
  }

  void read_batch() {
    job_.micro_batch = options_.number("micro_batch_size", 1, 1);
    job_.micro_batches = options_.number("gradient_accumulation_steps", 1, 1);
    job_.sequence = options_.number("sequence_len", 512, 1);
    const bool packed = options_.flag("sample_packing");
    if (packed) options_.assume("packed samples as one sample of the sequence's length");
    if (packed && job_.micro_batch > 1 && degree({"context_parallel_size", "sequence_parallel_degree"}) > 1)
      job_.broken.push_back(
          {"packed samples", "utils/schemas/validation.py",
           fmt::format("found a micro-batch of {} packed samples on context ranks, expected 1", job_.micro_batch)});
  }

  void read_degrees() {
    job_.shard.tensor = degree({"tensor_parallel_size"});
    job_.shard.context = degree({"context_parallel_size", "sequence_parallel_degree"});
    if (job_.shard.context > 1) job_.shard.context_kind = ContextKind::ring;  // ring-flash-attn
    shards_ = degree({"dp_shard_size"}), copies_ = degree({"dp_replicate_size"});
    const std::int64_t devices = std::int64_t{shards_} * copies_ * job_.shard.replica_devices();
    const bool stated = options_.has("dp_shard_size") || options_.has("dp_replicate_size");
    if (stated && devices <= limits::devices) job_.devices = static_cast<int>(devices);
  }

  void read_precision() {
    const bool bf16 = options_.flag("bf16"), fp16 = options_.flag("fp16"), fp8 = options_.flag("fp8");
    if (bf16 && fp16)
      job_.broken.push_back({"precision", "utils/schemas/validation.py", "found bf16 and fp16, expected one of them"});
    set_mixed_precision(job_, fp8 ? "fp8" : fp16 ? "fp16" : bf16 ? "bf16" : "no");
  }

  void read_sharding() {
    const int version = options_.number("fsdp_version", options_.number("fsdp_config.fsdp_version", 1, 1), 1);
    const bool some = options_.has("fsdp") || options_.has("fsdp_version") ||
                      options_.has("fsdp_config.reshard_after_forward") || shards_ > 1;
    options_.list("fsdp");
    const bool frees = options_.flag("fsdp_config.reshard_after_forward", true);
    if (options_.flag("fsdp_config.offload_params")) options_.leave_out("fsdp_config.offload_params");
    if (options_.has("deepspeed"))
      options_.assume(
          fmt::format("nothing of {}, which this file names: read that one instead", options_.word("deepspeed")));
    if (some) set_fully_sharded(job_, !frees, copies_, version >= 2);
  }

  void read_rest() {
    job_.recompute.all =
        options_.flag("gradient_checkpointing") || options_.flag("fsdp_config.activation_checkpointing");
    const std::string optimizer = options_.word("optimizer");
    if (optimizer == "sgd") job_.optimizer = Optimizer::sgd;
    if (!optimizer.empty() && optimizer != "sgd" && optimizer.find("adamw_torch") == optimizer.npos)
      options_.leave_out("optimizer");
    options_.flag("flash_attention");
    const std::string attention = options_.word("attn_implementation");
    if (attention == "eager") job_.attention = AttentionMemory::stored;
    const std::string adapter = options_.word("adapter");
    if (!adapter.empty()) options_.leave_out("adapter");
  }

  Options& options_;
  TrainingJob& job_;
  int shards_ = 1, copies_ = 1;
};

}  // namespace

bool looks_like_axolotl(const std::string& text) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  return has("micro_batch_size:") && has("sequence_len:") && !has("tensor_model_parallel_size:");
}

Result<TrainingJob> job_from_axolotl(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_yaml(text));
  Options options(tree);
  TrainingJob job;
  job.name = std::move(name);
  job.engine = "Axolotl", job.version = "0.12";
  AxolotlReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  job.share = options.share(no_effect_in_axolotl);
  return job;
}

}  // namespace pipedeck::io::jobs
