// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/search.hpp"

#include <algorithm>
#include <cmath>

namespace pipedeck::planner::capture {

namespace {

/// Returns the last position of (from, to] for which `holds` is true, or `from`. `holds` is true up to some position.
template <class Holds>
int find_last(int from, int to, const Holds& holds) {
  while (from < to) {
    const int middle = from + (to - from + 1) / 2;
    if (holds(middle))
      from = middle;
    else
      to = middle - 1;
  }
  return from;
}

/// Returns the first position of [from, to) for which `holds` is true, or `to`. `holds` is true from some position on.
template <class Holds>
int find_first(int from, int to, const Holds& holds) {
  return -find_last(-to, -from, [&](int negative) { return holds(-negative); });
}

}  // namespace

void Search::Row::append(int value) {
  low = high - static_cast<int>(start.size());
  start.push_back(value);
  range.append(value);
  if (value < 0) return;
  lowest = low;
  if (highest < 0) highest = low;
}

int Search::Row::most(int first, int last) const {
  first = std::max(first, low), last = std::min(last, high);
  return first > last ? -1 : range.of(high - last, high - first);
}

bool Search::interrupted() {
  if (watch_.answered && watch_.deadline_token.stop_requested()) truncated_ = true;
  return truncated_ || watch_.stop.stop_requested();
}

// --- the relaxed problem

/// Stages filled from the back, as far as the bound allows; a layer stays for each stage in front.
Search::Greedy Search::fill_relaxed(std::int64_t peak) {
  Greedy greedy;
  const int stages = space_.max_stages();
  int last = space_.layers();
  for (int behind = 0; behind < stages; ++behind) {
    const int least = stages - 1 - behind;
    const int first =
        find_first(least, last, [&](int p) { return p == last || space_.min_peak(0, p, last, behind) <= peak; });
    if (first > least) greedy.next = std::min(greedy.next, space_.min_peak(0, first - 1, last, behind));
    if (first == last) return greedy;
    greedy.highest = std::max(greedy.highest, space_.min_peak(0, first, last, behind));
    last = first;
  }
  greedy.complete = last == 0;
  return greedy;
}

std::int64_t Search::relaxed_least() {
  Greedy best = fill_relaxed(INT64_MAX);
  std::int64_t low = 0;
  while (low < best.highest && !interrupted()) {
    const Greedy tried = fill_relaxed(low + (best.highest - low) / 2);
    if (tried.complete)
      best = tried;
    else
      low = std::min(tried.next, best.highest);
  }
  return best.highest;
}

/// Computes the window of each row: the greedy starts from the back (low) and from the front (high), by the number of
/// stages behind.
bool Search::set_windows(const Bounds& bounds) {
  const int stages = space_.max_stages(), layers = space_.layers();
  const std::int64_t capacity = space_.largest_capacity(0);
  const auto may = [&](int first, int last, int behind) {
    return space_.min_peak(0, first, last, behind) <= bounds.peak &&
           space_.min_need(0, first, last, behind) <= capacity;
  };
  low_[0] = layers;
  for (int k = 1; k <= stages; ++k) {
    const int last = low_[index(k - 1)];
    low_[index(k)] = find_first(stages - k, last, [&](int p) { return p == last || may(p, last, k - 1); });
    if (low_[index(k)] == last) return false;
  }
  high_[index(stages)] = 0;
  for (int k = stages; k >= 1; --k) {
    const int first = high_[index(k)];
    high_[index(k - 1)] = find_last(first, layers - (k - 1), [&](int q) { return q == first || may(first, q, k - 1); });
    if (high_[index(k - 1)] < low_[index(k - 1)]) return false;
  }
  return low_[index(stages)] == 0;
}

// --- the table

/// The last end that a stage from p on may have by its prediction; p where even one layer is too much. Neighbouring
/// positions have ends near each other: the search begins at the last answer and doubles its steps.
int Search::end_of(int w, int p, int behind, std::int64_t peak) {
  const int most = std::min(space_.tensor_end(w, p), space_.layers());
  if (most == p || peak == INT64_MAX) return most;
  std::int64_t above = INT64_MAX;  // the prediction at `high`
  const auto holds = [&](int q) {
    const std::int64_t predicted = space_.peak(w, p, q, behind);
    if (predicted > peak) above = predicted;
    return predicted <= peak;
  };
  int low = p, high = most + 1;
  const int hint = std::clamp(hints_[index(w)], p + 1, most);
  if (holds(hint)) {
    low = hint;
    for (int step = 1; low < most && high > most; step *= 2) {
      const int next = std::min(most, low + step);
      (holds(next) ? low : high) = next;
    }
  } else {
    high = hint;
    for (int step = 1; high - step > p; step *= 2) {
      const int next = high - step;
      if (holds(next)) {
        low = next;
        break;
      }
      high = next;
    }
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  if (low < most) next_ = std::min(next_, above);
  return hints_[index(w)] = low;
}

/// The best start among the ends (p, end] on blocks of one kind.
void Search::take_kind(int k, int p, int w, int kind, int end, const Bounds& bounds, bool exactly, Found& found) {
  const int behind = k - 1, width = space_.config(w).devices();
  const std::int64_t capacity = space_.capacity(w, kind);
  if (bounds.timed()) end = find_last(p, end, [&](int q) { return space_.seconds(w, kind, p, q) <= bounds.seconds; });
  if (end == p) return;
  // Up to `sure` the stage fits with any output; from there to `end` that depends on the boundary.
  int sure = end;
  const std::int64_t output = space_.largest_output(w);
  if (capacity < INT64_MAX && space_.need_with(w, p, end, behind, output) > capacity) {
    end = find_last(p, end, [&](int q) { return space_.need_with(w, p, q, behind, 0) <= capacity; });
    sure = find_last(p, end, [&](int q) { return space_.need_with(w, p, q, behind, output) <= capacity; });
  }
  const auto fits = [&](int q) { return q <= sure || space_.need(w, p, q, behind) <= capacity; };
  for (const int next : {k - 1, k}) {
    if (next == k && !loops(k)) continue;
    const Row& row = rows_[index(next)];
    int from = p, to = std::min(end, space_.next_pin(p));  // ends with the same pins before them
    for (;; from = to, to = std::min(end, space_.next_pin(to + 1))) {
      int most = row.most(from + 1, std::min(to, sure));
      for (int q = std::max(from, sure) + 1; q <= to; ++q)
        if (row.at(q) > most && fits(q)) most = row.at(q);
      const auto [min_start, last_start] = space_.allowed_starts(w, p, to);
      if (most >= 0 && min_start <= last_start) {
        const int start = space_.blocks(w).last(kind, std::min(most, last_start + width));
        if (start >= min_start && start > found.start) {
          found = {start, {p, to, w, start}, next};
          if (exactly)
            for (found.stage.last = from + 1; row.at(found.stage.last) != most || !fits(found.stage.last);)
              ++found.stage.last;
        }
      }
      if (to >= end) break;
    }
  }
}

Search::Found Search::best(int k, int p, const Bounds& bounds, bool exactly) {
  Found found;
  for (int w = 0; w < space_.ways(); ++w) {
    const int end = end_of(w, p, k - 1, bounds.peak);
    if (end == p) continue;
    for (int kind = 0; kind < space_.blocks(w).kinds(); ++kind) take_kind(k, p, w, kind, end, bounds, exactly, found);
  }
  return found;
}

/// Returns true if no earlier position can have a start. Then a stage from p to the next possible start is too large
/// even without input and workspace.
bool Search::ends(int k, int p, const Bounds& bounds) {
  int next = rows_[index(k - 1)].lowest;
  if (loops(k) && rows_[index(k)].lowest >= 0) next = std::min(next, rows_[index(k)].lowest);
  if (next <= p) return false;
  std::int64_t above = INT64_MAX;
  for (int w = 0; w < space_.ways(); ++w) {
    if (space_.min_need(w, p, next, k - 1) > space_.largest_capacity(w)) continue;
    const std::int64_t least = space_.min_peak(w, p, next, k - 1);
    if (least <= bounds.peak) return false;
    above = std::min(above, least);
  }
  next_ = std::min(next_, above);
  return true;
}

bool Search::fill(int k, const Bounds& bounds) {
  const bool fewer = space_.min_stages() <= 1 && !every_count_;  // fewer stages will do
  Row& row = rows_[index(k)];
  // A row that continues its own starts has none at or after the last start of the previous row but one stage less.
  row.high = std::min(high_[index(k)], rows_[index(k - 1)].highest - 1);
  row.low = row.high + 1;
  hints_.assign(index(space_.ways()), space_.layers());
  for (int p = row.high; p >= low_[index(k)]; --p) {
    if (p % 16 == 0 && interrupted()) return false;
    ++cells_;
    const int start = best(k, p, bounds, false).start;
    const bool useful = start > (fewer ? reached_[index(p)] : -1);
    row.append(useful ? start : -1);
    if (fewer) reached_[index(p)] = std::max(reached_[index(p)], start);
    if (!useful && ends(k, p, bounds)) break;
  }
  return row.lowest >= 0;
}

std::optional<Partition> Search::within(const Bounds& bounds) {
  const int count = space_.rows();
  next_ = INT64_MAX;
  if (space_.ways() == 0 || space_.min_stages() > space_.max_stages()) return {};
  rows_.assign(index(count) + 1, {});
  low_.assign(index(count) + 1, 0), high_.assign(index(count) + 1, 0);
  for (int k = 0; k <= count; ++k)
    low_[index(k)] = std::max(0, space_.min_stages() - k), high_[index(k)] = space_.layers() - k;
  if (windowed() && !set_windows(bounds)) return {};
  reached_.assign(index(space_.layers()) + 1, -1);
  rows_[0].high = space_.layers();
  rows_[0].append(space_.devices());
  for (int k = 1; k <= count && fill(k, bounds) && !interrupted(); ++k)
    if (counts(k)) return read(k, bounds);
  return {};
}

Partition Search::read(int k, const Bounds& bounds) {
  Partition stages;
  for (int p = 0; p < space_.layers();) {
    const Found found = best(k, p, bounds, true);
    ensure(found.start >= 0, "capture lost its way through its table");
    stages.push_back(found.stage);
    p = found.stage.last, k = found.next;
  }
  const auto placed = space_.placed(std::move(stages), bounds);
  ensure(placed.has_value(), "capture found stages that have no devices");
  return *placed;
}

// --- public queries

/// A first partition, and a bound `low` that none is below. Windows are narrow near the relaxed optimum: the bound
/// goes up from there.
std::optional<Partition> Search::first_within(std::int64_t most, std::int64_t& low) {
  if (!windowed()) {
    low = 1;
    return within({.peak = most});
  }
  low = relaxed_least();
  std::int64_t bound = low, step = std::max<std::int64_t>(1, low / 512);
  while (bound <= most && !interrupted()) {
    if (auto found = within({.peak = bound})) return found;
    if (bound == most) break;
    low = bound + 1;
    bound = step > most - bound || step > (std::int64_t{1} << 58) ? most : bound + step;
    step *= 4;
  }
  return {};
}

std::optional<Partition> Search::min_peak(std::int64_t most) {
  if (space_.ways() == 0 || space_.min_stages() > space_.max_stages()) return {};
  std::int64_t low = 1;
  std::optional<Partition> best = first_within(most, low);
  if (!best) return {};
  watch_.answered = true;
  watch_.note_plan();
  for (std::int64_t high = space_.highest_peak(*best); low < high && !interrupted();) {
    const bool far = high / 2 > low;  // then the geometric mean
    const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
    const std::int64_t middle = far ? std::clamp(root, low, high - 1) : low + (high - low) / 2;
    if (auto found = within({.peak = middle})) {
      high = space_.highest_peak(*found);
      best = std::move(found);
    } else {
      low = windowed() ? middle + 1 : std::max(middle + 1, std::min(next_, high));
    }
  }
  return best;
}

Partition Search::quick(Partition found, std::int64_t peak, double cells) {
  watch_.answered = true;
  double low = 0, high = space_.slowest(found);
  for (const double most = cells_ + cells; cells_ < most && high - low > 1e-6 * high && !interrupted();) {
    const double middle = low + (high - low) / 2;
    if (auto quicker = within({peak, middle})) {
      high = space_.slowest(*quicker);
      found = std::move(*quicker);
    } else {
      low = middle;
    }
  }
  return found;
}

std::vector<Partition> Search::best_per_stage_count(const Bounds& bounds) {
  std::vector<Partition> found;
  watch_.answered = true;
  every_count_ = true;
  if (const auto any = within(bounds)) found.push_back(*any);
  int k = 1;
  while (!found.empty() && !counts(k)) ++k;  // the row at which within() stopped
  for (++k; !found.empty() && k <= space_.rows() && fill(k, bounds) && !interrupted(); ++k)
    if (counts(k)) found.push_back(read(k, bounds));
  every_count_ = false;
  return found;
}

std::vector<Partition> Search::all(const Bounds& bounds, std::size_t most) {
  std::vector<Partition> found;
  watch_.answered = true;
  if (!windowed() || !within(bounds)) return found;
  Partition stages;
  collect(space_.max_stages(), 0, bounds, most, stages, found);
  return found;
}

void Search::collect(int k, int p, const Bounds& bounds, std::size_t most, Partition& stages,
                     std::vector<Partition>& found) {
  if (k == 0) {
    if (auto placed = space_.placed(stages, bounds)) found.push_back(std::move(*placed));
    return;
  }
  const int end = end_of(0, p, k - 1, bounds.peak);
  for (int q = p + 1; q <= end && found.size() < most && !interrupted(); ++q) {
    if (rows_[index(k - 1)].at(q) < 0 || space_.need(0, p, q, k - 1) > space_.largest_capacity(0)) continue;
    stages.push_back({p, q, 0, 0});
    collect(k - 1, q, bounds, most, stages, found);
    stages.pop_back();
  }
}

}  // namespace pipedeck::planner::capture
