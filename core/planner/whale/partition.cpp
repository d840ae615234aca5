// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/partition.hpp"

#include <algorithm>
#include <limits>

#include "core/plan/warmups.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::whale {

namespace {

constexpr double any = std::numeric_limits<double>::max();
constexpr std::int64_t max_ranges = 1'000'000;
constexpr double close_enough = 1e-6;  // below it every step is to a better partition

struct Found {
  std::vector<int> ends;
  double slowest = 0;
};

class Splitter {
 public:
  Splitter(WhaleCosts& costs, const Layout& layout, const SplitRequest& question, const std::stop_token& stop,
           const std::stop_token& hurry)
      : question_(question), stop_(stop), hurry_(hurry), layers_(costs.chain().layers()) {
    // The baseline takes every device for the first one.
    const int like = costs.kind_of(std::span(layout.graphs.front().devices).first(1));
    for (const TaskGraph& graph : layout.graphs) graphs_.emplace_back(costs, graph, question, like);
  }

  std::optional<Split> run() {
    for (const GraphCosts& graph : graphs_)
      if (std::int64_t{question_.slice} * graph.replicas() > question_.micro_batch) return {};
    if (longer_than_wanted() || too_large()) return {};
    for (const bool recompute : {false, true})
      if (auto split = stopped() ? std::nullopt : with_whole_warmup(recompute)) return split;
    return {};
  }

 private:
  bool stopped() const { return stop_.stop_requested() || hurry_.stop_requested(); }

  bool too_large() const {
    return stages() > 1 && layers_ > max_layers_unlike &&
           std::any_of(graphs_.begin(), graphs_.end(), [](const GraphCosts& graph) { return !graph.quick(); });
  }

  /// Returns true if the bound exceeds `within`: the first micro-batch takes at least all layers on the fastest
  /// TaskGraph, each further one all layers on all TaskGraphs together.
  bool longer_than_wanted() {
    double all = 0, quickest = 0;
    for (GraphCosts& graph : graphs_) {
      if (!graph.proportional()) return false;
      all += graph.rate(), quickest = std::max(quickest, graph.rate());
    }
    return quickest > 0 && (1 / quickest + (question_.micro_batches - 1) / all) * (1 - 1e-9) > question_.within;
  }

  int stages() const { return static_cast<int>(graphs_.size()); }
  static int first_of(const std::vector<int>& ends, int s) { return s == 0 ? 0 : ends[search::at(s - 1)]; }

  std::optional<Split> with_whole_warmup(bool recompute) {
    Split split;
    split.recompute = recompute;
    const std::vector<int> warmups = plan::policy_warmups(stages(), question_.micro_batches, Warmup::A);
    for (int s = 0; s < stages(); ++s)
      graphs_[search::at(s)].keep(warmups[search::at(s)], warmups[search::at(std::max(0, s - 1))], recompute);
    auto found = search();
    if (!found) return {};
    split.ends = std::move(found->ends);
    for (int s = 0; s < stages(); ++s) {
      const int first = first_of(split.ends, s), last = split.ends[search::at(s)];
      split.shares.push_back(graphs_[search::at(s)].shares(first, last));
      split.columns.push_back(graphs_[search::at(s)].columns(first, last));
      split.times.push_back(graphs_[search::at(s)].slowest(first, last, split.shares.back(), split.columns.back()));
      split.is_heterogeneous = split.is_heterogeneous || graphs_[search::at(s)].is_heterogeneous();
      split.exact = split.exact && graphs_[search::at(s)].exact();
    }
    return split;
  }

  std::optional<Found> search() {
    double rate = 0, most = 0;
    for (GraphCosts& graph : graphs_) rate += graph.rate(), most = std::max(most, graph.alone());
    if (stages() == 1 || rate == 0) return within(any, false);
    if (!windows([](double time) { return time == search::never; })) return {};
    double low = 0, bound = 1 / rate, step = 0.05;
    std::optional<Found> best;
    while (!(best = within(bound, false))) {
      if (stopped()) return {};
      if (bound >= most) return within(any, false);
      low = bound;
      bound *= 1 + step;
      step = std::min(1.0, 2 * step);
    }
    return closer(std::move(*best), low);
  }

  /// Improves the best partition; none is within `low`.
  std::optional<Found> closer(Found best, double low) {
    while (best.slowest - low > close_enough * best.slowest) {
      const double middle = low + (best.slowest - low) / 2;
      if (auto better = within(middle, false))
        best = std::move(*better);
      else
        low = middle;
      if (stopped()) return {};
    }
    while (auto better = within(best.slowest, true)) best = std::move(*better);
    return within(best.slowest, false, true);
  }

  /// The possible begins of TaskGraph s: those before it reach no further within the bound, and those after it need no
  /// earlier begin.
  struct Window {
    int from = 0, to = 0;
  };

  /// Returns the windows; nothing if there is no partition.
  template <class Beyond>
  std::optional<std::vector<Window>> windows(const Beyond& beyond) {
    std::vector<Window> list(search::at(stages()) + 1);
    for (int s = 0, end = 0; s < stages(); ++s) {
      const int first = end,
                most = std::min(graphs_[search::at(s)].allowed_layers().second, layers_ - (stages() - s - 1));
      while (end < most && !beyond(graphs_[search::at(s)].at_least(first, end + 1))) ++end;
      list[search::at(s) + 1].to = end;
    }
    if (list.back().to < layers_) return {};
    list.back().from = layers_;
    for (int s = stages() - 1, first = layers_; s >= 0; --s) {
      const int end = first, least = std::max(graphs_[search::at(s)].allowed_layers().first, s);
      while (first > least && !beyond(graphs_[search::at(s)].at_least(first - 1, end))) --first;
      list[search::at(s)].from = first;
      if (first > list[search::at(s)].to) return {};
    }
    return list;
  }

  /// Returns the number of ranges that a search for the least sum evaluates.
  static std::int64_t ranges(const std::vector<Window>& list) {
    std::int64_t count = 0;
    for (std::size_t s = 0; s + 1 < list.size(); ++s)
      count += std::int64_t{list[s].to - list[s].from + 1} * (list[s + 1].to - list[s + 1].from + 1);
    return count;
  }

  /// Returns a partition with times up to `bound` (below it if `strictly`). With `min_sum` and few ranges, the one of
  /// least sum.
  std::optional<Found> within(double bound, bool strictly, bool min_sum = false) {
    const auto beyond = [&](double time) { return time > bound || (strictly && time >= bound); };
    const auto window = windows(beyond);
    if (!window) return {};
    min_sum = min_sum && ranges(*window) <= max_ranges;
    std::vector<double> sum(search::at(layers_) + 1, search::never);
    sum[0] = 0;
    std::vector<std::vector<int>> start;
    for (int s = 0; s < stages(); ++s) {
      GraphCosts& graph = graphs_[search::at(s)];
      const Window here = (*window)[search::at(s)], behind = (*window)[search::at(s) + 1];
      std::vector<double> next(search::at(layers_) + 1, search::never);
      std::vector<int>& from = start.emplace_back(search::at(layers_) + 1, -1);
      for (int first = here.to; first >= here.from; --first) {  // fewer layers are likelier to do
        if (sum[search::at(first)] == search::never) continue;
        if (stopped()) return {};
        for (int end = std::max(first + 1, behind.from); end <= behind.to; ++end) {
          if (!min_sum && next[search::at(end)] < search::never) continue;
          if (beyond(graph.at_least(first, end))) break;
          if (!graph.allowed(first, end)) continue;
          const double time = graph.time(first, end);
          if (time == search::never || beyond(time) || sum[search::at(first)] + time >= next[search::at(end)]) continue;
          next[search::at(end)] = sum[search::at(first)] + time;
          from[search::at(end)] = first;
        }
      }
      sum = std::move(next);
    }
    if (sum[search::at(layers_)] == search::never) return {};
    return traced(start);
  }

  Found traced(const std::vector<std::vector<int>>& start) {
    Found found;
    found.ends.resize(search::at(stages()));
    for (int s = stages() - 1, end = layers_; s >= 0; --s) {
      found.ends[search::at(s)] = end;
      const int first = start[search::at(s)][search::at(end)];
      found.slowest = std::max(found.slowest, graphs_[search::at(s)].time(first, end));
      end = first;
    }
    return found;
  }

  const SplitRequest& question_;
  const std::stop_token &stop_, &hurry_;
  int layers_;
  std::vector<GraphCosts> graphs_;
};

}  // namespace

std::optional<Split> split_layers(WhaleCosts& costs, const Layout& layout, const SplitRequest& question,
                                  const std::stop_token& stop, const std::stop_token& hurry) {
  return Splitter(costs, layout, question, stop, hurry).run();
}

}  // namespace pipedeck::planner::whale
