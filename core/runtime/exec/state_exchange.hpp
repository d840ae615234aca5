// SPDX-License-Identifier: Apache-2.0
// The collectives of a stage whose model states are sharded (parallelism.md, section 5): gradients are reduce-scattered
// into pieces, and updated pieces of weights are gathered.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/runtime/exec/collective_thread.hpp"
#include "core/runtime/exec/state_pieces.hpp"
#include "core/runtime/tensor/tensor.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::exec {

/// The groups of a device that hold the same weights; null where it is alone.
struct StateGroups {
  std::shared_ptr<transport::Collective> ranks;    ///< the sharding group
  std::shared_ptr<transport::Collective> copies;   ///< devices with the same piece
  std::shared_ptr<transport::Collective> gathers;  ///< the sharding group again, for weights that passes need

  bool alone() const { return !ranks && !copies; }
};

/// A worker that reports its waits.
struct WaitingWorker {
  transport::RunControl& control;
  std::size_t worker = 0;

  /// Runs `work` while other replicas may be waited for.
  template <class Work>
  auto wait_for_replicas(const Work& work) const {
    control.set_waiting(worker, transport::WaitReason::all_reduce);
    auto result = work();
    control.set_waiting(worker, transport::WaitReason::nothing);
    return result;
  }
};

class StateExchange {
 public:
  /// `seat`: of all weights but those of experts.
  StateExchange(StatePieces pieces, const StateSeat& seat, StateGroups dense, StateGroups experts,
                StateGroups table = {})
      : pieces_(std::move(pieces)),
        seat_(seat),
        dense_(std::move(dense)),
        experts_(std::move(experts)),
        table_(std::move(table)) {}

  const StatePieces& pieces() const { return pieces_; }
  const StateSeat& seat() const { return seat_; }
  /// Returns the groups of a unit of a layer (StatePieces).
  const StateGroups& groups(std::size_t unit) const {
    const StateClass of = pieces_.class_of(unit);
    return of == StateClass::dense ? dense_ : of == StateClass::experts ? experts_ : table_;
  }
  /// Returns true if no other device has the stage's weights. The other end of the model may have its table.
  bool alone() const { return dense_.alone() && experts_.alone(); }
  bool has_copies() const { return dense_.copies || experts_.copies; }
  /// Returns the group that sums all gradients of the stage, whole or the device's pieces of them. Null if it takes
  /// more than one all-reduce: over ranks, over parts of copies, over experts, or apart from a table.
  transport::Collective* sums_at_once(bool pieces) const {
    const bool one = (pieces || !dense_.ranks) && pieces_.all_dense() && !seat_.divides_copies();
    return one ? dense_.copies.get() : nullptr;
  }
  /// Returns true if copies exchange gradients with each layer of each micro-batch.
  bool copies_each_micro_batch() const {
    return seat_.shards_gradients() && seat_.sharding.copies == CopySync::each_micro_batch;
  }

  // `whole` is a layer's parameters, `piece` a unit's piece of them.

  /// Returns the device's piece of a unit, and the updated part of a piece.
  std::span<float> piece_of(std::size_t unit, std::span<float> whole) const;
  std::span<float> updated_of(std::size_t unit, std::span<float> piece) const;

  using Async = transport::Collective::AsyncCollective;
  /// Sums a layer's gradients over the ranks. The device's pieces of `whole` receive the sum.
  Async reduce_ranks(std::size_t layer, std::span<float> whole, const tensor::Completion& ready) const;
  /// Sums the gradients in a piece over its copies. With divided copies only the updated part receives the sum.
  Async reduce_copies(std::size_t unit, std::span<float> piece, const tensor::Completion& ready) const;
  /// Does both, for all units of a layer but a shared table. A table's gradients that passes sum over the ranks it sums
  /// over these alone.
  Async reduce(std::size_t layer, std::span<float> whole, const tensor::Completion& ready) const;

  /// Sums the gradients of a shared table over all devices of both ends that have it. `piece`: the device's piece is
  /// summed over the ranks.
  Async reduce_table(std::size_t unit, std::span<float> values, bool piece, const tensor::Completion& ready) const;

  /// Gathers the updated parts of a piece of weights from its copies, and a unit's pieces from the ranks.
  void gather_copies(std::size_t unit, std::span<float> piece) const;
  void gather_ranks(std::size_t unit, std::span<float> whole) const;
  /// Gathers a layer's pieces, which the device has one after the other in `pieces`, for the passes.
  Async gather(std::size_t layer, std::span<const float> pieces, std::span<float> whole,
               const tensor::Completion& ready, tensor::ComputeDevice& device) const;

 private:
  std::span<float> unit_of(std::size_t unit, std::span<float> whole) const;
  Async reduce_unit(std::size_t unit, std::span<float> whole, const tensor::Completion& ready) const;

  StatePieces pieces_;
  StateSeat seat_;
  StateGroups dense_, experts_, table_;
};

/// Gradients of which a device keeps its pieces only (level 2). A layer's whole gradients exist while its backward
/// computes them, and until they are reduced.
class ScatteredGradients {
 public:
  /// `thread` reduces during the passes; null: each backward waits for its reductions.
  ScatteredGradients(std::shared_ptr<const StateExchange> exchange, std::shared_ptr<tensor::DeviceMemory> memory,
                     WaitingWorker waiting, std::unique_ptr<CollectiveThread> thread);

  /// Returns zeros, to which the backward of a micro-batch adds a layer's gradients.
  std::span<float> begin(std::size_t layer);
  /// Reduces the layer's gradients, which are complete for the micro-batch, and adds its piece to `pieces`.
  void end(std::size_t layer, tensor::Tensor& pieces);
  /// Completes all reductions.
  void finish(tensor::Tensor& pieces);
  /// Returns when reductions were active since the last call.
  std::vector<CollectiveThread::Times> consume_times() { return std::exchange(times_, {}); }
  bool has_thread() const { return thread_ != nullptr; }

 private:
  struct Layer {
    std::size_t index = 0;
    tensor::Tensor whole;
  };
  void add_first(tensor::Tensor& pieces);

  /// Whole layers that may exist at a time, besides the one that is computed.
  static constexpr std::size_t max_active = 2;
  std::shared_ptr<const StateExchange> exchange_;
  std::shared_ptr<tensor::DeviceMemory> memory_;
  WaitingWorker waiting_;
  std::unique_ptr<CollectiveThread> thread_;
  std::deque<Layer> layers_;  ///< in the order of their reductions; last: the one that is computed
  std::vector<CollectiveThread::Times> times_;
};

/// Weights of which a device keeps its pieces only (level 3). A layer is gathered before it is used.
class GatheredWeights {
 public:
  /// `thread` gathers ahead of the passes; null: a pass waits for each gather.
  GatheredWeights(std::shared_ptr<const StateExchange> exchange, std::shared_ptr<tensor::DeviceMemory> memory,
                  WaitingWorker waiting, std::unique_ptr<CollectiveThread> thread);

  /// Begins to gather a layer that will be used next, if there is a thread and the layer is not whole.
  void prefetch(std::size_t layer, const tensor::Tensor& pieces);
  /// Returns a layer's whole weights. They stay until release() was called as often.
  std::span<const float> acquire(std::size_t layer, const tensor::Tensor& pieces);
  void release(std::size_t layer);
  bool holds(std::size_t layer) const { return !layers_[layer].whole.empty(); }
  /// Frees the layers that stay whole until the optimizer step.
  void end_step();
  bool has_thread() const { return thread_ != nullptr; }

 private:
  struct Layer {
    tensor::Tensor whole;
    int users = 0;
  };
  void begin(std::size_t layer, const tensor::Tensor& pieces);

  std::shared_ptr<const StateExchange> exchange_;
  std::shared_ptr<tensor::DeviceMemory> memory_;
  WaitingWorker waiting_;
  std::unique_ptr<CollectiveThread> thread_;
  std::vector<Layer> layers_;
  std::deque<std::size_t> arriving_;  ///< layers that the thread gathers, in order
};

}  // namespace pipedeck::runtime::exec
