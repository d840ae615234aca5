// SPDX-License-Identifier: Apache-2.0
// The states of the program that PipeDream's authors released (released.cpp): sets of layers grown from the
// first source, with sums over each.
#pragma once

#include <stop_token>
#include <vector>

#include "core/planner/search/chain.hpp"

namespace pipedeck::planner::pipedream {

using ReleasedSet = std::vector<bool>;  ///< of layers

/// A set of states, preceded by the empty one, with sums over each.
struct ReleasedStates {
  std::vector<ReleasedSet> sets;
  std::vector<double> time, weights, activations, output;
  std::vector<std::vector<int>> subsets;  ///< proper, ascending, including the empty one

  bool whole = false;  ///< the largest holds every layer that counts

  int count() const { return static_cast<int>(sets.size()); }
};

/// Returns the states for mini-batches of `micro_batch` samples. None at all if there are more than `most`, or a stop
/// was requested.
ReleasedStates released_states(const search::Chain& chain, int micro_batch, std::size_t most,
                               const std::stop_token& stop);

}  // namespace pipedeck::planner::pipedream
