// SPDX-License-Identifier: Apache-2.0
// PipeDream's partitioner (section 3.1): the recurrences over the cluster's levels, from the lowest up.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/chain.hpp"
#include "core/planner/pipedream_levels.hpp"

namespace pipedeck {

struct PipedreamOptions {
  bool flat = false;
  bool ignore_memory = false;
  bool printed_objective = false;
};

struct PipedreamAnswer {
  Seconds slowest;  ///< A^L(0 -> N-1, m_L)
  std::vector<Stage> stages;
};

class PipedreamSearch {
 public:
  /// `micro_batch`: samples of the mini-batch that one replica processes.
  PipedreamSearch(Chain& chain, int micro_batch, const PipedreamOptions& options, std::stop_token stop);

  /// Nothing where no partition is sure to fit, or a stop was requested.
  std::optional<PipedreamAnswer> run();

 private:
  /// Where a part of the cluster stands: `behind` devices work on later layers, and `copies` of the part work on the
  /// same ones. Both decide how many weight versions a stage keeps.
  struct Place {
    int behind = 0, copies = 1;
    auto operator<=>(const Place&) const = default;
  };
  struct Cell {
    double slowest;
    int cut = 0;       ///< layers before it are the sub-pipeline's; the part's first layer: there is none
    int replicas = 0;  ///< m' of the last stage
  };
  /// A^k(i -> j, m) of one level at one place; the highest level needs i = 0 alone.
  struct Table {
    std::vector<Cell> cells;
    std::size_t layers = 0, components = 0;
    Cell& at(int first, int last, int m) {
      return cells[(static_cast<std::size_t>(first) * (layers + 1) + static_cast<std::size_t>(last)) *
                       (components + 1) +
                   static_cast<std::size_t>(m)];
    }
  };
  /// Layers [first, last) on these devices, counted within the part.
  struct Piece {
    int first, last;
    std::vector<int> devices;
  };

  std::optional<PipedreamAnswer> partition();
  bool fits(const PipedreamAnswer& answer);
  int most_outstanding(Place place, int versions) const;
  const std::vector<char>& fitting(Place place);
  Table& table(std::size_t level, Place place);
  void fill(Table& table, std::size_t level, Place place);
  void try_last_stages(Table& table, std::size_t level, int last, int m, int replicas);
  void stage_times(std::size_t level, Place inner, int last, int replicas);
  Place inner_place(std::size_t level, Place place, int m, int replicas) const;
  std::vector<Piece> pieces(std::size_t level, Place place, int last, int m, int first);
  std::vector<Piece> whole_part(std::size_t level, Place place, int first, int last);

  Chain& chain_;
  int micro_batch_;
  PipedreamOptions options_;
  std::stop_token stop_;
  std::vector<PipedreamLevel> levels_;
  std::vector<double> time_;     ///< prefix sums of T_l
  std::vector<double> weights_;  ///< prefix sums of |w_l|
  std::vector<double> cut_;      ///< a_s, by the position behind it
  std::vector<double> column_;   ///< T^k(s -> j, m') of the column at hand, by s
  std::map<std::pair<std::size_t, Place>, Table> tables_;
  std::map<Place, std::vector<char>> fits_;  ///< [last][first]
  int reach_ = 0;                            ///< replicas that the stage before is taken to have at most; 0: none
};

}  // namespace pipedeck
