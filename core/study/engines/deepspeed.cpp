// SPDX-License-Identifier: Apache-2.0
// DeepSpeed's configuration and its pipeline's partition for a plan. Rules: deepspeed/runtime/pipe/module.py and
// engine.py, deepspeed/runtime/config.py; docs/engines.md lists them.
#include "core/study/engines/deepspeed.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/one_line.hpp"
#include "core/io/jobs/deepspeed.hpp"
#include "core/io/json/value.hpp"
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

/// The numbers of a plan without stages, on all of its devices.
struct Batch {
  int samples = 1, accumulated = 1;
};
/// train_batch = micro_batch_per_gpu x gradient_accumulation x data-parallel size (config.py).
Batch batch_of(const Plan& plan) {
  const Grid grid = grid_of(plan);
  if (!has_mesh(plan)) return {grid.samples, plan.micro_batches};
  const int ranks = grid.data * grid.pipeline;
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

/// Recomputation is the program's, so it is the plan's.
Result<Plan> plan_of_configuration(const EngineRequest& question) {
  TRY(const auto document, io::json::parse(configuration(question)));
  TRY(auto job, io::jobs::job_from_deepspeed(document, question.plan.name));
  const Recompute& own = question.plan.stages.front().recompute;
  if (own.all && !own.partly()) job.recompute = own;
  return plan_of_job(question, std::move(job));
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

}  // namespace

Engine deepspeed() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules{.schedules = {ScheduleKind::one_f_one_b},
                    .tensor_parallel = false,
                    .max_zero = 1,
                    .optimizers = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none},
                    .rule_sets = {"DeepSpeed"},
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
