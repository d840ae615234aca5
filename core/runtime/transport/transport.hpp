// SPDX-License-Identifier: Apache-2.0
// Interfaces that join the workers of a run: threads of one process, processes (MPI) or GPUs (NCCL). Workers are
// numbered by their position in Layout::placements. A wait throws Interrupted when the run fails or is stopped. It
// fails the run when no worker makes progress for its time-out (control.hpp).
#pragma once

#include <chrono>
#include <compare>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/runtime/tensor/tensor.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck::runtime::transport {

/// A message's key: the activation that a copy of `stage` computes, or the gradient of its input, of one micro-batch.
struct MessageKey {
  bool gradient = false;
  StageId stage;        ///< of the sender
  int micro_batch = 0;  ///< numbered across the mini-batches of an asynchronous run
  auto operator<=>(const MessageKey&) const = default;
};

struct Message {
  tensor::Tensor tensor;
  tensor::Completion posted;  ///< when sending began; from another machine: when it began to arrive
};

/// A worker's end of all its connections. Only that worker's thread uses it.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// Returns at once; the transfer overlaps the worker's computation. Each key is sent once per step.
  virtual void send(std::size_t peer, MessageKey key, tensor::Tensor tensor) = 0;
  /// Waits until the whole message has arrived. `samples` x `width` is the shape that the sender sends.
  virtual Message receive(std::size_t peer, MessageKey key, int samples, std::int64_t width) = 0;
  /// Like receive(), from any thread. Empty if the message has not arrived within `patience`. Ignores the run's state.
  virtual std::optional<Message> receive_within(std::size_t peer, MessageKey key,
                                                std::chrono::milliseconds patience) = 0;
};

/// Returns the position of a rank's values behind those of the ranks before it.
inline std::size_t offset_of(std::span<const std::size_t> counts, std::size_t rank) {
  return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(rank), std::size_t{0});
}

/// A member's handle of a group of workers: replicas of a stage, or ranks of a tensor-parallel group. All members call
/// the same operations in the same order, with the same number of values unless stated otherwise. Counts may be uneven
/// and 0. Each call returns the time when the work began, which is when all members had arrived. Results are bitwise
/// identical on all members.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual tensor::Completion all_reduce(std::span<float> values) = 0;  ///< sums, in rank order
  /// The begin and end of an overlapped collective. It starts after `ready`. If `ended` is set, the device must wait
  /// for it before using the values. Otherwise the work was enqueued on the device's own stream.
  struct AsyncCollective {
    tensor::Completion began;
    std::optional<tensor::Completion> ended;
  };
  virtual AsyncCollective all_reduce_async(std::span<float> values, const tensor::Completion& ready) {
    static_cast<void>(ready);
    return {all_reduce(values), std::nullopt};
  }
  virtual AsyncCollective all_gather_async(std::span<const float> mine, std::span<float> all,
                                           std::span<const std::size_t> counts, const tensor::Completion& ready) {
    static_cast<void>(ready);
    return {all_gather(mine, all, counts), std::nullopt};
  }
  virtual AsyncCollective reduce_scatter_async(std::span<const float> values, std::span<float> mine,
                                               std::span<const std::size_t> counts, const tensor::Completion& ready) {
    static_cast<void>(ready);
    return {reduce_scatter(values, mine, counts), std::nullopt};
  }
  virtual tensor::Completion all_reduce_max(std::span<float> values) = 0;
  /// Gathers the `mine` of every rank into `all`, in rank order. `counts` holds the number of values of each rank.
  virtual tensor::Completion all_gather(std::span<const float> mine, std::span<float> all,
                                        std::span<const std::size_t> counts) = 0;
  /// Sums the `values` of all ranks in rank order. They are divided into consecutive pieces of `counts` values, and
  /// rank r receives piece r of the sum in `mine`, with the bits of all_reduce(). `mine` may be the rank's own piece of
  /// its `values`; the others are unchanged.
  virtual tensor::Completion reduce_scatter(std::span<const float> values, std::span<float> mine,
                                            std::span<const std::size_t> counts) = 0;
  /// Sends to_counts[r] consecutive values of `to` to each rank r, in rank order. Receives from_counts[r] values of
  /// rank r into `from`, in rank order. The counts of each pair of ranks agree.
  virtual tensor::Completion all_to_all(std::span<const float> to, std::span<const std::size_t> to_counts,
                                        std::span<float> from, std::span<const std::size_t> from_counts) = 0;
  virtual tensor::Completion broadcast(int root, std::span<float> values) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// True if the worker is in this process; only these workers have an endpoint here.
  virtual bool is_local(std::size_t worker) const = 0;
  /// Connects a worker. Called on its thread before its first operation. Waits for the others if necessary.
  virtual void connect(std::size_t) {}
  virtual Endpoint& endpoint(std::size_t worker) = 0;
  /// Creates the group of `members`, given in rank order. All members call it before the first step, in the same order
  /// everywhere. Joining the same members again creates an independent group.
  virtual std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) = 0;
};

}  // namespace pipedeck::runtime::transport
