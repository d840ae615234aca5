// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace pipedeck::runtime::transport {

/// A list of the connections between workers of a layout. They are known before the run and equal in every process, so
/// that devices create all communicators at once, in one order.
struct WorkerLinks {
  /// Workers that work on values together, in rank order: tensor-parallel groups and holders of the same weights. A
  /// list occurs as often as each of its members joins it (Transport::join).
  std::vector<std::vector<std::size_t>> groups;
  /// {sender, receiver}, each once, ascending.
  std::vector<std::vector<std::size_t>> paths;
  /// The positions of the groups whose members send each other values (Collective::all_to_all).
  std::set<std::size_t> exchanging = {};
  bool operator==(const transport::WorkerLinks&) const = default;
};

/// Returns the positions of `lists`, each once, in rounds of disjoint lists: a worker is in at most one list of a
/// round.
std::vector<std::vector<std::size_t>> disjoint_rounds(const std::vector<std::vector<std::size_t>>& lists);

}  // namespace pipedeck::runtime::transport
