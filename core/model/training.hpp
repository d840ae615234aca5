// SPDX-License-Identifier: Apache-2.0
// The choices of engine and run, in addition to degrees, that time and memory of a step depend on (formats.md, "Plan").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipedeck {

/// A way of computing the loss from the last block's output (parallelism.md, "Ends").
enum class LossKind {
  plain,     ///< logits in 16 bits and, for the loss, in fp32 (Megatron-LM)
  fused,     ///< the loss reads 16-bit logits: only they and their gradients are held
  in_place,  ///< gradients take the place of 16-bit logits (TransformerEngine)
  chunked,   ///< a part of the tokens at a time
  separate,  ///< logits, log-softmax and both gradients as tensors of their own (PyTorch's cross_entropy)
};
std::string_view name_of(LossKind);  // "in-place"
std::optional<LossKind> parse_loss_kind(std::string_view);

/// A set of kernels that CUDA graphs launch; the host launches the others one by one.
enum class Graphs {
  none,
  dense,  ///< layers without routed experts, whose sizes are known (TransformerEngine)
  all,    ///< a whole step
};
std::string_view name_of(Graphs);  // "dense"
std::optional<Graphs> parse_graphs(std::string_view);

/// A set of communication that engines hide behind compute.
struct Hidden {
  bool gradients = true;  ///< their reduction, behind the last backward
  bool weights = true;    ///< their gathers: behind the next forwards, or one unit ahead (level 3)
  bool tensor = false;    ///< in pieces, behind products (tp-comm-overlap, async TP)
  bool expert = false;    ///< all-to-all of one micro-batch, behind another's passes
  bool pipeline = true;   ///< sends between stages, behind passes
  bool operator==(const Hidden&) const = default;
};

/// A number format of weights that are not trained. They are converted to 16 bits before each product.
enum class FrozenWeights {
  same,  ///< as trained weights
  int8,
  nf4,  ///< 4 bits and doubly quantized scales (QLoRA, arXiv 2305.14314, section 3)
};
/// Returns the bytes of a weight of a product, with its scales; `same`: of a trained one. NF4 has 4 bits and 0.127 bits
/// of scales (QLoRA, section 3); those of int8 rows are left out, below 0.1 %.
constexpr double frozen_bytes(FrozenWeights frozen, double same) {
  if (frozen == FrozenWeights::nf4) return (4 + 0.127) / 8;
  return frozen == FrozenWeights::int8 ? 1 : same;
}
std::string_view name_of(FrozenWeights);  // "nf4"
std::optional<FrozenWeights> parse_frozen_weights(std::string_view);

/// A set of products that have adapters.
enum class AdapterTargets {
  query_value,  ///< as in LoRA's paper
  attention,    ///< queries, keys, values and output
  linear,       ///< and those of feed-forwards and experts
};
std::string_view name_of(AdapterTargets);  // "query-value"
std::optional<AdapterTargets> parse_adapter_targets(std::string_view);

/// A selection of trained weights.
struct Adapters {
  int rank = 0;  ///< of low-rank adapters next to frozen weights (LoRA, arXiv 2106.09685); 0: all weights are trained
  AdapterTargets targets = AdapterTargets::linear;
  FrozenWeights frozen = FrozenWeights::same;
  bool operator==(const Adapters&) const = default;
};

/// A number of bytes per parameter, before sharding.
struct StateBytes {
  double weights = 2, gradients = 4, optimizer = 12;
  double step = 0;   ///< of the optimizer step alone, sharded as its states
  double freed = 0;  ///< by that step before its peak, sharded alike: the framework's allocator holds them free
  bool operator==(const StateBytes&) const = default;
};

/// A number of bytes per weight on the wire.
struct WireBytes {
  double weights = 2;    ///< w_p: 16 bits; 1 where fp8 weights are gathered
  double gradients = 4;  ///< w_g: fp32; 2 where gradients are reduced in 16 bits
  bool operator==(const WireBytes&) const = default;
};

/// A kind of optimizer step.
enum class OptimizerStep {
  elementwise,  ///< Adam and its kin: reads and writes states once
  muon,         ///< orthogonalizes the momentum of each matrix by products (Muon, arXiv 2502.16982)
};
std::string_view name_of(OptimizerStep);  // "muon"
std::optional<OptimizerStep> parse_optimizer_step(std::string_view);

/// A number of units by which gathers of sharded weights are ahead of compute.
enum class GatherAhead {
  one = 1,  ///< a unit's gather starts as soon as the unit before begins to compute
  two = 2,  ///< as soon as the unit before that one does: forward of PyTorch's FSDP2
};

/// A part of a distribution of samples' lengths: packed sequences are cut from such samples.
struct LengthShare {
  int tokens = 0;
  double share = 0;  ///< of all samples; the shares' sum is 1
  bool operator==(const LengthShare&) const = default;
};

/// The share of a pass's bytes that PyTorch's allocator holds free in addition (*derived*: the reserved bytes of
/// torchtitan's runs ask for 0.10 to 0.14; parallelism.md, "Memory of a rank").
inline constexpr double pytorch_cached = 0.12;

/// A set of choices of engine and run in addition to degrees.
struct Training {
  std::string products = "bf16";  ///< precision of large products: bf16, fp16, fp8, mxfp8, nvfp4; empty: the profile's
  std::string attention{};        ///< its kernels, if not the best of the device type: "flash-2" (arXiv 2307.08691)
  std::string recipe{};           ///< scaling of fp8: "delayed", "current", "tensorwise", "rowwise", "blockwise"
  Hidden hidden{};
  Graphs graphs = Graphs::none;
  LossKind loss = LossKind::plain;
  int loss_chunks = 8;         ///< with LossKind::chunked
  int multi_token_blocks = 0;  ///< that predict further tokens, on the last stage (arXiv 2412.19437, section 2.2)
  Adapters adapters{};
  OptimizerStep optimizer_step = OptimizerStep::elementwise;
  GatherAhead forward_ahead = GatherAhead::one;  ///< of sharded weights, in the forward
  bool waits_for_input_gradients = false;        ///< tensor ranks' reductions of them are behind no weight gradient
  bool scatters_sends = false;  ///< tensor ranks send a part each of what all hold (arXiv 2104.04473, section 4.1)
  int owned_tensors = 0;  ///< of a block, each broadcast by its owner after the step; 0: shards are gathered (level 1)
  std::vector<LengthShare> sample_lengths{};  ///< packed into sequences; empty: a sample is a sequence
  // Memory alone asks for these.
  bool fused_weight_gradients = true;  ///< products add to the gradients themselves (Megatron-LM)
  bool narrow_weights = false;         ///< weights are held as products use them (fp8-param-gather), without copies
  bool keeps_stage_outputs = false;    ///< until the backward (DeepSpeed), though only the next stage uses them
  int offloaded_blocks = 0;            ///< of each stage: what they keep is on the host (cpu_offloading_num_layers)
  bool offloads_optimizer = false;     ///< states are on the host, and the step is computed there
  bool pages_optimizer = false;        ///< states are on the host, and come to the device for the step (bitsandbytes)
  double bucket = 0;                   ///< weights whose gradients are copied to be reduced (DeepSpeed: 5e8)
  double cached = 0;                   ///< share of a pass's bytes that the allocator holds free in addition
  double context = 1e9;                ///< bytes of a process without tensors and communicators: CUDA, its kernels
  bool own_groups = false;             ///< the engine has communicators in addition to the model's (DeepSpeed's grid)
  bool compiled = false;               ///< a compiler drops outputs that no backward reads (torch.compile)
  bool operator==(const Training&) const = default;
};

/// A way by which tokens reach their experts (Megatron-LM, moe-token-dispatcher-type).
enum class Dispatcher {
  all_to_all,  ///< each token once for each of its experts
  all_gather,  ///< each token to all ranks
  flex,        ///< each token once to each NVLink domain, and copied inside (DeepEP, HybridEP)
};
std::string_view name_of(Dispatcher);  // "all-to-all"
std::optional<Dispatcher> parse_dispatcher(std::string_view);

/// A set of choices of engine and run that layers depend on.
struct LayerChoices {
  Dispatcher dispatcher = Dispatcher::all_to_all;
  double imbalance = 1;  ///< rows of the fullest rank's experts over the mean, 1 or more
  double capacity = 0;   ///< capacity factor: experts take as many rows, padded, whatever the routing; 0: dropless
  int most_domains = 0;  ///< to which a token's experts are limited (arXiv 2412.19437, section 2.1.2); 0: any
  double dispatch_element = 0;  ///< bytes per element of dispatched tokens, with scales; 0: as the activations'
  bool hides_behind_shared_experts = false;  ///< dispatch and combine (moe-shared-expert-overlap)
  bool weighs_activation = false;            ///< probabilities weigh the activation, so the experts' output is not kept
  bool keeps_gathered = false;               ///< gathered inputs are kept whole instead of gathered again (torchtitan)
  bool sends_output_back = false;  ///< exchanged heads: backward exchanges the output, too (TransformerEngine < 2.8)
  int vocabulary_multiple = 0;     ///< words are padded to a multiple of this x T; 0: not padded
  bool operator==(const LayerChoices&) const = default;
};

/// A plan's choices in addition to degrees. Without `states` and `wire`, optimizer and precision of the plan set them.
struct StepChoices {
  Training training{};
  LayerChoices layers{};
  std::optional<StateBytes> states{};
  std::optional<WireBytes> wire{};
  bool operator==(const StepChoices&) const = default;
};

}  // namespace pipedeck
