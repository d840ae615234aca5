// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/graph.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::whale {

GraphCosts::GraphCosts(WhaleCosts& costs, const TaskGraph& graph, const SplitRequest& question, int like)
    : costs_(costs), question_(question), degree_(graph.degree) {
  const std::span<const DeviceId> devices(graph.devices);
  for (int r = 0; r < graph.replicas(); ++r) {
    const int kind = costs.kind_of(devices.subspan(search::at(r * degree_), search::at(degree_)));
    kind_of_.push_back(kind);
    const auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& one) { return one.first == kind; });
    if (known == kinds_.end())
      kinds_.emplace_back(kind, 1);
    else
      ++known->second;
  }
  for (const auto& [kind, count] : kinds_)
    if (question.balance == Balance::hardware_aware && costs.is_heterogeneous(kind)) unlike_ = true;
  if (unlike_)
    for (const auto& [kind, count] : kinds_) one_ratio_ = one_ratio_ && costs.columns_of(kind).one_ratio();
  like_ = degree_ == 1 && like >= 0 ? like : kind_of_.front();
  const int layers = costs.chain().layers();
  may_ = graph.layers.value_or(std::pair(0, layers));
  required_layers_ = graph.layers.value_or(std::pair(layers, 0));
  const std::vector<LayerId>& order = costs.chain().order();
  for (const auto& [layer, device] : costs.chain().problem().pins.layers) {
    if (std::find(graph.devices.begin(), graph.devices.end(), device) == graph.devices.end()) continue;
    const auto at = static_cast<int>(std::find(order.begin(), order.end(), layer) - order.begin());
    required_layers_ = {std::min(required_layers_.first, at), std::max(required_layers_.second, at + 1)};
  }
}

void GraphCosts::keep(int warmup, int before, bool recompute) {
  warmup_ = warmup;
  recompute_ = recompute;
  before_ = before;
  known_.clear();
}

bool GraphCosts::allowed(int first, int last) {
  return first >= may_.first && last <= may_.second && first <= required_layers_.first &&
         last >= required_layers_.second && costs_.splittable(first, last, degree_);
}

int GraphCosts::even_share() const { return (question_.micro_batch + replicas() - 1) / replicas(); }

bool GraphCosts::even_fits(int first, int last, const ShardFractions& columns) {
  const Load load{first, last, replicas(), warmup_, before_, recompute_};
  const int share = even_share();
  return std::all_of(kinds_.begin(), kinds_.end(),
                     [&](const auto& kind) { return costs_.fits(kind.first, load, share, columns); });
}

double GraphCosts::at_least_of(int kind, int samples, int first, int last) {
  return unlike_ ? costs_.columns_of(kind).at_least(samples, first, last) : costs_.time(kind, samples, first, last);
}

bool GraphCosts::may_fit(int kind, const Load& load, int samples) {
  return costs_.may_fit(kind, load, samples) || (unlike_ && costs_.columns_of(kind).may_fit(load, samples));
}

double GraphCosts::at_least(int first, int last) {
  const Load load{first, last, replicas(), warmup_, before_, recompute_};
  if (uniform()) {
    if (!may_fit(kinds_[0].first, load, even_share())) return search::never;
    return at_least_of(question_.balance == Balance::even ? like_ : kinds_[0].first, even_share(), first, last);
  }
  if (proportional()) {  // samples need not be whole
    double rate = 0;
    for (const auto& [kind, count] : kinds_) {
      if (!costs_.may_fit(kind, load, question_.slice)) continue;
      const double one = costs_.time(kind, 1, first, last);
      if (one == 0) return 0;
      rate += count / one;
    }
    return rate > 0 ? question_.micro_batch / rate * (1 - 1e-9) : search::never;  // sums round
  }
  double least = search::never;  // no device has less than a slice
  for (const auto& [kind, count] : kinds_) least = std::min(least, at_least_of(kind, question_.slice, first, last));
  return least;
}

double GraphCosts::uniform_time(int first, int last, const ShardFractions& columns) {
  if (!even_fits(first, last, columns)) return search::never;
  const int kind = question_.balance == Balance::even ? like_ : kinds_[0].first;
  return costs_.time(kind, even_share(), first, last, columns);
}

/// Returns even columns, or those best for some kind's replicas; all replicas share them.
GraphCosts::Choice GraphCosts::choice(int first, int last) {
  const auto time = [&](const ShardFractions& columns) {
    return uniform() ? uniform_time(first, last, columns) : shared_time(first, last, columns);
  };
  Choice best{time({}), {}};
  if (!unlike_) return best;
  for (const auto& [kind, count] : kinds_) {
    if (!costs_.is_heterogeneous(kind)) continue;
    auto columns = costs_.columns_of(kind).best({first, last, replicas(), warmup_, before_, recompute_}, even_share());
    if (!columns) continue;
    const double own = time(*columns);
    if (own < best.time * (1 - 1e-9)) best = {own, std::move(*columns)};  // not for rounding alone
  }
  return best;
}

double GraphCosts::alone() {
  double most = 0;
  for (const auto& [kind, count] : kinds_)
    most = std::max(most, costs_.time(kind, question_.micro_batch, 0, costs_.chain().layers()));
  // With limited memory the slowest device may have nearly all columns.
  return unlike_ ? degree_ * most : most;
}

double GraphCosts::rate() {
  double sum = 0;
  for (const auto& [kind, count] : kinds_) {
    const double all = at_least_of(kind, even_share(), 0, costs_.chain().layers());
    if (all > 0) sum += count / all * even_share() / question_.micro_batch;
  }
  return sum;
}

double GraphCosts::time(int first, int last) {
  if (uniform() && !unlike_) return uniform_time(first, last, {});
  known_.resize(search::at(costs_.chain().layers()));
  std::vector<double>& known = known_[search::at(first)];
  const std::size_t length = search::at(last - first);
  if (known.size() <= length) known.resize(length + 1, -1);
  if (known[length] < 0) known[length] = choice(first, last).time;
  return known[length];
}

Replicas GraphCosts::taker(int kind, int count, const Load& load, int most, const ShardFractions& columns) {
  const double alone = costs_.time(kind, costs_.chain().profile().micro_batch, load.first, load.last, columns);
  return {.count = count,
          .speed = alone > 0 ? 1 / alone : 1,
          .time = [this, kind, load, columns](int x) { return costs_.time(kind, x, load.first, load.last, columns); },
          .memory = [this, kind, load, columns](int x) { return costs_.memory_use(kind, load, x, columns); },
          .least = question_.slice,
          .most = most};
}

std::vector<Replicas> GraphCosts::takers(int first, int last, Kinds& kinds, const ShardFractions& columns) {
  kinds = kinds_;
  // Without replicas that can't hold a slice, data divided over replicas (ZeRO) is divided over fewer, so repeat.
  for (;;) {
    Load load{first, last, 0, warmup_, before_, recompute_};
    for (const auto& [kind, count] : kinds) load.replicas += count;
    std::vector<Replicas> takers;
    Kinds holding;
    for (const auto& [kind, count] : kinds) {
      const int most = costs_.max_samples(kind, load, question_.micro_batch, columns);
      if (most < question_.slice && question_.balance == Balance::hardware_aware) continue;
      holding.emplace_back(kind, count);
      takers.push_back(taker(kind, count, load, most, columns));
    }
    const bool all = holding.size() == kinds.size();
    kinds = std::move(holding);
    if (all || kinds.empty()) return takers;
  }
}

double GraphCosts::shared_time(int first, int last, const ShardFractions& columns) {
  Kinds kinds;
  const std::vector<Replicas> groups = takers(first, last, kinds, columns);
  if (groups.empty()) return search::never;
  if (question_.balance == Balance::hardware_aware)
    return min_slowest(groups, question_.micro_batch).value_or(search::never);
  const auto shares = printed_balance(groups, question_.micro_batch);
  if (!shares) return search::never;
  double slowest = 0;
  std::size_t next = 0;
  for (const auto& [kind, count] : kinds)
    for (int i = 0; i < count; ++i) slowest = std::max(slowest, costs_.time(kind, (*shares)[next++], first, last));
  return slowest;
}

std::map<int, std::vector<int>> GraphCosts::shares_of_kinds(int first, int last) {
  Kinds kinds;
  const std::vector<Replicas> groups = takers(first, last, kinds, columns(first, last));
  std::map<int, std::vector<int>> shares;
  if (question_.balance == Balance::printed) {
    const std::vector<int> all = printed_balance(groups, question_.micro_batch).value();
    std::size_t next = 0;
    for (const auto& [kind, count] : kinds)
      for (int i = 0; i < count; ++i) shares[kind].push_back(all[next++]);
    return shares;
  }
  const std::vector<GroupShares> all = balance(groups, question_.micro_batch).value();
  for (std::size_t g = 0; g < all.size(); ++g)
    for (int i = 0; i < kinds[g].second; ++i) shares[kinds[g].first].push_back(all[g].each + (i < all[g].more ? 1 : 0));
  return shares;
}

std::vector<int> GraphCosts::shares(int first, int last) {
  if (uniform()) {
    Stage even;
    even.devices.resize(search::at(replicas()));
    return replica_samples(even, question_.micro_batch);
  }
  const std::map<int, std::vector<int>> of_kind = shares_of_kinds(first, last);
  std::vector<int> list;
  std::map<int, std::size_t> next;
  for (const int kind : kind_of_) {
    const auto own = of_kind.find(kind);
    list.push_back(own == of_kind.end() ? 0 : own->second[next[kind]++]);
  }
  return list;
}

ShardFractions GraphCosts::columns(int first, int last) {
  return unlike_ ? choice(first, last).columns : ShardFractions();
}

double GraphCosts::slowest(int first, int last, const std::vector<int>& shares, const ShardFractions& columns) {
  double most = 0;
  for (std::size_t r = 0; r < shares.size(); ++r)
    most = std::max(most, costs_.time(kind_of_[r], shares[r], first, last, columns));
  return most;
}

}  // namespace pipedeck::planner::whale
