// SPDX-License-Identifier: Apache-2.0
#include "core/cost/cut_ranges.hpp"

#include <algorithm>
#include <array>

#include "core/plan/cut_path.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {
namespace {

constexpr std::size_t longest_row = 128;  // layers; a longer range takes several rows

CutFigures& operator+=(CutFigures& sum, const CutFigures& next) {
  sum.whole_parameters += next.whole_parameters, sum.saved += next.saved;
  sum.workspace = std::max(sum.workspace, next.workspace);
  return sum;
}

CutFigures most_of(const CutFigures& a, const CutFigures& b) {
  return {std::max(a.whole_parameters, b.whole_parameters), std::max(a.saved, b.saved),
          std::max(a.workspace, b.workspace)};
}

CutFigures figures_of(const CutWay& way) { return {way.whole_parameters, way.saved, way.workspace}; }

/// The layers in order at one degree; null where a layer can't be sharded over it.
using Points = std::vector<const TensorParallelPoint*>;

std::vector<CutStep> steps_of(const TensorParallelPoint& point) {
  std::vector<CutStep> steps;
  for (const CutWay& way : point.ways) steps.push_back(way.step);
  return steps;
}

bool any_way(const TensorParallelPoint* point, Lies CutStep::*end, Lies lies) {
  return point && std::ranges::any_of(point->ways, [&](const CutWay& way) { return way.step.*end == lies; });
}

/// Returns the maximum of all paths through [first, first + n) for n = 1, 2, ..., for any neighbours.
std::vector<CutFigures> row_of(const Points& points, std::size_t first) {
  using enum Lies;
  std::vector<CutFigures> row;
  const auto add = [&](std::size_t place, const CutFigures& figures) {
    if (row.size() <= place) row.resize(place + 1);
    row[place] = most_of(row[place], figures);
  };
  for (const Lies begin : {whole, in_columns}) {
    if (begin == in_columns && (first == 0 || !any_way(points[first - 1], &CutStep::to, in_columns))) continue;
    plan::CutPath path(begin);
    for (std::size_t p = first; p < points.size() && points[p] && p - first < longest_row; ++p) {
      path.add(steps_of(*points[p]));
      for (const Lies end : {whole, in_columns}) {
        const bool last = p + 1 == points.size();
        if (end == in_columns && !last && !any_way(points[p + 1], &CutStep::from, in_columns)) continue;
        const std::vector<std::size_t>& chosen = path.ending(end);
        CutFigures sum;
        for (std::size_t i = 0; i < chosen.size(); ++i) sum += figures_of(points[first + i]->ways[chosen[i]]);
        if (!chosen.empty()) add(p - first, sum);
      }
    }
  }
  return row;
}

}  // namespace

CutFigures figures_of(std::span<const CutWay* const> ways) {
  CutFigures sum;
  for (const CutWay* way : ways) sum += figures_of(*way);
  return sum;
}

std::optional<CutRanges> CutRanges::of(const Profile& profile, std::span<const LayerId> order, int degree) {
  if (degree == 1 || !profile.is_chain()) return {};
  Points points;
  bool told = false;
  for (const LayerId id : order) {
    const Layer& layer = profile.layers[id.index()];
    const TensorParallelPoint* point = plan::point_of_degree(layer, degree);
    if (point && point->ways.empty()) return {};
    points.push_back(plan::can_be_cut(layer, degree) ? point : nullptr);
    told = told || points.back();
  }
  if (!told) return {};
  CutRanges ranges;
  ranges.rows_.resize(points.size());
  for (std::size_t first = points.size(); first-- > 0;) {
    Row& row = ranges.rows_[first];
    row = row_of(points, first);
    for (std::size_t n = 1; n < row.size(); ++n)
      row[n] = most_of(row[n], most_of(row[n - 1], ranges.rows_[first + 1][n - 1]));
  }
  return ranges;
}

CutFigures CutRanges::most(int first, int last) const {
  CutFigures sum;
  while (first < last) {  // in one piece, or in several if longer than a row
    const Row& row = rows_[static_cast<std::size_t>(first)];
    const std::size_t count = std::min(static_cast<std::size_t>(last - first), row.size());
    if (count > 0) sum += row[count - 1];
    first += static_cast<int>(std::max<std::size_t>(1, count));
  }
  return sum;
}

}  // namespace pipedeck::cost
