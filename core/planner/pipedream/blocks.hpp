// SPDX-License-Identifier: Apache-2.0
// Finds a good PipeDream partition that fits, quickly. It is a bound for the exact searches, and the answer if those
// would take too long.
//
// Stages have consecutive devices in component order, each on whole components of one level within one component of the
// next. The number of components is from a short list (1 to 7, then four per octave; the last stage takes the rest).
// Replicas of inner stages are tried only with all components equal. So the held micro-batches and the waiting tensors
// of a stage follow from the devices before it, its own and those of the stage before. One table over (ideal before,
// devices before, devices of the last stage) gives the memory exactly. It is filled for increasing bounds from the
// least possible time, so it stays nearly empty. Whole components of the highest level come first, then smaller ones.
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
  /// A possible block of devices of a stage: adjacent components of a level (0: devices).
  struct Width {
    std::size_t level;  ///< whose links join the components, from 1
    int components, devices;
    double time, weights;  ///< T^L of a stage there is the larger of these times its layers' time and weights
  };
  /// The best way to have these layers on these devices, per width of the last stage.
  struct Cell {
    int devices = 0;  ///< of the last stage
    double slowest = 0;
    int inner = 0;         ///< before the last stage
    std::size_t from = 0;  ///< position of the previous cell
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
  std::size_t unit_ = 1;  ///< the lowest level of the widths
  double steps_ = 0;      ///< with this unit
  std::vector<Width> widths_;
  std::vector<std::vector<Cell>> cells_;  ///< by ideal, devices before; sorted by time before they are read
};

/// Returns the best answer of PipedreamBlocks and, for every number of lower levels, of its answer repeated on all
/// components. ZeRO's shares of memory must be checked by the caller. An infinite `least` asks for any answer.
std::optional<Answer> quick_pipedream(const Figures& figures, const Topology& topology, const Options& options,
                                      double least, std::stop_token stop);

}  // namespace pipedeck::planner::pipedream
