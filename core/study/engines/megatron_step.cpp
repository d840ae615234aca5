// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/megatron_step.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/jobs/megatron_states.hpp"

namespace pipedeck::study::engines {
namespace {

using io::jobs::MegatronStates;

/// A plan's choices, with the default ones if it has none.
StepChoices choices_of(const Plan& plan) { return plan.choices.value_or(StepChoices{}); }

std::string_view attention_exchange(ContextKind kind) {
  switch (kind) {
    case ContextKind::ring:
      return "p2p";
    case ContextKind::gather:
      return "all_gather";
    case ContextKind::heads:
      return "a2a";
    case ContextKind::heads_ring:
      return "a2a+p2p";
  }
  return {};
}

std::string degrees(const Stage& stage, bool with_experts) {
  const Shard shard = stage.shard();
  std::string text;
  if (shard.context > 1) {
    text += fmt::format("  --context-parallel-size {}\n  --cp-comm-type {}\n", shard.context,
                        attention_exchange(shard.context_kind));
    if (shard.context_kind == ContextKind::heads_ring)
      text += fmt::format("  --hierarchical-context-parallel-sizes {} {}\n", shard.context_heads,
                          shard.context / shard.context_heads);
  }
  if (shard.expert > 1) text += fmt::format("  --expert-model-parallel-size {}\n", shard.expert);
  // Without it experts are cut as all else is.
  if (with_experts || shard.expert > 1 || shard.expert_tensor > 1)
    text += fmt::format("  --expert-tensor-parallel-size {}\n", shard.expert_tensor);
  return text;
}

std::string sharding(const Plan& plan, const Training& training) {
  const Sharding& sharding = plan.sharding;
  std::string text;
  if (sharding.level > 0) text += "  --use-distributed-optimizer\n";
  if (sharding.level > 1)
    text += fmt::format("  --use-megatron-fsdp\n  --data-parallel-sharding-strategy {}\n  --ckpt-format fsdp_dtensor\n",
                        sharding.level == 2 ? "optim_grads" : "optim_grads_params");
  const Stage& first = plan.stages.front();
  if (sharding.group > 0)
    text += fmt::format("  --num-distributed-optimizer-instances {}\n",
                        first.replicas() * first.degrees.context / sharding.group);
  if (training.hidden.gradients) text += "  --overlap-grad-reduce\n";
  if (training.hidden.gradients && training.hidden.weights && sharding.level > 0) text += "  --overlap-param-gather\n";
  return text;
}

std::string recomputation(const Recompute& recompute) {
  if (recompute.all && recompute.blocks >= 0)
    return fmt::format("  --recompute-granularity full\n  --recompute-method block\n  --recompute-num-layers {}\n",
                       recompute.blocks);
  if (recompute.modules.empty()) return {};
  return fmt::format("  --recompute-granularity selective\n  --recompute-modules {}\n",
                     fmt::join(recompute.modules, " "));
}

std::string precision(const Training& training) {
  std::string text;
  if (training.products == "fp8")
    text += fmt::format("  --fp8-format {}\n  --fp8-recipe {}\n", training.recipe == "blockwise" ? "e4m3" : "hybrid",
                        training.recipe == "current" ? "tensorwise"
                        : training.recipe.empty()    ? "delayed"
                                                     : training.recipe);
  if (training.products == "mxfp8") text += "  --fp8-format e4m3\n  --fp8-recipe mxfp8\n";
  if (training.products == "nvfp4") text += "  --fp4-format e2m1\n  --fp4-recipe nvfp4\n";
  if (training.narrow_weights) text += "  --fp8-param-gather\n";
  return text;
}

std::string experts(const LayerChoices& layers) {
  std::string text;
  if (layers.dispatcher == Dispatcher::all_gather) text += "  --moe-token-dispatcher-type allgather\n";
  if (layers.dispatcher == Dispatcher::all_to_all) text += "  --moe-token-dispatcher-type alltoall\n";
  if (layers.dispatcher == Dispatcher::flex) text += "  --moe-token-dispatcher-type flex\n";
  if (layers.capacity > 0)
    text += fmt::format("  --moe-expert-capacity-factor {:g}\n  --moe-pad-expert-input-to-capacity\n", layers.capacity);
  if (layers.hides_behind_shared_experts) text += "  --moe-shared-expert-overlap\n";
  return text + "  --moe-grouped-gemm\n";
}

/// Returns all sets of arguments for states, the simplest first.
std::vector<MegatronStates> all_states(const StepChoices& choices) {
  const bool muon = choices.training.optimizer_step == OptimizerStep::muon;
  const auto narrow = [&](bool gradients) { return !choices.wire || (choices.wire->gradients == 2) == gradients; };
  std::vector<MegatronStates> all;
  for (const bool gradients : {false, true})
    if (narrow(gradients)) all.push_back({.narrow_gradients = gradients, .muon = muon});
  for (const bool gradients : {false, true})
    for (const bool main : {false, true})
      for (const int first : {4, 2, 1})
        for (const int second : {4, 2, 1})
          if (narrow(gradients)) all.push_back({gradients, true, main, first, second, muon});
  return all;
}

/// Returns the arguments with which Megatron-LM keeps the plan's states; nothing if there are none. Bytes of the step
/// alone decide between equal ones.
std::optional<MegatronStates> states_of(const StepChoices& choices) {
  std::optional<MegatronStates> found;
  for (const MegatronStates& states : all_states(choices)) {
    StateBytes own = io::jobs::state_bytes_of(states, choices.training);
    if (own == *choices.states) return states;
    own.step = choices.states->step;
    if (!found && own == *choices.states) found = states;
  }
  return found;
}

std::string rest(const Training& training, bool interleaved) {
  std::string text;
  if (training.hidden.tensor) text += "  --tp-comm-overlap\n";
  if (training.hidden.expert) text += "  --overlap-moe-expert-parallel-comm\n";
  if (interleaved && !training.hidden.pipeline) text += "  --no-overlap-p2p-communication\n";
  if (training.loss == LossKind::fused) text += "  --cross-entropy-loss-fusion\n  --cross-entropy-fusion-impl native\n";
  if (training.loss == LossKind::in_place) text += "  --cross-entropy-loss-fusion\n  --cross-entropy-fusion-impl te\n";
  if (training.graphs == Graphs::all) text += "  --cuda-graph-impl local\n  --cuda-graph-scope full_iteration\n";
  if (training.graphs == Graphs::dense) text += "  --cuda-graph-impl transformer_engine\n";
  if (training.multi_token_blocks > 0) text += fmt::format("  --mtp-num-layers {}\n", training.multi_token_blocks);
  if (training.offloaded_blocks > 0)
    text += fmt::format("  --cpu-offloading-num-layers {}\n", training.offloaded_blocks);
  if (!training.fused_weight_gradients) text += "  --no-gradient-accumulation-fusion\n";
  if (training.offloads_optimizer) text += "  --optimizer-cpu-offload\n";
  return text;
}

/// Collects sentences "KEY: found ..., expected ...".
class Limitations {
 public:
  explicit Limitations(const Plan& plan) : plan_(plan), choices_(choices_of(plan)), training_(choices_.training) {}

  std::vector<std::string> all() {
    add_sharding();
    add_recomputation();
    add_training();
    add_states();
    return std::move(found_);
  }

 private:
  void add(bool wrong, std::string sentence) {
    if (wrong) found_.push_back(std::move(sentence));
  }

  void add_sharding() {
    const Sharding& sharding = plan_.sharding;
    const bool pipeline = plan_.stages.size() > 1;
    add(sharding.level > 1 && pipeline,
        fmt::format("sharding: found level {} with a pipeline, Megatron-LM has levels 2 and 3 without one",
                    sharding.level));
    add(sharding.reshard != Reshard::after_forward && sharding.level == 3,
        fmt::format("sharding: found weights freed {}, Megatron-LM frees them after the forward",
                    name_of(sharding.reshard)));
    add(sharding.copies != CopySync::each_step && sharding.group > 0,
        fmt::format("sharding: found copies kept equal by {}, Megatron-LM reduces them once a step",
                    name_of(sharding.copies)));
    const Shard shard = plan_.stages.front().shard();
    add(training_.hidden.tensor && !shard.divides_tokens(),
        "hidden: found tensor-parallel communication without sequence parallelism, which Megatron-LM needs for it");
  }

  void add_recomputation() {
    const Recompute& recompute = plan_.stages.front().recompute;
    add(recompute.operations, "recompute: found a choice by operation, Megatron-LM recomputes blocks or modules");
    add(training_.graphs != Graphs::none && recompute.all,
        "graphs: found CUDA graphs with whole blocks recomputed, Megatron-LM has one of them");
  }

  void add_training() {
    add(training_.recipe == "rowwise" || training_.recipe == "tensorwise",
        fmt::format("scaling: found {}, which casts weights for each product; Megatron-LM has delayed, current and "
                    "blockwise",
                    training_.recipe));
    add(training_.loss == LossKind::chunked || training_.loss == LossKind::separate,
        fmt::format("loss: found {}, Megatron-LM has plain, fused and in-place", name_of(training_.loss)));
    add(training_.adapters.rank > 0, "adapters: found some, Megatron-LM trains all weights");
    add(!training_.sample_lengths.empty(), "sample_lengths: found packed samples, Megatron-LM's GPT data has none");
    add(training_.optimizer_step == OptimizerStep::muon && plan_.sharding.level > 1,
        "optimizer_step: found muon with sharded gradients, Megatron-LM shards its states alone");
    add(choices_.layers.most_domains > 0,
        "most_domains: found a limit, which is the router's: set --moe-router-num-groups and --moe-router-group-topk");
  }

  void add_states() {
    if (!choices_.states) return;
    const StateBytes& bytes = *choices_.states;
    const std::optional<MegatronStates> states = states_of(choices_);
    add(states && states->precision_aware && plan_.sharding.level == 0 && plan_.zero == 0,
        "states: found those of the precision-aware optimizer, which Megatron-LM has with sharded states alone");
    add(!states, fmt::format("states: found {:g} + {:g} + {:g} bytes per weight, which no optimizer of "
                             "Megatron-LM keeps",
                             bytes.weights, bytes.gradients, bytes.optimizer));
  }

  const Plan& plan_;
  const StepChoices choices_;
  const Training& training_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> megatron_step_limitations(const Plan& plan) { return Limitations(plan).all(); }

std::string megatron_step_arguments(const Plan& plan, bool with_experts) {
  const StepChoices choices = choices_of(plan);
  const Stage& first = plan.stages.front();
  std::string text = degrees(first, with_experts) + sharding(plan, choices.training) + recomputation(first.recompute) +
                     precision(choices.training);
  if (first.degrees.expert > 1 || with_experts) text += experts(choices.layers);
  if (choices.states) text += io::jobs::arguments_of(*states_of(choices), choices.training);
  if (plan.choices)
    text += fmt::format("  --make-vocab-size-divisible-by {}\n", std::max(1, choices.layers.vocabulary_multiple));
  return text + rest(choices.training, plan.schedule == ScheduleKind::interleaved);
}

}  // namespace pipedeck::study::engines
