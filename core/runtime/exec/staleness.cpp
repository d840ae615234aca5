// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/staleness.hpp"

#include <algorithm>

namespace pipedeck::runtime::exec {
namespace {

/// Returns the rounds that a stage has finished when it begins the forward of `b`: K_s rounds are in flight. Negative
/// values are rounds before this run.
int rounds_done(int b, int replicas, int warmup) { return b / replicas - warmup + 1; }

int floor_of(int dividend, int divisor) { return dividend / divisor - (dividend % divisor < 0 ? 1 : 0); }

}  // namespace

int Staleness::round_size(std::size_t stage) const { return kind == Kind::double_buffered ? batch : replicas[stage]; }

int Staleness::version(std::size_t stage, int b) const {
  const int oldest = older.empty() ? 0 : -older[stage];
  switch (kind) {
    case Kind::double_buffered:
      return std::max(oldest, b / batch - 1);
    case Kind::vertical_sync:
      // The mini-batches included in the input stage's weights, in whole rounds of this stage.
      return std::max(oldest, floor_of(rounds_done(b, replicas[0], warmups[0]) * replicas[0], replicas[stage]));
    case Kind::stashing:
      break;
  }
  return std::max(oldest, rounds_done(b, replicas[stage], warmups[stage]));
}

}  // namespace pipedeck::runtime::exec
