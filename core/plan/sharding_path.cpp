// SPDX-License-Identifier: Apache-2.0
#include "core/plan/sharding_path.hpp"

#include <algorithm>
#include <utility>

#include "core/plan/layer_bytes.hpp"

namespace pipedeck::plan {
namespace {

std::size_t place(TensorLayout lies) { return static_cast<std::size_t>(lies); }

}  // namespace

bool is_shardable(const Layer& layer, int degree) {
  if (degree == 1) return true;
  const TensorParallelPoint* point = point_of_degree(layer, degree);
  if (!point || point->ways.empty()) return point != nullptr;
  return std::ranges::any_of(point->ways, [](const ShardingCost& way) {
    return way.step.from == TensorLayout::replicated && way.step.to == TensorLayout::replicated;
  });
}

bool ShardingPath::add(std::span<const ShardingStep> ways) {
  std::array<Path, 2> next;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const ShardingStep& way = ways[w];
    const Path& before = now_[place(way.from)];
    if (!before.possible) continue;
    const auto& [moved, alike] = before.cost;
    const std::tuple cost{moved + way.moved, alike + (way.alike ? 1 : 0)};
    Path& path = next[place(way.to)];
    if (path.possible && path.cost <= cost) continue;
    path = {true, cost, before.ways};
    path.ways.push_back(w);
  }
  now_ = std::move(next);
  return now_[place(TensorLayout::replicated)].possible;
}

std::vector<std::size_t> ShardingPath::chosen(bool may_end_in_columns) const {
  const Path &whole = now_[place(TensorLayout::replicated)], &columns = now_[place(TensorLayout::column_sharded)];
  const bool column_sharded = may_end_in_columns && columns.possible && (!whole.possible || columns.cost < whole.cost);
  return (column_sharded ? columns : whole).ways;
}

}  // namespace pipedeck::plan
