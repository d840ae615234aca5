// SPDX-License-Identifier: Apache-2.0
// All ranks of sharded layers, running at once as in a run. They share caches and memory bandwidth, wait for one
// another, and find all-reduced values in the caches of the ranks that wrote them.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/layers/backend.hpp"
#include "core/runtime/layers/sharding.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck::runtime::profile {

/// The available devices of one backend, one for each rank that can run. On the CPU each is a core.
struct RankDevices {
  layers::Backend backend;
  std::vector<std::shared_ptr<tensor::ComputeDevice>> devices;
};
/// Returns all cores that this process may use.
RankDevices cores_for_ranks();

class Ranks {
 public:
  /// Creates the ranks of the whole model. All run it over and over, in step with the first rank's timer, until this
  /// object is destroyed. With fewer devices than ranks only the first runs, and its all-reduces are only counted.
  /// `parts` are the backend's and outlive this object. bad_input if a layer cannot be sharded over `degree`.
  static Result<std::unique_ptr<Ranks>> of(const RankDevices& at_hand, const ModelSpec& model,
                                           const exec::ModelParts& parts, int degree, int samples);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Starts the ranks. Called on the thread that runs the first rank's timer, before it does. On devices with a queue
  /// it returns the time of a barrier of all ranks. Throws as timer() does.
  Seconds start();
  /// Returns the first rank's timer, which the caller's thread runs. Throws Interrupted when another rank fails.
  LayerTimer& timer() { return *ranks_.front().timer; }
  /// Throws another rank's failure.
  [[noreturn]] void rethrow() const;
  const std::vector<std::unique_ptr<layers::LayerKernel>>& layers() const { return ranks_.front().part.layers; }
  int num_running() const { return at_work_; }

 private:
  struct Rank {
    std::shared_ptr<transport::CountingCollective> group;
    layers::ShardedLayers part;
    std::unique_ptr<layers::SoftmaxCrossEntropy> loss;
    std::unique_ptr<LayerTimer> timer;
  };
  Ranks(const RankDevices& at_hand, int at_work);
  Result<void> add(const layers::Backend& backend, const ModelSpec& model, const exec::ModelParts& parts, int degree,
                   int samples);
  std::shared_ptr<transport::CountingCollective> group_of(std::size_t rank, int degree);
  Seconds start(std::size_t rank);
  void run(std::size_t rank);
  bool on_host() const { return memories_.front()->device().on_host(); }

  const int at_work_;
  transport::RunControl control_;
  std::vector<std::shared_ptr<tensor::DeviceMemory>> memories_;  ///< one per rank
  transport::ThreadTransport hosts_;                             ///< for values in host memory
  std::unique_ptr<transport::Transport> transport_;
  std::deque<Rank> ranks_;
  mutable std::mutex mutex_;
  std::exception_ptr failure_;  ///< the first failure of the other ranks
  std::vector<std::jthread> others_;
};

}  // namespace pipedeck::runtime::profile
