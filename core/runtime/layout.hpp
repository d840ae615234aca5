// SPDX-License-Identifier: Apache-2.0
// A plan and its schedule, checked against what the runtime can do and laid out: which stages a device holds, which
// samples of each micro-batch it works on, and with whom it exchanges which.
#pragma once

#include <cstdint>
#include <vector>

#include "core/domain/model.hpp"
#include "core/domain/plan.hpp"
#include "core/domain/result.hpp"
#include "core/domain/schedule.hpp"
#include "core/runtime/staleness.hpp"

namespace pipedeck {

/// The samples that a replica has in common with one of a neighbouring stage.
struct Exchange {
  std::size_t peer = 0;  ///< position in Layout::placements; may be the device itself
  int replica = 0;       ///< the peer's
  int first = 0;         ///< from the first sample of this replica on
  int count = 0;
  bool operator==(const Exchange&) const = default;
};

/// With whom a device exchanges tensors over one end of its stage. At a stage's ends they are whole on every rank of a
/// tensor-parallel replica: rank r takes from rank r mod t of a replica of t devices.
struct StageEnd {
  std::vector<Exchange> from, to;
};

/// A copy of a stage on a device.
struct PlacedChunk {
  StageId stage;
  int copy = 0;  ///< whose micro-batches are those of Schedule::copy_of
  int replica = 0;
  int tensor_rank = 0, tensor_parallel = 1;
  int first_sample = 0, samples = 0;  ///< of each micro-batch: contiguous ranges in replica order
  std::vector<bool> recompute;        ///< a layer of the stage
  /// Activations come from `previous` and gradients from `next`, and go the other way. Asynchronous replicas take whole
  /// mini-batches in turn: there each list has every replica of that stage, and mini-batch b is the (b mod r)-th's.
  StageEnd previous, next;
  std::size_t module = 0;  ///< among the device's: copies of one stage on one device share their weights
};

/// What one device does.
struct Placement {
  DeviceId device;
  std::vector<PlacedChunk> chunks;  ///< ascending by stage, then copy
  LaneOrder order;

  const PlacedChunk* chunk(StageId stage, int copy) const;
  std::size_t modules() const { return chunks.back().module + 1; }
  /// The first of the chunks that share a module.
  const PlacedChunk& chunk_of_module(std::size_t module) const;
};

struct Layout {
  std::vector<Placement> placements;  ///< in device order
  /// Of each stage: workers that hold its weights, by copy, replica and tensor-parallel rank.
  std::vector<std::vector<std::size_t>> replicas;
  int copies = 1;
  /// Micro-batches of a step; an asynchronous run counts its mini-batches on, up to all those of all its steps.
  int micro_batches = 1, all_micro_batches = 1;
  std::optional<Staleness> staleness;  ///< of asynchronous runs

  /// Those that hold the same weights as `chunk`'s device, and whose gradients are summed.
  std::vector<std::size_t> holders_of_the_same(const PlacedChunk& chunk) const;
  /// The devices of its replica, by rank: each has its part of every layer.
  std::vector<std::size_t> tensor_group(const PlacedChunk& chunk) const;

  bool synchronous() const { return !staleness; }
  int copy_of(int micro_batch) const {
    return static_cast<int>(static_cast<std::int64_t>(micro_batch) * copies / all_micro_batches);
  }
};

/// bad_input where the plan can't be run: reasons name what to change. Orders of asynchronous plans are those of
/// `steps` global batches.
Result<Layout> lay_out(const ModelSpec& model, const Plan& plan, const Schedule& schedule, int steps = 1);

}  // namespace pipedeck
