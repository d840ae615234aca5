// SPDX-License-Identifier: Apache-2.0
// PipeDream's partitioner (section 3.1): the recurrences over the cluster's levels, from the lowest up, on the ideals
// of the layer graph (the prefixes of a chain). With I < J for "I is a subset of J", a stage is J \ I:
//
//   T^k(I -> J, m) = (1/m) max( A^{k-1}(I -> J, m_{k-1}), (2(m-1)/m) sum |w_l| / B_k )
//   A^k(I -> J, m) = min( T^k(I -> J, m), min over K, m' of max( A^k(I -> K, m - m'), 2 a_K / B_k, T^k(K -> J, m') ) )
//   A^0 = sum T_l
//
// A table holds only the values. The choices behind them are recovered for the answer's cells, by the first of equals:
// the widest last stage, then the earliest boundary. Boundaries K are taken in ascending order: at K's turn, A^k(I ->
// K) is final for every I, and one pass over all J adds K.
//
// At the highest level only A^L(empty -> whole, m_L) is needed. So its table omits values above a bound, and values
// that leave more to the remaining devices than they can do within it. The bound starts at 3 % above perfect balance
// and rises until the answer stays below it, which proves the answer.
//
// Memory. A stage holds K = ceil((r + devices behind) / r) mini-batches, so there is one table for each position of a
// part (place.hpp). The tensors waiting at a stage's boundaries also depend on the replicas of the stage
// before. Then A^k has one more argument, the replicas of its last stage, and a part's position includes the waiting
// tensors of its first stage. That takes much more work and is seldom needed. So the search has these steps, each
// answer a bound for the next:
//   0. No partition fits if the layers need more devices than there are even under the least memory that any of its
//      stages can take (least_devices).
//   1. Without memory: if the answer fits, it is the best.
//   2. Some answer that fits (blocks.hpp): from here on slower ones are dropped. In a hurry it is the answer.
//   3. With the K versions and activations alone (`own`): as 1.
//   4. With all waiting tensors, exactly.
//   5. If 3 and 4 take too much work: stages are assumed to follow up to 1, 2, 4 ... replicas, until the answer fits
//      (`cautious`). Each time more partitions are refused. A better plan may have been refused, so nothing is proven.
// The work of steps 3 to 5 is limited; beyond it the answer is that of step 2.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/model/plan_constraints.hpp"
#include "core/planner/pipedream/figures.hpp"
#include "core/planner/pipedream/levels.hpp"
#include "core/planner/pipedream/place.hpp"

namespace pipedeck::planner::pipedream {

struct Options {
  bool ignore_memory = false;
  bool printed_objective = false;
};

struct Answer {
  Seconds slowest;                             ///< A^L(empty -> whole, m_L)
  std::vector<int> nested;                     ///< ideals from the empty to the whole one: the stages lie between
  std::vector<std::vector<DeviceId>> devices;  ///< by stage
};

/// When a search ends early: at a stop, or in a hurry as soon as it knows an answer that fits.
struct Watch {
  std::stop_token stop, hurry{};
  std::function<void()> found_plan{};  ///< called with that answer
};

/// 2 (m - 1) / m |w| / B, or as section 3.1 prints it, against its own text, 2 (m - 1) |w| / B: by byte of |w|.
double sync_factor(const Options& options, int replicas, double bandwidth);

/// Does the answer fit with all that waits at its boundaries?
bool fits(const Figures& figures, const Answer& answer);

/// Returns a number of devices below which no partition fits: that of stages that hold their K versions and the fewest
/// waiting tensors. A stage with fewer devices behind it needs no more memory, so the fewest devices for the layers
/// behind each cut suffice. Returns 0 for a layer graph of too many pairs of ideals.
int least_devices(const Figures& figures);

class PipedreamSearch {
 public:
  /// Pins of stages, replicas and layers hold in the answer.
  PipedreamSearch(const Figures& figures, const Topology& topology, const Options& options, const PlanConstraints& pins,
                  Watch watch);

  /// One stage on all devices, if it fits and is not pinned otherwise: an answer that takes no search.
  std::optional<Answer> one_stage() const;
  /// Nothing where no partition fits (or, `proven()` being false, is sure to), or a stop was requested.
  std::optional<Answer> run();
  /// Returns true if the result of run() is certain, with or without an answer.
  bool proven() const { return proven_; }

  /// Steps that the tables take at most without memory: what decides whether a problem is too large.
  static double search_budget(const search::Ideals& ideals, const Topology& topology, const PlanConstraints& pins);

 private:
  using Place = Part;
  /// A table of A^k(I -> J, m) by the number s of stages and the replicas of the last one (an index of sizes_). s is 0
  /// if no pin counts stages; replicas are omitted if nothing depends on them. The highest level has I = 0.
  struct Table {
    std::vector<double> values;
    std::size_t ideals = 0, components = 0, counts = 1, lasts = 1;
    double* row(int first, int stages, std::size_t last, int m) {
      return &values[(((static_cast<std::size_t>(first) * counts + static_cast<std::size_t>(stages)) * lasts + last) *
                          (components + 1) +
                      static_cast<std::size_t>(m)) *
                     ideals];
    }
  };
  using Key = std::pair<std::size_t, Place>;  ///< level, position
  /// A column of T^k(cut -> J, m') for a number of stages and the replicas of the last one.
  struct Column {
    int stages = 0;
    std::size_t last = 0;
    std::vector<double> time;  ///< by J
  };
  /// A front: the components before a boundary, and the possible last stages.
  struct Front {
    int components;
    std::vector<std::size_t> lasts;
  };
  /// A piece: the layers between two ideals on these devices, counted within the part.
  struct LayerRange {
    int inner, outer;
    std::vector<int> devices;
  };

  std::optional<Answer> partition(Memory memory, int reach, double least);
  std::optional<Answer> quick_answer(double least) const;
  std::optional<Answer> cautious(double least);
  std::optional<Answer> within_bound(double bound);

  Table fill(std::size_t level, const Place& place, double bound);
  void take_in(Table& table, std::size_t level, const Place& place, int cut, double bound);
  std::vector<Front> fronts(Table& table, std::size_t level, int cut, double bound);
  std::map<Place, std::vector<std::size_t>> places_behind(std::size_t level, const Place& place, const Front& front,
                                                          int replicas);
  void extend(Table& table, std::size_t level, int cut, int m, int replicas, const std::vector<std::size_t>& lasts,
              std::size_t begin, double bound);
  void begin_part(Table& table, int cut, int m, std::size_t begin);
  void stage_times(std::size_t level, const Place& inner, int cut, int replicas, std::size_t begin, double bound);
  void device_times(const Place& inner, int cut, std::size_t begin, std::size_t end, double bound, Column& column);
  Column& next_column(int stages, std::size_t last);
  double stage_time(std::size_t level, const Place& inner, int cut, int outer, int stages, int replicas,
                    std::size_t last);
  const std::vector<double>& whole_component(std::size_t level, const Place& place);
  Table& kept_table(std::size_t level, const Place& place);
  bool allowed(int inner, int outer, const Place& place) const;
  bool holds(const Place& place, DeviceId device) const;
  void check_work();
  double bound_of(std::size_t level, const Place& place) const;
  bool hurried() const { return watch_.hurry.stop_requested(); }
  bool halted() const { return gave_up_ || watch_.stop.stop_requested() || (known_ && hurried()); }

  Place inner_place(std::size_t level, const Place& place, int m, int replicas, int before) const {
    return is_homogeneous() ? Place() : places_->inner(level, place, m, replicas, before);
  }
  std::vector<LayerRange> pieces(std::size_t level, const Place& place, int inner, int outer, int m, int stages,
                                 std::size_t last);
  std::vector<LayerRange> whole_part(std::size_t level, const Place& place, int inner, int outer, int stages,
                                     std::size_t last);

  bool highest(std::size_t level) const { return level == levels_.size(); }
  bool exact() const { return memory_ == Memory::exact; }
  int min_stages() const { return max_stages_ > 0 ? 1 : 0; }
  /// Does nothing but the number of replicas make stages differ?
  bool is_homogeneous() const { return memory_ == Memory::ignored && !pins_.replicas && pins_.layers.empty(); }
  bool nested(int inner, int outer) const {
    return nested_.empty() || nested_[static_cast<std::size_t>(inner) * count_ + static_cast<std::size_t>(outer)] != 0;
  }

  /// Work of the searches with memory, roughly in nanoseconds: with an answer to improve; without any; and in a hurry,
  /// where many questions are asked whether there is any.
  static constexpr double max_work = 1e9, max_work_for_one = 1.5e9, max_hurried_work = 5e7;
  double work_limit() const { return known_ ? max_work : hurried() ? max_hurried_work : max_work_for_one; }

  const Figures& figures_;
  Options options_;
  PlanConstraints pins_;
  Watch watch_;
  std::vector<Level> levels_;
  std::vector<DeviceId> devices_;  ///< in component order
  std::size_t count_;              ///< ideals
  int max_stages_;                 ///< limit from pins; 0: none
  std::vector<char> nested_;       ///< [inner][outer]; empty for a chain

  Memory memory_ = Memory::ignored;
  std::optional<Places> places_;
  std::optional<Answer> known_;  ///< some answer that fits: slower ones are not looked for
  double bound_ = 0;             ///< of the highest level
  double work_ = 0, bytes_ = 0;  ///< of the searches with memory so far
  bool gave_up_ = false, proven_ = true;
  bool found_ = false;           ///< the answer's stages are being read: nothing is given up
  std::vector<Column> columns_;  ///< current columns
  std::size_t columns_used_ = 0;
  std::size_t column_end_ = 0;                 ///< after its last J within the bound
  std::vector<std::size_t> earliest_;          ///< by m: the first J that leaves no more than the rest can do
  std::map<Key, std::vector<double>> wholes_;  ///< A^k(I -> J, m_k), by last stage, stages, I, J
  std::map<Key, Table> tables_;                ///< of the answer
};

}  // namespace pipedeck::planner::pipedream
