// SPDX-License-Identifier: Apache-2.0
// What joins the workers of a run, whatever carries the bytes: threads of one process, processes (MPI), GPUs (NCCL).
// Workers are numbered by their position in Layout::placements. A wait ends with Interrupted when the run fails or is
// stopped, and fails the run when nobody gets on for its time-out (control.hpp).
#pragma once

#include <chrono>
#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/domain/ids.hpp"
#include "core/runtime/tensor.hpp"
#include "core/runtime/transport/control.hpp"

namespace pipedeck {

/// What is sent: the activation that a copy of `stage` gives, or its input's gradient, of one micro-batch.
struct MessageKey {
  bool gradient = false;
  StageId stage;        ///< of the sender
  int micro_batch = 0;  ///< counted on over the mini-batches of an asynchronous run
  auto operator<=>(const MessageKey&) const = default;
};

struct Message {
  Tensor tensor;
  Moment posted;  ///< when it began to be sent; on another machine: when it began to arrive
};

/// One worker's end of all its connections. Used by that worker's thread.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// Returns at once; the transfer goes on beside what the worker computes. Each key is sent once a step.
  virtual void send(std::size_t peer, MessageKey key, Tensor tensor) = 0;
  /// Waits until it is whole here. `samples` x `width` is what the sender sends.
  virtual Message receive(std::size_t peer, MessageKey key, int samples, std::int64_t width) = 0;
  /// The same, from any thread; empty where it has not come within `patience`. Does not look at the run's state.
  virtual std::optional<Message> receive_within(std::size_t peer, MessageKey key,
                                                std::chrono::milliseconds patience) = 0;
};

/// One member's end of workers that work on values together: replicas of a stage, ranks of a tensor-parallel group.
/// All members call the same operations in the same order, with as many values where nothing else is said. Each returns
/// when the work began, which is when all were there; results are the same bits on all members, whoever came first.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual Moment all_reduce(std::span<float> values) = 0;  ///< sums, in rank order
  /// The same beside what the device computes: values are worked on from `ready` on, and left alone until the device
  /// has waited for `ended`. Without that the device's own queue has done it: it ends when what it has been given is
  /// done.
  struct Beside {
    Moment began;
    std::optional<Moment> ended;
  };
  virtual Beside all_reduce_beside(std::span<float> values, const Moment& ready) {
    static_cast<void>(ready);
    return {all_reduce(values), std::nullopt};
  }
  virtual Moment all_reduce_max(std::span<float> values) = 0;
  /// `all` is everybody's `mine`, rank after rank; `counts` says how many each has.
  virtual Moment all_gather(std::span<const float> mine, std::span<float> all, std::span<const std::size_t> counts) = 0;
  virtual Moment broadcast(int root, std::span<float> values) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// Whether the worker lives in this process; only these have an endpoint here.
  virtual bool here(std::size_t worker) const = 0;
  /// On the worker's thread, before its first operation: waits for the others where they have to meet first.
  virtual void connect(std::size_t) {}
  virtual Endpoint& endpoint(std::size_t worker) = 0;
  /// `members` in rank order. Made before the first step, by all members, in the same order everywhere; a list of
  /// members may be joined several times, which gives groups that do not meet each other.
  virtual std::unique_ptr<Collective> join(const std::vector<std::size_t>& members, std::size_t worker) = 0;
};

}  // namespace pipedeck
