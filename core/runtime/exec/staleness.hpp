// SPDX-License-Identifier: Apache-2.0
// The weight versions of mini-batches in asynchronous training. Replicas of a stage take mini-batches in turn, so a
// stage's weights change once per round of its replicas: version v results from the first v rounds. Mini-batches count
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

namespace pipedeck::runtime::exec {

struct Staleness {
  enum class Kind { stashing, vertical_sync, double_buffered };
  Kind kind = Kind::stashing;
  std::vector<int> warmups;   ///< one per stage: K_s, forwards of a replica before its first backward
  std::vector<int> replicas;  ///< one per stage
  int batch = 1;              ///< micro-batches per update of 2BW
  /// Versions before version 0, as negative numbers, per stage, in a run that resumes from a checkpoint (after whole
  /// rounds of every stage). Empty: none, and w(t) = w(0) for t < 0.
  std::vector<int> older{};

  /// Returns the number of mini-batches per weight update of a stage.
  int round_size(std::size_t stage) const;
  /// Returns the version that mini-batch `b` uses at `stage`, forward and backward.
  int version(std::size_t stage, int b) const;
};

}  // namespace pipedeck::runtime::exec
