// SPDX-License-Identifier: Apache-2.0
#include "core/planner/amp/assignment.hpp"

#include <algorithm>
#include <array>

namespace pipedeck::planner::amp {

namespace {

constexpr std::size_t quick = 200000;  // comparisons of a search that needs no narrow one first
constexpr std::size_t look = 100000;   // comparisons between checks of stop and hurry: under a millisecond
constexpr std::size_t narrow = 64;     // prefixes that end at one layer

std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Assigner::Assigner(const Task& task, std::stop_token stop, std::stop_token hurry, bool known)
    : task_(task), stop_(std::move(stop)), hurry_(std::move(hurry)), known_(known) {
  if (!task.pinned.empty())
    for (int s = 0; s < task.stages; ++s) {
      std::vector<int>& counts = elsewhere_.emplace_back(1, 0);
      for (const int stage : task.pinned) counts.push_back(counts.back() + (stage >= 0 && stage != s ? 1 : 0));
    }
  bound_suffixes();
}

double Assigner::time(std::size_t pipeline, int stage, int first, int last) const {
  const std::vector<double>& sums = *task_.pipelines[pipeline].time[index(stage)];
  return sums[index(last)] - sums[index(first)];
}

double Assigner::edge(std::size_t pipeline, int stage, int first) const {
  if (stage == 0) return 0;
  const AmpEdge& edge = task_.pipelines[pipeline].edge[index(stage)];
  return edge.fixed + edge.per_byte * task_.cut[index(first)];
}

/// Eq. 3 among the devices of equal rank, the slowest such group counting.
double Assigner::synchronisation(int stage, int first, int last) const {
  if (task_.replicas == 1) return 0;
  const Bytes share = plan::share_of(task_.weights[index(last)] - task_.weights[index(first)], task_.tensor_parallel);
  double slowest = 0;
  for (const cost::RingBottleneck& hop : task_.rings[index(stage)])
    slowest = std::max(slowest, hop.ring_seconds(index(task_.replicas), share));
  return slowest;
}

bool Assigner::allowed(int stage, int first, int last) const {
  if (task_.need) {
    const int kept = std::min(task_.stages - stage, task_.micro_batches);
    const int before = stage == 0 ? kept : std::min(task_.stages - stage + 1, task_.micro_batches);
    if ((*task_.need)[at(first, last)].peak(kept, before) > task_.capacity[index(stage)]) return false;
  }
  return elsewhere_.empty() || elsewhere_[index(stage)][index(last)] == elsewhere_[index(stage)][index(first)];
}

void Assigner::bound_suffixes() {
  bounds_.assign((at(task_.stages, task_.layers) + 1) * width(), unknown);
  std::fill(bounds_.end() - static_cast<std::ptrdiff_t>(width()), bounds_.end(), 0.0);
  means_.assign(bounds_.size() / width(), unknown);
  means_.back() = 0;
  for (int s = task_.stages - 1; s >= 0 && !given_up(); --s)
    for (int p = first_start(s); p <= last_start(s); ++p) bound_suffix(s, p);
}

void Assigner::bound_suffix(int stage, int start) {
  double* bound = &bounds_[at(stage, start) * width()];
  for (int q = first_end(stage, start); q <= last_end(stage); ++q) {
    const double* rest = rest_of(stage + 1, q);
    if (*rest == unknown || !allowed(stage, start, q)) continue;
    double all = 0;
    for (std::size_t k = 0; k < pipelines(); ++k) {
      const double own = time(k, stage, start, q), sum = own + edge(k, stage, start);
      all += sum;
      bound[2 * k] = std::min(bound[2 * k], sum + rest[2 * k]);
      bound[2 * k + 1] = std::min(bound[2 * k + 1], std::max(own, rest[2 * k + 1]));
    }
    double& mean = means_[at(stage, start)];
    mean = std::min(mean, all / static_cast<double>(pipelines()) + mean_of(rest));
    double& synchronised = bound[width() - 1];
    synchronised = std::min(synchronised, std::max(synchronisation(stage, start, q), rest[width() - 1]));
  }
}

double Assigner::lower_bound() const {
  if (!possible()) return unknown;
  return bound_of(std::vector<double>(width(), 0).data(), bounds_.data());
}

/// Eq. 4 with the least of each figure that the rest can have. The slowest pipeline is no quicker than their mean,
/// whose least sum is that of one assignment for all.
double Assigner::bound_of(const double* prefix, const double* rest) const {
  double slowest = 0, all = 0;
  for (std::size_t k = 0; k < pipelines(); ++k) {
    const double known = rounds() * std::max(prefix[2 * k + 1], rest[2 * k + 1]) + prefix[2 * k];
    slowest = std::max(slowest, known + rest[2 * k]);
    all += known;
  }
  if (pipelines() > 1) slowest = std::max(slowest, all / static_cast<double>(pipelines()) + mean_of(rest));
  return slowest + std::max(prefix[width() - 1], rest[width() - 1]);
}

double Assigner::time_of(const std::vector<int>& ends) const {
  double slowest = 0, synchronised = 0;
  for (std::size_t k = 0; k < pipelines(); ++k) {
    double sum = 0, most = 0;
    for (int s = 0, first = 0; s < task_.stages; first = ends[index(s++)]) {
      const double own = time(k, s, first, ends[index(s)]);
      sum += own + edge(k, s, first);
      most = std::max(most, own);
    }
    slowest = std::max(slowest, rounds() * most + sum);  // eq. 5
  }
  for (int s = 0, first = 0; s < task_.stages; first = ends[index(s++)])
    synchronised = std::max(synchronised, synchronisation(s, first, ends[index(s)]));
  return slowest + synchronised;
}

void Assigner::take(const std::vector<int>& ends) {
  const double time = time_of(ends);
  if (time >= below_) return;
  best_ = {ends, time};
  below_ = time;
}

/// Finds the ends with the least sum over all pipelines. No stage and no synchronisation exceeds its slack times the
/// least possible.
std::optional<std::vector<int>> Assigner::min_sum(double slack, double synchronisation_slack) const {
  const double* whole = bounds_.data();
  std::vector<double> least(bounds_.size() / width(), unknown);
  std::vector<int> end(least.size(), 0);
  least.back() = 0;
  for (int s = task_.stages - 1; s >= 0 && !given_up(); --s)
    for (int p = first_start(s); p <= last_start(s); ++p)
      for (int q = first_end(s, p); q <= last_end(s); ++q) {
        double sum = least[at(s + 1, q)];
        bool over = false;
        for (std::size_t k = 0; k < pipelines() && !over; ++k) {
          const double own = time(k, s, p, q);
          over = own > slack * whole[2 * k + 1];
          sum += own + edge(k, s, p);
        }
        if (over || synchronisation(s, p, q) > synchronisation_slack * whole[width() - 1]) break;  // both grow with q
        if (sum < least[at(s, p)] && allowed(s, p, q)) least[at(s, p)] = sum, end[at(s, p)] = q;
      }
  if (least.front() == unknown) return {};
  std::vector<int> ends;
  for (int s = 0, p = 0; s < task_.stages; ++s) ends.push_back(p = end[at(s, p)]);
  return ends;
}

/// Good answers before the search, so that it drops much.
void Assigner::try_limits() {
  constexpr std::array slacks{1 + 1e-12, 1.02, 1.1, 1.3, unknown};
  for (const double slack : slacks) {
    if (given_up()) return;
    if (task_.micro_batches == 1 && slack != unknown) continue;  // the slowest stage has no weight of its own
    for (const double other : slacks) {
      if (task_.replicas == 1 && other != unknown) continue;
      // A limit of infinity times 0 is no limit; it occurs only if nothing takes time.
      if (const auto ends = min_sum(slack, other)) take(*ends);
    }
  }
}

void Assigner::keep(Cell& cell, const std::vector<double>& prefix, Step step) {
  const std::size_t width = prefix.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cell.steps.size(); ++i, ++comparisons_) {
    const double* other = &cell.figures[i * width];
    bool better = false, worse = false;  // the new one against the other
    for (std::size_t f = 0; f < width; ++f) {
      better |= prefix[f] < other[f];
      worse |= prefix[f] > other[f];
    }
    if (!better) return;  // nothing was removed so far: dominance is transitive
    if (!worse) continue;
    if (kept != i) {
      std::copy(other, other + width, &cell.figures[kept * width]);
      cell.steps[kept] = cell.steps[i];
    }
    ++kept;
  }
  cell.figures.resize(kept * width);
  cell.steps.resize(kept);
  cell.figures.insert(cell.figures.end(), prefix.begin(), prefix.end());
  cell.steps.push_back(static_cast<int>(trail_.size()));
  trail_.push_back(step);
}

std::optional<Assigner::Outcome> Assigner::given_up() const {
  if (stop_.stop_requested()) return Outcome::stopped;
  if (hurry_.stop_requested() && (known_ || best_)) return Outcome::deadline;
  return {};
}

std::optional<Assigner::Outcome> Assigner::interrupted(std::size_t& effort) {
  effort -= std::min(effort, comparisons_);
  comparisons_ = 0;
  if (const auto outcome = given_up()) return outcome;
  if (effort == 0) return Outcome::exhausted;
  return {};
}

/// Prefixes that end at `start`, with the layers up to `end` as their next stage.
std::optional<Assigner::Outcome> Assigner::extend(int stage, int start, int end, const Cell& from, Cell& into,
                                                  std::size_t& effort) {
  const double* rest = rest_of(stage + 1, end);
  if (*rest == unknown || from.steps.empty() || !allowed(stage, start, end)) return {};
  std::vector<double>&prefix = prefix_, &own = own_;
  prefix.resize(width()), own.resize(width());
  for (std::size_t k = 0; k < pipelines(); ++k) {
    const double time = this->time(k, stage, start, end);
    own[2 * k] = time + edge(k, stage, start);
    own[2 * k + 1] = std::max(time, rest[2 * k + 1]);
  }
  own.back() = std::max(synchronisation(stage, start, end), rest[width() - 1]);
  for (std::size_t i = 0; i < from.steps.size(); ++i, ++comparisons_) {
    if (comparisons_ > look)
      if (const auto outcome = interrupted(effort)) return outcome;
    const double* before = &from.figures[i * width()];
    for (std::size_t k = 0; k < pipelines(); ++k) {
      prefix[2 * k] = before[2 * k] + own[2 * k];
      prefix[2 * k + 1] = task_.micro_batches == 1 ? 0 : std::max(before[2 * k + 1], own[2 * k + 1]);
    }
    prefix.back() = std::max(before[width() - 1], own.back());
    if (bound_of(prefix.data(), rest) < below_) keep(into, prefix, {from.steps[i], end});
  }
  return {};
}

std::vector<int> Assigner::ends_of(int step) const {
  std::vector<int> ends;
  for (; trail_[index(step)].parent >= 0; step = trail_[index(step)].parent) ends.push_back(trail_[index(step)].end);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

/// Leaves the prefixes that promise most; ties: the first.
void Assigner::keep_best(Cell& cell, std::size_t most, const double* rest) const {
  if (cell.steps.size() <= most) return;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < cell.steps.size(); ++i) order.push_back({bound_of(&cell.figures[i * width()], rest), i});
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end());
  Cell kept;
  for (std::size_t i = 0; i < most; ++i) {
    const double* figures = &cell.figures[order[i].second * width()];
    kept.figures.insert(kept.figures.end(), figures, figures + width());
    kept.steps.push_back(cell.steps[order[i].second]);
  }
  cell = std::move(kept);
}

/// Adds stage after stage, with at most `most` prefixes per stage and end.
Assigner::Outcome Assigner::run(std::size_t most, std::size_t& effort) {
  std::vector<Cell> cells(index(task_.layers) + 1), next(cells.size());
  trail_ = {{-1, 0}};
  cells[0] = {std::vector<double>(width(), 0), {0}};
  for (int s = 0; s < task_.stages; ++s) {
    for (Cell& cell : next) cell.figures.clear(), cell.steps.clear();
    for (int q = first_end(s, first_start(s)); q <= last_end(s); ++q) {
      if (const auto outcome = interrupted(effort)) return *outcome;
      for (int p = first_start(s); p <= std::min(last_start(s), q - 1); ++p)
        if (const auto outcome = extend(s, p, q, cells[index(p)], next[index(q)], effort)) return *outcome;
      keep_best(next[index(q)], most, rest_of(s + 1, q));
    }
    std::swap(cells, next);
  }
  for (const int step : cells.back().steps) take(ends_of(step));
  return Outcome::proven;
}

Assigner::Outcome Assigner::search(double below, std::size_t& effort) {
  below_ = below;
  if (const auto outcome = given_up()) return *outcome;
  if (lower_bound() >= below_) return Outcome::proven;
  try_limits();
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  std::size_t little = std::min(quick, effort);
  effort -= little;
  const Outcome first = run(all, little);
  effort += little;
  if (first != Outcome::exhausted || effort == 0) return first;
  const Outcome narrowly = run(narrow, effort);
  return narrowly == Outcome::proven ? run(all, effort) : narrowly;
}

}  // namespace pipedeck::planner::amp
