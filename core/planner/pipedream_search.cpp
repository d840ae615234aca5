// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream_search.hpp"

#include <algorithm>
#include <limits>

#include "core/cost/memory.hpp"
#include "core/planner/memory_fit.hpp"

namespace pipedeck {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

std::size_t at(int position) { return static_cast<std::size_t>(position); }

int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace

PipedreamSearch::PipedreamSearch(Chain& chain, int micro_batch, const PipedreamOptions& options, std::stop_token stop)
    : chain_(chain), micro_batch_(micro_batch), options_(options), stop_(std::move(stop)) {
  levels_ = pipedream_levels(chain.network(), options.flat);
  // The paper has one kind of device; where there are several, T_l is the slowest one's.
  for (int p = 0; p <= chain.layers(); ++p) {
    double slowest = 0;
    for (int d = 0; d < chain.devices(); ++d) {
      const PassTimes& times = chain.times(micro_batch, chain.network().device(DeviceId(d)).type);
      if (p > 0) slowest = std::max(slowest, times.forward_of(p - 1, p) + times.backward_of(p - 1, p));
    }
    time_.push_back(p == 0 ? 0 : time_.back() + slowest);
    weights_.push_back(static_cast<double>(chain.parameters(0, p).count));
    cut_.push_back(static_cast<double>(chain.cut(p, micro_batch).count));
  }
  column_.resize(time_.size());
}

std::optional<PipedreamAnswer> PipedreamSearch::run() {
  const int layers = chain_.layers();
  if (levels_.empty()) {  // one device
    if (first_that_fits({})[at(layers)] > 0) return {};
    return PipedreamAnswer{Seconds(time_.back()), {stage_on(0, layers, {DeviceId(0)})}};
  }
  const std::size_t top = levels_.size();
  const int components = levels_[top - 1].components;
  const double slowest = table(top, {}).at(0, layers, components).slowest;
  if (slowest == never || stop_.stop_requested()) return {};
  PipedreamAnswer answer{Seconds(slowest), {}};
  for (const Piece& piece : whole_part(top, {}, 0, layers)) {
    Stage stage = stage_on(piece.first, piece.last, {});
    for (const int device : piece.devices) stage.devices.push_back(DeviceId(device));
    answer.stages.push_back(std::move(stage));
  }
  return answer;
}

/// Least `first` such that layers [first, last) fit one device, for every last. A stage of r = copies devices with
/// `behind` devices on later layers keeps K = ceil((r + behind) / r) versions and activations (planners.md).
const std::vector<int>& PipedreamSearch::first_that_fits(Place place) {
  const auto [found, added] = fits_.try_emplace(place);
  std::vector<int>& least = found->second;
  if (!added) return least;
  least.assign(time_.size(), 0);
  if (options_.ignore_memory) return least;

  const Workload& workload = chain_.workload();
  const int versions = ceil_div(place.copies + place.behind, place.copies);
  Bytes capacity = chain_.network().type(DeviceId(0)).memory;
  for (int d = 1; d < chain_.devices(); ++d) capacity = std::min(capacity, chain_.network().type(DeviceId(d)).memory);
  const auto fits = [&](int first, int last) {
    return state_memory(chain_.parameters(first, last), place.copies, workload.optimizer, workload.precision,
                        workload.zero, versions)
                   .total() +
               workload.conventions.reserve + workload.conventions.communication +
               chain_.saved(first, last, micro_batch_) * versions + chain_.workspace(first, last, micro_batch_) <=
           capacity;
  };
  int first = 0;
  for (int last = 1; last <= chain_.layers(); ++last) {
    while (first < last && !fits(first, last)) ++first;
    least[at(last)] = first;
  }
  return least;
}

PipedreamSearch::Table& PipedreamSearch::table(std::size_t level, Place place) {
  if (options_.ignore_memory) place = {};  // where the part stands decides memory alone
  const auto [found, added] = tables_.try_emplace({level, place});
  if (added) fill(found->second, level, place);
  return found->second;
}

/// Where the components of a stage stand whose last component is the m-th of this part, counted from the front.
PipedreamSearch::Place PipedreamSearch::inner_place(std::size_t level, Place place, int m, int replicas) const {
  if (options_.ignore_memory) return {};
  const PipedreamLevel& here = levels_[level - 1];
  return {place.behind + place.copies * (here.components - m) * here.devices, place.copies * replicas};
}

/// T^k(s -> last, m') of every s into column_.
void PipedreamSearch::stage_times(std::size_t level, Place inner, int last, int replicas) {
  const PipedreamLevel& here = levels_[level - 1];
  const double m = replicas;
  // Section 3.1 prints 2 (m - 1) |w|, against its own text: each of m workers sends and receives (m - 1) / m |w|.
  const double factor = (options_.printed_objective ? 2 * (m - 1) : 2 * (m - 1) / m) / here.bandwidth;
  Table* below = level > 1 ? &table(level - 1, inner) : nullptr;
  const int first_fitting = level > 1 ? 0 : first_that_fits(inner)[at(last)];
  for (int s = 0; s < last; ++s) {
    double compute;  // A^{k-1}(s -> last, m_{k-1})
    if (below)
      compute = below->at(s, last, levels_[level - 2].components).slowest;
    else
      compute = s < first_fitting ? never : time_[at(last)] - time_[at(s)];  // A^0
    column_[at(s)] = std::max(compute, factor * (weights_[at(last)] - weights_[at(s)])) / m;
  }
}

/// The second equation of section 3.1, for every first layer; m = m' is the single stage that it leaves out.
void PipedreamSearch::try_last_stages(Table& table, std::size_t level, int last, int m, int replicas) {
  const double bandwidth = levels_[level - 1].bandwidth;
  const int firsts = level == levels_.size() ? 1 : last;
  for (int i = 0; i < firsts; ++i) {
    Cell& best = table.at(i, last, m);
    if (m == replicas) {
      if (column_[at(i)] < best.slowest) best = {column_[at(i)], i, replicas};
      continue;
    }
    for (int s = i + 1; s < last; ++s) {
      const double slowest =
          std::max({table.at(i, s, m - replicas).slowest, 2 * cut_[at(s)] / bandwidth, column_[at(s)]});
      if (slowest < best.slowest) best = {slowest, s, replicas};
    }
  }
}

void PipedreamSearch::fill(Table& table, std::size_t level, Place place) {
  const int layers = chain_.layers(), components = levels_[level - 1].components;
  table.layers = at(layers), table.components = at(components);
  const std::size_t firsts = level == levels_.size() ? 1 : at(layers) + 1;
  table.cells.assign(firsts * (at(layers) + 1) * (at(components) + 1), Cell{.slowest = never});
  for (int m = 1; m <= components; ++m)
    for (int last = 1; last <= layers && !stop_.stop_requested(); ++last)
      for (int replicas = m; replicas >= 1; --replicas) {  // ties: the widest last stage, so the fewest stages
        stage_times(level, inner_place(level, place, m, replicas), last, replicas);
        try_last_stages(table, level, last, m, replicas);
      }
}

std::vector<PipedreamSearch::Piece> PipedreamSearch::whole_part(std::size_t level, Place place, int first, int last) {
  if (level == 0) return {{first, last, {0}}};
  return pieces(level, place, last, levels_[level - 1].components, first);
}

/// The stages of A^k(first -> last, m), their devices counted from the part's first.
std::vector<PipedreamSearch::Piece> PipedreamSearch::pieces(std::size_t level, Place place, int last, int m,
                                                            int first) {
  const Cell cell = table(level, place).at(first, last, m);
  std::vector<Piece> all;
  if (cell.cut > first) all = pieces(level, place, cell.cut, m - cell.replicas, first);
  const Place inner = inner_place(level, place, m, cell.replicas);
  for (Piece& piece : whole_part(level - 1, inner, cell.cut, last)) {
    std::vector<int> devices;
    for (int c = m - cell.replicas; c < m; ++c)
      for (const int device : piece.devices) devices.push_back(c * levels_[level - 1].devices + device);
    piece.devices = std::move(devices);
    all.push_back(std::move(piece));
  }
  return all;
}

}  // namespace pipedeck
