// SPDX-License-Identifier: Apache-2.0
// The layout of a plan and its schedule, checked against the runtime's capabilities. It lists the stages of each
// device, its samples of each micro-batch, and its exchanges with other devices.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/groups.hpp"
#include "core/runtime/exec/staleness.hpp"
#include "core/runtime/exec/state_pieces.hpp"
#include "core/runtime/layers/recomputed_parts.hpp"

namespace pipedeck::runtime::exec {

/// The samples that a replica shares with a replica of a neighbouring stage.
struct PeerSlice {
  std::size_t peer = 0;  ///< position in Layout::placements; may be the device itself
  int replica = 0;       ///< replica number of the peer
  int first = 0;         ///< relative to the first sample of this replica
  int count = 0;
  bool operator==(const PeerSlice&) const = default;
};

/// The peers of a device at one end of its stage. At a stage's ends tensors are replicated on every rank of a
/// tensor-parallel replica: rank r receives from rank r mod t of a replica of t devices. Context ranks receive from
/// their own rank.
struct StageBoundary {
  std::vector<PeerSlice> from, to;
};

/// A copy of a stage on a device.
struct LocalStage {
  StageId stage;
  int copy = 0;  ///< its micro-batches are given by Schedule::copy_of
  int rank = 0;  ///< among the devices of the copy (core/plan/groups)
  int replica = 0;
  int tensor_rank = 0, tensor_parallel = 1;
  int context_rank = 0, context = 1;  ///< its positions of every sample (layers::context_positions)
  int heads_ranks = 1;                ///< context ranks that exchange heads
  int expert_ranks = 1;               ///< that divide the experts of a layer, x e
  int first_sample = 0, samples = 0;  ///< of each micro-batch: contiguous ranges in replica order
  /// Recomputed layers, relative to the stage's first; `by_block`: each segment just before its own backward.
  std::vector<plan::RecomputedSegment> recompute;
  bool by_block = false;
  layers::RecomputedParts discarded;  ///< parts of the stage's other layers that are recomputed (modules)
  /// Activations come from `previous` and gradients from `next`; outputs go the other way. Asynchronous replicas take
  /// whole mini-batches in turn: each list has every replica of that stage, and mini-batch b belongs to replica b mod
  /// r.
  StageBoundary previous, next;
  std::size_t module = 0;  ///< index on the device: copies of one stage on one device share their weights
  StateSeats states;       ///< among the workers with the same weights
  bool has_head = false;   ///< its last layer shares the table of the model's first one
  bool borrows = false;    ///< that table is on the device, in its first module
};

/// An assignment of chunks and operations to one device.
struct DeviceAssignment {
  DeviceId device;
  std::vector<LocalStage> chunks;  ///< ascending by stage, then copy
  LaneOrder order;

  const LocalStage* chunk(StageId stage, int copy) const;
  std::size_t modules() const { return chunks.back().module + 1; }
  /// Returns the first of the chunks that share a module.
  const LocalStage& chunk_of_module(std::size_t module) const;
};

struct Layout {
  std::vector<DeviceAssignment> placements;            ///< in device order
  std::vector<std::vector<plan::StageGroups>> groups;  ///< by stage and copy
  int copies = 1;
  /// Micro-batches of a step. An asynchronous run numbers its mini-batches across all of its steps.
  int micro_batches = 1, all_micro_batches = 1;
  std::optional<Staleness> staleness;  ///< of asynchronous runs
  bool freezes = false;                ///< weights next to adapters are not trained

  /// Returns the workers of a copy of a stage, and those in a group of the chunk's copy, in rank order.
  std::vector<std::size_t> workers_of(StageId stage, int copy) const;
  std::vector<std::size_t> group(plan::GroupFamily family, const LocalStage& chunk) const;
  /// Returns the workers with the same weights as `chunk`'s device, whose gradients are summed: by copy of the stage,
  /// then by rank. A worker with several copies counts once.
  std::vector<std::size_t> data_parallel_group(const LocalStage& chunk) const {
    return holders(plan::GroupFamily::data_context, chunk);
  }
  /// Returns those with the same experts.
  std::vector<std::size_t> expert_data_group(const LocalStage& chunk) const {
    return holders(plan::GroupFamily::expert_data, chunk);
  }
  /// Returns those with the same part of the table that both ends of the model share: first the first stage's.
  std::vector<std::size_t> table_group(const LocalStage& chunk) const;
  /// Returns the devices that have all experts of a layer together.
  std::vector<std::size_t> expert_group(const LocalStage& chunk) const {
    return group(plan::GroupFamily::expert_all, chunk);
  }
  /// Returns the devices of the chunk's replica and context rank, by rank: each has its shard of every layer.
  std::vector<std::size_t> tensor_parallel_group(const LocalStage& chunk) const {
    return group(plan::GroupFamily::tensor, chunk);
  }
  /// Returns the devices of the chunk's replica and tensor-parallel rank, by rank: each has its positions.
  std::vector<std::size_t> context_group(const LocalStage& chunk) const {
    return group(plan::GroupFamily::context, chunk);
  }
  /// Returns those that exchange heads, and those that pass keys and values on, if there are both (heads+ring).
  std::vector<std::vector<std::size_t>> context_subgroups(const LocalStage& chunk) const {
    if (chunk.heads_ranks == 1 || chunk.heads_ranks == chunk.context) return {};
    return {group(plan::GroupFamily::context_heads, chunk), group(plan::GroupFamily::context_sequence, chunk)};
  }

  bool synchronous() const { return !staleness; }
  int copy_of(int micro_batch) const {
    return static_cast<int>(static_cast<std::int64_t>(micro_batch) * copies / all_micro_batches);
  }

 private:
  std::vector<std::size_t> workers(const plan::RankGroup& devices) const;
  std::vector<std::size_t> holders(plan::GroupFamily family, const LocalStage& chunk) const;
};

/// Returns the workers of `holders`, which have the same weights, that share one set of model states with the worker of
/// this seat: consecutive ones. And those that have the same piece.
std::vector<std::size_t> sharding_group(const std::vector<std::size_t>& holders, const StateSeat& seat);
std::vector<std::size_t> state_copies(const std::vector<std::size_t>& holders, const StateSeat& seat);

/// Returns the groups of a chunk's states in the order in which its worker joins them.
struct StateMembers {
  std::vector<std::size_t> ranks, copies, gathers;  ///< StateGroups' members
};
StateMembers dense_members(const Layout& layout, const LocalStage& chunk);
StateMembers expert_members(const Layout& layout, const LocalStage& chunk);
StateMembers table_members(const Layout& layout, const LocalStage& chunk);

/// Lays out a plan. bad_input with a reason that names the needed change if the plan cannot be run. The operation lists
/// of asynchronous plans cover `steps` global batches. `ends_apart`: a table that the model's ends share is there
/// twice, for profiles.
Result<Layout> lay_out(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps = 1,
                       bool ends_apart = false);

}  // namespace pipedeck::runtime::exec
