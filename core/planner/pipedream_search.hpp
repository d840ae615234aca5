// SPDX-License-Identifier: Apache-2.0
// PipeDream's partitioner (section 3.1): the recurrences over the cluster's levels, from the lowest up, on the ideals
// of the layer graph (of a chain: its prefixes). With I < J for "I lies within J", a stage is J \ I:
//
//   T^k(I -> J, m) = (1/m) max( A^{k-1}(I -> J, m_{k-1}), (2(m-1)/m) sum |w_l| / B_k )
//   A^k(I -> J, m) = min( T^k(I -> J, m), min over K, m' of max( A^k(I -> K, m - m'), 2 a_K / B_k, T^k(K -> J, m') ) )
//   A^0 = sum T_l
//
// A table holds the values alone; what led to them is found again for the answer's cells, by the first of equals:
// the widest last stage, then the earliest cut. Cuts K are taken in ascending order: when it is K's turn, A^k(I -> K)
// is final for every I, and one pass over all J takes K in.
//
// Of the highest level only A^L(empty -> whole, m_L) is wanted. So its table leaves out what exceeds a bound, or leaves
// more to the remaining devices than they can do within it; the bound starts at 3 % above perfect balance and is raised
// until the answer stays below it, which proves the answer.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/domain/pins.hpp"
#include "core/planner/pipedream_figures.hpp"
#include "core/planner/pipedream_levels.hpp"

namespace pipedeck {

struct PipedreamOptions {
  bool ignore_memory = false;
  bool printed_objective = false;
};

struct PipedreamAnswer {
  Seconds slowest;                             ///< A^L(empty -> whole, m_L)
  std::vector<int> nested;                     ///< ideals from the empty to the whole one: the stages lie between
  std::vector<std::vector<DeviceId>> devices;  ///< by stage
  bool proven = true;  ///< none is better; else memory refused more than it had to, and one may be
};

/// 2 (m - 1) / m |w| / B, or as section 3.1 prints it, against its own text, 2 (m - 1) |w| / B: by byte of |w|.
double pipedream_sync_factor(const PipedreamOptions& options, int replicas, double bandwidth);

/// Does the answer fit with all that waits at its boundaries?
bool fits(const PipedreamFigures& figures, const PipedreamAnswer& answer);

/// Asks `partition(memory, reach)` until the answer is sure to fit. What the stage before has under way decides how
/// many inputs and gradients wait here, but the recurrences don't know its replicas. So first memory is left out, then
/// nothing waits: an answer of these that fits is the best there is. Otherwise stages are taken to stand behind up to
/// 1, 2, 4 ... replicas, each time refusing more, until the answer fits.
std::optional<PipedreamAnswer> fitting_partition(
    const PipedreamFigures& figures, bool ignore_memory,
    const std::function<std::optional<PipedreamAnswer>(bool memory, int reach)>& partition);

class PipedreamSearch {
 public:
  /// Pins of stages, replicas and layers hold in the answer.
  PipedreamSearch(const PipedreamFigures& figures, const PipedreamTopology& topology, const PipedreamOptions& options,
                  const Pins& pins, std::stop_token stop);

  /// Nothing where no partition is sure to fit, or a stop was requested.
  std::optional<PipedreamAnswer> run();

  /// Steps that the tables take at most: what decides whether a problem is too large.
  static double effort(const Ideals& ideals, const PipedreamTopology& topology, const Pins& pins);

 private:
  /// Where a part of the cluster stands. `ranges`: its components of every level, from the highest down; only where
  /// pins ask for devices.
  struct Place : PipedreamPlace {
    std::vector<std::pair<int, int>> ranges;
    auto operator<=>(const Place&) const = default;
  };
  /// A^k(I -> J, m) with s stages; s is 0 alone, any number, where no pin counts them. The highest level has I = 0.
  struct Table {
    std::vector<double> values;
    std::size_t ideals = 0, components = 0, counts = 1;
    double* row(int first, int stages, int m) {
      return &values[((static_cast<std::size_t>(first) * counts + static_cast<std::size_t>(stages)) * (components + 1) +
                      static_cast<std::size_t>(m)) *
                     ideals];
    }
  };
  using Key = std::pair<std::size_t, Place>;  ///< level, place
  /// The layers between two ideals on these devices, counted within the part.
  struct Piece {
    int inner, outer;
    std::vector<int> devices;
  };

  std::optional<PipedreamAnswer> partition(bool memory, int reach);
  std::optional<PipedreamAnswer> within_bound(double bound);
  std::optional<PipedreamAnswer> on_one_device() const;

  Table fill(std::size_t level, const Place& place, double bound);
  void take_in(Table& table, std::size_t level, const Place& place, int cut, double bound);
  std::vector<int> fronts(Table& table, std::size_t level, int cut, double bound) const;
  void extend(Table& table, std::size_t level, int cut, int m, int replicas, std::size_t begin, double bound);
  void stage_times(std::size_t level, const Place& inner, int cut, int replicas, std::size_t begin, double bound);
  double stage_time(std::size_t level, const Place& inner, int cut, int outer, int stages, int replicas);
  const std::vector<double>& whole_component(std::size_t level, const Place& place);
  Table& kept_table(std::size_t level, const Place& place);
  bool allowed(int inner, int outer, const Place& place, int waiting) const;
  bool holds(const Place& place, DeviceId device) const;

  Place inner_place(std::size_t level, const Place& place, int m, int replicas) const;
  std::vector<Piece> pieces(std::size_t level, const Place& place, int inner, int outer, int m, int stages);
  std::vector<Piece> whole_part(std::size_t level, const Place& place, int inner, int outer, int stages);

  bool highest(std::size_t level) const { return level == levels_.size(); }
  /// Does nothing but the number of replicas make stages differ?
  bool alike() const { return !memory_ && !pins_.replicas && pins_.layers.empty(); }
  bool nested(int inner, int outer) const {
    return nested_.empty() || nested_[static_cast<std::size_t>(inner) * count_ + static_cast<std::size_t>(outer)] != 0;
  }

  const PipedreamFigures& figures_;
  PipedreamOptions options_;
  Pins pins_;
  std::stop_token stop_;
  std::vector<PipedreamLevel> levels_;
  std::vector<DeviceId> devices_;  ///< in component order
  std::size_t count_;              ///< ideals
  int most_stages_;                ///< that pins let an answer have; 0: as many as it likes
  std::vector<char> nested_;       ///< [inner][outer]; empty for a chain

  bool memory_ = false;
  int reach_ = 0;
  std::vector<std::vector<double>> column_;    ///< T^k(cut -> J, m') at hand, by stages, J
  std::size_t column_end_ = 0;                 ///< behind its last J within the bound
  std::vector<std::size_t> earliest_;          ///< by m: the first J that leaves no more than the rest can do
  std::map<Key, std::vector<double>> wholes_;  ///< A^k(I -> J, m_k), by stages, I, J
  std::map<Key, Table> tables_;                ///< those that the answer needs
};

}  // namespace pipedeck
