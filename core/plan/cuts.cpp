// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cuts.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

/// Returns the bytes of the edge's outputs that are not in `seen`, and adds these.
Bytes new_outputs(const Profile& profile, const Edge& edge, std::set<std::pair<LayerId, std::size_t>>& seen) {
  const Layer& from = profile.layers[edge.from.index()];
  Bytes sum;
  if (from.kind == data_kind) return sum;
  const std::size_t outputs = std::max<std::size_t>(1, from.outputs.size());
  for (std::size_t k = 0; k < outputs; ++k) {
    if (outputs > 1 && edge.output && static_cast<std::size_t>(*edge.output) != k) continue;
    if (seen.emplace(edge.from, k).second) sum += from.outputs.empty() ? from.output : from.outputs[k];
  }
  return sum;
}

}  // namespace

std::vector<Bytes> input_bytes(const Profile& profile, std::span<const LayerId> order) {
  std::vector<std::vector<Edge>> into(profile.layers.size());
  for (const Edge& edge : edges_of(profile)) into[edge.to.index()].push_back(edge);
  std::vector<Bytes> inputs;
  for (const LayerId layer : order) {
    Bytes sum;
    std::set<std::pair<LayerId, std::size_t>> seen;
    for (const Edge& edge : into[layer.index()]) sum += new_outputs(profile, edge, seen);
    inputs.push_back(sum);
  }
  return inputs;
}

std::vector<Bytes> joint_input_bytes(const Profile& profile, std::span<const LayerId> order, int first) {
  std::vector<std::vector<Edge>> into(profile.layers.size());
  for (const Edge& edge : edges_of(profile)) into[edge.to.index()].push_back(edge);
  std::vector<Bytes> sums;
  Bytes sum;
  std::set<std::pair<LayerId, std::size_t>> seen;
  for (const LayerId layer : order.subspan(static_cast<std::size_t>(first))) {
    for (const Edge& edge : into[layer.index()]) sum += new_outputs(profile, edge, seen);
    sums.push_back(sum);
  }
  return sums;
}

Bytes input_bytes_of(const Profile& profile, const std::vector<bool>& takes) {
  Bytes sum;
  std::set<std::pair<LayerId, std::size_t>> seen;
  for (const Edge& edge : edges_of(profile))
    if (takes[edge.to.index()]) sum += new_outputs(profile, edge, seen);
  return sum;
}

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
