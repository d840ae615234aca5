// SPDX-License-Identifier: Apache-2.0
// All ranks of layers that are cut over several devices at work at once, as in a run: they share caches and the way to
// memory, wait for one another, and find what they read in the caches of those who wrote it.
#pragma once

#include <deque>
#include <memory>
#include <thread>

#include "core/runtime/model_parts.hpp"
#include "core/runtime/profile/chain_timer.hpp"
#include "core/runtime/sharding.hpp"
#include "core/runtime/transport/threads.hpp"

namespace pipedeck {

class Ranks {
 public:
  /// Of the whole model, which all run over and over, in step with the first one's timer, until this goes. Where there
  /// are fewer cores than ranks the first is alone, and what it would all-reduce is counted. `parts` outlives it.
  /// bad_input where a layer can't be cut so often.
  static Result<std::unique_ptr<Ranks>> of(const ModelSpec& model, const ModelParts& parts, int degree, int samples);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Of the first rank, to be run by the caller's thread. Throws Interrupted when another rank is out of memory.
  ChainTimer& timer() { return *ranks_.front().timer; }
  const std::vector<std::unique_ptr<LayerKernel>>& layers() const { return ranks_.front().part.layers; }
  int at_work() const { return at_work_; }

 private:
  struct Rank {
    std::shared_ptr<CountedCollective> group;
    ShardedLayers part;
    std::unique_ptr<SoftmaxCrossEntropy> loss;
    std::unique_ptr<ChainTimer> timer;
  };
  explicit Ranks(int at_work);
  Result<void> add(const ModelSpec& model, const ModelParts& parts, int degree, int samples);
  std::shared_ptr<CountedCollective> group_of(std::size_t rank, int degree);

  const int at_work_;
  RunControl control_;
  ThreadTransport transport_;
  std::deque<Rank> ranks_;
  std::vector<std::jthread> others_;
};

}  // namespace pipedeck
