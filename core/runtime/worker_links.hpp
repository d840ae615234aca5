// SPDX-License-Identifier: Apache-2.0
// Which workers of a layout have to do with each other, known before anything runs and the same in every process: what
// joins devices by communicators makes all of them at once, in one order.
#pragma once

#include <cstddef>
#include <vector>

#include "core/runtime/layout.hpp"

namespace pipedeck {

struct WorkerLinks {
  /// Of workers that work on values together, in rank order: tensor-parallel groups and holders of the same weights. A
  /// list is there as often as each of its members joins it (Transport::join).
  std::vector<std::vector<std::size_t>> groups;
  /// {sender, receiver}, each once, ascending.
  std::vector<std::vector<std::size_t>> paths;
  bool operator==(const WorkerLinks&) const = default;
};

WorkerLinks worker_links(const Layout& layout);

/// Positions of `lists`, each once, in rounds of lists that have no worker in common: a worker is in one list of a
/// round at most.
std::vector<std::vector<std::size_t>> disjoint_rounds(const std::vector<std::vector<std::size_t>>& lists);

}  // namespace pipedeck
