// SPDX-License-Identifier: Apache-2.0
// torchtitan's configuration for a plan. Names: torchtitan/config/job_config.py at b5bcd76; docs/engines.md lists them.
#include "core/study/engines/torchtitan.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/torchtitan.hpp"
#include "core/mesh/question.hpp"
#include "core/study/engines/pytorch.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"
#include "core/study/engines/transformer_blocks.hpp"

namespace pipedeck::study::engines {
namespace {

/// The folders of torchtitan/models, and the families of configurations that they train.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> model_folders{{{"llama", "llama3"},
                                                                                      {"llama4", "llama4"},
                                                                                      {"llama4_text", "llama4"},
                                                                                      {"qwen3", "qwen3"},
                                                                                      {"qwen3_moe", "qwen3"},
                                                                                      {"deepseek_v3", "deepseek_v3"},
                                                                                      {"gpt_oss", "gpt_oss"}}};

std::string_view folder_of(const TransformerConfig& config) {
  for (const auto& [family, folder] : model_folders)
    if (config.family == family) return folder;
  return {};
}

std::string titan_model_limitation(const Profile& profile) {
  if (std::string stranger = block_limitation(profile, "torchtitan"); !stranger.empty()) return stranger;
  const auto origin = io::documents::origin_of(profile);
  if (!origin || !*origin || !folder_of((*origin)->config).empty()) return {};
  return fmt::format("model: found the family '{}', torchtitan has llama3, llama4, qwen3, deepseek_v3 and gpt_oss",
                     (*origin)->config.family);
}

std::string model_section(const EngineRequest& question, const TransformerOrigin* origin) {
  std::string text = "[model]\n";
  if (!origin) return text + "# The profile names no model: set name and flavor.\n";
  const TransformerConfig& config = origin->config;
  if (const auto published = io::jobs::titan_model_of(config))
    return text + fmt::format("name = \"{}\"\nflavor = \"{}\"\n", published->model, published->flavour);
  text += fmt::format(
      "name = \"{}\"\n# No published flavor has this shape: add one of {} layers of width {}, {} heads and "
      "{} of keys and values,\n# feed-forward {}, vocabulary {}, and name it.\n",
      folder_of(config), config.layers, config.hidden, config.heads, config.key_value_heads, config.feed_forward,
      config.vocabulary);
  std::string name = strip_control_characters(config.name.empty() ? question.profile.name : config.name);
  std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
  return text + fmt::format("flavor = \"{}\"\n", name);
}

std::string converters(const Training& training) {
  if (training.products == "fp8") return "converters = [\"quantize.linear.float8\"]\n";
  if (training.products == "mxfp8") return "converters = [\"quantize.linear.mx\"]\n";
  return {};
}

/// Replicas are copies of sharded states: D = copies x shards, G = shards x C.
std::string data_degrees(const Plan& plan, const Grid& grid, int context) {
  const Sharding& sharding = plan.sharding;
  const int level = std::max(sharding.level, plan.zero);
  int shards = level > 0 || context > 1 ? grid.data : 1;
  if (shards > 1 && sharding.group > 0 && sharding.group % context == 0 && grid.data % (sharding.group / context) == 0)
    shards = sharding.group / context;
  std::string text =
      fmt::format("data_parallel_replicate_degree = {}\ndata_parallel_shard_degree = {}\n", grid.data / shards, shards);
  const bool kept = sharding.reshard != Reshard::after_forward;
  if (grid.pipeline > 1 && !kept) return text + "fsdp_reshard_after_forward = \"always\"\n";
  if (grid.pipeline == 1 && kept) return text + "fsdp_reshard_after_forward = \"never\"\n";
  return text;
}

/// Lists the modules of each stage, unless torchtitan's own split is the same.
std::string stage_options(const Plan& plan, const Grid& grid, const Blocks& blocks) {
  std::vector<int> counts;
  for (const Stage& stage : plan.stages) counts.push_back(blocks.in(stage));
  const int stages = static_cast<int>(counts.size()), all = static_cast<int>(blocks.begins.size());
  if (grid.chunks <= 2) {
    if (io::jobs::titan_blocks(stages, all, {}) == counts) return {};
    if (io::jobs::titan_blocks(stages, all, {0, 0}) == counts)
      return "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n";
  }
  std::string text = "module_fqns_per_model_part = [\n";
  int block = 0;
  for (int s = 0; s < stages; ++s) {
    std::vector<std::string> modules;
    if (s == 0) modules.emplace_back(io::jobs::titan_embedding);
    for (int i = 0; i < counts[static_cast<std::size_t>(s)]; ++i)
      modules.push_back(io::jobs::titan_block_name(block++));
    if (s + 1 == stages) modules.emplace_back(io::jobs::titan_norm), modules.emplace_back(io::jobs::titan_head);
    text += fmt::format("  [\"{}\"],\n", fmt::join(modules, "\", \""));
  }
  return text + "]\n";
}

std::string parallelism(const Plan& plan, const Grid& grid, const Blocks& blocks, const Training& training) {
  const Shard shard = plan.stages.front().shard();
  std::string text = "\n[parallelism]\n" + data_degrees(plan, grid, shard.context);
  text += fmt::format("tensor_parallel_degree = {}\n", grid.tensor);
  if (training.hidden.tensor) text += "enable_async_tensor_parallel = true\n";
  text += fmt::format("context_parallel_degree = {}\n", shard.context);
  if (shard.context > 1)
    text += fmt::format("context_parallel_rotate_method = \"{}\"\n",
                        shard.context_kind == ContextKind::ring ? "alltoall" : "allgather");
  text += fmt::format("expert_parallel_degree = {}\nexpert_tensor_parallel_degree = {}\n", shard.expert,
                      shard.expert_tensor);
  text += fmt::format("pipeline_parallel_degree = {}\n", grid.pipeline);
  if (grid.pipeline == 1) return text;
  text += fmt::format("pipeline_parallel_schedule = \"{}\"\npipeline_parallel_microbatch_size = {}\n",
                      pytorch_schedule(plan.schedule), grid.samples);
  return text + stage_options(plan, grid, blocks);
}

/// Every n-th block recomputed is that part of a stage's blocks. `blocks`: of a stage.
std::string titan_recomputation(const Recompute& recompute, int blocks) {
  std::string text = "\n[activation_checkpoint]\n";
  if (!recompute.any()) return text + "mode = \"none\"\n";
  if (recompute.operations || !recompute.modules.empty())
    return text + "mode = \"selective\"\nselective_ac_option = \"op\"\n";
  for (int every = 2; recompute.blocks > 0 && every <= blocks; ++every)
    if ((blocks + every - 1) / every == recompute.blocks)
      return text + fmt::format("mode = \"selective\"\nselective_ac_option = \"{}\"\n", every);
  return text + "mode = \"full\"\n";
}

std::string titan_configuration(const EngineRequest& question) {
  const Plan& plan = question.plan;
  const Grid grid = grid_of(plan);
  const Blocks blocks = blocks_of(question.profile);
  const StepChoices choices = plan.choices.value_or(StepChoices{});
  const TransformerOrigin* origin = origin_of_blocks(question, blocks);
  std::string text = fmt::format(
      "# torchtitan's configuration for plan '{}'. Set what a plan does not contain: data, learning rate, steps.\n",
      strip_control_characters(plan.name));
  text += rank_comment(plan, question.cluster, "# ") + "\n";
  text += model_section(question, origin) + converters(choices.training);
  // A pipeline takes the local batch at once, in micro-batches; else gradients of several are added up.
  const int local = grid.pipeline > 1 ? grid.samples * plan.micro_batches : grid.samples;
  text += fmt::format("\n[training]\nlocal_batch_size = {}\nglobal_batch_size = {}\n", local, plan.global_batch);
  if (origin) text += fmt::format("seq_len = {}\n", sequence_of(origin->config, origin->options));
  if (choices.wire && choices.wire->gradients == 2) text += "mixed_precision_reduce = \"bfloat16\"\n";
  text +=
      parallelism(plan, grid, blocks, choices.training) +
      titan_recomputation(plan.stages.front().recompute, static_cast<int>(blocks.begins.size() / plan.stages.size()));
  // Compiled modules cannot run gradients of inputs and of weights apart (torch/distributed/pipelining/schedules.py).
  text += fmt::format("\n[compile]\nenable = {}\n\n[optimizer]\nname = \"AdamW\"\n",
                      mesh::splits_backward(plan.schedule) ? "false" : "true");
  if (choices.training.products == "fp8")
    text += fmt::format("\n[quantize.linear.float8]\nrecipe_name = \"{}\"\n",
                        choices.training.recipe == "rowwise" ? "rowwise" : "tensorwise");
  return text;
}

Result<Plan> plan_of_titan_configuration(const EngineRequest& question) {
  TRY(auto job, io::jobs::job_from_torchtitan(titan_configuration(question), question.plan.name));
  return plan_of_job(question, std::move(job));
}

}  // namespace

Engine torchtitan() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules{
      .schedules = {ScheduleKind::one_f_one_b, ScheduleKind::interleaved, ScheduleKind::zb_v, ScheduleKind::dualpipe_v},
      .tensor_parallel = true,
      .max_zero = 0,
      .optimizers = {Optimizer::adam},
      .rule_sets = {"torchtitan"},
      .plan_of_text = plan_of_titan_configuration,
      .is_valid_boundary = may_cut_blocks,
      .model_limitation = titan_model_limitation};
  std::vector<EngineOutput> outputs{{"torchtitan", ".toml", "configuration for torchtitan", titan_configuration}};
  return {"torchtitan", "b5bcd76", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
