// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream/search.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double bound_rounding = 1 + 1e-9;  // of a bound, which is no answer
constexpr double max_bytes = 4e8;

}  // namespace

PipedreamSearch::PipedreamSearch(const Figures& figures, const Topology& topology, const Options& options,
                                 const PlanConstraints& pins, Watch watch)
    : figures_(figures),
      options_(options),
      pins_(pins),
      watch_(std::move(watch)),
      levels_(topology.levels),
      devices_(topology.devices),
      count_(search::at(figures.ideals().count())),
      max_stages_(pins.stages.value_or(pins.max_stages.value_or(0))) {
  const search::Ideals& ideals = figures.ideals();
  max_stages_ = std::min(max_stages_, ideals.whole());
  if (!ideals.is_chain()) {
    nested_.assign(count_ * count_, 0);
    for (int outer = 0; outer < ideals.count(); ++outer)
      for (const std::int32_t inner : ideals.subsets(outer))
        nested_[search::at(inner) * count_ + search::at(outer)] = 1;
  }
}

double PipedreamSearch::search_budget(const search::Ideals& ideals, const Topology& topology,
                                      const PlanConstraints& pins) {
  const double count = ideals.count(), stages = pins.stages.value_or(pins.max_stages.value_or(1));
  double effort = 0;
  for (std::size_t level = 0; level < topology.levels.size(); ++level) {
    const double m = topology.levels[level].components;
    const double splits = level + 1 == topology.levels.size() ? count * count / 2 : count * count * count / 6;
    effort += splits * (m * (m + 1) / 2) * stages * (level == 0 ? 1 : stages);
  }
  return effort;
}

std::optional<Answer> PipedreamSearch::within_bound(double bound) {
  const std::size_t top = levels_.size();
  const int components = levels_[top - 1].components, whole = figures_.ideals().whole();
  if (pins_.stages.value_or(0) > max_stages_) return {};
  bound_ = bound;
  if (memory_ != Memory::ignored)
    wholes_.clear(), tables_.clear(), bytes_ = 0;  // they leave out what exceeds the bound
  earliest_.assign(search::at(components) + 1, 0);
  const std::vector<double>& time = figures_.time();
  for (int m = 1; m <= components && bound < search::never; ++m)
    while (time.back() - time[earliest_[search::at(m)]] >
               bound * (components - m) * levels_[top - 1].devices * bound_rounding &&
           earliest_[search::at(m)] + 1 < count_)
      ++earliest_[search::at(m)];
  Table table = fill(top, places_->top(), bound);
  if (halted()) return {};
  int stages = 0;
  std::size_t last = 0;
  double slowest = search::never;
  for (int s = pins_.stages.value_or(min_stages()); s <= pins_.stages.value_or(max_stages_); ++s)
    for (std::size_t l = table.lasts; l-- > 0;)
      if (const double other = table.row(0, s, l, components)[whole]; other < slowest)
        stages = s, last = l, slowest = other;
  tables_.insert_or_assign(Key{top, places_->top()}, std::move(table));
  if (!(slowest <= bound) || slowest == search::never) return {};

  Answer answer{Seconds(slowest), {0}, {}};
  found_ = true;
  for (const LayerRange& piece : whole_part(top, places_->top(), 0, whole, stages, last)) {
    answer.nested.push_back(piece.outer);
    answer.devices.emplace_back();
    for (const int position : piece.devices) answer.devices.back().push_back(devices_[search::at(position)]);
  }
  found_ = false;
  return answer;
}

/// Returns the bound of a part's table, multiplied by its copies, whose values count divided by them.
double PipedreamSearch::bound_of(std::size_t level, const Place& place) const {
  if (memory_ == Memory::ignored) return highest(level) ? bound_ : search::never;  // one table for all copies
  return bound_ * places_->max_copies(level, place) * bound_rounding;
}

bool PipedreamSearch::holds(const Place& place, DeviceId device) const {
  const auto position = static_cast<int>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
  for (std::size_t i = 0; i < place.ranges.size(); ++i) {
    const Level& level = levels_[levels_.size() - 1 - i];
    const int component = position / level.devices % level.components;
    if (component < place.ranges[i].first || component >= place.ranges[i].second) return false;
  }
  return true;
}

/// Returns true if one stage may have these layers there, on a single device per copy.
bool PipedreamSearch::allowed(int inner, int outer, const Place& place) const {
  if (pins_.replicas && *pins_.replicas != place.copies) return false;
  const search::Ideals& ideals = figures_.ideals();
  for (const auto& [layer, device] : pins_.layers)
    if (ideals.has(outer, layer) && !ideals.has(inner, layer) && !holds(place, device)) return false;
  return memory_ == Memory::ignored || figures_.fits(inner, outer, place, places_->in_flight(place));
}

PipedreamSearch::Column& PipedreamSearch::next_column(int stages, std::size_t last) {
  if (columns_used_ == columns_.size()) columns_.emplace_back();
  Column& column = columns_[columns_used_++];
  column.stages = stages, column.last = last;
  column.time.resize(count_);
  return column;
}

/// Computes T^k(cut -> J, m') into columns_ for every ideal J around `cut`, from index `begin` on.
void PipedreamSearch::stage_times(std::size_t level, const Place& inner, int cut, int replicas, std::size_t begin,
                                  double bound) {
  const double m = replicas, time = figures_.time()[search::at(cut)], weights = figures_.weights()[search::at(cut)];
  const double factor = sync_factor(options_, replicas, levels_[level - 1].bandwidth);
  const std::vector<double>& times = figures_.time();
  const std::vector<double>& sums = figures_.weights();
  std::size_t end = count_;
  if (nested_.empty() &&
      bound < search::never) {  // times ascend: beyond, the devices can't do the layers within the bound
    const double most = time + bound * m * levels_[level - 1].devices * bound_rounding;
    end = search::at(static_cast<int>(std::upper_bound(times.begin(), times.end(), most) - times.begin()));
  }
  // This precedes changes of columns_, which the level below uses too.
  const double* below =
      level > 1 && begin < end ? whole_component(level - 1, inner).data() + search::at(cut) * count_ : nullptr;
  columns_used_ = 0, column_end_ = begin;
  if (begin >= end) return;
  if (level == 1) {
    Column& column = next_column(min_stages(), places_->number_of(1, replicas));
    for (std::size_t j = begin; j < end; ++j)
      column.time[j] = std::max(times[j] - time, factor * (sums[j] - weights)) / m;
    for (std::size_t j = begin; !nested_.empty() && j < end; ++j)
      if (nested_[search::at(cut) * count_ + j] == 0) column.time[j] = search::never;
    if (!is_homogeneous()) work_ += 5 * static_cast<double>(end - begin);
    for (std::size_t j = begin; !is_homogeneous() && j < end; ++j)
      if (column.time[j] <= bound && column.time[j] < search::never && !allowed(cut, static_cast<int>(j), inner))
        column.time[j] = search::never;
  } else {
    for (const int size : places_->sizes(level - 1))
      for (int stages = 0; stages <= max_stages_; ++stages, below += count_ * count_) {
        if (stages < min_stages()) continue;
        Column& column = next_column(stages, places_->number_of(level, replicas * size));
        for (std::size_t j = begin; j < end; ++j) column.time[j] = std::max(below[j], factor * (sums[j] - weights)) / m;
        work_ += static_cast<double>(end - begin);
      }
  }
  const auto within = [&](std::size_t j) {
    return std::any_of(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(columns_used_),
                       [&](const Column& column) { return column.time[j] <= bound && column.time[j] < search::never; });
  };
  for (column_end_ = end; column_end_ > begin && !within(column_end_ - 1);) --column_end_;
}

/// Computes the second equation of section 3.1 for all first ideals I and all J, with this boundary and m' of m
/// components. The stage before has one of these numbers of replicas.
void PipedreamSearch::extend(Table& table, std::size_t level, int cut, int m, int replicas,
                             const std::vector<std::size_t>& lasts, std::size_t begin, double bound) {
  const double transfer = 2 * figures_.cut()[search::at(cut)] / levels_[level - 1].bandwidth;
  if (begin >= column_end_) return;
  const auto from = [&](int first) {
    for (int stages = min_stages(); stages <= max_stages_; ++stages) {
      double before = search::never;
      for (const std::size_t last : lasts) before = std::min(before, table.row(first, stages, last, m - replicas)[cut]);
      before = std::max(before, transfer);
      if (!(before <= bound) || before == search::never) continue;
      for (std::size_t c = 0; c < columns_used_; ++c) {
        if (stages + columns_[c].stages > max_stages_) continue;
        const double* column = columns_[c].time.data();
        double* best = table.row(first, stages + columns_[c].stages, columns_[c].last, m);
        for (std::size_t j = begin; j < column_end_; ++j) {
          const double slowest = column[j] > before ? column[j] : before;
          best[j] = slowest < best[j] ? slowest : best[j];
        }
        work_ += 2 + 0.3 * static_cast<double>(column_end_ - begin);
      }
    }
  };
  if (highest(level)) return from(0);
  for (const std::int32_t first : figures_.ideals().subsets(cut)) from(first);
}

/// Adds the single stage that the printed minimum omits.
void PipedreamSearch::begin_part(Table& table, int cut, int m, std::size_t begin) {
  for (std::size_t c = 0; c < columns_used_; ++c) {
    double* best = table.row(cut, columns_[c].stages, columns_[c].last, m);
    for (std::size_t j = begin; j < column_end_; ++j) best[j] = std::min(best[j], columns_[c].time[j]);
  }
}

/// Returns the possible fronts of a stage that begins at `cut`, including the empty one if it begins a part.
std::vector<PipedreamSearch::Front> PipedreamSearch::fronts(Table& table, std::size_t level, int cut, double bound) {
  std::vector<Front> all;
  if (!highest(level) || cut == 0) all.push_back({0, {}});
  if (2 * figures_.cut()[search::at(cut)] / levels_[level - 1].bandwidth > bound) return all;
  const std::span<const std::int32_t> firsts = figures_.ideals().subsets(cut);
  const std::size_t asked = highest(level) ? 1 : firsts.size() + 1;
  work_ += 2 * static_cast<double>(asked * table.lasts) * levels_[level - 1].components * (max_stages_ + 1);
  for (int front = 1; front < levels_[level - 1].components; ++front) {
    const auto reached = [&](std::int32_t first, std::size_t last) {
      for (int stages = min_stages(); stages <= max_stages_; ++stages)
        if (const double before = table.row(first, stages, last, front)[cut]; before <= bound && before < search::never)
          return true;
      return false;
    };
    Front found{front, {}};
    for (std::size_t last = 0; last < table.lasts; ++last)
      if (std::any_of(firsts.begin(), highest(level) && !firsts.empty() ? firsts.begin() + 1 : firsts.end(),
                      [&](std::int32_t first) { return reached(first, last); }))
        found.lasts.push_back(last);
    if (!found.lasts.empty()) all.push_back(std::move(found));
  }
  return all;
}

/// Returns the last stages of a front, by the resulting positions of the components behind them.
std::map<PipedreamSearch::Place, std::vector<std::size_t>> PipedreamSearch::places_behind(std::size_t level,
                                                                                          const Place& place,
                                                                                          const Front& front,
                                                                                          int replicas) {
  std::map<Place, std::vector<std::size_t>> all;
  if (front.components == 0) all[inner_place(level, place, replicas, replicas, 0)];
  work_ += 200 + 200 * static_cast<double>(front.lasts.size());
  for (const std::size_t last : front.lasts)
    all[inner_place(level, place, front.components + replicas, replicas, places_->sizes(level)[last])].push_back(last);
  return all;
}

/// Adds all stages that begin at `cut`.
void PipedreamSearch::take_in(Table& table, std::size_t level, const Place& place, int cut, double bound) {
  const int components = levels_[level - 1].components;
  const std::vector<Front> all = fronts(table, level, cut, bound);
  for (int replicas = 1; replicas <= components && !all.empty() && !halted(); ++replicas) {
    if (is_homogeneous()) stage_times(level, {}, cut, replicas, search::at(cut) + 1, bound);
    for (const Front& front : all) {
      const int m = front.components + replicas;
      if (m > components) break;
      const std::size_t begin =
          highest(level) ? std::max(search::at(cut) + 1, earliest_[search::at(m)]) : search::at(cut) + 1;
      const auto with = [&](const Place& inner, const std::vector<std::size_t>& lasts) {
        if (!is_homogeneous()) stage_times(level, inner, cut, replicas, begin, bound);
        if (front.components > 0)
          extend(table, level, cut, m, replicas, lasts, begin, bound);
        else
          begin_part(table, cut, m, begin);
      };
      if (is_homogeneous())
        with({}, front.lasts);
      else
        for (const auto& [inner, lasts] : places_behind(level, place, front, replicas)) with(inner, lasts);
    }
    check_work();
  }
}

void PipedreamSearch::check_work() {
  if (memory_ != Memory::ignored && !found_ && work_ > work_limit()) gave_up_ = true;
}

PipedreamSearch::Table PipedreamSearch::fill(std::size_t level, const Place& place, double bound) {
  Table table;
  table.ideals = count_, table.components = search::at(levels_[level - 1].components),
  table.counts = search::at(max_stages_) + 1;
  table.lasts = places_->sizes(level).size();
  const std::size_t cells =
      (highest(level) ? 1 : count_) * table.counts * table.lasts * (table.components + 1) * count_;
  gave_up_ = gave_up_ || (exact() && !found_ && bytes_ + static_cast<double>(cells) * sizeof(double) > max_bytes);
  work_ += static_cast<double>(cells);
  check_work();
  if (gave_up_) return table;
  table.values.assign(cells, search::never);
  for (int cut = 0; search::at(cut) + 1 < count_ && !halted(); ++cut) take_in(table, level, place, cut, bound);
  return table;
}

/// Returns A^k(I -> J, m_k) with all of a component's own components, by last stage, stages, I, J.
const std::vector<double>& PipedreamSearch::whole_component(std::size_t level, const Place& place) {
  const auto [found, added] = wholes_.try_emplace({level, place});
  if (!added) return found->second;
  Table table = fill(level, place, bound_of(level, place));
  std::vector<double> values(places_->sizes(level).size() * (search::at(max_stages_) + 1) * count_ * count_,
                             search::never);
  auto to = values.begin();
  for (std::size_t last = 0; last < table.lasts; ++last)
    for (int stages = 0; stages <= max_stages_; ++stages)
      for (int first = 0; search::at(first) < count_ && !table.values.empty();
           ++first, to += static_cast<std::ptrdiff_t>(count_))
        std::copy_n(table.row(first, stages, last, levels_[level - 1].components), count_, to);
  bytes_ += static_cast<double>(values.size()) * sizeof(double);
  work_ += static_cast<double>(values.size());
  if (is_homogeneous()) tables_.insert_or_assign(Key{level, place}, std::move(table));
  return found->second = std::move(values);
}

}  // namespace pipedeck::planner::pipedream
