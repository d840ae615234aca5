// SPDX-License-Identifier: Apache-2.0
// The part of DAPPLE's search space that is below a limit: the first two passes of search.hpp.
#pragma once

#include <vector>

#include "core/planner/dapple/search.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

class Graph {
 public:
  /// A transfer to the start of the next stage.
  struct Edge {
    int start;
    Step step;
  };
  /// A stage of `state` that starts, or has ended, before `layer`.
  struct Node {
    int state, layer;
    Front front;                   ///< figure by figure the least of any front
    double least = search::never;  ///< of ends: lower bound of all plans through them, seconds
    std::vector<Suffix> rest{};    ///< what may follow
    std::vector<Edge> edges{};     ///< of ends
  };

  Graph(Space& space, const Bounds& bounds, const SearchOptions& options);

  /// Runs both passes. Returns false if the effort was used up or the search was interrupted.
  bool build();

  static constexpr int root = 0;  ///< the end of no stage
  const Node& node(int index) const { return nodes_[static_cast<std::size_t>(index)]; }
  /// Returns the end at `last` of the stage that starts at `start`, or -1.
  int end_of(int start, int last) const;
  /// `step` of a stage in front; `kept`: micro-batches that it may keep.
  Suffix prepend_stage(const Step& step, int kept, const Suffix& suffix) const;
  /// Returns K of a stage that is followed by `stages` - 1 stages.
  int warmup(int kept, int stages) const;
  bool counts_rounds() const { return rounds_; }

  std::size_t spent() const { return spent_; }
  bool spend();  ///< counts one more step; returns false if the search must end

 private:
  void extend_end(int end);
  void extend_start(int start);
  void narrow(int layer);
  int start_at(int layer, int state);
  int end_at(int layer, int state);
  void close_start(int start);
  void close_end(int end);
  void add(std::vector<Suffix>& rest, const Front& front, const Suffix& suffix) const;

  Space& space_;
  const Bounds& bounds_;
  const SearchOptions& options_;
  bool rounds_;
  std::size_t spent_ = 0;
  bool stopped_ = false;
  std::vector<Node> nodes_;
  std::vector<std::vector<int>> starts_, ends_;  ///< by layer
  std::vector<std::vector<int>> end_index_;      ///< by state and layer
  std::vector<int> start_index_;                 ///< by state, of the current layer
};

}  // namespace pipedeck::planner::dapple
