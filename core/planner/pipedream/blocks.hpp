// SPDX-License-Identifier: Apache-2.0
// A PipeDream partition that fits, found quickly: not the best one, but a bound for the searches that look for it, and
// the answer where those would take too long.
//
// Stages stand on consecutive devices in component order, each on whole components of one level within one component of
// the next, as many as a short list of widths has (1 to 7, then four an octave; the last stage takes what is left).
// One component's inner stages beside another's as replicas are tried only where all components are alike. With that,
// what a stage keeps and what waits at its boundaries follow from the devices in front of it, its own and those of the
// stage before: one table over the ideal in front, the devices in front and the last stage's devices says exactly what
// fits. It is asked within one bound after the other, from the least that any answer takes, so that it stays nearly
// empty; first with whole components of the highest level only, then with smaller ones.
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/planner/pipedream/search.hpp"

namespace pipedeck::planner::pipedream {

class Blocks {
 public:
  Blocks(const Figures& figures, const Topology& topology, const Options& options, std::stop_token stop);

  /// The best that was found; none is quicker than `least`. Nothing where none of this kind fits, or a stop was
  /// requested before the first.
  std::optional<Answer> run(double least);

 private:
  /// Devices that a stage may stand on: components of a level (0: devices), side by side.
  struct Width {
    std::size_t level;  ///< their own links are this level's, from 1
    int components, devices;
    double time, weights;  ///< T^L of a stage there is the larger of these times its layers' time and weights
  };
  /// The best way to have these layers on so many devices, the last stage on a width of its own.
  struct Cell {
    int devices = 0;  ///< of the last stage
    double slowest = 0;
    int inner = 0;         ///< in front of the last stage
    std::size_t from = 0;  ///< the cell there
  };

  std::optional<Answer> within(double bound);
  void extend(int inner, int front, double bound);
  void add_stage(int inner, int front, const Width& width, double bound);
  void keep(int outer, int front, const Cell& cell);
  Answer answer() const;
  std::vector<Width> widths_behind(int front) const;
  Width width_of(std::size_t level, int components) const;
  double bandwidth_at(int front) const;
  bool aside(int ideal, int front, double bound) const;
  int enough_in_front(int front, double bound) const;
  std::vector<Cell>& cells(int ideal, int front);
  bool halted() const;

  const Figures& figures_;
  Options options_;
  std::stop_token stop_;
  std::vector<Level> levels_;
  std::vector<DeviceId> devices_;
  int all_, count_;
  bool chain_;
  std::size_t unit_ = 1;  ///< the lowest level that widths are of
  double steps_ = 0;      ///< with this unit
  std::vector<Width> widths_;
  std::vector<std::vector<Cell>> cells_;  ///< by ideal, devices in front; ascending by time once they are read
};

/// The best of Blocks and, for every number of lower levels, of its answer for them on all components alike.
/// Whether ZeRO's shares fit there too is still to be asked.
std::optional<Answer> quick_pipedream(const Figures& figures, const Topology& topology, const Options& options,
                                      double least, std::stop_token stop);

}  // namespace pipedeck::planner::pipedream
