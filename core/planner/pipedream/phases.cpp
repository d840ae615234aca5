// SPDX-License-Identifier: Apache-2.0
// The steps of PipeDream's search: see "Memory" in search.hpp.
#include <algorithm>

#include "core/cost/memory.hpp"
#include "core/planner/pipedream/blocks.hpp"
#include "core/planner/pipedream/search.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double phase_rounding = 1 + 1e-9;    // of a bound, which is no answer
constexpr double max_work_before_exact = 3e8;  // of `own`: the exact tables take a multiple
constexpr double max_pairs = 5e6;              // of ideals, for the least number of devices

/// Returns the fewest replicas in [1, most] on which a stage fits in front of `behind` devices; 0 if there are none.
/// With one replica there is no communicator; from two on, more replicas need no more memory.
int fewest_replicas(const Figures& figures, int inner, int outer, int behind, int most) {
  // A stage has at least as many tensors waiting as it holds mini-batches.
  const auto fits = [&](int replicas) {
    return figures.fits(inner, outer, {behind, replicas}, search::ceil_div(replicas + behind, replicas));
  };
  if (most < 1) return 0;
  if (fits(1)) return 1;
  if (most < 2 || !fits(most)) return 0;
  int low = 1, high = most;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

double sync_factor(const Options& options, int replicas, double bandwidth) {
  const double m = replicas;
  return (options.printed_objective ? 2 * (m - 1) : 2 * (m - 1) / m) / bandwidth;
}

bool fits(const Figures& figures, const Answer& answer) {
  int workers = 0, kept = 0, before = 0;
  for (const auto& devices : answer.devices) workers += static_cast<int>(devices.size());
  for (std::size_t s = 0; s < answer.devices.size(); ++s) {
    const int replicas = static_cast<int>(answer.devices[s].size());
    const int versions = search::ceil_div(workers, replicas);
    const int waiting = before == 0 ? versions : cost::pipedream_in_flight(before, kept, replicas);
    if (!figures.fits(answer.nested[s], answer.nested[s + 1], {workers - replicas, replicas}, waiting)) return false;
    workers -= replicas, kept = versions, before = replicas;
  }
  return true;
}

int least_devices(const Figures& figures) {
  const search::Ideals& ideals = figures.ideals();
  const double count = ideals.count();
  if (!ideals.is_chain() && count * count > max_pairs) return 0;
  const int all = figures.devices(), none = all + 1;
  std::vector<int> least(search::at(ideals.count()), none);  // for the layers outside of each ideal
  least[search::at(ideals.whole())] = 0;
  for (int inner = ideals.whole() - 1; inner >= 0; --inner) {
    int& known = least[search::at(inner)];
    for (int outer = inner + 1; outer <= ideals.whole(); ++outer) {
      if (!ideals.is_chain() && !ideals.within(inner, outer)) continue;
      const int behind = least[search::at(outer)];  // only a number below the known one is of interest
      const int replicas = fewest_replicas(figures, inner, outer, behind, known - 1 - behind);
      if (replicas > 0) known = behind + replicas;
    }
  }
  return least[0];
}

std::optional<Answer> PipedreamSearch::run() {
  if (levels_.empty()) return one_stage();
  if (!options_.ignore_memory) {
    if (least_devices(figures_) > figures_.devices()) return {};
    if (hurried()) known_ = quick_answer(search::never);
    if (known_) return known_;
  }
  auto answer = partition(Memory::ignored, 0, 0);
  if (!answer || options_.ignore_memory || fits(figures_, *answer)) return answer;
  double least = answer->slowest.count;
  known_ = quick_answer(least);
  if (known_ && watch_.found_plan) watch_.found_plan();
  if (known_ && known_->slowest.count <= least * phase_rounding) return known_;
  answer = partition(Memory::own, 0, least);
  if (!gave_up_) {
    if (!answer) return known_;
    if (fits(figures_, *answer)) return answer;
    least = answer->slowest.count;
    if (known_ && known_->slowest.count <= least * phase_rounding) return known_;
    gave_up_ = known_ && work_ > max_work_before_exact;
    if (!gave_up_) answer = partition(Memory::exact, 0, least);
    if (!gave_up_) return answer ? answer : known_;
  }
  proven_ = false;
  answer = cautious(least);
  return answer ? answer : known_;
}

/// Some answer that fits, if one is found quickly.
std::optional<Answer> PipedreamSearch::quick_answer(double least) const {
  auto single = one_stage();
  if (!pins_.empty()) return single;
  auto blocks = quick_pipedream(figures_, {levels_, devices_}, options_, least, watch_.stop);
  if (!blocks || !fits(figures_, *blocks) || (single && single->slowest <= blocks->slowest)) return single;
  return blocks;
}

std::optional<Answer> PipedreamSearch::cautious(double least) {
  work_ = work_limit() / 2;
  for (int reach = 1;; reach *= 2) {
    auto answer = partition(Memory::upper_bound, reach, least);
    if (!answer || fits(figures_, *answer)) return answer;
    if (reach >= figures_.devices()) return {};
    least = answer->slowest.count;
  }
}

std::optional<Answer> PipedreamSearch::one_stage() const {
  const int all = static_cast<int>(devices_.size());
  if (pins_.stages.value_or(1) != 1 || pins_.replicas.value_or(all) != all) return {};
  double slowest = figures_.time().back();
  for (const Level& level : levels_)
    slowest = std::max(slowest, sync_factor(options_, level.components, level.bandwidth) * figures_.weights().back()) /
              level.components;
  Answer answer{Seconds(slowest), {0, figures_.ideals().whole()}, {devices_}};
  if (!options_.ignore_memory && !fits(figures_, answer)) return {};
  return answer;
}

/// The best answer of this memory that is no slower than the known one; none is quicker than `least`.
std::optional<Answer> PipedreamSearch::partition(Memory memory, int reach, double least) {
  memory_ = memory, gave_up_ = false, bytes_ = 0;
  places_.emplace(figures_, levels_, pins_, memory, reach);
  wholes_.clear(), tables_.clear();
  const double balance = figures_.time().back() / static_cast<double>(devices_.size());
  // Without any time there is nothing to balance.
  const double most = known_ ? known_->slowest.count * phase_rounding : search::never;
  for (double bound = std::max(1.03 * balance, least * phase_rounding);
       balance > 0 && 2 * bound < most && bound < 64 * balance && !halted();
       bound *= memory == Memory::ignored ? 1.25 : 2)
    if (auto answer = within_bound(bound)) return answer;
  if (halted()) return {};
  return within_bound(most);
}

}  // namespace pipedeck::planner::pipedream
