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

/// What the stage before has under way decides how many inputs and gradients wait here, but the recurrences don't know
/// its replicas. So first nothing waits at all, and the answer of that is the best there is, where it fits. Otherwise
/// stages are taken to stand behind up to 1, 2, 4 ... replicas, each time refusing more, until the answer fits.
std::optional<PipedreamAnswer> PipedreamSearch::run() {
  for (reach_ = 0;; reach_ = reach_ == 0 ? 1 : 2 * reach_) {
    tables_.clear(), fits_.clear();
    auto answer = partition();
    if (!answer || options_.ignore_memory || fits(*answer)) return answer;
    if (reach_ >= chain_.devices()) return {};
  }
}

bool PipedreamSearch::fits(const PipedreamAnswer& answer) {
  int workers = 0, kept = 0, before = 0;
  for (const Stage& stage : answer.stages) workers += stage.replicas();
  for (const Stage& stage : answer.stages) {
    const int replicas = stage.replicas(), versions = ceil_div(workers, replicas);
    const int outstanding = before == 0 ? versions : pipedream_outstanding(before, kept, replicas);
    const StageNeed need = stage_need(chain_, stage.first, stage.last, replicas, micro_batch_, false, versions);
    if (need.peak(versions, outstanding) > capacity_of(chain_.network(), stage.devices)) return false;
    workers -= replicas, kept = versions, before = replicas;
  }
  return true;
}

std::optional<PipedreamAnswer> PipedreamSearch::partition() {
  const int layers = chain_.layers();
  if (levels_.empty()) {  // one device
    if (!fitting({})[at(layers) * (at(layers) + 1)]) return {};
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

/// The most mini-batches that a stage before of up to reach_ replicas can have under way of one replica's here.
int PipedreamSearch::most_outstanding(Place place, int versions) const {
  const int front = chain_.devices() - place.behind - place.copies;
  int most = versions;
  for (int before = 1; before <= std::min(front, reach_); ++before) {
    const int kept = ceil_div(before + place.copies + place.behind, before);
    most = std::max(most, pipedream_outstanding(before, kept, place.copies));
  }
  return most;
}

/// Which layers [first, last) fit one device. A stage of r = copies devices with `behind` devices on later layers keeps
/// K = ceil((r + behind) / r) versions and activations (planners.md).
const std::vector<char>& PipedreamSearch::fitting(Place place) {
  const auto [found, added] = fits_.try_emplace(place);
  std::vector<char>& fits = found->second;
  if (!added) return fits;
  const int layers = chain_.layers();
  fits.assign((at(layers) + 1) * (at(layers) + 1), options_.ignore_memory);
  if (options_.ignore_memory) return fits;

  const int versions = ceil_div(place.copies + place.behind, place.copies);
  const int outstanding = most_outstanding(place, versions);
  Bytes capacity = chain_.network().type(DeviceId(0)).memory;
  for (int d = 1; d < chain_.devices(); ++d) capacity = std::min(capacity, chain_.network().type(DeviceId(d)).memory);
  for (int last = 1, least = 0; last <= layers; ++last)
    for (int first = least; first < last; ++first) {
      const StageNeed need = stage_need(chain_, first, last, place.copies, micro_batch_, false, versions);
      // Without inputs and outputs more layers need more: what does not fit behind `first` never will.
      const bool own = need.fixed + need.workspace + need.kept * versions <= capacity;
      if (!own) least = first + 1;
      fits[at(last) * (at(layers) + 1) + at(first)] =
          own && (reach_ == 0 || need.peak(versions, outstanding) <= capacity);
      if (own && reach_ == 0) {  // nor do fewer layers need more
        std::fill_n(&fits[at(last) * (at(layers) + 1) + at(first)], at(last - first), 1);
        break;
      }
    }
  return fits;
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
  const char* fits = level > 1 ? nullptr : &fitting(inner)[at(last) * time_.size()];
  for (int s = 0; s < last; ++s) {
    double compute;  // A^{k-1}(s -> last, m_{k-1})
    if (below)
      compute = below->at(s, last, levels_[level - 2].components).slowest;
    else
      compute = !fits[s] ? never : time_[at(last)] - time_[at(s)];  // A^0
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
