// SPDX-License-Identifier: Apache-2.0
// A background load on the other cores while one core is timed. As in a run, the cores share caches, memory bandwidth
// and turbo frequency.
#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "core/runtime/exec/model_parts.hpp"
#include "core/runtime/profile/chain_timer.hpp"

namespace pipedeck::runtime::profile {

class BackgroundLoad {
 public:
  /// Starts `others` threads on the usable cores from `place` on. Each runs the whole model at this micro-batch size
  /// until this object is destroyed. `model` is known to be trainable (make_parts).
  BackgroundLoad(const ModelSpec& model, int micro_batch, int others, std::size_t place);

 private:
  struct LoadThread {
    exec::ModelParts parts;
    LayerTimer timer;
    LoadThread(exec::ModelParts made, const ModelSpec& model, int micro_batch);
  };
  std::deque<LoadThread> members_;
  std::vector<std::jthread> threads_;
};

}  // namespace pipedeck::runtime::profile
