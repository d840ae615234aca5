// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/search.hpp"

#include <map>
#include <queue>

#include "core/planner/dapple/graph.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr int no_state = -1;

/// The third pass: a best-first search over the rest of the graph.
class BestFirst {
 public:
  BestFirst(Space& space, Graph& graph, const SearchOptions& options)
      : space_(space), graph_(graph), options_(options) {}

  DappleFound run() {
    DappleFound found;
    found.all_below = options_.below;
    partials_.push_back({.node = Graph::root});
    push(0, bound(partials_[0]));
    while (!open_.empty()) {
      const auto [least, depth, index] = open_.top();
      open_.pop();
      found.all_below = std::min({options_.below, least, first_left_out_});
      if (found.candidates.size() == options_.keep) return found;
      if (complete(index))
        take(found, {least, parts_of(index)});
      else
        extend(index);
      if (stopped_) return found.cut_short = true, found;
    }
    found.all_below = std::min(options_.below, first_left_out_);
    return found;
  }

 private:
  /// A plan's front, with the figures for the round trips of its last stage. `anchor`: all time other than the stage's
  /// own way to the end and back.
  struct Partial {
    int node = 0;
    bool start = false;
    int parent = no_state;
    Front front{};
    double least = 0, round = 0;  ///< formula; sum of F + B
    double anchor = 0, forward = 0, round_before = 0;
    int kept = 0, stages = 0;
  };
  struct Open {
    double least;
    int depth, index;
    /// Orders by bound; ties: the one nearer to complete, then the one found first.
    bool operator<(const Open& other) const {
      if (least != other.least) return least > other.least;
      return depth != other.depth ? depth < other.depth : index > other.index;
    }
  };

  void take(DappleFound& found, Candidate candidate) {
    if (options_.per_shape > 0) {
      std::vector<int> shape;
      for (const Part& part : candidate.parts) shape.push_back(part.state);
      if (++shapes_[shape] > options_.per_shape) {
        first_left_out_ = std::min(first_left_out_, candidate.bound);
        return;
      }
    }
    found.candidates.push_back(std::move(candidate));
  }

  bool complete(int index) const {
    const Partial& partial = partials_[search::at(index)];
    return !partial.start && graph_.node(partial.node).layer == space_.layers();
  }

  /// Returns a lower bound of all plans with this front, seconds.
  double bound(const Partial& partial) const {
    double best = std::numeric_limits<double>::infinity();
    for (const Suffix& suffix : graph_.node(partial.node).rest) {
      double one = joined(partial.front, suffix);
      if (graph_.counts_rounds() && one < best) one = std::max(one, rounds(partial, suffix));
      best = std::min(best, one);
    }
    return std::max(best, partial.least);
  }

  /// Round trips of the front's stages.
  double rounds(const Partial& last, const Suffix& suffix) const {
    double most = 0;
    for (const Partial* one = &last; one;
         one = one->parent == no_state ? nullptr : &partials_[search::at(one->parent)]) {
      if (one->start || one->stages == 0) continue;
      const int stages = last.stages - one->stages + 1 + suffix.stages;
      const double round = last.round - one->round_before + suffix.round;
      const int warm = graph_.warmup(one->kept, stages);
      most = std::max(most, one->anchor + round_trips(space_.micro_batches(), warm, one->forward, round));
    }
    return most;
  }

  void push(int index, double least) {
    if (least >= options_.below) return;
    partials_[search::at(index)].least = least;
    open_.push({least, graph_.node(partials_[search::at(index)].node).layer, index});
  }

  void add(Partial partial) {
    if (!graph_.spend()) stopped_ = true;
    const double least = bound(partial);
    if (least >= options_.below) return;
    partials_.push_back(partial);
    push(static_cast<int>(partials_.size()) - 1, least);
  }

  void extend(int index) {
    const Partial from = partials_[search::at(index)];
    from.start ? add_ends(index, from) : add_starts(index, from);
  }

  void add_starts(int index, const Partial& from) {
    const Graph::Node& end = graph_.node(from.node);
    for (const Graph::Edge& edge : end.edges) {
      Partial next{.node = edge.start,
                   .start = true,
                   .parent = index,
                   .front = from.front,
                   .least = from.least,
                   .round = from.round,
                   .stages = from.stages};
      if (end.layer > 0) {
        next.front = behind(from.front, edge.step);
        next.round += edge.step.forward + edge.step.backward;
      }
      add(next);
    }
  }

  void add_ends(int index, const Partial& from) {
    const Graph::Node& start = graph_.node(from.node);
    for (int last = start.layer + 1; last <= space_.layers(); ++last) {
      const int end = graph_.end_of(from.node, last);
      if (end == no_state || graph_.node(end).rest.empty()) continue;
      if (start.layer == 0 && last == space_.layers() && options_.min_stages > 1) continue;
      const int kept = space_.max_in_flight(start.state, start.layer, last);
      if (kept == 0) continue;
      const Step step = space_.compute(start.state, start.layer, last);
      Partial next{.node = end,
                   .parent = index,
                   .front = behind(from.front, step),
                   .least = from.least,
                   .round = from.round + step.forward + step.backward,
                   .anchor = std::max(from.front.around, from.front.fill + step.all_reduce),
                   .forward = step.forward,
                   .round_before = from.round,
                   .kept = kept,
                   .stages = from.stages + 1};
      add(next);
    }
  }

  std::vector<Part> parts_of(int index) const {
    std::vector<Part> parts;
    for (; partials_[search::at(index)].parent != no_state;
         index = partials_[search::at(partials_[search::at(index)].parent)].parent) {
      const Graph::Node& end = graph_.node(partials_[search::at(index)].node);
      const Graph::Node& start = graph_.node(partials_[search::at(partials_[search::at(index)].parent)].node);
      parts.push_back({start.layer, end.layer, end.state});
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  Space& space_;
  Graph& graph_;
  const SearchOptions& options_;
  bool stopped_ = false;
  double first_left_out_ =
      std::numeric_limits<double>::infinity();  ///< bound of the first candidate dropped for its shape
  std::map<std::vector<int>, int> shapes_;
  std::vector<Partial> partials_;
  std::priority_queue<Open> open_;
};

}  // namespace

DappleFound search_dapple(Space& space, const Bounds& bounds, const SearchOptions& options) {
  if (bounds.least() >= options.below) return {{}, options.below, false, 0};
  Graph graph(space, bounds, options);
  if (!graph.build()) return {{}, 0, true, graph.spent()};
  DappleFound found = BestFirst(space, graph, options).run();
  found.spent = graph.spent();
  if (options.width > 0) found.all_below = 0;  // plans left out by a narrow search may be better
  return found;
}

std::vector<Step> dapple_steps(Space& space, const std::vector<Part>& parts) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [first, last, state] = parts[i];
    if (i > 0) steps.push_back(space.transfer(parts[i - 1].state, state, first, DappleCostKind::l_max));
    steps.push_back(space.compute(state, first, last, DappleCostKind::l_max));
  }
  return steps;
}

double l_max(const std::vector<Step>& steps) {
  Front front;
  for (const Step& step : steps) front = behind(front, step);
  return front.own;
}

}  // namespace pipedeck::planner::dapple
