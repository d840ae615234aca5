// SPDX-License-Identifier: Apache-2.0
// All ranks of layers that are cut over several devices at work at once, as in a run: they share caches and the way to
// memory, wait for one another, and find what they read in the caches of those who wrote it.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/runtime/backend.hpp"
#include "core/runtime/model_parts.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/sharding.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck {

/// Devices of one backend that are at hand, one for each rank that can be at work. On the processor each is a core.
struct RankDevices {
  Backend backend;
  std::vector<std::shared_ptr<ComputeDevice>> devices;
};
/// Of all cores that this process may use.
RankDevices cores_for_ranks();

class Ranks {
 public:
  /// Of the whole model, which all run over and over, in step with the first one's timer, until this goes. Where there
  /// are fewer devices than ranks the first is alone, and what it would all-reduce is counted. `parts`, which are the
  /// backend's, outlive it. bad_input where a layer can't be cut so often.
  static Result<std::unique_ptr<Ranks>> of(const RankDevices& at_hand, const ModelSpec& model, const ModelParts& parts,
                                           int degree, int samples);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// On the thread that runs the first rank's timer, before it does. On devices that have a queue: what it takes all
  /// ranks to meet there. Throws as timer() does.
  Seconds start();
  /// Of the first rank, to be run by the caller's thread. Throws Interrupted when another rank fails.
  ChainTimer& timer() { return *ranks_.front().timer; }
  /// Throws what another rank has failed with.
  [[noreturn]] void rethrow() const;
  const std::vector<std::unique_ptr<LayerKernel>>& layers() const { return ranks_.front().part.layers; }
  int at_work() const { return at_work_; }

 private:
  struct Rank {
    std::shared_ptr<CountedCollective> group;
    ShardedLayers part;
    std::unique_ptr<SoftmaxCrossEntropy> loss;
    std::unique_ptr<ChainTimer> timer;
  };
  Ranks(const RankDevices& at_hand, int at_work);
  Result<void> add(const Backend& backend, const ModelSpec& model, const ModelParts& parts, int degree, int samples);
  std::shared_ptr<CountedCollective> group_of(std::size_t rank, int degree);
  Seconds start(std::size_t rank);
  void run(std::size_t rank);
  bool on_host() const { return memories_.front()->device().on_host(); }

  const int at_work_;
  RunControl control_;
  std::vector<std::shared_ptr<DeviceMemory>> memories_;  ///< a rank's each
  ThreadTransport hosts_;                                ///< by values of the host
  std::unique_ptr<Transport> transport_;
  std::deque<Rank> ranks_;
  mutable std::mutex mutex_;
  std::exception_ptr failure_;  ///< the first one's of the other ranks
  std::vector<std::jthread> others_;
};

}  // namespace pipedeck
