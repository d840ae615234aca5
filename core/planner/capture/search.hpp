// SPDX-License-Identifier: Apache-2.0
// CAPTURE's exact recommender. It answers one question: do all stages of some partition keep a bound on their predicted
// peak? A table over (stages, layers) is filled from the back. An entry is the last position of the device order at
// which the layers from p on can start on k stages. A later position leaves more devices to the stages before, so one
// number per entry is enough. A stage's prediction grows with every layer at its end, so its possible ends are a range.
// A range maximum finds the best of them. Bisection over the bound then finds the least one.
//
//   cells (k, p), of each way to run a stage one step of O(log N)
//
// Much of the table is never computed:
// - If the number of stages is free, an entry is dropped if fewer stages leave as many devices. More stages behind make
//   the stages in front hold more micro-batches.
// - Rows end where a stage would be too large even without input and workspace.
// - From k = M stages on, another stage holds no more micro-batches, so one row represents all further ones.
// - With one way to run a stage and a given number of stages (pipelines), stages are filled greedily from both ends,
//   without input and workspace. That leaves a narrow window of each row.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/planner/capture/space.hpp"

namespace pipedeck::planner::capture {

/// A table of maxima over any range of appended numbers, stored for ranges of powers of two.
class RangeMaxQuery {
 public:
  void append(int value) {
    if (tables_.empty()) tables_.emplace_back();
    tables_[0].push_back(value);
    const std::size_t count = tables_[0].size();
    for (std::size_t k = 0; (std::size_t{2} << k) <= count; ++k) {
      if (tables_.size() == k + 1) tables_.emplace_back();
      const std::vector<int>& half = tables_[k];
      tables_[k + 1].push_back(std::max(half.back(), half[half.size() - 1 - (std::size_t{1} << k)]));
    }
  }

  /// Returns the maximum of entries [first, last], not empty; two stored ranges cover them.
  int of(int first, int last) const {
    const auto k = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(last - first + 1)) - 1);
    const std::vector<int>& ranges = tables_[k];
    return std::max(ranges[static_cast<std::size_t>(first)],
                    ranges[static_cast<std::size_t>(last) + 1 - (std::size_t{1} << k)]);
  }

 private:
  std::vector<std::vector<int>> tables_;  // [k][i]: of the 2^k entries from i on
};

/// When to end early: at once, or as soon as there is a partition to answer with.
struct Watch {
  std::stop_token stop, deadline_token;
  bool answered = false;  ///< an answer exists elsewhere
  std::function<void()> found_plan{};

  void note_plan() const {
    if (found_plan) found_plan();
  }
};

class Search {
 public:
  Search(Space& space, Watch watch) : space_(space), watch_(std::move(watch)) {}

  /// Returns true if `deadline_token` ended a search early.
  bool truncated() const { return truncated_; }

  /// A partition that keeps to the bounds; nothing where there is none, or the search was stopped.
  std::optional<Partition> within(const Bounds& bounds);
  /// One of the least highest peak, if that is no more than `most`.
  std::optional<Partition> min_peak(std::int64_t most);
  /// Returns a partition within the peak whose slowest stage takes the least time, up to 1e-6 or until `cells` entries
  /// were computed.
  Partition quick(Partition found, std::int64_t peak, double cells);
  /// One partition of each number of stages that keeps to the bounds.
  std::vector<Partition> best_per_stage_count(const Bounds& bounds);
  /// All that keep to the bounds, by their stages' ends in lexicographic order, up to `most`; for pipelines only.
  std::vector<Partition> all(const Bounds& bounds, std::size_t most);

 private:
  /// A row of the table: for layers from p on as k stages, the last position at which they can start, or -1.
  struct Row {
    int high = -1, low = 0;         // -1 outside [low, high]; low falls while the row is filled
    std::vector<int> start;         // from `high` down
    RangeMaxQuery range;            // of `start`
    int lowest = -1, highest = -1;  // positions that have a start; -1: none
    void append(int value);
    int at(int p) const { return p < low || p > high ? -1 : start[static_cast<std::size_t>(high - p)]; }
    int most(int first, int last) const;  ///< largest start of first..last
  };
  struct Found {
    int start = -1;
    StageChoice stage;
    int next = 0;  ///< row
  };

  bool windowed() const { return space_.pipelines(); }
  bool interrupted();
  bool loops(int k) const { return space_.any_stages() && k == space_.micro_batches(); }
  bool set_windows(const Bounds& bounds);
  bool fill(int k, const Bounds& bounds);  ///< whether the row has any start
  bool ends(int k, int p, const Bounds& bounds);
  bool counts(int k) const { return k >= space_.min_stages() && rows_[index(k)].at(0) >= 0; }
  Found best(int k, int p, const Bounds& bounds, bool exactly);
  void take_kind(int k, int p, int w, int kind, int end, const Bounds& bounds, bool exactly, Found& found);
  int end_of(int w, int p, int behind, std::int64_t peak);
  Partition read(int k, const Bounds& bounds);
  void collect(int k, int p, const Bounds& bounds, std::size_t most, Partition& stages, std::vector<Partition>& found);
  struct Greedy {
    bool complete = false;
    std::int64_t highest = 0, next = INT64_MAX;  // highest peak; least bound that lets a stage take more
  };
  Greedy fill_relaxed(std::int64_t peak);
  std::int64_t relaxed_least();
  std::optional<Partition> first_within(std::int64_t most, std::int64_t& low);
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  Space& space_;
  Watch watch_;
  bool truncated_ = false;
  std::vector<Row> rows_;
  std::vector<int> low_, high_;  // windows, by k
  std::vector<int> reached_;     // best start with fewer stages, by p
  bool every_count_ = false;     // do not drop entries that fewer stages reach
  double cells_ = 0;             // entries computed so far
  std::vector<int> hints_;       // by way: the end at the previous position
  std::int64_t next_ = 0;        // least peak above the bound of any stage tried
};

}  // namespace pipedeck::planner::capture
