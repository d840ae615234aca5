// SPDX-License-Identifier: Apache-2.0
#include "core/cost/state_bytes.hpp"

#include <algorithm>
#include <array>

namespace pipedeck::cost {
namespace {

// Optimizer: a master copy of 4 bytes and two moments of 4, unless the row has other ones.
constexpr std::array<StateRecipe, 16> recipes{{
    {"mixed-18", {2, 4, 12}, "Megatron-LM: bf16, gradients accumulated in fp32"},
    {"mixed-16",
     {2, 2, 12, 4},
     "Megatron-LM: grad-reduce-in-bf16; the step makes fp32 copies, distrib_optimizer.py:2792"},
    {"fp32-masters", {4, 4, 8}, "torchtitan FSDP: the weights are the master copy"},
    {"deepspeed", {2, 6, 12}, "DeepSpeed ZeRO 2: 16-bit gradients and their fp32 copy (its estimator)"},
    {"deepspeed-3", {2, 4, 12}, "DeepSpeed ZeRO 3: its estimator has 18 bytes, one copy of the gradients"},
    {"precision-aware", {2, 4, 6}, "Megatron-LM: 16-bit moments, the master copy as a 16-bit remainder"},
    {"precision-aware-16", {2, 2, 6}, "the same with gradients in bf16"},
    {"precision-aware-fp8", {2, 4, 8}, "Megatron-LM: fp8 recipes but delayed scaling keep a whole master copy"},
    {"fp8-weights", {2, 4, 12}, "Megatron-LM: fp8-param-gather, both directions of the fp8 weights"},
    {"mxfp8-weights", {2 + 1.0 / 16, 4, 12}, "the same with a scale for each 32 elements"},
    {"muon", {2, 4, 8}, "Muon: one moment"},
    {"adapters", {2, 2, 8}, "LoRA in 16 bits, arXiv 2106.09685: two moments in fp32, no master copy"},
    {"adam-8bit",
     {2, 2, 2 + 2 * 4.0 / 256},
     "bitsandbytes: 8-bit moments, fp32 scales of blocks of 256 (arXiv 2110.02861)"},
    {"paged-adam-8bit",
     {2, 2, 2 + 2 * 4.0 / 256},
     "the same in pages of unified memory (arXiv 2305.14314, section 3)",
     true},
    // 16-bit gradients are summed in place. The step has them in fp32 and, as PyTorch's AdamW does, the root of the
    // second moment and the denominator: 4 + 8. Before, it frees fp32 copies for the norm and a flat copy: 4 + 2.
    {"internevo", {2, 2, 12, 12, 6}, "InternEvo: hybrid_zero_optim.py (_step), utils.py (compute_norm)"},
    // The norm's copies have the shapes of the fp32 gradients, which take their place.
    {"internevo-fsdp", {2, 2, 12, 12}, "InternEvo with FSDP: fsdp_optimizer.py (step)"},
}};

}  // namespace

std::span<const StateRecipe> state_recipes() { return recipes; }

std::optional<StateBytes> state_bytes(std::string_view recipe) {
  const auto* const found = std::ranges::find(recipes, recipe, &StateRecipe::name);
  return found == recipes.end() ? std::nullopt : std::optional(found->bytes);
}

StateBytes sharded_bytes(const StateBytes& bytes, const Sharding& sharding, int group, int copies, double gathered) {
  StateBytes held = bytes;
  const double optimizer_ranks = sharding.copies == CopySync::shard_optimizer ? double(group) * copies : group;
  if (sharding.level >= 1)
    held.optimizer /= optimizer_ranks, held.step /= optimizer_ranks, held.freed /= optimizer_ranks;
  if (sharding.level >= 2) held.gradients /= group;
  if (sharding.level >= 3) held.weights /= group;
  if (sharding.level == 3 && sharding.reshard == Reshard::after_step) {
    held.weights += gathered;
    held.gradients += bytes.gradients;
  }
  return held;
}

StateBytes held_bytes(const StateBytes& recipe, const Sharding& sharding, const plan::StageDegrees& degrees,
                      const RankWeights& weights) {
  const StateBytes dense = sharded_bytes(recipe, sharding, degrees.sharding, degrees.copies);
  const StateBytes expert = sharded_bytes(recipe, sharding, degrees.expert_sharding, degrees.copies);
  const auto sum = [&](double StateBytes::*kind) {
    return dense.*kind * weights.dense + expert.*kind * weights.expert;
  };
  return {sum(&StateBytes::weights), sum(&StateBytes::gradients), sum(&StateBytes::optimizer), sum(&StateBytes::step),
          sum(&StateBytes::freed)};
}

}  // namespace pipedeck::cost
