// SPDX-License-Identifier: Apache-2.0
// DeepSpeed's configuration and its pipeline's partition for a plan. Rules: deepspeed/runtime/pipe/module.py and
// engine.py, deepspeed/runtime/config.py; docs/engines.md lists them.
#include "core/study/engines/deepspeed.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/one_line.hpp"
#include "core/io/jobs/deepspeed.hpp"
#include "core/io/json/value.hpp"
#include "core/io/text/lines.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/study/engines/module_list.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"

namespace pipedeck::study::engines {
namespace {

nlohmann::ordered_json optimizer_json(Optimizer optimizer) {
  nlohmann::ordered_json parameters{{"lr", 1e-4}};
  if (optimizer == Optimizer::momentum) parameters["momentum"] = 0.9;
  return {{"type", optimizer == Optimizer::adam ? "Adam" : "SGD"}, {"params", parameters}};
}

/// Returns true for stages that a PipelineModule has: one on each rank, of data ranks alone, with ZeRO 0 or 1. The
/// configuration of another plan runs it without stages.
bool has_pipeline(const Plan& plan) {
  const Grid grid = grid_of(plan);
  return grid.pipeline > 1 && grid.chunks == 1 && plan.stages.front().shard().replica_devices() == 1 &&
         plan.sharding.level < 2;
}

/// The samples of a data rank. A pipeline's micro-batches are the accumulated ones (runtime/pipe/engine.py).
struct Batch {
  int samples = 1, accumulated = 1;
};
/// train_batch = micro_batch_per_gpu x gradient_accumulation x data-parallel size (config.py).
Batch batch_of(const Plan& plan) {
  const Grid grid = grid_of(plan);
  if (!has_mesh(plan)) return {grid.samples, plan.micro_batches};
  const int ranks = grid.data * (has_pipeline(plan) ? 1 : grid.pipeline);
  return {grid.samples, std::max(1, plan.global_batch / (grid.samples * ranks))};
}

nlohmann::ordered_json zero_json(const Plan& plan, const Training& training) {
  const int level = std::max(plan.zero, plan.sharding.level);
  nlohmann::ordered_json zero{{"stage", level}};
  if (!has_mesh(plan)) return zero;
  if (plan.sharding.group > 0) zero["mics_shard_size"] = plan.sharding.group;
  zero["overlap_comm"] = training.hidden.gradients;
  if (level > 0 && training.bucket > 0) zero["reduce_bucket_size"] = static_cast<std::int64_t>(training.bucket);
  if (training.offloads_optimizer) zero["offload_optimizer"] = {{"device", "cpu"}};
  return zero;
}

std::string configuration(const EngineRequest& question) {
  const Plan& plan = question.plan;
  const Batch batch = batch_of(plan);
  const StepChoices choices = plan.choices.value_or(StepChoices{});
  nlohmann::ordered_json config;
  config["train_batch_size"] = plan.global_batch;
  config["train_micro_batch_size_per_gpu"] = batch.samples;
  config["gradient_accumulation_steps"] = batch.accumulated;
  const Shard shard = plan.stages.front().shard();
  if (shard.tensor > 1) config["tensor_parallel"] = {{"autotp_size", shard.tensor}};
  if (shard.context > 1) config["sequence_parallel_size"] = shard.context;
  config["optimizer"] = optimizer_json(plan.optimizer);
  const bool narrow = plan.precision != Precision::fp32, half = choices.training.products == "fp16";
  config[half ? "fp16" : "bf16"] = {{"enabled", narrow}};
  // 16-bit gradients are what mixed-16 needs less than the other kinds.
  const bool narrow_gradients = choices.states ? choices.states->gradients != 4 : plan.precision == Precision::mixed_16;
  if (narrow) config["data_types"] = {{"grad_accum_dtype", narrow_gradients ? (half ? "fp16" : "bf16") : "fp32"}};
  if (narrow && choices.wire && choices.wire->gradients == 4) config["communication_data_type"] = "fp32";
  config["zero_optimization"] = zero_json(plan, choices.training);
  // Only variants of Adam stand in ZERO_SUPPORTED_OPTIMIZERS of runtime/zero/utils.py; others must be asked for.
  if (std::max(plan.zero, plan.sharding.level) > 0 && plan.optimizer != Optimizer::adam)
    config["zero_allow_untested_optimizer"] = true;
  return config.dump(2) + "\n";
}

std::string partition(const EngineRequest& question) {
  const Plan& plan = question.plan;
  std::string text = fmt::format(
      "# Plan '{}' for DeepSpeed: its own partition methods know no measured times, so the cuts are given.\n",
      strip_control_characters(plan.name));
  text += fmt::format(
      "from deepspeed.pipe import PipelineModule\n"
      "\n"
      "# Stage s has layers PARTS[s] to PARTS[s + 1] - 1 of the list of {} that the model is made of{}.\n"
      "PARTS = [{}]\n"
      "ACTIVATION_CHECKPOINT_INTERVAL = {}\n"
      "\n"
      "\n"
      "class PlannedPipeline(PipelineModule):\n"
      "    \"\"\"PlannedPipeline(layers, loss_fn=...), with the stages of the plan.\"\"\"\n"
      "\n"
      "    def __init__(self, layers, **options):\n"
      "        options.setdefault(\"activation_checkpoint_interval\", ACTIVATION_CHECKPOINT_INTERVAL)\n"
      "        layers = list(layers)\n"
      "        if len(layers) != PARTS[-1]:\n"
      "            raise ValueError(f\"found {{len(layers)}} layers, expected {{PARTS[-1]}} as in the plan's "
      "profile\")\n"
      "        super().__init__(layers, num_stages=len(PARTS) - 1, **options)\n"
      "\n"
      "    def _partition_layers(self, method=\"planned\"):\n"
      "        stage = self._topo.get_coord(self.global_rank).pipe\n"
      "        self.parts = list(PARTS)\n"
      "        self._set_bounds(start=PARTS[stage], stop=PARTS[stage + 1])\n",
      module_count(question.profile), has_loss(question.profile) ? ", the loss not among them (loss_fn)" : "",
      fmt::join(module_cuts(plan, question.profile), ", "), plan.stages.front().recompute.all ? 1 : 0);
  return text + "\n" + rank_comment(plan, question.cluster, "# ");
}

constexpr std::string_view cuts_of_text = "PARTS = [";

/// Returns the plan with the stages of a partition's text.
Result<Plan> with_parts(Plan plan, const std::string& text, const Profile& profile) {
  const std::size_t begin = text.find(cuts_of_text);
  if (begin == text.npos) return fail(ErrorCode::bad_input, "found no PARTS in the partition, expected a list");
  const std::string list =
      text.substr(begin + cuts_of_text.size(), text.find(']', begin) - begin - cuts_of_text.size());
  std::vector<int> cuts;
  for (const std::string_view word : io::text::words_between(list, ", ")) {
    int cut = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), cut).ec != std::errc())
      return fail(ErrorCode::bad_input, fmt::format("found \"{}\" in PARTS, expected a number", word));
    cuts.push_back(cut);
  }
  if (cuts.size() != plan.stages.size() + 1)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} cuts in PARTS, expected {}", cuts.size(), plan.stages.size() + 1));
  for (std::size_t s = 0; s < plan.stages.size(); ++s)
    plan.stages[s].first = cuts[s], plan.stages[s].last = cuts[s + 1];
  plan.stages.back().last = static_cast<int>(profile.layers.size());  // with the loss
  return plan;
}

/// Returns the plan of the configuration and, with a pipeline, of the partition. Recomputation is the program's, so it
/// is the plan's.
Result<Plan> plan_of_configuration(const EngineRequest& question) {
  TRY(const auto document, io::json::parse(configuration(question)));
  TRY(auto job, io::jobs::job_from_deepspeed(document, question.plan.name));
  const Recompute& own = question.plan.stages.front().recompute;
  if (own.all && !own.partly()) job.recompute = own;
  if (has_pipeline(question.plan)) {
    job.pipeline = grid_of(question.plan).pipeline;
    TRY(const Plan cut, with_parts(question.plan, partition(question), question.profile));
    TRY(const auto asked, mesh::question_of(cut, question.profile, std::make_shared<const Cluster>(question.cluster)));
    job.devices *= job.pipeline, job.blocks = asked.blocks;
    // Sends wait for each other (runtime/pipe/p2p.py), and outputs stay for the backward (runtime/pipe/engine.py).
    job.choices.training.hidden.pipeline = false, job.choices.training.keeps_stage_outputs = true;
  }
  return plan_of_job(question, std::move(job));
}

/// Returns what the partition of a PipelineModule lacks: its layers are the user's, and no setting divides them.
std::vector<std::string> pipeline_limitations(const Plan& plan) {
  std::vector<std::string> lacks;
  const Shard shard = plan.stages.front().shard();
  const auto refuse = [&](std::string_view what, int ranks) {
    if (plan.stages.size() > 1 && ranks > 1)
      lacks.push_back(
          fmt::format("{}: found {} ranks in a pipeline, expected 1: no setting divides the layers of a "
                      "PipelineModule; they would have to be written so, as Megatron-DeepSpeed's are",
                      what, ranks));
  };
  refuse("tensor parallelism", shard.tensor);
  refuse("context parallelism", shard.context);
  return lacks;
}

}  // namespace

Engine deepspeed() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules{.schedules = {ScheduleKind::one_f_one_b},
                    .tensor_parallel = false,
                    .max_zero = 1,
                    .optimizers = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none},
                    .rule_sets = {"DeepSpeed"},
                    .step_limitations = pipeline_limitations,
                    .plan_of_text = plan_of_configuration,
                    .is_valid_boundary = may_cut_modules,
                    .model_limitation = [](const Profile& profile) {
                      return module_limitation(profile, "DeepSpeed's PipelineModule");
                    }};
  std::vector<EngineOutput> outputs{
      {"deepspeed", ".json", "configuration for DeepSpeed", configuration},
      {"deepspeed-partition", ".py", "the stages as a PipelineModule of DeepSpeed", partition}};
  return {"DeepSpeed", "0.17", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
