// SPDX-License-Identifier: Apache-2.0
// DeepSpeed's configuration and its pipeline's partition for a plan. Rules: deepspeed/runtime/pipe/module.py and
// engine.py, deepspeed/runtime/config.py; docs/engines.md lists them.
#include "core/study/engines/deepspeed.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/one_line.hpp"
#include "core/study/engines/module_list.hpp"
#include "core/study/engines/ranks.hpp"

namespace pipedeck::study::engines {
namespace {

nlohmann::ordered_json optimizer_json(Optimizer optimizer) {
  nlohmann::ordered_json parameters{{"lr", 1e-4}};
  if (optimizer == Optimizer::momentum) parameters["momentum"] = 0.9;
  return {{"type", optimizer == Optimizer::adam ? "Adam" : "SGD"}, {"params", parameters}};
}

std::string configuration(const EngineRequest& question) {
  const Plan& plan = question.plan;
  const Grid grid = grid_of(plan);
  nlohmann::ordered_json config;
  // config.py asserts train_batch = micro_batch_per_gpu x gradient_accumulation x data-parallel size.
  config["train_batch_size"] = plan.global_batch;
  config["train_micro_batch_size_per_gpu"] = grid.samples;
  config["gradient_accumulation_steps"] = plan.micro_batches;
  config["optimizer"] = optimizer_json(plan.optimizer);
  config["bf16"] = {{"enabled", plan.precision != Precision::fp32}};
  // 16-bit gradients are what mixed-16 needs less than the other kinds.
  if (plan.precision != Precision::fp32)
    config["data_types"] = {{"grad_accum_dtype", plan.precision == Precision::mixed_16 ? "bf16" : "fp32"}};
  config["zero_optimization"] = {{"stage", plan.zero}};
  // Only variants of Adam stand in ZERO_SUPPORTED_OPTIMIZERS of runtime/zero/utils.py; others must be asked for.
  if (plan.zero > 0 && plan.optimizer != Optimizer::adam) config["zero_allow_untested_optimizer"] = true;
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

}  // namespace

Engine deepspeed() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules{.schedules = {ScheduleKind::one_f_one_b},
                    .tensor_parallel = false,
                    .max_zero = 1,
                    .optimizers = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none},
                    .is_valid_boundary = may_cut_modules,
                    .model_limitation = [](const Profile& profile) {
                      return module_limitation(profile, "DeepSpeed's PipelineModule");
                    }};
  std::vector<EngineOutput> outputs{
      {"deepspeed", ".json", "configuration for DeepSpeed", configuration},
      {"deepspeed-partition", ".py", "the stages as a PipelineModule of DeepSpeed", partition}};
  return {"DeepSpeed", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
