// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/released_states.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/cost/compute.hpp"

namespace pipedeck::planner::pipedream {

namespace {

using Set = ReleasedSet;

/// A graph of the layers that count, by list position, with each layer's dependencies and itself.
struct Graph {
  std::vector<std::vector<std::size_t>> users;
  std::vector<std::vector<bool>> before;  ///< [layer][layer that it depends on, or itself]
  std::vector<bool> counts;

  explicit Graph(const Profile& profile) : users(profile.layers.size()), counts(profile.layers.size(), true) {
    const std::vector<Edge> edges = edges_of(profile);
    std::vector<bool> fed(counts.size()), feeds(counts.size());
    for (const Edge& edge : edges) fed[edge.to.index()] = true;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = fed[i] || !profile.layers[i].name.starts_with("Input");
    for (const Edge& edge : edges) feeds[edge.from.index()] = true;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (!feeds[i] && profile.layers[i].name.starts_with("__getitem__")) counts[i] = false;
    before.assign(counts.size(), std::vector<bool>(counts.size()));
    for (std::size_t i = 0; i < counts.size(); ++i) before[i][i] = true;
    std::vector<std::vector<std::size_t>> uses(counts.size());
    for (const Edge& edge : edges) {
      if (!counts[edge.from.index()] || !counts[edge.to.index()]) continue;
      users[edge.from.index()].push_back(edge.to.index());
      uses[edge.to.index()].push_back(edge.from.index());
    }
    for (const LayerId layer : topological_order(profile))
      for (const std::size_t used : uses[layer.index()])
        for (std::size_t i = 0; i < counts.size(); ++i)
          if (before[used][i]) before[layer.index()][i] = true;
  }

  /// Returns the first layer that counts and has no dependency.
  std::optional<std::size_t> first_source() const {
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] && std::count(before[i].begin(), before[i].end(), true) == 1) return i;
    return {};
  }
};

Set joined(Set set, const Set& other) {
  for (std::size_t i = 0; i < set.size(); ++i) set[i] = set[i] || other[i];
  return set;
}

/// Returns true if `inner`, another set, is a subset of `outer`.
bool within(const Set& inner, const Set& outer) {
  for (std::size_t i = 0; i < inner.size(); ++i)
    if (inner[i] && !outer[i]) return false;
  return true;
}

/// Returns the sets grown from the first source, smaller ones first; nothing if they are too many.
std::vector<Set> grown(const Graph& graph, std::size_t most, const std::stop_token& stop) {
  std::vector<Set> found;
  const auto first = graph.first_source();
  if (!first) return found;
  std::set<Set> seen{graph.before[*first]};
  found.push_back(graph.before[*first]);
  for (std::size_t head = 0; head < found.size(); ++head) {
    if (stop.stop_requested()) return {};
    for (std::size_t layer = 0; layer < graph.users.size(); ++layer)
      for (std::size_t i = 0; found[head][layer] && i < graph.users[layer].size(); ++i) {
        const std::size_t user = graph.users[layer][i];
        if (found[head][user]) continue;
        const Set next = joined(found[head], graph.before[user]);
        if (!seen.insert(next).second) continue;
        found.push_back(next);
        if (found.size() > most) return {};
      }
  }
  std::vector<std::pair<std::ptrdiff_t, Set>> sized;
  for (Set& set : found) {
    const std::ptrdiff_t size = std::count(set.begin(), set.end(), true);
    sized.emplace_back(size, std::move(set));
  }
  std::stable_sort(sized.begin(), sized.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::move(sized[i].second);
  return found;
}

double output_of(const Graph& graph, const Set& set, const std::vector<double>& outputs) {
  Set counted(set.size());
  for (std::size_t last = 0; last < set.size(); ++last) {
    const auto in_set = [&](std::size_t user) { return set[user]; };
    if (!set[last] || std::any_of(graph.users[last].begin(), graph.users[last].end(), in_set)) continue;
    counted[last] = true;
    for (std::size_t layer = 0; layer < set.size(); ++layer)
      for (const std::size_t user : graph.users[layer])
        if (graph.before[last][layer] && layer != last && !graph.before[last][user]) counted[layer] = true;
  }
  double sum = 0;
  for (std::size_t i = 0; i < set.size(); ++i) sum += counted[i] ? outputs[i] : 0;
  return sum;
}

}  // namespace

ReleasedStates released_states(const search::Chain& chain, int micro_batch, std::size_t most,
                               const std::stop_token& stop) {
  const Graph graph(chain.profile());
  std::vector<Set> sets = grown(graph, most, stop);
  if (sets.empty()) return {};
  const Profile& profile = chain.profile();
  std::vector<double> time, weights, outputs;
  for (const Layer& layer : profile.layers) {
    double slowest = 0;
    for (int d = 0; d < chain.devices(); ++d) {
      const cost::LayerTimes times =
          cost::layer_times(profile, layer, micro_batch, chain.cluster(), chain.network().type(DeviceId(d)));
      slowest = std::max(slowest, times.forward.count + times.backward.count);
    }
    time.push_back(slowest);
    weights.push_back(static_cast<double>(layer.parameters.count));
    outputs.push_back(static_cast<double>(cost::scale_bytes(layer.output, micro_batch, profile.micro_batch).count));
  }
  sets.insert(sets.begin(), Set(profile.layers.size()));
  ReleasedStates states;
  states.whole = sets.back() == graph.counts;
  states.sets = std::move(sets);
  const auto sum = [](const Set& set, const std::vector<double>& of_layers) {
    double all = 0;
    for (std::size_t i = 0; i < set.size(); ++i) all += set[i] ? of_layers[i] : 0;
    return all;
  };
  for (const Set& set : states.sets) {
    if (stop.stop_requested()) return {};
    states.time.push_back(sum(set, time));
    states.weights.push_back(sum(set, weights));
    states.activations.push_back(sum(set, outputs));
    states.output.push_back(output_of(graph, set, outputs));
    std::vector<int> inside;
    for (std::size_t other = 0; other < states.subsets.size(); ++other)
      if (within(states.sets[other], set)) inside.push_back(static_cast<int>(other));
    states.subsets.push_back(std::move(inside));
  }
  return states;
}

}  // namespace pipedeck::planner::pipedream
