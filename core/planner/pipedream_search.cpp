// SPDX-License-Identifier: Apache-2.0
#include "core/planner/pipedream_search.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/cost/memory.hpp"

namespace pipedeck {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double rounding = 1 + 1e-12;

std::size_t at(int position) { return static_cast<std::size_t>(position); }

int ceil_div(int a, int b) { return (a + b - 1) / b; }

}  // namespace

double pipedream_sync_factor(const PipedreamOptions& options, int replicas, double bandwidth) {
  const double m = replicas;
  return (options.printed_objective ? 2 * (m - 1) : 2 * (m - 1) / m) / bandwidth;
}

bool fits(const PipedreamFigures& figures, const PipedreamAnswer& answer) {
  int workers = 0, kept = 0, before = 0;
  for (const auto& devices : answer.devices) workers += static_cast<int>(devices.size());
  for (std::size_t s = 0; s < answer.devices.size(); ++s) {
    const int replicas = static_cast<int>(answer.devices[s].size());
    const int versions = ceil_div(workers, replicas);
    const int waiting = before == 0 ? versions : pipedream_outstanding(before, kept, replicas);
    if (!figures.fits(answer.nested[s], answer.nested[s + 1], {workers - replicas, replicas}, waiting)) return false;
    workers -= replicas, kept = versions, before = replicas;
  }
  return true;
}

std::optional<PipedreamAnswer> fitting_partition(
    const PipedreamFigures& figures, bool ignore_memory,
    const std::function<std::optional<PipedreamAnswer>(bool memory, int reach)>& partition) {
  auto answer = partition(false, 0);
  if (!answer || ignore_memory || fits(figures, *answer)) return answer;
  for (int reach = 0;; reach = reach == 0 ? 1 : 2 * reach) {
    answer = partition(true, reach);
    if (answer) answer->proven = reach == 0;
    if (!answer || fits(figures, *answer)) return answer;
    if (reach >= figures.devices()) return {};
  }
}

PipedreamSearch::PipedreamSearch(const PipedreamFigures& figures, const PipedreamTopology& topology,
                                 const PipedreamOptions& options, const Pins& pins, std::stop_token stop)
    : figures_(figures),
      options_(options),
      pins_(pins),
      stop_(std::move(stop)),
      levels_(topology.levels),
      devices_(topology.devices),
      count_(at(figures.ideals().count())),
      most_stages_(pins.stages.value_or(pins.max_stages.value_or(0))) {
  const Ideals& ideals = figures.ideals();
  most_stages_ = std::min(most_stages_, ideals.whole());
  if (!ideals.is_chain()) {
    nested_.assign(count_ * count_, 0);
    for (int outer = 0; outer < ideals.count(); ++outer)
      for (const std::int32_t inner : ideals.subsets(outer)) nested_[at(inner) * count_ + at(outer)] = 1;
  }
  column_.assign(at(most_stages_) + 1, std::vector<double>(count_, never));
}

double PipedreamSearch::effort(const Ideals& ideals, const PipedreamTopology& topology, const Pins& pins) {
  const double count = ideals.count(), stages = pins.stages.value_or(pins.max_stages.value_or(1));
  double effort = 0;
  for (std::size_t level = 0; level < topology.levels.size(); ++level) {
    const double m = topology.levels[level].components;
    const double splits = level + 1 == topology.levels.size() ? count * count / 2 : count * count * count / 6;
    effort += splits * (m * (m + 1) / 2) * stages * (level == 0 ? 1 : stages);
  }
  return effort;
}

std::optional<PipedreamAnswer> PipedreamSearch::run() {
  return fitting_partition(figures_, options_.ignore_memory,
                           [this](bool memory, int reach) { return partition(memory, reach); });
}

std::optional<PipedreamAnswer> PipedreamSearch::on_one_device() const {
  if (pins_.stages.value_or(1) != 1 || !allowed(0, figures_.ideals().whole(), {}, 0)) return {};
  return PipedreamAnswer{Seconds(figures_.time().back()), {0, figures_.ideals().whole()}, {devices_}};
}

std::optional<PipedreamAnswer> PipedreamSearch::partition(bool memory, int reach) {
  memory_ = memory, reach_ = reach;
  wholes_.clear(), tables_.clear();
  if (levels_.empty()) return on_one_device();
  const double balance = figures_.time().back() / static_cast<double>(devices_.size());
  // Without any time there is nothing to balance.
  for (double share = 1.03; balance > 0 && share < 64 && !stop_.stop_requested(); share *= 1.25)
    if (auto answer = within_bound(balance * share)) return answer;
  return within_bound(never);
}

std::optional<PipedreamAnswer> PipedreamSearch::within_bound(double bound) {
  const std::size_t top = levels_.size();
  const int components = levels_[top - 1].components, whole = figures_.ideals().whole();
  if (pins_.stages.value_or(0) > most_stages_) return {};
  earliest_.assign(at(components) + 1, 0);
  const std::vector<double>& time = figures_.time();
  for (int m = 1; m <= components && bound < never; ++m)
    while (time.back() - time[earliest_[at(m)]] > bound * (components - m) * levels_[top - 1].devices * (1 + 1e-9) &&
           earliest_[at(m)] + 1 < count_)
      ++earliest_[at(m)];
  const auto [found, added] = tables_.insert_or_assign(Key{top, Place{}}, fill(top, {}, bound));
  int stages = pins_.stages.value_or(0);
  double slowest = found->second.row(0, stages, components)[whole];
  if (!pins_.stages)
    for (int s = 1; s <= most_stages_; ++s)
      if (const double other = found->second.row(0, s, components)[whole]; other < slowest || stages == 0)
        stages = s, slowest = other;
  if (!(slowest <= bound) || slowest == never || stop_.stop_requested()) return {};

  PipedreamAnswer answer{Seconds(slowest), {0}, {}};
  for (const Piece& piece : whole_part(top, {}, 0, whole, stages)) {
    answer.nested.push_back(piece.outer);
    answer.devices.emplace_back();
    for (const int position : piece.devices) answer.devices.back().push_back(devices_[at(position)]);
  }
  return answer;
}

/// Where the components of a stage stand whose last component is the m-th of this part, counted from the front.
PipedreamSearch::Place PipedreamSearch::inner_place(std::size_t level, const Place& place, int m, int replicas) const {
  if (alike()) return {};
  const PipedreamLevel& here = levels_[level - 1];
  Place inner;
  inner.behind = place.behind + place.copies * (here.components - m) * here.devices;
  inner.copies = place.copies * replicas;
  if (pins_.layers.empty()) return inner;
  inner.ranges = place.ranges;
  inner.ranges.emplace_back(m - replicas, m);
  return inner;
}

bool PipedreamSearch::holds(const Place& place, DeviceId device) const {
  const auto position = static_cast<int>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin());
  for (std::size_t i = 0; i < place.ranges.size(); ++i) {
    const PipedreamLevel& level = levels_[levels_.size() - 1 - i];
    const int component = position / level.devices % level.components;
    if (component < place.ranges[i].first || component >= place.ranges[i].second) return false;
  }
  return true;
}

/// May one stage of a single device each have these layers there?
bool PipedreamSearch::allowed(int inner, int outer, const Place& place, int waiting) const {
  if (pins_.replicas && *pins_.replicas != place.copies) return false;
  const Ideals& ideals = figures_.ideals();
  for (const auto& [layer, device] : pins_.layers)
    if (ideals.has(outer, layer) && !ideals.has(inner, layer) && !holds(place, device)) return false;
  return !memory_ || figures_.fits(inner, outer, place, waiting);
}

/// T^k(cut -> outer, m') where the stage below has so many stages.
double PipedreamSearch::stage_time(std::size_t level, const Place& inner, int cut, int outer, int stages,
                                   int replicas) {
  const double m = replicas;
  double compute;  // A^{k-1}(cut -> outer, m_{k-1})
  if (level > 1)
    compute = whole_component(level - 1, inner)[(at(stages) * count_ + at(cut)) * count_ + at(outer)];
  else if (stages > 1 || (stages == 0 && most_stages_ > 0) ||
           (!alike() && !allowed(cut, outer, inner, figures_.most_waiting(inner, reach_))))
    compute = never;
  else
    compute = figures_.time()[at(outer)] - figures_.time()[at(cut)];
  const double factor = pipedream_sync_factor(options_, replicas, levels_[level - 1].bandwidth);
  return std::max(compute, factor * (figures_.weights()[at(outer)] - figures_.weights()[at(cut)])) / m;
}

/// The same for every ideal around `cut`, from number `begin` on, into column_.
void PipedreamSearch::stage_times(std::size_t level, const Place& inner, int cut, int replicas, std::size_t begin,
                                  double bound) {
  const double m = replicas, time = figures_.time()[at(cut)], weights = figures_.weights()[at(cut)];
  const double factor = pipedream_sync_factor(options_, replicas, levels_[level - 1].bandwidth);
  const std::vector<double>& times = figures_.time();
  const std::vector<double>& sums = figures_.weights();
  column_end_ = count_;
  for (int stages = most_stages_ > 0 ? 1 : 0; stages <= most_stages_; ++stages) {
    if (level > 1) {
      const double* below = &whole_component(level - 1, inner)[(at(stages) * count_ + at(cut)) * count_];
      double* column = column_[at(stages)].data();
      for (std::size_t j = begin; j < count_; ++j) column[j] = std::max(below[j], factor * (sums[j] - weights)) / m;
      continue;
    }
    double* column = column_[at(stages)].data();
    if (stages > 1) {
      std::fill_n(column, count_, never);
      continue;
    }
    for (std::size_t j = begin; j < count_; ++j)
      column[j] = std::max(times[j] - time, factor * (sums[j] - weights)) / m;
    for (std::size_t j = begin; !nested_.empty() && j < count_; ++j)
      if (nested_[at(cut) * count_ + j] == 0) column[j] = never;
    const int waiting = figures_.most_waiting(inner, reach_);
    for (std::size_t j = begin; !alike() && j < count_; ++j)
      if (column[j] <= bound && column[j] < never && !allowed(cut, static_cast<int>(j), inner, waiting))
        column[j] = never;
  }
  const auto beyond = [&](std::size_t j) {
    return std::all_of(column_.begin(), column_.end(), [&](const auto& column) { return column[j] > bound; });
  };
  while (column_end_ > begin && beyond(column_end_ - 1)) --column_end_;
}

/// The second equation of section 3.1 with this cut and these m' of m components: for all first ideals I, all J.
void PipedreamSearch::extend(Table& table, std::size_t level, int cut, int m, int replicas, std::size_t begin,
                             double bound) {
  const double transfer = 2 * figures_.cut()[at(cut)] / levels_[level - 1].bandwidth;
  if (begin >= column_end_) return;
  const auto from = [&](int first) {
    for (int inner = most_stages_ > 0 ? 1 : 0; inner <= most_stages_; ++inner)
      for (int all = most_stages_ > 0 ? inner + 1 : 0; all <= most_stages_; ++all) {
        const double before = std::max(table.row(first, all - inner, m - replicas)[cut], transfer);
        if (!(before <= bound) || before == never) continue;
        const double* column = column_[at(inner)].data();
        double* best = table.row(first, all, m);
        for (std::size_t j = begin; j < column_end_; ++j) {
          const double slowest = column[j] > before ? column[j] : before;
          best[j] = slowest < best[j] ? slowest : best[j];
        }
      }
  };
  if (highest(level)) return from(0);
  for (const std::int32_t first : figures_.ideals().subsets(cut)) from(first);
}

/// Components in front of `cut` with which a stage may begin there: 0 where it begins a part.
std::vector<int> PipedreamSearch::fronts(Table& table, std::size_t level, int cut, double bound) const {
  const int components = levels_[level - 1].components;
  std::vector<int> all;
  for (int front = 0; front < components; ++front) {
    bool reached = !highest(level) || (cut == 0 && front == 0);
    const bool crossed = 2 * figures_.cut()[at(cut)] / levels_[level - 1].bandwidth <= bound;
    for (int stages = 0; stages <= most_stages_ && !reached && front > 0 && crossed; ++stages) {
      const double before = table.row(0, stages, front)[cut];
      reached = before <= bound && before < never;
    }
    if (reached) all.push_back(front);
  }
  return all;
}

/// All stages that begin behind `cut`.
void PipedreamSearch::take_in(Table& table, std::size_t level, const Place& place, int cut, double bound) {
  const int components = levels_[level - 1].components;
  const std::vector<int> all = fronts(table, level, cut, bound);
  for (int replicas = 1; replicas <= components && !all.empty(); ++replicas) {
    if (alike()) stage_times(level, {}, cut, replicas, at(cut) + 1, bound);
    for (const int front : all) {
      const int m = front + replicas;
      if (m > components) break;
      const std::size_t begin = highest(level) ? std::max(at(cut) + 1, earliest_[at(m)]) : at(cut) + 1;
      if (!alike()) stage_times(level, inner_place(level, place, m, replicas), cut, replicas, begin, bound);
      if (front > 0)
        extend(table, level, cut, m, replicas, begin, bound);
      else  // the single stage that the printed minimum leaves out
        for (int stages = most_stages_ > 0 ? 1 : 0; stages <= most_stages_; ++stages)
          for (std::size_t j = begin; j < column_end_; ++j)
            table.row(cut, stages, m)[j] = std::min(table.row(cut, stages, m)[j], column_[at(stages)][j]);
    }
  }
}

PipedreamSearch::Table PipedreamSearch::fill(std::size_t level, const Place& place, double bound) {
  Table table;
  table.ideals = count_, table.components = at(levels_[level - 1].components), table.counts = at(most_stages_) + 1;
  table.values.assign((highest(level) ? 1 : count_) * table.counts * (table.components + 1) * count_, never);
  for (int cut = 0; at(cut) + 1 < count_ && !stop_.stop_requested(); ++cut) take_in(table, level, place, cut, bound);
  return table;
}

/// A^k(I -> J, m_k) with all of a component's own components, by stages, I, J.
const std::vector<double>& PipedreamSearch::whole_component(std::size_t level, const Place& place) {
  const auto [found, added] = wholes_.try_emplace({level, place});
  if (!added) return found->second;
  const std::vector<std::vector<double>> column = column_;  // of the level above, at work
  Table table = fill(level, place, never);
  std::vector<double> values(table.counts * count_ * count_);
  for (int stages = 0; stages <= most_stages_; ++stages)
    for (int first = 0; at(first) < count_; ++first)
      std::copy_n(table.row(first, stages, levels_[level - 1].components), count_,
                  &values[(at(stages) * count_ + at(first)) * count_]);
  column_ = column;
  if (alike()) tables_.insert_or_assign(Key{level, place}, std::move(table));
  return found->second = std::move(values);
}

PipedreamSearch::Table& PipedreamSearch::kept_table(std::size_t level, const Place& place) {
  if (const auto found = tables_.find({level, place}); found != tables_.end()) return found->second;
  return tables_.emplace(Key{level, place}, fill(level, place, never)).first->second;
}

std::vector<PipedreamSearch::Piece> PipedreamSearch::whole_part(std::size_t level, const Place& place, int inner,
                                                                int outer, int stages) {
  if (level == 0) return {{inner, outer, {0}}};
  return pieces(level, place, inner, outer, levels_[level - 1].components, stages);
}

/// The stages of A^k(inner -> outer, m), their devices counted from the part's first.
std::vector<PipedreamSearch::Piece> PipedreamSearch::pieces(std::size_t level, const Place& place, int inner, int outer,
                                                            int m, int stages) {
  Table& table = kept_table(level, place);
  const double wanted = table.row(inner, stages, m)[outer] * rounding;
  const auto with = [&](int cut, int replicas, int last) {
    const Place at_work = inner_place(level, place, m, replicas);
    std::vector<Piece> all;
    if (cut > inner) all = pieces(level, place, inner, cut, m - replicas, stages - last);
    for (Piece& piece : whole_part(level - 1, at_work, cut, outer, last)) {
      std::vector<int> devices;
      for (int c = m - replicas; c < m; ++c)
        for (const int device : piece.devices) devices.push_back(c * levels_[level - 1].devices + device);
      piece.devices = std::move(devices);
      all.push_back(std::move(piece));
    }
    return all;
  };
  if (stage_time(level, inner_place(level, place, m, m), inner, outer, stages, m) <= wanted)
    return with(inner, m, stages);
  for (int replicas = m - 1; replicas >= 1; --replicas)
    for (const std::int32_t cut : figures_.ideals().subsets(outer)) {
      if (cut <= inner || !nested(inner, cut)) continue;
      const double transfer = 2 * figures_.cut()[at(cut)] / levels_[level - 1].bandwidth;
      if (transfer > wanted) continue;
      for (int last = stages > 0 ? 1 : 0; last <= std::max(0, stages - 1); ++last)
        if (table.row(inner, stages - last, m - replicas)[cut] <= wanted &&
            stage_time(level, inner_place(level, place, m, replicas), cut, outer, last, replicas) <= wanted)
          return with(cut, replicas, last);
    }
  ensure(false, "PipeDream: a value of the table that no stage gives");
  return {};
}

}  // namespace pipedeck
