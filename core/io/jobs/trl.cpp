// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/trl.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/jobs/hugging_face.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_trl = std::to_array<std::string_view>({"model_name_or_path",
                                                                   "model_revision",
                                                                   "dataset",
                                                                   "output_dir",
                                                                   "learning_rate",
                                                                   "lr_scheduler",
                                                                   "warmup",
                                                                   "weight_decay",
                                                                   "adam_",
                                                                   "max_grad_norm",
                                                                   "num_train_epochs",
                                                                   "max_steps",
                                                                   "logging_",
                                                                   "report_to",
                                                                   "save_",
                                                                   "eval_",
                                                                   "per_device_eval",
                                                                   "seed",
                                                                   "push_to_hub",
                                                                   "hub_",
                                                                   "run_name",
                                                                   "dataloader_",
                                                                   "gradient_checkpointing_kwargs",
                                                                   "fsdp_config.transformer_layer",
                                                                   "fsdp_config.fsdp_transformer_layer",
                                                                   "fsdp_config.state_dict",
                                                                   "fsdp_config.cpu_ram",
                                                                   "accelerate_config"});

class TrlReader {
 public:
  TrlReader(Options& options, TrainingJob& job) : options_(options), job_(job) {}

  void run() {
    job_.micro_batch = options_.number("per_device_train_batch_size", 8, 1);
    job_.micro_batches = options_.number("gradient_accumulation_steps", 1, 1);
    job_.sequence = options_.number("max_length", options_.number("max_seq_length", 0, 1), 1);
    read_precision();
    // TRL recomputes each block unless the file switches it off.
    job_.recompute.all = options_.flag("gradient_checkpointing", true);
    if (!options_.has("gradient_checkpointing")) options_.assume("recomputation of each block, TRL's default");
    read_optimizer();
    read_fsdp();
    set_torch_habits(job_, options_);
  }

 private:
  void read_precision() {
    const bool bf16 = options_.flag("bf16", !options_.has("fp16")), fp16 = options_.flag("fp16");
    if (!options_.has("bf16") && !options_.has("fp16")) options_.assume("bf16, TRL's default");
    if (bf16 && fp16)
      job_.broken.push_back({"precision", "training_args.py", "found bf16 and fp16, expected one of them"});
    set_mixed_precision(job_, fp16 ? "fp16" : bf16 ? "bf16" : "no");
  }

  void read_optimizer() {
    const std::string name = options_.word("optim");
    if (name == "sgd") job_.optimizer = Optimizer::sgd;
    if (!name.empty() && name != "sgd" && name.find("adamw_torch") == name.npos) options_.leave_out("optim");
  }

  /// `fsdp` is a list of words, or one text of them.
  void read_fsdp() {
    std::vector<std::string> words;
    for (const std::string& one : options_.list("fsdp"))
      for (const std::string_view word : text::words_between(one)) words.emplace_back(word);
    const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
    const int version = options_.number("fsdp_config.version", options_.number("fsdp_config.fsdp_version", 1, 1), 1);
    const bool frees = options_.flag("fsdp_config.reshard_after_forward", true);
    if (options_.flag("fsdp_config.activation_checkpointing")) job_.recompute.all = true;
    if (options_.has("deepspeed"))
      options_.assume(
          fmt::format("nothing of {}, which this file names: read that one instead", options_.word("deepspeed")));
    if (!has("full_shard") && !has("shard_grad_op")) return;
    set_fully_sharded(job_, has("shard_grad_op") || !frees, 1, version >= 2);
  }

  Options& options_;
  TrainingJob& job_;
};

}  // namespace

bool looks_like_trl(const std::string& text) { return text.find("per_device_train_batch_size:") != text.npos; }

Result<TrainingJob> job_from_trl(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_yaml(text));
  Options options(tree);
  TrainingJob job;
  job.name = std::move(name);
  job.engine = "Accelerate", job.version = "1.10, as TRL 0.24 calls it";
  TrlReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  job.share = options.share(no_effect_in_trl);
  return job;
}

}  // namespace pipedeck::io::jobs
