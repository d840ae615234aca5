// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/torchtitan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/options.hpp"
#include "core/io/jobs/toml.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/decimal.hpp"

namespace pipedeck::io::jobs {
namespace {

constexpr auto no_effect_in_torchtitan = std::to_array<std::string_view>({"job.",
                                                                          "profiling.",
                                                                          "metrics.",
                                                                          "checkpoint.",
                                                                          "lr_scheduler.",
                                                                          "optimizer.lr",
                                                                          "optimizer.eps",
                                                                          "optimizer.weight_decay",
                                                                          "optimizer.beta",
                                                                          "optimizer.implementation",
                                                                          "training.dataset",
                                                                          "training.max_norm",
                                                                          "training.steps",
                                                                          "training.seed",
                                                                          "training.deterministic",
                                                                          "training.debug",
                                                                          "training.gc_freq",
                                                                          "training.warmup_steps",
                                                                          "comm.",
                                                                          "fault_tolerance.",
                                                                          "validation.",
                                                                          "experimental.custom",
                                                                          "model.tokenizer",
                                                                          "model.hf_assets",
                                                                          "model.print",
                                                                          "memory_estimation.",
                                                                          "debug.",
                                                                          "activation_checkpoint.early_stop",
                                                                          "activation_checkpoint.per_op_sac",
                                                                          "float8.filter_fqns",
                                                                          "quantize.linear.float8.filter_fqns",
                                                                          "model.norm_type"});

/// A published model of torchtitan's model folders.
struct Flavour {
  std::string_view model, flavour;
  int layers, hidden, heads, groups, head_width, feed_forward, vocabulary;
  bool tied, norm_heads;
};
constexpr std::array<Flavour, 9> flavours{{
    {"llama3", "8B", 32, 4096, 32, 8, 128, 14336, 128256, false, false},
    {"llama3", "70B", 80, 8192, 64, 8, 128, 28672, 128256, false, false},
    {"llama3", "405B", 126, 16384, 128, 8, 128, 53248, 128256, false, false},
    {"qwen3", "0.6B", 28, 1024, 16, 8, 128, 3072, 151936, true, true},
    {"qwen3", "1.7B", 28, 2048, 16, 8, 128, 6144, 151936, true, true},
    {"qwen3", "4B", 36, 2560, 32, 8, 128, 9728, 151936, true, true},
    {"qwen3", "8B", 36, 4096, 32, 8, 128, 12288, 151936, false, true},
    {"qwen3", "14B", 40, 5120, 40, 8, 128, 17408, 151936, false, true},
    {"qwen3", "32B", 64, 5120, 64, 8, 128, 25600, 151936, false, true},
}};

/// Schedules of PyTorch along a V, in small letters (torch/distributed/pipelining/schedules.py).
constexpr std::array<std::pair<std::string_view, ScheduleKind>, 2> titan_schedules{
    {{"zbvzerobubble", ScheduleKind::zb_v}, {"dualpipev", ScheduleKind::dualpipe_v}}};

std::optional<TransformerConfig> published_model(std::string_view model, std::string_view flavour, int sequence) {
  const auto* const found =
      std::ranges::find_if(flavours, [&](const Flavour& one) { return one.model == model && one.flavour == flavour; });
  if (found == flavours.end()) return {};
  TransformerConfig config;
  config.family = found->model == "qwen3" ? "qwen3" : "llama";
  config.layers = found->layers, config.hidden = found->hidden;
  config.heads = found->heads, config.key_value_heads = found->groups, config.head_width = found->head_width;
  config.feed_forward = found->feed_forward, config.gated = true;
  config.vocabulary = found->vocabulary, config.longest = std::max(131072, sequence);
  config.norm = NormKind::rms, config.norm_heads = found->norm_heads;
  config.tied = found->tied;
  return config;
}

/// Returns the blocks that each list of module names has; nothing, with the reason, if they are not in order.
Result<std::vector<int>> blocks_of_modules(const std::vector<std::string>& stages) {
  std::vector<int> blocks;
  int next = 0;
  for (const std::string& stage : stages) {
    TRY(const auto names, json::parse(stage));
    const auto* list = names.as<json::List>();
    if (!list) return fail(ErrorCode::bad_input, fmt::format("found {}, expected lists of modules", stage));
    blocks.push_back(0);
    for (const json::Value& one : *list) {
      const auto* name = one.as<std::string>();
      if (!name || !name->starts_with("layers.")) continue;
      if (*name != titan_block_name(next))
        return fail(ErrorCode::bad_input, fmt::format("found {}, expected {}", *name, titan_block_name(next)));
      ++next, ++blocks.back();
    }
  }
  return blocks;
}

class TitanReader {
 public:
  TitanReader(Options& options, TrainingJob& job) : options_(options), job_(job), training_(job.choices.training) {}

  void run() {
    read_degrees();
    read_model();
    read_batch();
    read_stages();
    read_recomputation();
    read_numbers();
    read_habits();
  }

 private:
  /// Returns the value at the first of these paths that is given: sections changed with time.
  int number(std::initializer_list<std::string_view> paths, int otherwise, int least = 1) {
    for (const std::string_view path : paths)
      if (options_.has(path)) return options_.number(path, otherwise, least);
    return otherwise;
  }
  std::string word(std::initializer_list<std::string_view> paths) {
    for (const std::string_view path : paths)
      if (options_.has(path)) return options_.word(path);
    return {};
  }
  int degree(std::initializer_list<std::string_view> paths, int least = 1) {
    const int found = number(paths, 1, least);
    if (found > limits::devices)
      options_.refuse(*paths.begin(), fmt::format("found {}, expected at most {}", found, limits::devices));
    return found;
  }

  void read_degrees() {
    Shard& shard = job_.shard;
    shard.tensor = degree({"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"});
    shard.sequence = shard.tensor > 1;
    shard.context = degree({"parallelism.context_parallel_degree", "experimental.context_parallel_degree"});
    const bool passed_on =
        options_.word("parallelism.context_parallel_rotate_method", {"allgather", "alltoall"}) == "alltoall";
    if (shard.context > 1) shard.context_kind = passed_on ? ContextKind::ring : ContextKind::gather;
    shard.expert = degree({"parallelism.expert_parallel_degree"});
    shard.expert_tensor = degree({"parallelism.expert_tensor_parallel_degree"});
    job_.pipeline = degree({"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree"});
    const int copies =
        degree({"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"});
    const int shards = number({"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree",
                               "training.data_parallel_degree"},
                              -1, -1);
    // States are sharded over context ranks, too (distributed/parallel_dims.py, fsdp_enabled).
    job_.sharding.level = shards == 1 && shard.context == 1 ? 0 : 3;
    job_.copies = job_.sharding.level == 0 ? 1 : copies;
    if (job_.copies > 1) job_.sharding.copies = CopySync::each_micro_batch;
    const std::int64_t others = std::int64_t{shard.replica_devices()} * job_.pipeline * copies;
    if (shards > 0 && others * shards <= limits::devices) job_.devices = static_cast<int>(others * shards);
    read_resharding();
  }

  /// By default weights are freed behind the forward; with a pipeline they stay until the step ends.
  void read_resharding() {
    const std::string when = word({"parallelism.fsdp_reshard_after_forward"});
    if (job_.sharding.level < 3) return;
    const bool stay = when == "never" || (when != "always" && job_.pipeline > 1);
    if (stay) job_.sharding.reshard = job_.pipeline > 1 ? Reshard::after_step : Reshard::after_backward;
  }

  void read_model() {
    job_.sequence = number({"training.seq_len"}, 2048);
    if (!options_.has("training.seq_len")) options_.assume("samples of 2,048 tokens, the default");
    const std::string name = options_.word("model.name"), flavour = options_.word("model.flavor");
    job_.model_name = name + (flavour.empty() ? "" : " ") + flavour;
    job_.model = published_model(name, flavour, job_.sequence);
    if (job_.model) options_.assume(fmt::format("the published shape of {}", job_.model_name));
  }

  void read_batch() {
    const int local = number({"training.local_batch_size", "training.batch_size"}, 8);
    job_.global_batch = std::max(0, number({"training.global_batch_size"}, -1, -1));
    const int micro = number({"parallelism.pipeline_parallel_microbatch_size"}, 1);
    job_.micro_batch = job_.pipeline > 1 ? micro : local;
    if (local % job_.micro_batch != 0)
      job_.broken.push_back(
          {"micro-batch", "distributed/pipeline_parallel.py",
           fmt::format("found a local batch of {} samples, expected a multiple of {} in a micro-batch", local, micro)});
    // A pipeline takes the local batch in micro-batches, and as often as the global batch asks for.
    if (job_.global_batch == 0) job_.micro_batches = std::max(1, local / job_.micro_batch);
  }

  void read_stages() {
    const std::string schedule =
        word({"parallelism.pipeline_parallel_schedule", "experimental.pipeline_parallel_schedule"});
    const int per_stage = number({"parallelism.pipeline_parallel_layers_per_stage"}, 0);
    const WeighedEnds ends{number({"parallelism.pipeline_parallel_first_stage_less_layers"}, 1, 0),
                           number({"parallelism.pipeline_parallel_last_stage_less_layers"}, 1, 0)};
    const std::vector<std::string> modules = options_.list("parallelism.module_fqns_per_model_part");
    if (job_.pipeline == 1) return;
    std::string small = schedule;
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool interleaved = small == "interleaved1f1b";
    for (const auto& [name, order] : titan_schedules)
      if (small == name) job_.order = order;
    const bool in_a_v = job_.order != ScheduleKind::one_f_one_b;
    if (!small.empty() && small != "1f1b" && !interleaved && !in_a_v) {
      options_.leave_out("parallelism.pipeline_parallel_schedule");
      options_.assume(fmt::format("the schedule 1F1B in the place of {}", schedule));
    }
    if (!modules.empty()) return read_modules(modules);
    job_.ends = ends;
    if (!interleaved && !in_a_v) return;
    job_.virtual_stages = 2;
    if (per_stage > 0 && job_.model)
      read_stages_of(per_stage, std::int64_t{job_.model->layers} + ends.first + ends.last);
    else if (per_stage > 0)
      options_.assume("2 stages on each pipeline rank: the model's blocks are not known");
  }

  void read_stages_of(int per_stage, std::int64_t layers) {
    const std::int64_t stages = (layers + per_stage - 1) / per_stage;
    if (stages % job_.pipeline != 0)
      job_.broken.push_back({"stages", "distributed/pipeline_parallel.py",
                             fmt::format("found {} stages of {} layers, expected a multiple of {} pipeline ranks",
                                         stages, per_stage, job_.pipeline)});
    job_.virtual_stages = static_cast<int>(std::max(std::int64_t{1}, stages / job_.pipeline));
  }

  void read_modules(const std::vector<std::string>& modules) {
    constexpr std::string_view path = "parallelism.module_fqns_per_model_part";
    auto blocks = blocks_of_modules(modules);
    if (!blocks) return options_.refuse(path, blocks.error().message);
    if (blocks->size() % static_cast<std::size_t>(job_.pipeline) != 0)
      return options_.refuse(path, fmt::format("found {} stages, expected a multiple of {} pipeline ranks",
                                               blocks->size(), job_.pipeline));
    job_.blocks = *std::move(blocks);
    job_.virtual_stages = static_cast<int>(job_.blocks.size()) / job_.pipeline;
  }

  void read_recomputation() {
    const std::string mode =
        options_.word("activation_checkpoint.mode", {"none", "selective", "full", "memory_budget"});
    const std::string option = options_.word("activation_checkpoint.selective_ac_option");
    if (mode == "memory_budget") options_.leave_out("activation_checkpoint.mode");
    if (mode == "full") job_.recompute.all = true;
    if (mode != "selective" && !mode.empty()) return;
    job_.recompute.all = true;
    const auto every = text::decimal_to_integer(option);
    if (!every || *every < 1) {
      job_.recompute.operations = true;
      return;
    }
    if (*every == 1 || !job_.model) return;
    const std::int64_t stages = std::int64_t{job_.pipeline} * job_.virtual_stages;
    job_.recompute.blocks = static_cast<int>((job_.model->layers / stages + *every - 1) / *every);
    options_.assume(
        fmt::format("the first {} blocks of a stage recomputed, though every {}th is", job_.recompute.blocks, *every));
  }

  void read_numbers() {
    training_.products = "bf16";
    job_.precision = Precision::mixed_18;
    const std::vector<std::string> converters = options_.list("model.converters");
    const bool enabled = options_.flag("float8.enable_float8_linear");
    std::string recipe;
    for (const char* const path :
         {"float8.recipe_name", "quantize.linear.float8.recipe_name", "quantize.dense.float8.recipe_name"})
      if (const std::string named = options_.word(path); !named.empty()) recipe = named;
    const bool narrow = enabled || std::ranges::any_of(converters, [](const std::string& one) {
                          return one.find("float8") != one.npos;
                        });
    const bool micro =
        std::ranges::any_of(converters, [](const std::string& one) { return one.find("mx") != one.npos; });
    if (narrow) training_.products = "fp8", training_.recipe = recipe == "rowwise" ? "rowwise" : "tensorwise";
    if (micro) training_.products = "mxfp8";
    options_.flag("float8.enable_fsdp_float8_all_gather");
    const std::string reduced = options_.word("training.mixed_precision_reduce", {"float32", "bfloat16"});
    options_.word("training.mixed_precision_param", {"float32", "bfloat16"});
    // The weights are the master copy (FSDP2).
    job_.choices.states = StateBytes{4, 4, 8};
    job_.choices.wire = WireBytes{2, reduced == "bfloat16" ? 2.0 : 4.0};
    const std::string optimizer = options_.word("optimizer.name");
    if (!optimizer.empty() && optimizer != "AdamW" && optimizer != "Adam") options_.leave_out("optimizer.name");
  }

  /// Choices of torchtitan itself (accuracy.md).
  void read_habits() {
    const bool compiled = options_.flag("compile.enable", options_.flag("training.compile"));
    options_.list("compile.components");
    if (!compiled) options_.assume("kernels as compiled, though compile.enable is off");
    const bool whole = options_.flag("parallelism.disable_loss_parallel");
    if (whole) options_.leave_out("parallelism.disable_loss_parallel");
    training_.hidden = {.gradients = true,
                        .weights = true,
                        .tensor = options_.flag("parallelism.enable_async_tensor_parallel",
                                                options_.flag("experimental.enable_async_tensor_parallel")),
                        .expert = false,
                        .pipeline = job_.pipeline == 1 || job_.virtual_stages > 1};
    training_.loss = LossKind::separate;
    training_.forward_ahead = GatherAhead::two;
    training_.fused_weight_gradients = false;
    training_.cached = pytorch_cached, training_.compiled = compiled;
    job_.choices.layers.keeps_gathered = true;
  }

  Options& options_;
  TrainingJob& job_;
  Training& training_;
};

}  // namespace

std::optional<TitanModel> titan_model_of(const TransformerConfig& config) {
  for (const Flavour& one : flavours) {
    TransformerConfig published = *published_model(one.model, one.flavour, config.longest);
    published.name = config.name, published.longest = config.longest;
    if (published == config) return TitanModel{one.model, one.flavour};
  }
  return {};
}

std::vector<int> titan_blocks(int stages, int blocks, const WeighedEnds& ends) {
  if (stages == 1) return {blocks};
  const std::int64_t all = std::int64_t{blocks} + ends.first + ends.last;
  const std::int64_t least = all / stages, larger = all % stages;
  if (least == 0 || ends.first > least || ends.last > least) return {};
  std::vector<int> split;
  for (int s = 0; s < stages; ++s) {
    std::int64_t own = least + (s < larger ? 1 : 0);
    if (s == 0) own -= ends.first;
    if (s + 1 == stages) own -= ends.last;
    split.push_back(static_cast<int>(own));
  }
  return split;
}

std::string titan_block_name(int block) { return fmt::format("layers.{}", block); }

bool looks_like_torchtitan(const std::string& text) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  if (text.size() > longest || text.find("[training]") == text.npos) return false;
  return text.find("[model]") != text.npos || text.find("[parallelism]") != text.npos;
}

Result<TrainingJob> job_from_torchtitan(const std::string& text, std::string name) {
  TRY(const auto tree, tree_from_toml(text));
  Options options(tree);
  TrainingJob job;
  job.name = std::move(name);
  job.engine = "torchtitan", job.version = "b5bcd76";
  TitanReader(options, job).run();
  if (options.error()) return tl::unexpected(*options.error());
  if (job.model) job.model->name = job.model_name;
  job.share = options.share(no_effect_in_torchtitan);
  return job;
}

}  // namespace pipedeck::io::jobs
