// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/staleness.hpp"

#include <algorithm>

namespace pipedeck {
namespace {

/// Rounds that a stage has behind it when it begins the forward of `b`: K_s rounds are under way.
int rounds_done(int b, int replicas, int warmup) { return std::max(0, b / replicas - warmup + 1); }

}  // namespace

int Staleness::round_size(std::size_t stage) const { return kind == Kind::double_buffered ? batch : replicas[stage]; }

int Staleness::version(std::size_t stage, int b) const {
  switch (kind) {
    case Kind::double_buffered:
      return std::max(0, b / batch - 1);
    case Kind::vertical_sync:
      // Of mini-batches that the input stage's weights have seen, all whole rounds of this stage.
      return rounds_done(b, replicas[0], warmups[0]) * replicas[0] / replicas[stage];
    case Kind::stashing:
      break;
  }
  return rounds_done(b, replicas[stage], warmups[stage]);
}

}  // namespace pipedeck
