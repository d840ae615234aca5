// SPDX-License-Identifier: Apache-2.0
#include "core/cost/sharded_ranges.hpp"

#include <algorithm>
#include <array>

#include "core/plan/layer_bytes.hpp"
#include "core/plan/sharding_path.hpp"

namespace pipedeck::cost {
namespace {

constexpr std::size_t longest_row = 128;  // layers; a longer range takes several rows

ShardedRangeBytes& operator+=(ShardedRangeBytes& sum, const ShardedRangeBytes& next) {
  sum.replicated_parameters += next.replicated_parameters, sum.saved += next.saved;
  sum.workspace = std::max(sum.workspace, next.workspace);
  return sum;
}

ShardedRangeBytes most_of(const ShardedRangeBytes& a, const ShardedRangeBytes& b) {
  return {std::max(a.replicated_parameters, b.replicated_parameters), std::max(a.saved, b.saved),
          std::max(a.workspace, b.workspace)};
}

ShardedRangeBytes figures_of(const ShardingCost& way) { return {way.replicated_parameters, way.saved, way.workspace}; }

/// The layers in order at one degree; null where a layer can't be sharded over it.
using Points = std::vector<const TensorParallelPoint*>;

std::vector<ShardingStep> steps_of(const TensorParallelPoint& point) {
  std::vector<ShardingStep> steps;
  for (const ShardingCost& way : point.ways) steps.push_back(way.step);
  return steps;
}

bool has_sharding(const TensorParallelPoint* point, TensorLayout ShardingStep::*end, TensorLayout lies) {
  return point && std::ranges::any_of(point->ways, [&](const ShardingCost& way) { return way.step.*end == lies; });
}

/// Returns the maximum of all paths through [first, first + n) for n = 1, 2, ..., for any neighbours.
std::vector<ShardedRangeBytes> row_of(const Points& points, std::size_t first) {
  using enum TensorLayout;
  std::vector<ShardedRangeBytes> row;
  const auto add = [&](std::size_t place, const ShardedRangeBytes& figures) {
    if (row.size() <= place) row.resize(place + 1);
    row[place] = most_of(row[place], figures);
  };
  for (const TensorLayout begin : {replicated, column_sharded}) {
    if (begin == column_sharded && (first == 0 || !has_sharding(points[first - 1], &ShardingStep::to, column_sharded)))
      continue;
    plan::ShardingPath path(begin);
    for (std::size_t p = first; p < points.size() && points[p] && p - first < longest_row; ++p) {
      path.add(steps_of(*points[p]));
      for (const TensorLayout end : {replicated, column_sharded}) {
        const bool last = p + 1 == points.size();
        if (end == column_sharded && !last && !has_sharding(points[p + 1], &ShardingStep::from, column_sharded))
          continue;
        const std::vector<std::size_t>& chosen = path.shardings_ending_in(end);
        ShardedRangeBytes sum;
        for (std::size_t i = 0; i < chosen.size(); ++i) sum += figures_of(points[first + i]->ways[chosen[i]]);
        if (!chosen.empty()) add(p - first, sum);
      }
    }
  }
  return row;
}

}  // namespace

ShardedRangeBytes figures_of(std::span<const ShardingCost* const> ways) {
  ShardedRangeBytes sum;
  for (const ShardingCost* way : ways) sum += figures_of(*way);
  return sum;
}

std::optional<ShardedRanges> ShardedRanges::of(const Profile& profile, std::span<const LayerId> order, int degree) {
  if (degree == 1 || !profile.is_chain()) return {};
  Points points;
  bool told = false;
  for (const LayerId id : order) {
    const Layer& layer = profile.layers[id.index()];
    const TensorParallelPoint* point = plan::point_of_degree(layer, degree);
    if (point && point->ways.empty()) return {};
    points.push_back(plan::is_shardable(layer, degree) ? point : nullptr);
    told = told || points.back();
  }
  if (!told) return {};
  ShardedRanges ranges;
  ranges.rows_.resize(points.size());
  for (std::size_t first = points.size(); first-- > 0;) {
    Row& row = ranges.rows_[first];
    row = row_of(points, first);
    for (std::size_t n = 1; n < row.size(); ++n)
      row[n] = most_of(row[n], most_of(row[n - 1], ranges.rows_[first + 1][n - 1]));
  }
  return ranges;
}

ShardedRangeBytes ShardedRanges::most(int first, int last) const {
  ShardedRangeBytes sum;
  while (first < last) {  // in one piece, or in several if longer than a row
    const Row& row = rows_[static_cast<std::size_t>(first)];
    const std::size_t count = std::min(static_cast<std::size_t>(last - first), row.size());
    if (count > 0) sum += row[count - 1];
    first += static_cast<int>(std::max<std::size_t>(1, count));
  }
  return sum;
}

}  // namespace pipedeck::cost
