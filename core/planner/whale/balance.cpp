// SPDX-License-Identifier: Apache-2.0
#include "core/planner/whale/balance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>

namespace pipedeck::planner::whale {

namespace {

/// Largest number of samples within the limits whose time is at most `time`; `least` where none is.
int max_within(const Replicas& group, double time) {
  int low = group.least, high = group.most;
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (group.time(middle) <= time)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::int64_t room_within(const std::vector<Replicas>& groups, double time) {
  std::int64_t room = 0;
  for (const Replicas& group : groups) room += std::int64_t{group.count} * max_within(group, time);
  return room;
}

bool can_hold(const std::vector<Replicas>& groups, int samples) {
  std::int64_t least = 0, most = 0;
  for (const Replicas& group : groups) {
    if (group.most < group.least) return false;
    least += std::int64_t{group.count} * group.least;
    most += std::int64_t{group.count} * group.most;
  }
  return least <= samples && samples <= most;
}

double speed_of_all(const std::vector<Replicas>& groups) {
  double sum = 0;
  for (const Replicas& group : groups) sum += group.count * group.speed;
  return sum;
}

/// Returns the change of |x - wanted| by one more sample.
double growth(int x, double wanted) {
  if (x >= wanted) return 1;
  return x + 1 <= wanted ? -1 : 2 * (x - wanted) + 1;
}

/// A group that may take another sample on each of its replicas in turn.
struct ShareTarget {
  double growth = 0, time = 0, memory = 0;
  std::size_t group = 0;
  auto key() const { return std::tuple(growth, time, memory, group); }
  bool operator<(const ShareTarget& other) const { return key() < other.key(); }
};

/// An allocation of samples: the next one goes to the replica whose term of equation 1 grows least. Ties: lowest load,
/// then lowest memory use (Algorithm 1's valley device), then the earlier group.
class Filler {
 public:
  Filler(const std::vector<Replicas>& groups, std::vector<int> most, int samples)
      : groups_(groups), most_(std::move(most)), shares_(groups.size()) {
    const double all = speed_of_all(groups);
    for (const Replicas& group : groups) wanted_.push_back(group.speed / all * samples);
    std::int64_t given = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      shares_[g].each = std::clamp(static_cast<int>(std::floor(wanted_[g])), groups[g].least, most_[g]);
      given += std::int64_t{groups[g].count} * shares_[g].each;
    }
    if (given > samples) {  // groups above their proportion leave less to the others
      given = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        shares_[g].each = groups[g].least;
        given += std::int64_t{groups[g].count} * shares_[g].each;
      }
    }
    left_ = samples - given;
  }

  std::vector<GroupShares> run() {
    for (std::size_t g = 0; g < groups_.size(); ++g) offer(g);
    for (; left_ > 0; --left_) {
      const std::size_t taker = takers_.begin()->group;
      GroupShares& shares = shares_[taker];
      if (++shares.more < groups_[taker].count) continue;  // the next replica of the group is equal
      shares = {shares.each + 1, 0};
      takers_.erase(takers_.begin());
      offer(taker);
    }
    return std::move(shares_);
  }

 private:
  void offer(std::size_t g) {
    const int each = shares_[g].each;
    if (each >= most_[g]) return;
    takers_.insert({growth(each, wanted_[g]), groups_[g].time(each + 1), groups_[g].memory(each + 1), g});
  }

  const std::vector<Replicas>& groups_;
  std::vector<int> most_;
  std::vector<GroupShares> shares_;
  std::vector<double> wanted_;
  std::set<ShareTarget> takers_;
  std::int64_t left_ = 0;
};

}  // namespace

std::optional<double> min_slowest(const std::vector<Replicas>& groups, int samples) {
  if (!can_hold(groups, samples)) return {};
  double forced = 0;  // no group gets less than `least`
  for (const Replicas& group : groups) forced = std::max(forced, group.time(group.least));
  if (room_within(groups, forced) >= samples) return forced;
  // The answer is some group's time for some number of samples: for each group the fewest that make room for all.
  std::optional<double> best;
  for (const Replicas& group : groups) {
    if (room_within(groups, group.time(group.most)) < samples) continue;
    int low = group.least, high = group.most;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (room_within(groups, group.time(middle)) >= samples)
        high = middle;
      else
        low = middle + 1;
    }
    const double time = group.time(low);
    if (!best || time < *best) best = time;
  }
  return best;
}

std::optional<std::vector<GroupShares>> balance(const std::vector<Replicas>& groups, int samples) {
  const std::optional<double> slowest = min_slowest(groups, samples);
  if (!slowest) return {};
  std::vector<int> most;
  for (const Replicas& group : groups) most.push_back(max_within(group, *slowest));
  return Filler(groups, std::move(most), samples).run();
}

std::optional<std::vector<int>> printed_balance(const std::vector<Replicas>& groups, int samples) {
  std::vector<const Replicas*> device;
  for (const Replicas& group : groups) device.insert(device.end(), static_cast<std::size_t>(group.count), &group);
  const double all = speed_of_all(groups);

  // Lines 3 to 6: in proportion to speed; whole samples by largest remainder, ties to the earlier device.
  std::vector<int> shares;
  std::vector<std::size_t> by_rest(device.size());
  std::iota(by_rest.begin(), by_rest.end(), std::size_t{0});
  const auto wanted = [&](std::size_t i) { return device[i]->speed / all * samples; };
  for (std::size_t i = 0; i < device.size(); ++i) shares.push_back(static_cast<int>(std::floor(wanted(i))));
  std::stable_sort(by_rest.begin(), by_rest.end(),
                   [&](std::size_t a, std::size_t b) { return wanted(a) - shares[a] > wanted(b) - shares[b]; });
  int left = samples - std::accumulate(shares.begin(), shares.end(), 0);
  for (std::size_t k = 0; left > 0; --left, k = (k + 1) % by_rest.size()) ++shares[by_rest[k]];

  std::set<std::size_t> oom, free;  // lines 7 to 10
  for (std::size_t i = 0; i < device.size(); ++i) (shares[i] > device[i]->most ? oom : free).insert(i);
  while (!oom.empty() && !free.empty()) {  // line 12
    const auto memory = [&](std::size_t i) { return device[i]->memory(shares[i]); };
    const auto load = [&](std::size_t i) { return std::pair(device[i]->time(shares[i]), memory(i)); };
    const std::size_t peak =
        *std::max_element(oom.begin(), oom.end(), [&](auto a, auto b) { return memory(a) < memory(b); });
    const std::size_t valley =
        *std::min_element(free.begin(), free.end(), [&](auto a, auto b) { return load(a) < load(b); });
    // shift_load: "b is the maximum number that the valley device will not go OOM" with.
    const int moved = std::min(device[valley]->most - shares[valley], shares[peak]);
    if (moved > 0) {
      shares[valley] += moved, shares[peak] -= moved;
      oom.erase(peak);  // line 17, even if it does not fit now
    } else {
      free.erase(valley);  // line 19
    }
  }
  for (std::size_t i = 0; i < device.size(); ++i)
    if (shares[i] > device[i]->most || shares[i] < device[i]->least) return {};
  return shares;
}

double imbalance(const std::vector<int>& shares, const std::vector<double>& speeds) {
  const double samples = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) sum += std::abs(shares[i] / samples - speeds[i] / all);
  return sum;
}

}  // namespace pipedeck::planner::whale
