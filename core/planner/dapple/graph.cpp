// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/graph.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr int no_node = -1;
constexpr std::size_t max_suffixes = 8;
constexpr double rounding = 1 + 1e-12;  // equal sums may differ by the order of their terms

void lower(Front& front, const Front& other) {
  front.own = std::min(front.own, other.own);
  front.fill = std::min(front.fill, other.fill);
  front.around = std::min(front.around, other.around);
}

double joined(const Front& front, const Bound& rest) {
  return std::max({front.own, front.around + rest.through, front.fill + rest.whole});
}

bool dominates(const Suffix& a, const Suffix& b) {
  return a.through <= b.through * rounding && a.whole <= b.whole * rounding && a.round <= b.round * rounding &&
         a.stages >= b.stages;
}

Suffix both(const Suffix& a, const Suffix& b) {
  return {std::min(a.through, b.through), std::min(a.whole, b.whole), std::min(a.round, b.round),
          std::max(a.stages, b.stages)};
}

}  // namespace

Graph::Graph(Space& space, const Bounds& bounds, const SearchOptions& options)
    : space_(space), bounds_(bounds), options_(options), rounds_(space.options().rounds) {
  starts_.resize(search::at(space.layers()) + 1);
  ends_.resize(search::at(space.layers()) + 1);
}

bool Graph::spend() {
  constexpr std::size_t look = 128;
  if (++spent_ > options_.search_budget || (spent_ % look == 0 && options_.interrupted && options_.interrupted()))
    stopped_ = true;
  return !stopped_;
}

bool Graph::build() {
  const int layers = space_.layers();
  nodes_.push_back({.state = Places::start, .layer = 0, .front = {}});
  ends_[0] = {root};
  for (int layer = 0; layer < layers; ++layer) {
    start_index_.clear();
    if (options_.width > 0) narrow(layer);
    for (std::size_t i = 0; i < ends_[search::at(layer)].size() && !stopped_; ++i)
      extend_end(ends_[search::at(layer)][i]);
    for (std::size_t i = 0; i < starts_[search::at(layer)].size() && !stopped_; ++i)
      extend_start(starts_[search::at(layer)][i]);
  }
  for (const int end : ends_[search::at(layers)]) nodes_[search::at(end)].rest = {{}};
  for (int layer = layers - 1; layer >= 0 && !stopped_; --layer) {
    for (std::size_t i = 0; i < starts_[search::at(layer)].size() && !stopped_; ++i)
      close_start(starts_[search::at(layer)][i]);
    for (std::size_t i = 0; i < ends_[search::at(layer)].size() && !stopped_; ++i)
      close_end(ends_[search::at(layer)][i]);
  }
  return !stopped_;
}

int Graph::start_at(int layer, int state) {
  if (start_index_.size() <= search::at(state))
    start_index_.resize(search::at(std::max(state + 1, space_.places().states())), no_node);
  int& index = start_index_[search::at(state)];
  if (index == no_node) {
    index = static_cast<int>(nodes_.size());
    nodes_.push_back({.state = state, .layer = layer, .front = {search::never, search::never, search::never}});
    starts_[search::at(layer)].push_back(index);
  }
  return index;
}

int Graph::end_at(int layer, int state) {
  if (end_index_.size() <= search::at(state))
    end_index_.resize(search::at(std::max(state + 1, space_.places().states())));
  if (end_index_[search::at(state)].empty())
    end_index_[search::at(state)].assign(search::at(space_.layers()) + 1, no_node);
  int& index = end_index_[search::at(state)][search::at(layer)];
  if (index == no_node) {
    index = static_cast<int>(nodes_.size());
    nodes_.push_back({.state = state, .layer = layer, .front = {search::never, search::never, search::never}});
    ends_[search::at(layer)].push_back(index);
  }
  return index;
}

int Graph::end_of(int start, int last) const {
  const int state = nodes_[search::at(start)].state;
  if (end_index_.size() <= search::at(state) || end_index_[search::at(state)].empty()) return no_node;
  return end_index_[search::at(state)][search::at(last)];
}

void Graph::extend_end(int end) {
  const int state = nodes_[search::at(end)].state, layer = nodes_[search::at(end)].layer;
  const Front front = nodes_[search::at(end)].front;
  const int left = space_.places().left(state);
  const int unit = space_.places().rules().unit;
  for (int r = unit; r <= std::min(left, space_.max_replicas()); r += unit) {
    if (!spend()) return;
    const Bound& rest = bounds_.with(layer, left, r);
    if (joined(front, rest) >= options_.below) continue;
    for (const int to : space_.places().next(state, r)) {
      if (!spend()) return;
      const Step step = layer > 0 ? space_.transfer(state, to, layer) : Step();
      const Front there = layer > 0 ? behind(front, step) : front;
      if (joined(there, rest) >= options_.below) continue;
      const int start = start_at(layer, to);
      lower(nodes_[search::at(start)].front, there);
      nodes_[search::at(end)].edges.push_back({start, step});
    }
  }
}

void Graph::extend_start(int start) {
  const int state = nodes_[search::at(start)].state, first = nodes_[search::at(start)].layer, layers = space_.layers();
  const Front front = nodes_[search::at(start)].front;
  const int left = space_.places().left(state);
  const bool all = first == 0 && options_.min_stages > 1;  // a single stage is excluded
  for (int last = left == 0 ? layers : first + 1; last <= layers - (all ? 1 : 0); ++last) {
    if (!spend()) return;
    const Step step = space_.compute(state, first, last);
    if (front.around + step.pivot >= options_.below) return;  // it grows with last
    const Front there = behind(front, step);
    if (joined(there, bounds_.after(last, left)) >= options_.below) continue;
    if (last == layers && !space_.places().may_end(state)) continue;
    const int kept = space_.max_in_flight(state, first, last);
    if (kept == 0) continue;
    double least = joined(there, bounds_.after(last, left));
    if (rounds_) {
      const double round = step.forward + step.backward + bounds_.passes(last);
      const int most = std::min(kept, space_.micro_batches());
      least = std::max(least, front.around + round_trips(space_.micro_batches(), most, step.forward, round));
    }
    if (least >= options_.below) continue;
    Node& end = nodes_[search::at(end_at(last, state))];
    lower(end.front, there);
    end.least = std::min(end.least, least);
  }
}

/// The most promising ends, as many for each number of devices left.
void Graph::narrow(int layer) {
  std::vector<std::vector<std::pair<double, int>>> by_left(search::at(space_.chain().devices()) + 1);
  for (const int end : ends_[search::at(layer)]) {
    const int left = space_.places().left(nodes_[search::at(end)].state);
    by_left[search::at(left)].push_back({nodes_[search::at(end)].least, end});
  }
  if (layer == 0) return;
  ends_[search::at(layer)].clear();
  for (auto& list : by_left) {
    std::sort(list.begin(), list.end());
    if (list.size() > options_.width) list.resize(options_.width);
    for (const auto& [bound, end] : list) ends_[search::at(layer)].push_back(end);
  }
}

int Graph::warmup(int kept, int stages) const {
  return std::min({kept, space_.micro_batches(), options_.warmup == Warmup::A ? stages : 2 * stages - 1});
}

Suffix Graph::prepend_stage(const Step& step, int kept, const Suffix& suffix) const {
  Suffix whole = in_front(step, suffix);
  if (!rounds_) return {whole.through, whole.whole, 0, 0};
  ++whole.stages;
  const int warm = warmup(kept, whole.stages);
  whole.through = std::max(whole.through, round_trips(space_.micro_batches(), warm, step.forward, whole.round));
  whole.whole = std::max(whole.whole, step.all_reduce + whole.through);
  return whole;
}

void Graph::close_start(int start) {
  Node& node = nodes_[search::at(start)];
  for (int last = node.layer + 1; last <= space_.layers(); ++last) {
    const int end = end_of(start, last);
    if (end == no_node || nodes_[search::at(end)].rest.empty()) continue;
    if (!spend()) return;
    const int kept = space_.max_in_flight(node.state, node.layer, last);
    if (kept == 0) continue;
    const Step step = space_.compute(node.state, node.layer, last);
    for (const Suffix& suffix : nodes_[search::at(end)].rest)
      add(node.rest, node.front, prepend_stage(step, kept, suffix));
  }
}

void Graph::close_end(int end) {
  Node& node = nodes_[search::at(end)];
  for (const Edge& edge : node.edges) {
    if (!spend()) return;
    for (const Suffix& suffix : nodes_[search::at(edge.start)].rest) {
      Suffix whole = node.layer > 0 ? in_front(edge.step, suffix) : suffix;
      if (!rounds_) whole.round = 0;
      add(node.rest, node.front, whole);
    }
  }
}

/// Adds a suffix. A full set merges two suffixes into one that is no worse than either, so that no better plan is
/// missed.
void Graph::add(std::vector<Suffix>& rest, const Front& front, const Suffix& suffix) const {
  if (dapple::joined(front, suffix) >= options_.below) return;
  for (const Suffix& other : rest)
    if (dominates(other, suffix)) return;
  Suffix added = suffix;
  if (rest.size() == max_suffixes) {
    added = both(added, rest.back());
    rest.pop_back();
  }
  std::erase_if(rest, [&](const Suffix& other) { return dominates(added, other); });
  rest.push_back(added);
}

}  // namespace pipedeck::planner::dapple
