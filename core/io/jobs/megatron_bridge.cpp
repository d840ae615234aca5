// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron_bridge.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_bridge = std::to_array<std::string_view>({"_target_",
                                                                      "comm_overlap._target_",
                                                                      "comm_overlap.batch_p2p_comm",
                                                                      "comm_overlap.tp_comm_bootstrap_backend",
                                                                      "mixed_precision._target_",
                                                                      "mixed_precision.params_dtype",
                                                                      "mixed_precision.pipeline_dtype",
                                                                      "mixed_precision.autocast_dtype",
                                                                      "mixed_precision.fp8_amax",
                                                                      "mixed_precision.fp8_margin",
                                                                      "mixed_precision.loss_scale",
                                                                      "mixed_precision.initial_loss_scale",
                                                                      "mixed_precision.min_loss_scale",
                                                                      "mixed_precision.hysteresis",
                                                                      "mixed_precision.reuse_grad_buf",
                                                                      "checkpoint",
                                                                      "dataset",
                                                                      "logger",
                                                                      "tokenizer",
                                                                      "rng",
                                                                      "scheduler",
                                                                      "profiling",
                                                                      "validation",
                                                                      "rerun_state_machine",
                                                                      "ft",
                                                                      "nvrx_straggler",
                                                                      "straggler",
                                                                      "optimizer._target_",
                                                                      "optimizer.lr",
                                                                      "optimizer.min_lr",
                                                                      "optimizer.weight_decay",
                                                                      "optimizer.adam_",
                                                                      "optimizer.clip_grad",
                                                                      "optimizer.muon_",
                                                                      "train._target_",
                                                                      "train.train_",
                                                                      "train.eval_",
                                                                      "train.exit_",
                                                                      "train.manual_gc",
                                                                      "ddp._target_",
                                                                      "ddp.check_for",
                                                                      "ddp.average_in_collective",
                                                                      "dist._target_",
                                                                      "dist.distributed_",
                                                                      "dist.enable_megatron_core",
                                                                      "model._target_",
                                                                      "model.init_method",
                                                                      "model.layernorm_epsilon",
                                                                      "model.rotary_",
                                                                      "model.rope_",
                                                                      "model.moe_aux_loss",
                                                                      "model.moe_router_load",
                                                                      "model.moe_router_score",
                                                                      "model.moe_router_dtype",
                                                                      "model.moe_router_pre_softmax",
                                                                      "model.moe_router_bias_update",
                                                                      "model.hf_model_id"});

/// Words of a name in `MIXED_PRECISION_RECIPES`, and the options of its configuration.
struct PrecisionRecipe {
  std::string_view part, format, recipe;
  bool gathers = false;
};
constexpr std::array<PrecisionRecipe, 4> precision_recipes{{{"fp8_delayed_scaling", "hybrid", "delayed", true},
                                                            {"fp8_current_scaling", "hybrid", "tensorwise", true},
                                                            {"fp8_subchannel_scaling", "hybrid", "blockwise", false},
                                                            {"mxfp8", "e4m3", "mxfp8", true}}};

class BridgeReader {
 public:
  explicit BridgeReader(Options& options) : options_(options) {}

  Result<TrainingJob> job(std::string name) {
    words_ = words_of_fields(options_, bridge_fields());
    if (has("num-query-groups")) add("group-query-attention");
    read_vocabulary();
    read_precision();
    read_gradients();
    read_overlap();
    options_.flag("model.cpu_offloading");
    if (has("optimizer-cpu-offload") && options_.has("optimizer.optimizer_offload_fraction"))
      add("optimizer-offload-fraction", options_.word("optimizer.optimizer_offload_fraction"));
    options_.word("optimizer.optimizer_offload_fraction");
    if (options_.error()) return tl::unexpected(*options_.error());
    TRY(TrainingJob job, job_from_arguments(words_, std::move(name)));
    job.version = bridge_version;
    for (const std::string& assumed : job.share.assumed) options_.assume(assumed);
    const bool saved = options_.has("_target_");  // with all fields
    if (saved) options_.assume("nothing of fields that are not read: a saved configuration has all at their defaults");
    job.share = options_.share(no_effect_in_bridge);
    if (saved) job.share.without_effect += static_cast<int>(std::exchange(job.share.left_out, {}).size());
    return job;
  }

 private:
  bool has(std::string_view option) const {
    return std::ranges::find(words_, fmt::format("--{}", option)) != words_.end();
  }
  void add(std::string_view option) { words_.push_back(fmt::format("--{}", option)); }
  void add(std::string_view option, std::string_view value) {
    add(option);
    words_.emplace_back(value);
  }

  /// Words are padded if `should_pad_vocab` is on, which it is not by default.
  void read_vocabulary() {
    if (!options_.flag("model.should_pad_vocab")) add("make-vocab-size-divisible-by", "1");
  }

  void read_precision() {
    if (options_.has("mixed_precision")) return read_precision_name();
    options_.flag("mixed_precision.fp32");
    if (has("bf16") || has("fp16") || options_.has("mixed_precision.bf16")) return;
    add("bf16");
    options_.assume("bf16, as recipes have it");
  }

  /// Reads the name of a recipe, "bf16_with_mxfp8_mixed".
  void read_precision_name() {
    std::string name = options_.word("mixed_precision");
    std::ranges::replace(name, '-', '_');
    const bool half = name.starts_with("fp16");
    if (!half && !name.starts_with("bf16"))
      return options_.refuse("mixed_precision", fmt::format("found \"{}\", expected a recipe of bf16 or fp16", name));
    add(half ? "fp16" : "bf16");
    for (const auto& [part, format, recipe, gathers] : precision_recipes) {
      if (name.find(part) == name.npos) continue;
      add("fp8-format", format);
      add("fp8-recipe", recipe);
      if (gathers) add("fp8-param-gather");
    }
  }

  /// The precision's choice replaces that of the data-parallel section (mixed_precision.py, setup). Megatron-LM's own
  /// defaults are the same ones: fp32 for bf16, 16 bits for fp16.
  void read_gradients() {
    const bool half = has("fp16"), stated = options_.flag("ddp.grad_reduce_in_fp32", !half);
    const bool wide = options_.has("mixed_precision") ? !half
                                                      : options_.flag("mixed_precision.grad_reduce_in_fp32",
                                                                      options_.has("mixed_precision.bf16") || stated);
    if (half && wide) add("accumulate-allreduce-grads-in-fp32");
    if (!half && !wide) add("grad-reduce-in-bf16");
  }

  /// A section for overlap switches reductions and gathers on where it does not name them (comm_overlap.py).
  void read_overlap() {
    if (!options_.has("comm_overlap.tp_comm_overlap") || !has("use-distributed-optimizer")) return;
    for (const auto& [field, option] : {std::pair{"overlap_grad_reduce", "overlap-grad-reduce"},
                                        std::pair{"overlap_param_gather", "overlap-param-gather"}})
      if (!options_.has(fmt::format("comm_overlap.{}", field)) && !options_.has(fmt::format("ddp.{}", field)))
        add(option);
  }

  Options& options_;
  std::vector<std::string> words_;
};

}  // namespace

bool looks_like_bridge(const std::string& text) {
  if (text.find("tensor_model_parallel_size:") == text.npos) return false;
  bool model = false, other = false, trainer = false;
  text::for_lines(text, [&](std::string_view line, int) {
    model = model || line.starts_with("model:");
    trainer = trainer || line.starts_with("trainer:");
    for (const char* const section : {"train:", "ddp:", "comm_overlap:", "mixed_precision:", "optimizer:"})
      other = other || line.starts_with(section);
    return true;
  });
  return model && other && !trainer;
}

Result<TrainingJob> job_from_bridge(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_yaml(text));
  return job_from_bridge_tree(tree, std::move(name));
}

Result<TrainingJob> job_from_bridge_tree(const json::Value& tree, std::string name) {
  Options options(tree);
  return BridgeReader(options).job(std::move(name));
}

}  // namespace pipedeck::io::jobs
