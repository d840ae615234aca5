// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/megatron.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/launcher.hpp"
#include "core/io/jobs/megatron_layout.hpp"
#include "core/io/jobs/megatron_model.hpp"
#include "core/io/jobs/megatron_states.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/text/decimal.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

/// Options that no other program has.
constexpr std::array<std::string_view, 5> own_options{"--tensor-model-parallel-size", "--pipeline-model-parallel-size",
                                                      "--micro-batch-size", "--num-attention-heads",
                                                      "--context-parallel-size"};

constexpr auto without_effect = std::to_array<std::string_view>({"lr",
                                                                 "min-lr",
                                                                 "weight-decay",
                                                                 "start-weight-decay",
                                                                 "end-weight-decay",
                                                                 "clip-grad",
                                                                 "adam-",
                                                                 "muon-momentum",
                                                                 "init-method",
                                                                 "seed",
                                                                 "train-iters",
                                                                 "train-samples",
                                                                 "exit-",
                                                                 "eval-",
                                                                 "log-",
                                                                 "tensorboard",
                                                                 "wandb",
                                                                 "save",
                                                                 "load",
                                                                 "no-save",
                                                                 "no-load",
                                                                 "finetune",
                                                                 "data-path",
                                                                 "data-args-path",
                                                                 "data-cache-path",
                                                                 "split",
                                                                 "train-data",
                                                                 "valid-data",
                                                                 "test-data",
                                                                 "mock-data",
                                                                 "vocab-file",
                                                                 "merge-file",
                                                                 "tokenizer",
                                                                 "tiktoken",
                                                                 "vocab-extra",
                                                                 "num-workers",
                                                                 "dataloader",
                                                                 "distributed-backend",
                                                                 "distributed-timeout",
                                                                 "ckpt-",
                                                                 "async-save",
                                                                 "use-dist-ckpt",
                                                                 "dist-ckpt",
                                                                 "auto-detect-ckpt",
                                                                 "override-opt",
                                                                 "use-checkpoint",
                                                                 "reset-",
                                                                 "timing-log",
                                                                 "no-create-attention",
                                                                 "use-mcore-models",
                                                                 "use-legacy-models",
                                                                 "rotary-",
                                                                 "use-rope-scaling",
                                                                 "rope-",
                                                                 "norm-epsilon",
                                                                 "layernorm-epsilon",
                                                                 "initial-loss-scale",
                                                                 "min-loss-scale",
                                                                 "loss-scale",
                                                                 "hysteresis",
                                                                 "attention-softmax-in",
                                                                 "apply-query-key",
                                                                 "no-query-key",
                                                                 "moe-aux-loss",
                                                                 "moe-router-load-balancing",
                                                                 "moe-router-topk-scaling",
                                                                 "moe-router-score",
                                                                 "moe-router-dtype",
                                                                 "moe-router-pre-softmax",
                                                                 "moe-router-bias-update",
                                                                 "moe-z-loss",
                                                                 "moe-token-drop-policy",
                                                                 "manual-gc",
                                                                 "check-for",
                                                                 "no-check-for",
                                                                 "local-rank",
                                                                 "rank",
                                                                 "job-dir",
                                                                 "node-rank",
                                                                 "master-",
                                                                 "inference-",
                                                                 "mscale",
                                                                 "legacy-tokenizer",
                                                                 "eod-mask",
                                                                 "use-cpu-initialization",
                                                                 "seq-length-config",
                                                                 "fp8-amax",
                                                                 "fp8-margin",
                                                                 "fp8-interval",
                                                                 "mtp-loss",
                                                                 "no-one-logger",
                                                                 "one-logger",
                                                                 "enable-experimental",
                                                                 "no-initialization",
                                                                 "perform-initialization",
                                                                 "replication",
                                                                 "app-tag",
                                                                 "non-persistent"});

/// The launcher's words and the job's.
struct CommandParts {
  std::vector<std::string> launcher, job;
};

CommandParts parts_of(const ShellCommand& command) {
  CommandParts parts;
  bool in_job = false;
  std::vector<std::string> words;
  for (const std::string& word : command.words)
    if (word.find(" --") == word.npos) {
      words.push_back(word);
    } else {  // a command line as one word, for `bash -c` or `eval`
      for (const std::string_view part : text::words_between(word, " \t\r\n")) words.emplace_back(part);
    }
  const bool program = std::ranges::any_of(words, [](const std::string& word) { return word.ends_with(".py"); });
  for (std::string& word : words) {
    if (program && !in_job) {
      in_job = word.ends_with(".py");
      if (!in_job) parts.launcher.push_back(std::move(word));
      continue;
    }
    parts.job.push_back(std::move(word));
  }
  return parts;
}

int own_options_in(const ShellCommand& command) {
  return static_cast<int>(std::ranges::count_if(own_options, [&](std::string_view own) {
    return std::ranges::any_of(command.words, [&](const std::string& word) {
      return word == own || (word.size() > own.size() && word.find(own) != word.npos);
    });
  }));
}

/// Returns the words of the job: of the command with most of the options, or of all lists where no command has any.
CommandParts job_words(const ShellScript& script) {
  const bool list = std::ranges::all_of(script.commands, [](const ShellCommand& command) {
    return command.words.front().starts_with("--") || own_options_in(command) == 0;
  });
  CommandParts all;
  if (!list) {
    const auto best = std::ranges::max_element(script.commands, {}, own_options_in);
    return parts_of(*best);
  }
  for (const std::vector<ShellCommand>* commands : {&script.lists, &script.commands})
    for (const ShellCommand& command : *commands)
      if (command.words.front().starts_with("--"))
        for (std::string& word : parts_of(command).job) all.job.push_back(std::move(word));
  return all;
}

class ArgumentReader {
 public:
  ArgumentReader(Options& options, TrainingJob& job) : options_(options), job_(job), training_(choices().training) {}

  void run() {
    read_degrees();
    job_.model = model_of(options_);
    read_batch();
    read_precision();
    read_optimizer();
    read_sharding();
    read_stages();
    read_recomputation();
    read_experts();
    read_rest();
  }

 private:
  StepChoices& choices() { return job_.choices; }
  int number(std::string_view name, int otherwise, int least = 1) { return options_.number(name, otherwise, least); }
  int degree(std::string_view name, int otherwise = 1) {
    const int found = number(name, otherwise);
    if (found > limits::devices)
      options_.refuse(name, fmt::format("found {}, expected at most {}", found, limits::devices));
    return found;
  }
  void broken(std::string name, std::string source, std::string message) {
    job_.broken.push_back({std::move(name), std::move(source), std::move(message)});
  }

  void read_degrees() {
    Shard& shard = job_.shard;
    shard.tensor = degree("tensor-model-parallel-size");
    job_.pipeline = degree("pipeline-model-parallel-size");
    shard.context = degree("context-parallel-size");
    shard.expert = degree("expert-model-parallel-size");
    shard.expert_tensor = degree("expert-tensor-parallel-size", options_.has("num-experts") ? shard.tensor : 1);
    if (!options_.has("num-experts") && !options_.has("expert-model-parallel-size")) shard.expert_tensor = 1;
    shard.sequence = options_.flag("sequence-parallel");
    if (shard.sequence && shard.tensor == 1) shard.sequence = false;  // arguments.py:1434 switches it off
    read_context();
  }

  void read_context() {
    const std::string kind = options_.word("cp-comm-type", {"p2p", "all_gather", "a2a", "a2a+p2p"});
    const std::vector<std::string> sizes = options_.list("hierarchical-context-parallel-sizes");
    Shard& shard = job_.shard;
    if (shard.context == 1) return;
    shard.context_kind = kind == "all_gather" ? ContextKind::gather
                         : kind == "a2a"      ? ContextKind::heads
                         : kind == "a2a+p2p"  ? ContextKind::heads_ring
                                              : ContextKind::ring;
    if (shard.context_kind != ContextKind::heads_ring) return;
    const auto heads = sizes.empty() ? std::nullopt : text::decimal_to_integer(sizes.front());
    if (heads && *heads >= 1 && *heads <= shard.context && shard.context % *heads == 0)
      shard.context_heads = static_cast<int>(*heads);
    else
      broken("hierarchical context ranks", "arguments.py",
             fmt::format("found --hierarchical-context-parallel-sizes {}, expected two sizes whose product is {}",
                         fmt::join(sizes, " "), shard.context));
  }

  void read_batch() {
    job_.micro_batch = number("micro-batch-size", 0);
    job_.global_batch = number("global-batch-size", 0);
    job_.sequence = number("seq-length", 0);
    if (const auto ramp = options_.list("rampup-batch-size"); !ramp.empty())
      options_.assume(fmt::format("the global batch behind its ramp from {}", ramp.front()));
    if (options_.flag("use-flash-attn")) return;
    const std::string backend = options_.word("attention-backend", {"flash", "fused", "unfused", "local", "auto"});
    if (backend == "unfused" || backend == "local") job_.attention = AttentionMemory::stored;
  }

  // --- numbers

  void read_precision() {
    const bool bf16 = options_.flag("bf16"), fp16 = options_.flag("fp16");
    if (bf16 && fp16) broken("precision", "arguments.py", "found --bf16 and --fp16, expected one of them");
    job_.precision = bf16 || fp16 ? Precision::mixed_18 : Precision::fp32;
    training_.products = fp16 ? "fp16" : bf16 ? "bf16" : "";  // empty: the profile's
    read_fp8();
    const std::string fp4 = options_.word("fp4-format", {"e2m1"});
    options_.word("fp4-recipe", {"nvfp4"});
    if (!fp4.empty()) training_.products = "nvfp4";
    training_.narrow_weights = options_.flag("fp8-param-gather");
    if (training_.narrow_weights && training_.products != "fp8" && training_.products != "mxfp8")
      broken("narrow weights", "arguments.py",
             "found --fp8-param-gather without --fp8-format, expected products in 8 bits");
    if (training_.narrow_weights && training_.products == "fp8") wire().weights = 1;
    if (job_.precision == Precision::fp32) wire().weights = 4;
  }

  void read_fp8() {
    const std::string format = options_.word("fp8-format", {"e4m3", "hybrid"});
    const std::string recipe = options_.word("fp8-recipe", {"delayed", "tensorwise", "mxfp8", "blockwise"});
    if (format.empty()) {
      if (!recipe.empty())
        broken("fp8 recipe", "arguments.py", fmt::format("found --fp8-recipe {} without --fp8-format", recipe));
      return;
    }
    training_.products = recipe == "mxfp8" ? "mxfp8" : "fp8";
    // Megatron-LM's scaling by tensor is TransformerEngine's current scaling, which keeps its narrow weights.
    if (training_.products == "fp8")
      training_.recipe = recipe.empty() ? "delayed" : recipe == "tensorwise" ? "current" : recipe;
  }

  WireBytes& wire() {
    if (!choices().wire) choices().wire.emplace();
    return *choices().wire;
  }

  void read_optimizer() {
    const std::string name = options_.word("optimizer");
    const bool muon = name == "muon" || name == "dist_muon";
    const double momentum = options_.fraction("sgd-momentum", 0.9);
    if (name == "sgd") job_.optimizer = momentum > 0 ? Optimizer::momentum : Optimizer::sgd;
    if (!name.empty() && name != "adam" && name != "sgd" && !muon)
      options_.refuse("optimizer", fmt::format("found \"{}\", expected adam, sgd or muon", name));
    if (muon) training_.optimizer_step = OptimizerStep::muon;
    MegatronStates states;
    states.muon = muon;
    states.precision_aware = options_.flag("use-precision-aware-optimizer");
    states.first_moment = bytes_of("exp-avg-dtype"), states.second_moment = bytes_of("exp-avg-sq-dtype");
    states.narrow_main_gradients = bytes_of("main-grads-dtype") == 2;
    if (bytes_of("main-params-dtype") != 4) options_.leave_out("main-params-dtype");
    states.narrow_gradients = narrow_gradients();
    if (!states.precision_aware && (states.first_moment != 4 || states.second_moment != 4))
      broken("precision-aware optimizer", "arguments.py",
             "found narrow moments, expected --use-precision-aware-optimizer next to them");
    if (job_.precision == Precision::fp32) {
      wire().gradients = 4;
      return;
    }
    wire().gradients = states.narrow_gradients ? 2 : 4;
    if (job_.optimizer == Optimizer::adam)
      choices().states = state_bytes_of(states, training_);
    else if (states.narrow_gradients)
      job_.precision = Precision::mixed_16;
  }

  int bytes_of(std::string_view name) {
    const std::string type = options_.word(name, {"fp32", "fp16", "bf16", "fp8"});
    return type == "fp8" ? 1 : type == "bf16" || type == "fp16" ? 2 : 4;
  }

  /// bf16 models add up gradients in fp32 unless they are asked not to, fp16 models the other way round
  /// (arguments.py:1213).
  bool narrow_gradients() {
    const bool narrow = options_.flag("grad-reduce-in-bf16"),
               wide = options_.flag("accumulate-allreduce-grads-in-fp32");
    if (narrow && training_.products == "fp16")
      broken("gradients in bf16", "arguments.py", "found --grad-reduce-in-bf16 with --fp16, expected --bf16");
    return narrow || (training_.products == "fp16" && !wide);
  }

  void read_sharding() {
    Sharding& sharding = job_.sharding;
    const bool distributed = options_.flag("use-distributed-optimizer"), fsdp = options_.flag("use-megatron-fsdp");
    const std::string strategy =
        options_.word("data-parallel-sharding-strategy", {"no_shard", "optim", "optim_grads", "optim_grads_params"});
    sharding.level = distributed ? 1 : 0;
    if (fsdp)
      sharding.level = strategy == "optim_grads_params" ? 3
                       : strategy == "optim_grads"      ? 2
                       : strategy == "optim"            ? 1
                                                        : 0;
    if (options_.flag("use-torch-fsdp2")) sharding.level = 3;
    job_.copies = degree("num-distributed-optimizer-instances");
    if (options_.word("outer-dp-sharding-strategy", {"no_shard", "optim"}) == "optim")
      sharding.copies = CopySync::shard_optimizer;
    Hidden& hidden = training_.hidden;
    hidden.gradients = options_.flag("overlap-grad-reduce");
    const bool gathers = options_.flag("overlap-param-gather");
    // Without shards there is nothing to gather.
    hidden.weights = sharding.level == 0 || gathers;
    if (gathers && sharding.level == 0 && training_.optimizer_step != OptimizerStep::muon)
      broken("hidden gathers", "arguments.py:1025",
             "found --overlap-param-gather, expected --use-distributed-optimizer or FSDP next to it");
    if (gathers && !hidden.gradients)
      broken("hidden gathers", "arguments.py:1025",
             "found --overlap-param-gather, expected --overlap-grad-reduce next to it");
  }

  // --- stages

  void read_stages() {
    const int per_stage = number("num-layers-per-virtual-pipeline-stage", 0);
    job_.virtual_stages = degree("num-virtual-stages-per-pipeline-rank");
    job_.group = number("microbatch-group-size-per-virtual-pipeline-stage", 0);
    const bool embedding = options_.flag("account-for-embedding-in-pipeline-split"),
               loss = options_.flag("account-for-loss-in-pipeline-split");
    job_.ends_counted_as_blocks = static_cast<int>(embedding) + static_cast<int>(loss);
    const int first = number("decoder-first-pipeline-num-layers", 0, 0),
              last = number("decoder-last-pipeline-num-layers", 0, 0);
    const std::string layout = options_.word("pipeline-model-parallel-layout");
    if (!layout.empty()) return read_layout(layout);
    const int blocks = blocks_given();
    if (blocks == 0) return leave_out_stages();
    if (per_stage > 0) {
      const std::int64_t stages = std::int64_t{per_stage} * job_.pipeline;
      if ((blocks + job_.ends_counted_as_blocks) % stages != 0)
        broken("blocks", "arguments.py:945",
               fmt::format("found {} blocks in stages of {} on {} pipeline ranks, expected a multiple of {}", blocks,
                           per_stage, job_.pipeline, stages));
      job_.virtual_stages = std::max(1, static_cast<int>((blocks + job_.ends_counted_as_blocks) / stages));
    }
    if (first > 0 || last > 0) return read_ends(blocks, first, last);
    if (!embedding && !loss) return;
    const std::int64_t stages = std::int64_t{job_.pipeline} * job_.virtual_stages;
    if ((blocks + job_.ends_counted_as_blocks) % stages != 0 || stages > limits::layers) return;
    job_.blocks.assign(static_cast<std::size_t>(stages),
                       static_cast<int>((blocks + job_.ends_counted_as_blocks) / stages));
    job_.blocks.front() -= static_cast<int>(embedding);
    job_.blocks.back() -= static_cast<int>(loss);
  }

  /// Without a number of blocks these options have no meaning.
  void leave_out_stages() {
    for (const char* const name : {"num-layers-per-virtual-pipeline-stage", "decoder-first-pipeline-num-layers",
                                   "decoder-last-pipeline-num-layers", "account-for-embedding-in-pipeline-split",
                                   "account-for-loss-in-pipeline-split"})
      options_.leave_out(name);
    job_.ends_counted_as_blocks = 0;
  }

  int blocks_given() { return job_.model ? job_.model->layers : number("num-layers", 0); }

  void read_layout(const std::string& text) {
    const auto layout = layout_of(text);
    if (!layout) return options_.refuse("pipeline-model-parallel-layout", layout.error().message);
    const int stages = static_cast<int>(layout->blocks.size());
    int total = 0;
    for (const int own : layout->blocks) total += own;
    const auto wrong = [&](std::string message) {
      broken("layout", "pipeline_parallel_layer_layout.py", std::move(message));
    };
    if (stages % job_.pipeline != 0)
      wrong(fmt::format("found {} stages on {} pipeline ranks, expected equally many on each", stages, job_.pipeline));
    if (layout->first_embedding != 0 || layout->last_loss != stages - 1)
      wrong("found a layout without E in its first stage and L in its last, expected both");
    if (blocks_given() > 0 && total != blocks_given())
      wrong(fmt::format("found {} blocks in the layout, expected --num-layers {}", total, blocks_given()));
    if (layout->further_before) wrong("found m before a t, expected blocks for further tokens behind all others");
    if (layout->further_apart) wrong("found m in several stages, expected all in one");
    if (const int own = number("mtp-num-layers", 0, 0); own != layout->further)
      wrong(fmt::format("found {} m in the layout, expected --mtp-num-layers {}", layout->further, own));
    if (layout->further > 0 && layout->further_at != stages - 1)
      options_.assume("blocks for further tokens on the last stage, though the layout has them before");
    job_.virtual_stages = std::max(1, stages / job_.pipeline);
    job_.blocks = layout->blocks;
  }

  /// The first and the last pipeline rank have their own numbers of blocks, all others share the rest.
  void read_ends(int blocks, int first, int last) {
    const int ranks = job_.pipeline, v = job_.virtual_stages;
    const int left = ranks - static_cast<int>(first > 0) - static_cast<int>(last > 0);
    const int rest = blocks - first - last;
    const bool even = rest >= 0 && (left > 0 ? rest % left == 0 : rest == 0);
    const int each = left > 0 ? rest / left : 0;
    if (!even || ranks == 1 || each % v != 0 || first % v != 0 || last % v != 0)
      return broken("blocks", "arguments.py:945",
                    fmt::format("found {} blocks with {} on the first and {} on the last of {} ranks, expected the "
                                "rest to be divided evenly",
                                blocks, first, last, ranks));
    if (std::int64_t{ranks} * v > limits::layers) return;
    for (int s = 0; s < ranks * v; ++s) {
      const int rank = s % ranks;
      job_.blocks.push_back((rank == 0 && first > 0 ? first : rank == ranks - 1 && last > 0 ? last : each) / v);
    }
  }

  // --- recomputation and the rest

  void read_recomputation() {
    const std::string granularity = options_.word("recompute-granularity", {"full", "selective"});
    const std::string method = options_.word("recompute-method", {"uniform", "block"});
    const int count = number("recompute-num-layers", 0);
    const std::vector<std::string> modules = options_.list("recompute-modules");
    const bool selective = options_.flag("recompute-activations") || granularity == "selective";
    if (granularity == "full" && method.empty())
      broken("recompute method", "arguments.py",
             "found --recompute-granularity full, expected --recompute-method uniform or block next to it");
    if (granularity != "full" && !method.empty())
      broken("recompute method", "arguments.py",
             fmt::format("found --recompute-method {}, expected --recompute-granularity full next to it", method));
    if (granularity == "full") {
      job_.recompute.all = true;
      if (method == "block") job_.recompute.blocks = count;
      if (method == "uniform" && count > 1)
        options_.assume(fmt::format("blocks recomputed one by one, though {} together are", count));
      if (!modules.empty()) options_.leave_out("recompute-modules");
      return;
    }
    if (!selective) {
      if (!modules.empty()) options_.leave_out("recompute-modules");
      return;
    }
    job_.recompute.modules = modules.empty() ? std::vector<std::string>{"core_attn"} : modules;
  }

  void read_experts() {
    LayerChoices& layers = choices().layers;
    const std::string dispatcher =
        options_.word("moe-token-dispatcher-type", {"allgather", "alltoall", "alltoall_seq", "flex"});
    options_.word("moe-flex-dispatcher-backend");
    const bool deep = options_.flag("moe-enable-deepep");
    layers.capacity = options_.fraction("moe-expert-capacity-factor");
    if (!options_.flag("moe-pad-expert-input-to-capacity") && layers.capacity > 0)
      options_.assume("experts padded to their capacity");
    layers.hides_behind_shared_experts = options_.flag("moe-shared-expert-overlap");
    options_.flag("moe-grouped-gemm");
    options_.flag("moe-permute-fusion");
    options_.flag("moe-router-fusion");
    if (options_.flag("moe-router-force-load-balancing")) options_.assume("balanced experts, as they are forced to be");
    const bool some = job_.model ? job_.model->experts.has_value() : !dispatcher.empty() || job_.shard.expert > 1;
    if (!some) return;
    if (!options_.has("moe-router-force-load-balancing")) options_.assume("balanced experts");
    layers.weighs_activation = true;
    layers.dispatcher = dispatcher == "flex" || deep         ? Dispatcher::flex
                        : dispatcher.starts_with("alltoall") ? Dispatcher::all_to_all
                                                             : Dispatcher::all_gather;
  }

  void read_rest() {
    Hidden& hidden = training_.hidden;
    hidden.tensor = options_.flag("tp-comm-overlap");
    hidden.expert = options_.flag("overlap-moe-expert-parallel-comm");
    options_.flag("delay-wgrad-compute");
    const bool exposed = options_.flag("no-overlap-p2p-communication");
    options_.flag("overlap-p2p-communication-warmup-flush");
    // Without virtual stages Megatron-LM waits for its sends. Without a pipeline there are none.
    hidden.pipeline = job_.pipeline == 1 || (job_.virtual_stages > 1 && !exposed);
    read_loss_and_graphs();
    choices().layers.vocabulary_multiple = number("make-vocab-size-divisible-by", 128);
    if (choices().layers.vocabulary_multiple == 1) choices().layers.vocabulary_multiple = 0;
    training_.multi_token_blocks = number("mtp-num-layers", 0, 0);
    options_.flag("cpu-offloading");
    training_.offloaded_blocks = number("cpu-offloading-num-layers", 0, 0);
    training_.offloads_optimizer = options_.flag("optimizer-cpu-offload");
    if (const double share = options_.fraction("optimizer-offload-fraction", 1); share < 1)
      options_.assume("the whole optimizer on the host, though a part of it stays on the device");
    training_.fused_weight_gradients = !options_.flag("no-gradient-accumulation-fusion");
    if (options_.word("transformer-impl", {"local", "transformer_engine"}) == "local")
      options_.leave_out("transformer-impl");
  }

  void read_loss_and_graphs() {
    const std::string loss = options_.word("cross-entropy-fusion-impl", {"native", "te"});
    if (options_.flag("cross-entropy-loss-fusion"))
      training_.loss = loss == "te" ? LossKind::in_place : LossKind::fused;
    std::string graphs = options_.word("cuda-graph-impl", {"none", "local", "transformer_engine"});
    const std::vector<std::string> scope = options_.list("cuda-graph-scope");
    const bool whole = std::ranges::find(scope, "full_iteration") != scope.end();
    const bool enabled = options_.flag("enable-cuda-graph"), outside = options_.flag("external-cuda-graph");
    if (graphs.empty() && (enabled || outside)) graphs = "local";
    if (graphs == "local" || graphs == "transformer_engine") training_.graphs = whole ? Graphs::all : Graphs::dense;
  }

  Options& options_;
  TrainingJob& job_;
  Training& training_;
};

}  // namespace

bool looks_like_megatron(const std::string& text) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  if (text.size() > longest) return false;
  return std::ranges::any_of(own_options, [&](std::string_view own) { return text.find(own) != text.npos; });
}

Result<TrainingJob> job_from_arguments(std::span<const std::string> words, std::string name) {
  Options options(words);
  if (options.empty())
    return fail(ErrorCode::bad_input, "found no command or list with Megatron-LM's options, expected one");
  TrainingJob job;
  job.name = std::move(name);
  job.engine = "Megatron-LM", job.version = "core 0.15";
  ArgumentReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  if (job.model) job.model->name = job.name;
  job.share = options.share(without_effect);
  return job;
}

Result<TrainingJob> job_from_megatron(const std::string& text, std::string name, std::span<const Variable> given) {
  TRY(const auto script, read_shell_script(text, given));
  const CommandParts words = job_words(script);
  TRY(TrainingJob job, job_from_arguments(words.job, std::move(name)));
  job.devices = devices_of_launch(words.launcher, text);
  if (!script.unknown.empty())
    job.share.assumed.push_back(
        fmt::format("nothing for what the script does not set: {}", fmt::join(script.unknown, ", ")));
  if (script.skipped) job.share.assumed.emplace_back("loops run once, `case` not at all");
  return job;
}

}  // namespace pipedeck::io::jobs
