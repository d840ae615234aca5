// SPDX-License-Identifier: Apache-2.0
// NeMo 1's configuration for a plan. Names: examples/nlp/language_modeling/conf/megatron_gpt_config.yaml and
// megatron_gpt_model.py; docs/engines.md lists them.
#include "core/study/engines/nemo.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/documents/transformer.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/jobs/nemo.hpp"
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
using io::json::Members;

std::string_view truth_word(bool given) { return given ? "true" : "false"; }

void add_trainer(Members& tree, const EngineRequest& request, const MegatronWords& words) {
  const EvenNodes nodes = even_nodes(request.plan, request.cluster).value_or(EvenNodes{});
  set_at(tree, "trainer.devices", fmt::format("{}", nodes.devices));
  set_at(tree, "trainer.num_nodes", fmt::format("{}", nodes.nodes));
  set_at(tree, "trainer.precision", words.has("bf16") ? "bf16" : words.has("fp16") ? "16" : "32");
}

/// Adds parts of the model that NeMo states in its own words.
void add_model(Members& tree, const MegatronWords& words) {
  set_at(tree, "model.megatron_amp_O2", truth_word(words.has("bf16") || words.has("fp16")));
  if (words.has("normalization"))
    set_at(tree, "model.normalization", words.value_of("normalization") == "RMSNorm" ? "rmsnorm" : "layernorm");
  if (words.has("hidden-size")) set_at(tree, "model.activation", words.has("swiglu") ? "fast-swiglu" : "gelu");
  const std::string_view format = words.value_of("fp8-format");
  set_at(tree, "model.fp8", truth_word(!format.empty()));
  set_at(tree, "model.fp8_e4m3", truth_word(format == "e4m3"));
  set_at(tree, "model.fp8_hybrid", truth_word(format == "hybrid"));
}

/// Returns true for states of Apex's optimizer, which steps with gradients in 16 bits.
bool has_apex_states(const Plan& plan) {
  return plan.choices && plan.choices->states && plan.choices->states->gradients == 2 &&
         plan.choices->states->step == 0;
}

void add_optimizer(Members& tree, const Plan& plan, const MegatronWords& words) {
  const bool sharded = words.has("use-distributed-optimizer");
  const bool narrow =
      words.has("fp16") ? !words.has("accumulate-allreduce-grads-in-fp32") : words.has("grad-reduce-in-bf16");
  set_at(tree, "model.optim.name",
         !sharded                ? "fused_adam"
         : has_apex_states(plan) ? "distributed_fused_adam"
                                 : "mcore_distributed_optim");
  if (sharded) set_at(tree, "model.optim.grad_sync_dtype", !narrow ? "fp32" : words.has("fp16") ? "fp16" : "bf16");
}

std::string nemo_configuration(const EngineRequest& request) {
  MegatronWords words(request);
  // Stated by other fields.
  for (const char* const option :
       {"group-query-attention", "grad-reduce-in-bf16", "accumulate-allreduce-grads-in-fp32", "normalization", "swiglu",
        "bf16", "fp16", "fp8-format", "optimizer", "use-distributed-optimizer"})
    words.hide(option);
  if (words.values_of("recompute-modules") == std::vector<std::string>{"core_attn"}) words.hide("recompute-modules");
  io::jobs::FieldTree tree;
  add_trainer(tree.members, request, words);
  io::jobs::FieldTree fields = io::jobs::tree_of_words(words.visible(), io::jobs::nemo_fields());
  for (auto& member : fields.members) tree.members.push_back(std::move(member));
  add_model(tree.members, words);
  add_optimizer(tree.members, request.plan, words);
  return fmt::format(
             "# NeMo 1's configuration for plan '{}': it overrides megatron_gpt_config.yaml.\n"
             "# Set what a plan does not contain: tokenizer, data, learning rate, steps.\n",
             strip_control_characters(request.plan.name)) +
         io::jobs::yaml_of(tree.members) + "\n" + rank_comment(request.plan, request.cluster, "# ");
}

std::string nemo_model_limitation(const Profile& profile) {
  if (const auto origin = io::documents::origin_of(profile); origin && *origin) {
    const TransformerConfig& config = (*origin)->config;
    if (config.latent) return "model: found latent attention, NeMo 1's GPT models do not have it";
    if (config.experts && (config.experts->shared_gate || config.experts->score_bias))
      return "model: found experts with a gate or biased scores, NeMo 1's GPT models do not have them";
  }
  return megatron_model_limitation(profile, "NeMo");
}

Result<Plan> plan_of_nemo_configuration(const EngineRequest& request) {
  return plan_of_megatron_text(request,
                               [&] { return io::jobs::job_from_nemo(nemo_configuration(request), request.plan.name); });
}

}  // namespace

Engine nemo() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules = megatron_rules(plan_of_nemo_configuration, nemo_model_limitation);
  rules.optimizers = {Optimizer::adam};
  rules.even_nodes = true, rules.states_all = false;
  std::vector<EngineOutput> outputs{{"nemo", ".yaml", "configuration for NeMo 1", nemo_configuration}};
  return {"NeMo", "1, core 0.15", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
