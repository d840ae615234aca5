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

/// The groups of a stage's device; null where it is alone.
struct StateGroups {
  std::shared_ptr<transport::Collective> ranks;    ///< the sharding group
  std::shared_ptr<transport::Collective> copies;   ///< devices with the same piece
  std::shared_ptr<transport::Collective> gathers;  ///< the sharding group again, for weights that passes need
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
  StateExchange(StatePieces pieces, const StateSeat& seat, StateGroups groups)
      : pieces_(std::move(pieces)), seat_(seat), groups_(std::move(groups)) {}

  const StatePieces& pieces() const { return pieces_; }
  const StateSeat& seat() const { return seat_; }
  const StateGroups& groups() const { return groups_; }
  /// Returns true if no other device has the stage's weights.
  bool alone() const { return !groups_.ranks && !groups_.copies; }
  /// Returns true if copies exchange gradients with each layer of each micro-batch.
  bool copies_each_micro_batch() const {
    return seat_.shards_gradients() && seat_.sharding.copies == CopySync::each_micro_batch;
  }

  /// Returns the device's piece of a layer's parameters, and the updated part of a piece.
  std::span<float> piece_of(std::size_t layer, std::span<float> whole) const;
  std::span<float> updated_of(std::size_t layer, std::span<float> piece) const;

  using Async = transport::Collective::AsyncCollective;
  /// Sums a layer's gradients over the ranks. The device's piece of `whole` receives the sum.
  Async reduce_ranks(std::size_t layer, std::span<float> whole, const tensor::Completion& ready) const;
  /// Sums the gradients in a piece over its copies. With divided copies only the updated part receives the sum.
  Async reduce_copies(std::size_t layer, std::span<float> piece, const tensor::Completion& ready) const;
  /// Does both.
  Async reduce(std::size_t layer, std::span<float> whole, const tensor::Completion& ready) const;

  /// Gathers the updated parts of a piece of weights from its copies, and a layer's pieces from the ranks.
  void gather_copies(std::size_t layer, std::span<float> piece) const;
  void gather_ranks(std::size_t layer, std::span<float> whole) const;

 private:
  StatePieces pieces_;
  StateSeat seat_;
  StateGroups groups_;
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
