// SPDX-License-Identifier: Apache-2.0
#include "core/model/profile.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pipedeck {

RankStates& operator+=(RankStates& sum, const RankStates& next) {
  sum.weights += next.weights, sum.gradients += next.gradients;
  sum.updated += next.updated, sum.reduced += next.reduced;
  return sum;
}

RankStates operator-(const RankStates& all, const RankStates& part) {
  return {all.weights - part.weights, all.gradients - part.gradients, all.updated - part.updated,
          all.reduced - part.reduced};
}

std::string text_of(const ProfiledRanks& ranks) {
  const Shard& shard = ranks.shard;
  std::string text = fmt::format("T {}", shard.tensor);
  if (shard.divides_tokens()) text += " with divided tokens";
  if (shard.context > 1) text += fmt::format(" · C {} ({})", shard.context, name_of(shard.context_kind));
  if (shard.context > 1 && shard.context_kind == ContextKind::heads_ring)
    text += fmt::format(", heads {}", shard.context_heads);
  if (shard.expert > 1) text += fmt::format(" · e {}", shard.expert);
  if (shard.expert_tensor > 1) text += fmt::format(" · x {}", shard.expert_tensor);
  text += fmt::format(" · D {}", ranks.data);
  if (ranks.sharding.level > 0) text += fmt::format(" · ZeRO-{}", ranks.sharding.level);
  if (!ranks.recomputed.empty()) text += fmt::format(" · recomputed {}", fmt::join(ranks.recomputed, ", "));
  return text;
}

std::vector<Edge> edges_of(const Profile& profile) {
  if (!profile.is_chain()) return profile.edges;
  std::vector<Edge> chain;
  for (std::size_t i = 1; i < profile.layers.size(); ++i) chain.push_back({LayerId(i - 1), LayerId(i), {}});
  return chain;
}

std::vector<LayerId> topological_order(const Profile& profile) {
  const std::size_t count = profile.layers.size();
  std::vector<std::vector<LayerId>> successors(count);
  std::vector<int> missing(count, 0);
  for (const Edge& edge : edges_of(profile)) {
    successors[edge.from.index()].push_back(edge.to);
    ++missing[edge.to.index()];
  }
  std::priority_queue<LayerId, std::vector<LayerId>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.push(LayerId(i));

  std::vector<LayerId> order;
  while (!ready.empty()) {
    const LayerId layer = ready.top();
    ready.pop();
    order.push_back(layer);
    for (const LayerId next : successors[layer.index()])
      if (--missing[next.index()] == 0) ready.push(next);
  }
  return order;
}

int smallest_measured_micro_batch(const Profile& profile) {
  int smallest = profile.micro_batch;
  for (const Layer& layer : profile.layers)
    if (!layer.at.empty()) smallest = std::min(smallest, layer.at.front().micro_batch);
  return smallest;
}

std::string_view name_of(FigureSource source) {
  constexpr std::array<std::string_view, 3> names{"measured", "computed", "assumed"};
  return names[static_cast<std::size_t>(source)];
}

FigureSource source_of_times(const Profile& profile) {
  constexpr std::array computed{"computed", "made of", "a workload of Piper"};
  const bool found =
      std::ranges::any_of(computed, [&](const char* begin) { return profile.source.starts_with(begin); });
  return found ? FigureSource::computed : FigureSource::measured;
}

}  // namespace pipedeck
