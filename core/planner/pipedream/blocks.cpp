// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/blocks.hpp"

#include <algorithm>

#include "core/cost/memory.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double block_rounding = 1 + 1e-9;  // of a bound
constexpr double max_steps = 1.5e7;          // questions whether a stage fits, with one unit: 10 ns each
constexpr std::size_t max_block_rows = 8e6;  // of cells: ideals by devices
constexpr double finer_by = 0.98;            // what a smaller unit must gain to be looked for

/// Returns the next width: 1 to 7, then four per octave.
int next_width(int width) {
  int step = 1;
  while (width / step >= 8) step *= 2;
  return width + step;
}

}  // namespace

Blocks::Blocks(const Figures& figures, const Topology& topology, const Options& options, std::stop_token stop)
    : figures_(figures),
      options_(options),
      stop_(std::move(stop)),
      levels_(topology.levels),
      devices_(topology.devices),
      all_(static_cast<int>(topology.devices.size())),
      count_(figures.ideals().count()),
      chain_(figures.ideals().is_chain()) {}

bool Blocks::halted() const { return steps_ > max_steps || stop_.stop_requested(); }

std::vector<Blocks::Cell>& Blocks::cells(int ideal, int front) {
  return cells_[search::at(ideal) * (search::at(all_) + 1) + search::at(front)];
}

/// T^k = max(T^{k-1}, sync) / m, level by level; further up the stage stands there once.
Blocks::Width Blocks::width_of(std::size_t level, int components) const {
  Width width{level, components, components * levels_[level - 1].devices, 1, 0};
  for (std::size_t k = 1; k <= level; ++k) {
    const int m = k == level ? components : levels_[k - 1].components;
    width.weights = std::max(width.weights, sync_factor(options_, m, levels_[k - 1].bandwidth)) / m;
    width.time /= m;
  }
  return width;
}

std::optional<Answer> Blocks::run(double least) {
  if (search::at(count_) * (search::at(all_) + 1) > max_block_rows) return {};
  std::optional<Answer> best;
  for (unit_ = levels_.size(); unit_ >= 1 && !stop_.stop_requested(); --unit_) {
    steps_ = 0;
    widths_.clear();
    for (std::size_t k = unit_; k <= levels_.size(); ++k) {
      const Level& level = levels_[k - 1];
      const bool highest = k == levels_.size();  // all components of another are one of the next level
      for (int c = 1; c < level.components; c = next_width(c)) widths_.push_back(width_of(k, c));
      if (highest) widths_.push_back(width_of(k, level.components));
    }
    const double most = best ? best->slowest.count * finer_by : 64 * least;
    double growth = 1.1;
    for (double bound = least; bound < most && !halted(); bound *= growth, growth = std::min(growth * 1.02, 1.5))
      if (auto found = within(bound * block_rounding)) {
        best = std::move(found);
        break;
      }
    if (!best && !halted()) best = within(search::never);
  }
  return best;
}

/// Can't the devices in front do these layers within the bound, or those behind the rest?
bool Blocks::aside(int ideal, int front, double bound) const {
  const std::vector<double>& time = figures_.time();
  return time[search::at(ideal)] > bound * front * block_rounding ||
         time.back() - time[search::at(ideal)] > bound * (all_ - front) * block_rounding;
}

/// In a chain the first cut behind which the devices left can do the rest within the bound; else the first of all.
int Blocks::enough_in_front(int front, double bound) const {
  if (!chain_) return 0;
  const std::vector<double>& time = figures_.time();
  const double behind = bound * (all_ - front) * block_rounding;
  const auto cut = std::partition_point(time.begin(), time.end(), [&](double t) { return time.back() - t > behind; });
  return static_cast<int>(cut - time.begin());
}

std::optional<Answer> Blocks::within(double bound) {
  cells_.resize(search::at(count_) * (search::at(all_) + 1));
  for (std::vector<Cell>& row : cells_) row.clear();
  cells(0, 0).push_back({});
  const int unit = levels_[unit_ - 1].devices;
  for (int ideal = 0; ideal + 1 < count_; ++ideal)
    for (int front = 0; front < all_; front += unit) {
      if (cells(ideal, front).empty()) continue;
      if (halted()) return {};
      extend(ideal, front, bound);
    }
  if (cells(count_ - 1, all_).empty()) return {};
  return answer();
}

/// B_k of the cut between these devices and the next.
double Blocks::bandwidth_at(int front) const {
  std::size_t level = levels_.size();
  while (level > 1 && front % levels_[level - 1].devices != 0) --level;
  return levels_[level - 1].bandwidth;
}

/// Returns the possible widths after these devices: within one component of the next level; any width that ends the
/// devices.
std::vector<Blocks::Width> Blocks::widths_behind(int front) const {
  std::vector<Width> all;
  const auto add = [&](const Width& width) {
    const Level& level = levels_[width.level - 1];
    if (front % level.devices != 0) return;
    if (front / level.devices % level.components + width.components <= level.components) all.push_back(width);
  };
  for (const Width& width : widths_) add(width);
  for (std::size_t k = unit_; k <= levels_.size(); ++k) {
    const int rest = all_ - front, size = levels_[k - 1].devices, components = levels_[k - 1].components;
    const auto same = [&](const Width& width) { return width.devices == rest; };
    if (rest % size == 0 && (rest / size < components || k == levels_.size()) &&
        std::none_of(widths_.begin(), widths_.end(), same))
      add(width_of(k, rest / size));
  }
  return all;
}

void Blocks::extend(int inner, int front, double bound) {
  if (front > 0 && 2 * figures_.cut()[search::at(inner)] / bandwidth_at(front) > bound) return;
  std::vector<Cell>& here = cells(inner, front);
  std::stable_sort(here.begin(), here.end(), [](const Cell& a, const Cell& b) { return a.slowest < b.slowest; });
  for (const Width& width : widths_behind(front)) add_stage(inner, front, width, bound);
}

/// All stages that begin behind these layers and devices and stand on that many.
void Blocks::add_stage(int inner, int front, const Width& width, double bound) {
  const std::vector<Cell>& before = cells(inner, front);
  const int end = front + width.devices;
  const Place place{all_ - end, width.devices};
  const double transfer = front == 0 ? 0 : 2 * figures_.cut()[search::at(inner)] / bandwidth_at(front);
  std::vector<int> waiting;  // by cell
  for (const Cell& cell : before)
    waiting.push_back(cell.devices == 0 ? search::ceil_div(all_, width.devices)
                                        : cost::pipedream_in_flight(
                                              cell.devices, search::ceil_div(cell.devices + all_ - front, cell.devices),
                                              width.devices));
  const bool last = end == all_;
  const int first = last ? count_ - 1 : std::max(inner + 1, enough_in_front(end, bound));
  for (int outer = first; outer < (last ? count_ : count_ - 1); ++outer) {
    steps_ += 0.1;
    const double time =
        std::max(width.time * (figures_.time()[search::at(outer)] - figures_.time()[search::at(inner)]),
                 width.weights * (figures_.weights()[search::at(outer)] - figures_.weights()[search::at(inner)]));
    if (time > bound && chain_) break;
    if (time > bound || aside(outer, end, bound)) continue;
    if (!chain_ && !figures_.ideals().within(inner, outer)) continue;
    steps_ += 1;
    if (!figures_.fits(inner, outer, place, 0)) {
      if (chain_) break;
      continue;
    }
    for (std::size_t b = 0; b < before.size(); ++b) {  // ascending: the first that fits is the best
      steps_ += 1;
      if (!figures_.fits(inner, outer, place, waiting[b])) continue;
      keep(outer, end, {width.devices, std::max({before[b].slowest, transfer, time}), inner, b});
      break;
    }
  }
}

void Blocks::keep(int outer, int front, const Cell& cell) {
  std::vector<Cell>& row = cells(outer, front);
  const auto same = std::find_if(row.begin(), row.end(), [&](const Cell& c) { return c.devices == cell.devices; });
  if (same == row.end())
    row.push_back(cell);
  else if (cell.slowest < same->slowest)
    *same = cell;
}

Answer Blocks::answer() const {
  const auto row = [&](int ideal, int front) -> const std::vector<Cell>& {
    return cells_[search::at(ideal) * (search::at(all_) + 1) + search::at(front)];
  };
  int ideal = count_ - 1, front = all_;
  const std::vector<Cell>& ends = row(ideal, front);
  const Cell* cell =
      &*std::min_element(ends.begin(), ends.end(), [](const Cell& a, const Cell& b) { return a.slowest < b.slowest; });
  Answer answer{Seconds(cell->slowest), {ideal}, {}};
  while (front > 0) {
    const auto end = devices_.begin() + front;
    answer.devices.emplace_back(end - cell->devices, end);
    front -= cell->devices, ideal = cell->inner;
    answer.nested.push_back(ideal);
    cell = &row(ideal, front)[cell->from];
  }
  std::reverse(answer.nested.begin(), answer.nested.end());
  std::reverse(answer.devices.begin(), answer.devices.end());
  return answer;
}

namespace {

/// Returns this partition of one component, repeated on every component of the highest level.
std::optional<Answer> replicated(const Figures& figures, const Topology& topology, const Options& options, double least,
                                 std::stop_token stop) {
  const Level& highest = topology.levels.back();
  Topology one = topology;
  one.levels.pop_back();
  one.devices.resize(search::at(highest.devices));
  auto answer = quick_pipedream(figures, one, options, least * highest.components, std::move(stop));
  if (!answer) return {};
  const double sync = sync_factor(options, highest.components, highest.bandwidth) * figures.weights().back();
  answer->slowest = Seconds(std::max(answer->slowest.count, sync) / highest.components);
  for (std::vector<DeviceId>& stage : answer->devices) {
    std::vector<DeviceId> all;
    for (int c = 0; c < highest.components; ++c)
      for (const DeviceId device : stage) {
        const auto position = std::find(one.devices.begin(), one.devices.end(), device) - one.devices.begin();
        all.push_back(topology.devices[search::at(c * highest.devices) + static_cast<std::size_t>(position)]);
      }
    stage = std::move(all);
  }
  return answer;
}

}  // namespace

std::optional<Answer> quick_pipedream(const Figures& figures, const Topology& topology, const Options& options,
                                      double least, std::stop_token stop) {
  auto best = Blocks(figures, topology, options, stop).run(least);
  if (topology.levels.size() == 1 || (best && least == search::never)) return best;
  auto other = replicated(figures, topology, options, least, std::move(stop));
  return other && (!best || other->slowest < best->slowest) ? other : best;
}

}  // namespace pipedeck::planner::pipedream
