// SPDX-License-Identifier: Apache-2.0
// The bytes that a rank holds, as training engines have them (parallelism.md, "Memory of a rank").
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/base/result.hpp"
#include "core/mesh/prediction.hpp"
#include "core/mesh/question.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::mesh {

/// A stage's bytes on a rank.
struct StageMemory {
  double weights = 0, gradients = 0, optimizer = 0;  ///< all the time
  double step = 0;                                   ///< in addition, while the optimizer steps
  double freed = 0;                                  ///< by the step before its peak, then free in the allocator
  double copies = 0;                                 ///< of weights in a narrow precision, all the time
  double kept = 0;                                   ///< of each micro-batch, from its forward to its backward
  double boundary = 0;                               ///< input received from the stage before, part of `kept`
  double transfers = 0;                              ///< buffers of sends to neighbours and receives from them
  double gathered = 0;                               ///< whole units of sharded weights and gradients, during passes
  double peak_forward = 0, peak_backward = 0;        ///< in addition, while a pass runs: restored blocks, gradients of
                                                     ///< activations, logits, workspaces
  double offloaded = 0;                              ///< of each micro-batch, kept on the host instead
  double host_states = 0;                            ///< of the optimizer, on the host
  double host_copies = 0;                            ///< of gradients and weights on their way, on the host
};

/// Returns the bytes of one stage. `layers`: those of the stage, in order, without multi-token blocks. bad_input if the
/// degrees do not divide the stage's devices.
Result<StageMemory> stage_memory(const Question& question,
                                 std::span<const analytic::transformer::shards::LayerShard> layers, bool is_first,
                                 bool is_last);

/// Returns the bytes of a layer's kept items, apart from those that frozen weights do without.
double kept_items(const analytic::transformer::shards::LayerShard& layer, const Training& training);

/// Returns the bytes that a layer of the stage's block number `block` keeps from forward to backward.
double kept_for_backward(const Question& question, const analytic::transformer::shards::LayerShard& layer, int block);

/// Returns the bytes outside of the framework's allocator: context, and buffers of the rank's communicators. With
/// Training::own_groups also those of DeepSpeed's grid (pipe/topology.py: all ranks of a replica, data ranks, pipeline,
/// tensor ranks) and of tied words on both ends.
double fixed_bytes(const Question& question);

/// Returns the most micro-batches whose activations stage number `chunk` of pipeline rank `rank` keeps at the same
/// time, from the forward to the backward, or to the weight gradient where that is apart. 1F1B: min(P - i, M).
/// Interleaved: the mean of the rank's stages, schedules.py:964. ZB-H1: min(P, M), ZB-H2: min(2 P - 1, M), arXiv
/// 2401.10241, section
/// 3. ZB-V and DualPipeV: as their lists have it, 2 P and 2 P + 1 of both stages together.
double micro_batches_kept(const Question& question, int rank, int chunk);

/// Bytes that libraries take from the framework's allocator: workspaces of cuBLAS and TransformerEngine.
inline constexpr double library_workspace = 200e6;

/// The share of a device's memory that runs can use; the driver takes the rest.
inline constexpr double usable_share = 0.985;

/// A rank's peak by item.
struct RankMemory {
  MemoryBreakdown items;    ///< at the peak; reserve: context, what the allocator caches
  double peak = 0;          ///< allocated: as torch.cuda.max_memory_allocated has it
  double needed = 0;        ///< and context, communicators: with less, the run fails
  double with_context = 0;  ///< and what the allocator holds free: as nvidia-smi has it
  HostMemory host;          ///< the rank's part, without a capacity
};

/// Returns the peak of pipeline rank `rank`. `stages`: those of the rank.
RankMemory rank_memory(const Question& question, int rank, std::span<const StageMemory> stages);

}  // namespace pipedeck::mesh
