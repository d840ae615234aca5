// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/transport/worker_links.hpp"

#include <algorithm>
#include <set>

namespace pipedeck::runtime::transport {

std::vector<std::vector<std::size_t>> disjoint_rounds(const std::vector<std::vector<std::size_t>>& lists) {
  std::vector<std::vector<std::size_t>> rounds;
  std::vector<std::set<std::size_t>> busy;  ///< one per round
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto is_free = [&](const std::set<std::size_t>& workers) {
      return std::ranges::none_of(lists[i], [&](std::size_t worker) { return workers.contains(worker); });
    };
    const auto round = static_cast<std::size_t>(std::ranges::find_if(busy, is_free) - busy.begin());
    if (round == rounds.size()) rounds.emplace_back(), busy.emplace_back();
    rounds[round].push_back(i);
    busy[round].insert(lists[i].begin(), lists[i].end());
  }
  return rounds;
}

}  // namespace pipedeck::runtime::transport
