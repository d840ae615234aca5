// SPDX-License-Identifier: Apache-2.0
// Starts from an even cut and moves single cuts while that helps. Then searches all cuts depth first for a bounded
// number of steps, without branches that can't be better. With many identical layers, the first two steps come within
// one layer of the optimum. With few layers the search completes, which proves the result. A second search minimizes
// the largest chunk among cuts with the same slowest rank.
#include "core/plan/balance_chunks.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace pipedeck::plan {
namespace {

constexpr int max_steps = 200'000;
constexpr double strictly = 1 - 1e-12;  // less by more than rounding errors

class Balancer {
 public:
  Balancer(const std::vector<std::vector<double>>& cost, const std::vector<std::size_t>& rank_of)
      : rank_of_(rank_of), layers_(static_cast<int>(cost.front().size())), cost_(cost) {
    for (const std::vector<double>& own : cost) {
      sums_.emplace_back(1, 0.0);
      for (const double layer : own) sums_.back().push_back(sums_.back().back() + layer);
    }
    cheapest_.assign(static_cast<std::size_t>(layers_) + 1, 0.0);
    for (int p = layers_ - 1; p >= 0; --p) {
      double least = cost.front()[static_cast<std::size_t>(p)];
      for (const std::vector<double>& own : cost) least = std::min(least, own[static_cast<std::size_t>(p)]);
      cheapest_[static_cast<std::size_t>(p)] = cheapest_[static_cast<std::size_t>(p) + 1] + least;
    }
  }

  std::vector<int> run() {
    best_ = even_ = equal_shares();
    improve();
    least_ = largest(best_);
    start(false);
    largest_chunk_ = largest_chunk(best_);
    start(true);
    return best_;
  }

  /// Gives each chunk an equal share of the layers' time on their fastest ranks.
  std::vector<int> equal_shares() const {
    std::vector<int> cuts;
    int at = 0;
    for (int k = 1; k < chunks(); ++k) {
      const double left = cheapest_.front() * (chunks() - k) / chunks();
      ++at;
      // Closer to the share with the next layer in front of the cut than without it.
      while (layers_ - at > chunks() - k &&
             cheapest_[static_cast<std::size_t>(at)] - left > left - cheapest_[static_cast<std::size_t>(at) + 1])
        ++at;
      cuts.push_back(at);
    }
    return cuts;
  }

 private:
  int chunks() const { return static_cast<int>(rank_of_.size()); }

  double of(std::size_t rank, int first, int last) const {
    return sums_[rank][static_cast<std::size_t>(last)] - sums_[rank][static_cast<std::size_t>(first)];
  }

  std::vector<double> loads(const std::vector<int>& cuts) const {
    std::vector<double> load(cost_.size(), 0.0);
    for (int k = 0; k < chunks(); ++k) {
      const auto c = static_cast<std::size_t>(k);
      load[rank_of_[c]] += of(rank_of_[c], k == 0 ? 0 : cuts[c - 1], k + 1 == chunks() ? layers_ : cuts[c]);
    }
    return load;
  }
  double largest_chunk(const std::vector<int>& cuts) const {
    double most = 0;
    for (int k = 0; k < chunks(); ++k) {
      const auto c = static_cast<std::size_t>(k);
      most = std::max(most, of(rank_of_[c], k == 0 ? 0 : cuts[c - 1], k + 1 == chunks() ? layers_ : cuts[c]));
    }
    return most;
  }
  double largest(const std::vector<int>& cuts) const {
    const std::vector<double> load = loads(cuts);
    return *std::max_element(load.begin(), load.end());
  }
  /// Returns the loads in descending order for a lexicographic comparison, so that each of several slowest ranks can be
  /// improved in turn.
  std::vector<double> profile(const std::vector<int>& cuts) const {
    std::vector<double> load = loads(cuts);
    std::sort(load.begin(), load.end(), std::greater<>());
    return load;
  }
  static bool better(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] < b[i] * strictly) return true;
      if (b[i] < a[i] * strictly) return false;
    }
    return false;
  }

  void improve() {
    std::vector<double> now = profile(best_);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t c = 0; c < best_.size(); ++c)
        for (const int step : {-1, 1}) {
          const int low = c == 0 ? 0 : best_[c - 1], high = c + 1 == best_.size() ? layers_ : best_[c + 1];
          if (best_[c] + step <= low || best_[c] + step >= high) continue;
          best_[c] += step;
          if (std::vector<double> after = profile(best_); better(after, now))
            now = std::move(after), moved = true;
          else
            best_[c] -= step;
        }
    }
  }

  /// Searches for a smaller largest sum, or for smaller chunks with the same sum.
  void start(bool chunks) {
    by_chunks_ = chunks;
    steps_ = 0;
    std::vector<double> load(cost_.size(), 0.0);
    std::vector<int> cuts;
    search(0, load, cuts);
  }

  /// Tries the next chunk, which begins at `first`.
  void search(int first, std::vector<double>& load, std::vector<int>& cuts) {
    if (++steps_ > max_steps) return;
    const auto k = cuts.size();
    const std::size_t rank = rank_of_[k];
    const double before = load[rank];
    if (k == even_.size()) {
      const double chunk = of(rank, first, layers_);
      load[rank] += chunk;
      if (allowed(load[rank], chunk)) take(cuts, load);
      load[rank] = before;
      return;
    }
    for (const int last : candidates(first, k, before)) {
      load[rank] = before + of(rank, first, last);
      if (!allowed(load[rank], load[rank] - before) || !room_for(last, load)) continue;  // a better one may be known
      cuts.push_back(last);
      search(last, load, cuts);
      cuts.pop_back();
    }
    load[rank] = before;
  }

  bool allowed(double load, double chunk) const {
    return by_chunks_ ? load <= least_ / strictly && chunk < largest_chunk_ * strictly : load < least_ * strictly;
  }

  void take(const std::vector<int>& cuts, const std::vector<double>& load) {
    best_ = cuts;
    if (by_chunks_)
      largest_chunk_ = largest_chunk(cuts);
    else
      least_ = *std::max_element(load.begin(), load.end());
  }

  /// Returns the possible ends of chunk `k`, those closest to the even cut first.
  std::vector<int> candidates(int first, std::size_t k, double load) const {
    std::vector<int> ends;
    for (int last = first + 1; last <= layers_ - static_cast<int>(even_.size() - k); ++last) {
      const double chunk = of(rank_of_[k], first, last);
      if (!allowed(load + chunk, chunk)) break;
      ends.push_back(last);
    }
    std::stable_sort(ends.begin(), ends.end(),
                     [&](int a, int b) { return std::abs(a - even_[k]) < std::abs(b - even_[k]); });
    return ends;
  }

  /// Returns true if the remaining layers, on their fastest ranks, fit below the smallest largest sum so far.
  bool room_for(int first, const std::vector<double>& load) const {
    double room = 0;
    for (const double own : load) room += std::max(0.0, least_ / strictly - own);
    return cheapest_[static_cast<std::size_t>(first)] <= room;
  }

  const std::vector<std::size_t>& rank_of_;
  int layers_;
  const std::vector<std::vector<double>>& cost_;
  std::vector<std::vector<double>> sums_;  // before each layer, by rank
  std::vector<double> cheapest_;           // of each layer and all after it
  std::vector<int> even_, best_;
  double least_ = 0, largest_chunk_ = 0;  // of `best_`
  bool by_chunks_ = false;
  int steps_ = 0;
};

}  // namespace

std::vector<int> balanced_boundaries(const std::vector<std::vector<double>>& cost,
                                     const std::vector<std::size_t>& rank_of) {
  return Balancer(cost, rank_of).run();
}

std::vector<int> equal_boundaries(const std::vector<std::vector<double>>& cost,
                                  const std::vector<std::size_t>& rank_of) {
  return Balancer(cost, rank_of).equal_shares();
}

}  // namespace pipedeck::plan
