// SPDX-License-Identifier: Apache-2.0
// Other cores at work while one is timed: as in a run they share caches, the way to memory and the clock's head room
// with it.
#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "core/runtime/model_parts.hpp"
#include "core/runtime/profile/chain_timer.hpp"

namespace pipedeck {

class Company {
 public:
  /// `others` threads, each of which runs the whole model at this micro-batch over and over until this goes, on the
  /// usable cores from `place` on. `model` is known to be trainable (make_parts).
  Company(const ModelSpec& model, int micro_batch, int others, std::size_t place);

 private:
  struct Member {
    ModelParts parts;
    ChainTimer timer;
    Member(ModelParts made, const ModelSpec& model, int micro_batch);
  };
  std::deque<Member> members_;
  std::vector<std::jthread> threads_;
};

}  // namespace pipedeck
