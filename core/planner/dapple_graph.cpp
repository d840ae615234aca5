// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple_graph.hpp"

namespace pipedeck {

namespace {

constexpr int none = -1;
constexpr std::size_t most_suffixes = 8;
constexpr double rounding = 1 + 1e-12;  // sums of the same figures in another order are equal

void lower(DappleFront& front, const DappleFront& other) {
  front.own = std::min(front.own, other.own);
  front.fill = std::min(front.fill, other.fill);
  front.around = std::min(front.around, other.around);
}

double joined(const DappleFront& front, const DappleBound& rest) {
  return std::max({front.own, front.around + rest.through, front.fill + rest.whole});
}

bool no_worse(const DappleSuffix& a, const DappleSuffix& b) {
  return a.through <= b.through * rounding && a.whole <= b.whole * rounding && a.round <= b.round * rounding &&
         a.stages >= b.stages;
}

DappleSuffix both(const DappleSuffix& a, const DappleSuffix& b) {
  return {std::min(a.through, b.through), std::min(a.whole, b.whole), std::min(a.round, b.round),
          std::max(a.stages, b.stages)};
}

}  // namespace

DappleGraph::DappleGraph(DappleSpace& space, const DappleBounds& bounds, const DappleSearchOptions& options)
    : space_(space), bounds_(bounds), options_(options), rounds_(space.options().measure == DappleMeasure::sure) {
  starts_.resize(at(space.layers()) + 1);
  ends_.resize(at(space.layers()) + 1);
}

bool DappleGraph::spend() {
  constexpr std::size_t look = 128;
  if (++spent_ > options_.effort || (spent_ % look == 0 && options_.interrupted && options_.interrupted()))
    stopped_ = true;
  return !stopped_;
}

bool DappleGraph::build() {
  const int layers = space_.layers();
  nodes_.push_back({DapplePlaces::start, 0, {}});
  ends_[0] = {root};
  for (int layer = 0; layer < layers; ++layer) {
    start_index_.clear();
    if (options_.width > 0) narrow(layer);
    for (std::size_t i = 0; i < ends_[at(layer)].size() && !stopped_; ++i) extend_end(ends_[at(layer)][i]);
    for (std::size_t i = 0; i < starts_[at(layer)].size() && !stopped_; ++i) extend_start(starts_[at(layer)][i]);
  }
  for (const int end : ends_[at(layers)]) nodes_[at(end)].rest = {{}};
  for (int layer = layers - 1; layer >= 0 && !stopped_; --layer) {
    for (std::size_t i = 0; i < starts_[at(layer)].size() && !stopped_; ++i) close_start(starts_[at(layer)][i]);
    for (std::size_t i = 0; i < ends_[at(layer)].size() && !stopped_; ++i) close_end(ends_[at(layer)][i]);
  }
  return !stopped_;
}

int DappleGraph::start_at(int layer, int state) {
  if (start_index_.size() <= at(state)) start_index_.resize(at(std::max(state + 1, space_.places().states())), none);
  int& index = start_index_[at(state)];
  if (index == none) {
    index = static_cast<int>(nodes_.size());
    nodes_.push_back({state, layer, {never, never, never}});
    starts_[at(layer)].push_back(index);
  }
  return index;
}

int DappleGraph::end_at(int layer, int state) {
  if (end_index_.size() <= at(state)) end_index_.resize(at(std::max(state + 1, space_.places().states())));
  if (end_index_[at(state)].empty()) end_index_[at(state)].assign(at(space_.layers()) + 1, none);
  int& index = end_index_[at(state)][at(layer)];
  if (index == none) {
    index = static_cast<int>(nodes_.size());
    nodes_.push_back({state, layer, {never, never, never}});
    ends_[at(layer)].push_back(index);
  }
  return index;
}

int DappleGraph::end_of(int start, int last) const {
  const int state = nodes_[at(start)].state;
  if (end_index_.size() <= at(state) || end_index_[at(state)].empty()) return none;
  return end_index_[at(state)][at(last)];
}

void DappleGraph::extend_end(int end) {
  const int state = nodes_[at(end)].state, layer = nodes_[at(end)].layer;
  const DappleFront front = nodes_[at(end)].front;
  const int left = space_.places().left(state);
  for (int r = 1; r <= std::min(left, space_.most_replicas()); ++r) {
    if (!spend()) return;
    const DappleBound& rest = bounds_.with(layer, left, r);
    if (joined(front, rest) >= options_.below) continue;
    for (const int to : space_.places().next(state, r)) {
      if (!spend()) return;
      const DappleStep step = layer > 0 ? space_.transfer(state, to, layer) : DappleStep();
      const DappleFront there = layer > 0 ? behind(front, step) : front;
      if (joined(there, rest) >= options_.below) continue;
      const int start = start_at(layer, to);
      lower(nodes_[at(start)].front, there);
      nodes_[at(end)].edges.push_back({start, step});
    }
  }
}

void DappleGraph::extend_start(int start) {
  const int state = nodes_[at(start)].state, first = nodes_[at(start)].layer, layers = space_.layers();
  const DappleFront front = nodes_[at(start)].front;
  const int left = space_.places().left(state);
  const bool all = first == 0 && options_.least_stages > 1;  // a single stage is not wanted
  for (int last = left == 0 ? layers : first + 1; last <= layers - (all ? 1 : 0); ++last) {
    if (!spend()) return;
    const DappleStep step = space_.compute(state, first, last);
    if (front.around + step.pivot >= options_.below) return;  // it grows with last
    const DappleFront there = behind(front, step);
    if (joined(there, bounds_.after(last, left)) >= options_.below) continue;
    if (last == layers && !space_.places().may_end(state)) continue;
    if (space_.may_keep(state, first, last) == 0) continue;
    lower(nodes_[at(end_at(last, state))].front, there);
  }
}

/// The most promising ends, as many for each number of devices left.
void DappleGraph::narrow(int layer) {
  std::vector<std::vector<std::pair<double, int>>> by_left(at(space_.chain().devices()) + 1);
  for (const int end : ends_[at(layer)]) {
    const int left = space_.places().left(nodes_[at(end)].state);
    by_left[at(left)].push_back({joined(nodes_[at(end)].front, bounds_.after(layer, left)), end});
  }
  if (layer == 0) return;
  ends_[at(layer)].clear();
  for (auto& list : by_left) {
    std::sort(list.begin(), list.end());
    if (list.size() > options_.width) list.resize(options_.width);
    for (const auto& [bound, end] : list) ends_[at(layer)].push_back(end);
  }
}

int DappleGraph::warmup(int kept, int stages) const {
  return std::min({kept, space_.micro_batches(), options_.warmup == Warmup::A ? stages : 2 * stages - 1});
}

DappleSuffix DappleGraph::stage_in_front(const DappleStep& step, int kept, const DappleSuffix& suffix) const {
  DappleSuffix whole = in_front(step, suffix);
  if (!rounds_) return {whole.through, whole.whole, 0, 0};
  ++whole.stages;
  const int warm = warmup(kept, whole.stages);
  whole.through = std::max(whole.through, round_trips(space_.micro_batches(), warm, step.forward, whole.round));
  whole.whole = std::max(whole.whole, step.all_reduce + whole.through);
  return whole;
}

void DappleGraph::close_start(int start) {
  Node& node = nodes_[at(start)];
  for (int last = node.layer + 1; last <= space_.layers(); ++last) {
    const int end = end_of(start, last);
    if (end == none || nodes_[at(end)].rest.empty()) continue;
    if (!spend()) return;
    const int kept = space_.may_keep(node.state, node.layer, last);
    if (kept == 0) continue;
    const DappleStep step = space_.compute(node.state, node.layer, last);
    for (const DappleSuffix& suffix : nodes_[at(end)].rest)
      add(node.rest, node.front, stage_in_front(step, kept, suffix));
  }
}

void DappleGraph::close_end(int end) {
  Node& node = nodes_[at(end)];
  for (const Edge& edge : node.edges) {
    if (!spend()) return;
    for (const DappleSuffix& suffix : nodes_[at(edge.start)].rest) {
      DappleSuffix whole = node.layer > 0 ? in_front(edge.step, suffix) : suffix;
      if (!rounds_) whole.round = 0;
      add(node.rest, node.front, whole);
    }
  }
}

/// Where there are too many, two become one that is no worse than either: all that matters is that nothing better is
/// missed.
void DappleGraph::add(std::vector<DappleSuffix>& rest, const DappleFront& front, const DappleSuffix& suffix) const {
  if (pipedeck::joined(front, suffix) >= options_.below) return;
  for (const DappleSuffix& other : rest)
    if (no_worse(other, suffix)) return;
  DappleSuffix added = suffix;
  if (rest.size() == most_suffixes) {
    added = both(added, rest.back());
    rest.pop_back();
  }
  std::erase_if(rest, [&](const DappleSuffix& other) { return no_worse(added, other); });
  rest.push_back(added);
}

}  // namespace pipedeck
