// SPDX-License-Identifier: Apache-2.0
// Reads PipeDream's answer from the tables, which hold only values. Stages are found again from the last one back, as
// the first of equals: the widest, then the earliest boundary, then the fewest replicas before it.
#include "core/planner/pipedream/search.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double piece_rounding = 1 + 1e-12;

}  // namespace

/// Returns T^k(cut -> outer, m') for a number of stages in the level below and the replicas of the last one (by index).
double PipedreamSearch::stage_time(std::size_t level, const Place& inner, int cut, int outer, int stages, int replicas,
                                   std::size_t last) {
  double compute = std::numeric_limits<double>::infinity();  // A^{k-1}(cut -> outer, m_{k-1})
  if (level > 1)
    compute = whole_component(
        level - 1,
        inner)[((last * (search::at(max_stages_) + 1) + search::at(stages)) * count_ + search::at(cut)) * count_ +
               search::at(outer)];
  else if (stages == min_stages() && (is_homogeneous() || allowed(cut, outer, inner)))
    compute = figures_.time()[search::at(outer)] - figures_.time()[search::at(cut)];
  const double factor = sync_factor(options_, replicas, levels_[level - 1].bandwidth);
  return std::max(compute, factor * (figures_.weights()[search::at(outer)] - figures_.weights()[search::at(cut)])) /
         replicas;
}

PipedreamSearch::Table& PipedreamSearch::kept_table(std::size_t level, const Place& place) {
  if (const auto found = tables_.find({level, place}); found != tables_.end()) return found->second;
  return tables_.emplace(Key{level, place}, fill(level, place, bound_of(level, place))).first->second;
}

std::vector<PipedreamSearch::LayerRange> PipedreamSearch::whole_part(std::size_t level, const Place& place, int inner,
                                                                     int outer, int stages, std::size_t last) {
  if (level == 0) return {{inner, outer, {0}}};
  return pieces(level, place, inner, outer, levels_[level - 1].components, stages, last);
}

/// Returns the stages of A^k(inner -> outer, m), with devices counted from the part's first.
std::vector<PipedreamSearch::LayerRange> PipedreamSearch::pieces(std::size_t level, const Place& place, int inner,
                                                                 int outer, int m, int stages, std::size_t last) {
  Table& table = kept_table(level, place);
  const double wanted = table.row(inner, stages, last, m)[outer] * piece_rounding;
  const std::vector<int>& below = places_->sizes(level - 1);
  /// Returns the index of the last inner stage's replicas, if this stage of `replicas` components with `own` stages
  /// ends the part.
  const auto ends = [&](const Place& at_work, int cut, int replicas, int own) -> std::optional<std::size_t> {
    for (std::size_t l = 0; l < below.size(); ++l)
      if (places_->number_of(level, replicas * below[l]) == last &&
          stage_time(level, at_work, cut, outer, own, replicas, l) <= wanted)
        return l;
    return {};
  };
  const auto behind = [&](std::vector<LayerRange> all, const Place& at_work, int cut, int replicas, int own,
                          std::size_t of_own) {
    for (LayerRange& piece : whole_part(level - 1, at_work, cut, outer, own, of_own)) {
      std::vector<int> devices;
      for (int c = m - replicas; c < m; ++c)
        for (const int device : piece.devices) devices.push_back(c * levels_[level - 1].devices + device);
      piece.devices = std::move(devices);
      all.push_back(std::move(piece));
    }
    return all;
  };
  const Place alone = inner_place(level, place, m, m, 0);
  if (const auto of_own = ends(alone, inner, m, stages)) return behind({}, alone, inner, m, stages, *of_own);
  for (int replicas = m - 1; replicas >= 1; --replicas)
    for (const std::int32_t cut : figures_.ideals().subsets(outer)) {
      if (cut <= inner || !nested(inner, cut)) continue;
      if (2 * figures_.cut()[search::at(cut)] / levels_[level - 1].bandwidth > wanted) continue;
      for (int own = min_stages(); own <= std::max(0, stages - 1); ++own)
        for (std::size_t before = 0; before < table.lasts; ++before) {
          if (!(table.row(inner, stages - own, before, m - replicas)[cut] <= wanted)) continue;
          const Place at_work = inner_place(level, place, m, replicas, places_->sizes(level)[before]);
          if (const auto of_own = ends(at_work, cut, replicas, own))
            return behind(pieces(level, place, inner, cut, m - replicas, stages - own, before), at_work, cut, replicas,
                          own, *of_own);
        }
    }
  ensure(false, "PipeDream: a value of the table that no stage gives");
  return {};
}

}  // namespace pipedeck::planner::pipedream
