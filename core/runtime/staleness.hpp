// SPDX-License-Identifier: Apache-2.0
// Which weights a mini-batch meets in asynchronous training. Replicas of a stage take mini-batches in turn, so a
// stage's weights change once a round of its replicas: version v comes out of the first v rounds. Mini-batches count
// from 0.
//
// PipeDream (Narayanan et al., SOSP 2019), section 3.3. On a straight pipeline of n stages, t counting updates:
//   weight stashing  w(t+1) = w(t) - nu * gradient of f(w_1(t-n+1), w_2(t-n+2), ..., w_n(t))
//   vertical sync    w(t+1) = w(t) - nu * gradient of f(w_1(t-n+1), w_2(t-n+1), ..., w_n(t-n+1))
// PipeDream-2BW (Narayanan et al., ICML 2021), section 3.1, t counting batches:
//                    w(t+1) = w(t) - nu * gradient of f(w(t-1))
// with w(t) = w(0) for t < 0. Where stages have replicas, a round's gradients are averaged over its mini-batches.
#pragma once

#include <cstddef>
#include <vector>

namespace pipedeck {

struct Staleness {
  enum class Kind { stashing, vertical_sync, double_buffered };
  Kind kind = Kind::stashing;
  std::vector<int> warmups;   ///< a stage: K_s, forwards of a replica before its first backward
  std::vector<int> replicas;  ///< a stage
  int batch = 1;              ///< micro-batches that 2BW updates once for
  /// A stage: versions before version 0, as negative numbers, that a run begins with which goes on from a checkpoint
  /// (whole rounds of every stage were done there); empty: none, and w(t) = w(0) for t < 0.
  std::vector<int> older{};

  /// Mini-batches that a stage's weights change once for.
  int round_size(std::size_t stage) const;
  /// The version that mini-batch `b` meets at `stage`, forward and backward.
  int version(std::size_t stage, int b) const;
};

}  // namespace pipedeck
