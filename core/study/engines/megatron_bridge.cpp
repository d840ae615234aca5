// SPDX-License-Identifier: Apache-2.0
// Megatron-Bridge's configuration for a plan: YAML that overrides a recipe (`--config-file`). Names:
// megatron/bridge/training/config.py, comm_overlap.py and mixed_precision.py at 0.5; docs/engines.md lists them.
#include "core/study/engines/megatron_bridge.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/jobs/megatron_bridge.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/jobs/yaml.hpp"
#include "core/study/engines/megatron.hpp"
#include "core/study/engines/megatron_step.hpp"
#include "core/study/engines/megatron_words.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/reread.hpp"
#include "core/study/engines/transformer_blocks.hpp"

namespace pipedeck::study::engines {
namespace {

using io::jobs::set_at;

/// Adds fields that no option of Megatron-LM is, or that follow from several.
void complete(io::json::Members& tree, const Plan& plan, const MegatronWords& words) {
  const auto flag = [](bool given) { return given ? "true" : "false"; };
  // Words are padded to a multiple of at least one tensor rank if this is on.
  set_at(tree, "model.should_pad_vocab", flag(words.value_of("make-vocab-size-divisible-by") != "1"));
  set_at(tree, "model.cpu_offloading", flag(words.has("cpu-offloading-num-layers")));
  if (words.has("optimizer-cpu-offload")) set_at(tree, "optimizer.optimizer_offload_fraction", "1.0");
  set_at(tree, "comm_overlap._target_", "megatron.bridge.training.comm_overlap.CommOverlapConfig");
  set_at(tree, "mixed_precision._target_", "megatron.bridge.training.mixed_precision.MixedPrecisionConfig");
  set_at(tree, "mixed_precision.fp32", flag(plan.precision == Precision::fp32));
  const bool narrow =
      words.has("fp16") ? !words.has("accumulate-allreduce-grads-in-fp32") : words.has("grad-reduce-in-bf16");
  set_at(tree, "mixed_precision.grad_reduce_in_fp32", flag(!narrow));
  // MixedPrecisionConfig.finalize() asserts it.
  set_at(tree, "mixed_precision.reuse_grad_buf_for_mxfp8_param_ag",
         flag(words.has("fp8-param-gather") && words.value_of("fp8-recipe") == "mxfp8"));
}

std::string bridge_configuration(const EngineRequest& request) {
  return fmt::format(
             "# Megatron-Bridge's configuration for plan '{}': it overrides a recipe of the model, on {} GPUs:\n"
             "#   torchrun ... scripts/training/run_recipe.py --recipe ... --config-file THIS\n"
             "# Set what a plan does not contain: vocabulary, data, learning rate.\n",
             strip_control_characters(request.plan.name), devices_used(request.plan).size()) +
         io::jobs::yaml_of(bridge_fields_of(request)) + "\n" + rank_comment(request.plan, request.cluster, "# ");
}

Result<Plan> plan_of_bridge_configuration(const EngineRequest& request) {
  return plan_of_megatron_text(
      request, [&] { return io::jobs::job_from_bridge(bridge_configuration(request), request.plan.name); });
}

}  // namespace

io::json::Members bridge_fields_of(const EngineRequest& request) {
  MegatronWords words(request);
  // Stated by other fields; the longest sample is the sequence.
  for (const char* const option : {"group-query-attention", "grad-reduce-in-bf16", "accumulate-allreduce-grads-in-fp32",
                                   "max-position-embeddings"})
    words.hide(option);
  io::jobs::FieldTree tree = io::jobs::tree_of_words(words.visible(), io::jobs::bridge_fields());
  complete(tree.members, request.plan, words);
  return std::move(tree.members);
}

Engine megatron_bridge() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules = megatron_rules(plan_of_bridge_configuration, [](const Profile& profile) {
    return megatron_model_limitation(profile, "Megatron-Bridge");
  });
  std::vector<EngineOutput> outputs{
      {"megatron-bridge", ".yaml", "configuration for Megatron-Bridge", bridge_configuration}};
  return {"Megatron-Bridge", "0.5, core 0.15", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
