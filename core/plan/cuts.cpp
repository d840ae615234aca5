// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cuts.hpp"

#include <algorithm>

namespace pipedeck::plan {
namespace {

/// The last position that uses each output of every layer; a layer without a list has one output.
std::vector<std::vector<int>> last_consumers(const Profile& profile, const std::vector<int>& position) {
  std::vector<std::vector<int>> last(profile.layers.size());
  for (std::size_t i = 0; i < last.size(); ++i)
    last[i].assign(std::max<std::size_t>(1, profile.layers[i].outputs.size()), -1);
  for (const Edge& edge : edges_of(profile)) {
    std::vector<int>& uses = last[edge.from.index()];
    const int user = position[edge.to.index()];
    for (std::size_t k = 0; k < uses.size(); ++k)
      if (uses.size() == 1 || !edge.output || static_cast<std::size_t>(*edge.output) == k)
        uses[k] = std::max(uses[k], user);
  }
  return last;
}

}  // namespace

std::vector<Bytes> boundary_bytes(const Profile& profile, std::span<const LayerId> order) {
  std::vector<int> position(profile.layers.size(), 0);
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p].index()] = static_cast<int>(p);

  // An output made at position p and used last at q crosses the cuts p+1 .. q.
  std::vector<Bytes> change(order.size() + 2);
  const std::vector<std::vector<int>> last = last_consumers(profile, position);
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Layer& layer = profile.layers[i];
    if (layer.kind == data_kind) continue;
    for (std::size_t k = 0; k < last[i].size(); ++k) {
      if (last[i][k] <= position[i]) continue;
      const Bytes bytes = layer.outputs.empty() ? layer.output : layer.outputs[k];
      change[static_cast<std::size_t>(position[i]) + 1] += bytes;
      change[static_cast<std::size_t>(last[i][k]) + 1] -= bytes;
    }
  }
  std::vector<Bytes> cuts(order.size() + 1);
  for (std::size_t p = 1; p < cuts.size(); ++p) cuts[p] = cuts[p - 1] + change[p];
  return cuts;
}

}  // namespace pipedeck::plan
