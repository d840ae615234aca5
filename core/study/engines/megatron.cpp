// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's arguments for a plan. Rules: megatron/training/arguments.py (validate_args) and
// megatron/core/transformer/pipeline_parallel_layer_layout.py; docs/engines.md lists them.
#include "core/study/engines/megatron.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_layout.hpp"
#include "core/io/text/lines.hpp"
#include "core/study/engines/dry_run.hpp"
#include "core/study/engines/megatron_model.hpp"
#include "core/study/engines/megatron_step.hpp"
#include "core/study/engines/module_list.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"
#include "core/study/engines/transformer_blocks.hpp"

namespace pipedeck::study::engines {
namespace {

/// Returns the first part of a model that the arguments cannot express; empty: none.
std::string_view part_without_argument(const TransformerConfig& config) {
  const std::array<std::pair<bool, std::string_view>, 12> parts{{
      {!config.kinds.empty(), "blocks of several kinds"},
      {config.mixer != Mixer::attention, "blocks without attention"},
      {config.compressed || config.indexer, "attention to chosen positions"},
      {config.norm_place != NormPlace::before, "norms at other places than before each sub-layer"},
      {config.norm == NormKind::gain || config.norm == NormKind::plain, "norms without a shift"},
      {config.norm_all_heads, "norms over all heads"},
      {config.gated_attention || config.sinks || config.value_width > 0, "gates, sinks or value widths of attention"},
      {config.experts && (config.experts->bias || config.experts->beside_dense), "experts with biases or norms"},
      {config.embedding_width > 0 || config.words_of_blocks, "words in a narrow or a second table"},
      {config.head == OutputHead::classes || config.head == OutputHead::none || config.head_bias || config.pooler,
       "another output layer than one of words"},
      {config.patches.has_value(), "pictures or sound"},
      {config.streams > 0 || config.multi_token > 0, "several streams, or blocks for further tokens"},
  }};
  const auto* const found = std::ranges::find_if(parts, [](const auto& part) { return part.first; });
  return found == parts.end() ? std::string_view() : found->second;
}

/// Returns the arguments for the stages: none for even ones, the first's and the last's blocks if only these differ,
/// else the layout.
std::string split_arguments(const Plan& plan, const Grid& grid, const Blocks& blocks) {
  std::vector<int> counts;
  for (const Stage& stage : plan.stages) counts.push_back(blocks.in(stage));
  const bool whole_ends = plan.stages.front().last > blocks.last_embedding && plan.stages.back().first <= blocks.behind;
  const bool even = std::ranges::adjacent_find(counts, std::not_equal_to<>()) == counts.end();
  if (grid.pipeline == 1) return {};
  if (even && whole_ends && counts.front() > 0)
    return grid.chunks == 1 ? std::string()
                            : fmt::format("  --num-layers-per-virtual-pipeline-stage {}\n", counts.front());
  const bool even_inside =
      counts.size() > 2 && grid.chunks == 1 && counts.front() > 0 && counts.back() > 0 &&
      std::adjacent_find(counts.begin() + 1, counts.end() - 1, std::not_equal_to<>()) == counts.end() - 1;
  if (even_inside)
    return fmt::format("  --decoder-first-pipeline-num-layers {}\n  --decoder-last-pipeline-num-layers {}\n",
                       counts.front(), counts.back());
  // Nothing is cut behind the head's beginning; the loss is there also where the profile has none.
  const int further = plan.choices ? plan.choices->training.multi_token_blocks : 0;
  return fmt::format("  --pipeline-model-parallel-layout \"{}\"\n", io::jobs::layout_text(counts, further));
}

std::string optimizer_arguments(const Plan& plan) {
  std::string text;
  if (plan.stages.front().recompute.all && !plan.stages.front().recompute.partly())
    text += "  --recompute-granularity full\n  --recompute-method uniform\n  --recompute-num-layers 1\n";
  if (plan.zero == 1) text += "  --use-distributed-optimizer\n";
  const bool half = plan.choices && plan.choices->training.products == "fp16";
  if (plan.precision != Precision::fp32) text += half ? "  --fp16\n" : "  --bf16\n";
  // Gradients in 16 bits are asked for: Megatron-LM adds them up in fp32 otherwise.
  const bool named = plan.choices && plan.choices->states;
  if (plan.precision == Precision::mixed_16 && !named) text += "  --grad-reduce-in-bf16\n";
  if (plan.choices && plan.choices->training.optimizer_step == OptimizerStep::muon)
    return text + "  --optimizer muon\n";
  switch (plan.optimizer) {
    case Optimizer::adam:
      text += "  --optimizer adam\n";
      break;
    case Optimizer::momentum:
      text += "  --optimizer sgd\n  --sgd-momentum 0.9\n";
      break;
    default:
      text += "  --optimizer sgd\n  --sgd-momentum 0\n";
      break;
  }
  return text;
}

std::string file_header(const EngineRequest& question, const TransformerOrigin* shape) {
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# Megatron-LM's arguments for plan '{}': source this file, then for instance\n"
      "#   torchrun --nproc-per-node ... --nnodes ... pretrain_gpt.py \"${{PIPEDECK_ARGUMENTS[@]}}\" ...\n",
      strip_control_characters(question.plan.name));
  if (shape)
    text += fmt::format(
        "# The blocks' sizes are those of {}. Set what a plan does not contain: vocabulary, data, learning rate.\n",
        strip_control_characters(shape->config.name));
  else
    text += "# What a plan does not know stays yours: sizes of the blocks, data, learning rate.\n";
  return text;
}

BlockUse use_of(const Plan& plan, const Grid& grid) {
  const Stage& first = plan.stages.front();
  BlockUse use{grid.tensor, first.recompute.any()};
  if (has_mesh(plan)) use.sequence = first.degrees.sequence;
  return use;
}

/// Returns a line of each argument.
std::string argument_lines(const EngineRequest& question) {
  const Plan& plan = question.plan;
  const Grid grid = grid_of(plan);
  const Blocks blocks = blocks_of(question.profile);
  const TransformerOrigin* shape = origin_of_blocks(question, blocks);
  std::string text = fmt::format("  --tensor-model-parallel-size {}\n  --pipeline-model-parallel-size {}\n",
                                 grid.tensor, grid.pipeline);
  text += split_arguments(plan, grid, blocks);
  text += fmt::format("  --num-layers {}\n  --micro-batch-size {}\n  --global-batch-size {}\n", blocks.begins.size(),
                      grid.samples, plan.global_batch);
  if (shape) text += model_arguments(*shape, use_of(plan, grid));
  if (has_mesh(plan)) text += megatron_step_arguments(plan, shape && shape->config.experts);
  return text + optimizer_arguments(plan);
}

std::string arguments(const EngineRequest& question) {
  const Plan& plan = question.plan;
  std::string text = file_header(question, origin_of_blocks(question, blocks_of(question.profile)));
  // validate_args asserts it: kernels and transfers are to be started in one order (newer devices than Hopper
  // excepted).
  if (grid_of(plan).tensor > 1) text += "export CUDA_DEVICE_MAX_CONNECTIONS=1\n";
  text += "# shellcheck disable=SC2034  # for who sources this\nPIPEDECK_ARGUMENTS=(\n" + argument_lines(question);
  return text + ")\n\n" + rank_comment(plan, question.cluster, "# ");
}

Result<Plan> plan_of_arguments(const EngineRequest& request) {
  return plan_of_megatron_text(request,
                               [&] { return io::jobs::job_from_megatron(arguments(request), request.plan.name); });
}

}  // namespace

Result<void> check_megatron_step(const Plan& plan) {
  auto limits = megatron_step_limitations(plan);
  if (!limits.empty()) return fail(ErrorCode::bad_input, std::move(limits.front()));
  return {};
}

EngineRules megatron_rules(Result<Plan> (*plan_of_text)(const EngineRequest&),
                           std::function<std::string(const Profile&)> model_limitation) {
  return {.schedules = {ScheduleKind::one_f_one_b, ScheduleKind::interleaved},
          .tensor_parallel = true,
          .max_zero = 1,
          .optimizers = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none},
          .rule_sets = {"Megatron-LM", "TransformerEngine"},
          .plan_of_text = plan_of_text,
          .states_all = true,
          .is_valid_boundary = may_cut_blocks,
          .model_limitation = std::move(model_limitation)};
}

std::vector<std::string> megatron_words(const EngineRequest& request) {
  std::vector<std::string> words;
  const std::string lines = argument_lines(request);
  for (const std::string_view word : io::text::words_between(lines, " \n")) {
    std::string& plain = words.emplace_back(word);
    std::erase(plain, '"');
  }
  return words;
}

std::string megatron_model_limitation(const Profile& profile, std::string_view engine) {
  if (const std::string graph = module_limitation(profile, engine); !graph.empty()) return graph;
  if (const auto origin = io::documents::origin_of(profile); origin && *origin)
    if (const std::string_view part = part_without_argument((*origin)->config); !part.empty())
      return fmt::format("model: found {}, {}'s arguments of GPT models do not have them", part, engine);
  return block_limitation(profile, engine);
}

Engine megatron() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules = megatron_rules(
      plan_of_arguments, [](const Profile& profile) { return megatron_model_limitation(profile, "Megatron-LM"); });
  rules.step_limitations = megatron_step_limitations;
  std::vector<EngineOutput> outputs{
      {"megatron", ".sh", "arguments for Megatron-LM", arguments},
      {"megatron-dry-run", ".sh", "the fullest process of Megatron-LM alone on one GPU", megatron_dry_run}};
  return {"Megatron-LM", "core 0.15", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
