// SPDX-License-Identifier: Apache-2.0
#include "core/planner/capture/answer.hpp"

#include <algorithm>

#include "core/planner/capture/brute.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::capture {

namespace {

constexpr std::size_t max_orders = 256;        // of different devices
constexpr std::size_t max_guessed_orders = 8;  // each takes all evaluations
constexpr double max_cells_tie_break = 2e6;    // entries for improving ties
constexpr double max_cells_all_counts = 2e6;   // at most, for ties of every number of stages

std::vector<DeviceId> pinned_devices(const Problem& problem) {
  std::vector<DeviceId> devices;
  for (const auto& [layer, device] : problem.pins.layers)
    if (std::count(devices.begin(), devices.end(), device) == 0) devices.push_back(device);
  return devices;
}

}  // namespace

search::DeviceOrders capture_orders(const search::Chain& chain, const Request& wanted) {
  const std::size_t most = wanted.recommender == Recommender::bayesian ? max_guessed_orders : max_orders;
  search::DeviceOrders orders = search::device_orders(chain.network(), pinned_devices(chain.problem()), most);
  if (!wanted.space.ignore_memory || !chain.problem().pins.layers.empty()) return orders;
  return {{orders.orders.front()}, true};
}

double cells(const Space& space) { return static_cast<double>(space.rows()) * space.layers() * space.ways(); }

namespace {

// --- one space: a micro-batch size and an order of devices

/// By the time of the slowest stage, then in lexicographic order; no more than `keep`.
void keep_fastest(Space& space, std::vector<Partition>& list, std::size_t keep) {
  std::vector<std::pair<double, Partition>> timed;
  for (Partition& stages : list) timed.push_back({space.slowest(stages), std::move(stages)});
  std::sort(timed.begin(), timed.end());
  timed.erase(std::unique(timed.begin(), timed.end()), timed.end());
  list.clear();
  for (auto& [time, stages] : timed)
    if (list.size() < keep) list.push_back(std::move(stages));
}

std::vector<Partition> exact(Space& space, std::int64_t most, const Watch& watch, bool& truncated) {
  Search search(space, watch);
  auto least = search.min_peak(most);
  if (!least) return {};
  const std::int64_t peak = space.highest_peak(*least);
  std::vector<Partition> ties{*least};
  if (space.pipelines()) {
    const std::size_t many = std::clamp<std::size_t>(400000 / least->size(), 16, 4096);
    if (auto all = search.all({.peak = peak}, many); !all.empty()) ties = std::move(all);
    if (ties.size() == many)
      ties.push_back(search.quick(*least, peak, max_cells_tie_break));  // the list may be cut off
  } else {
    ties.push_back(search.quick(*least, peak, max_cells_tie_break / space.ways()));
    if (cells(space) <= max_cells_all_counts)
      for (Partition& other : search.best_per_stage_count({peak, space.slowest(ties.back())}))
        ties.push_back(std::move(other));
  }
  truncated |= search.truncated();
  return ties;
}

std::vector<Partition> recommend(Space& space, const Request& wanted, std::int64_t most, const Watch& watch,
                                 bool& truncated) {
  switch (wanted.recommender) {
    case Recommender::exact:
      return exact(space, most, watch, truncated);
    case Recommender::brute_force:
      return brute_force_partitions(space, 4096, watch, truncated);
    case Recommender::bayesian:
      return optimised_partitions(space, wanted.budget, 4096, watch, truncated);
  }
  return {};
}

// --- one micro-batch size

/// Returns true if no order of the devices can beat the peak, even if every device had unlimited memory.
bool beyond_memory(search::Chain& chain, int micro_batch, const Request& wanted, std::int64_t peak,
                   const Watch& watch) {
  if (wanted.recommender != Recommender::exact || !chain.problem().pins.layers.empty()) return false;
  Options free = wanted.space;
  free.ignore_memory = true;
  Space space(chain, micro_batch, wanted.slice, free, capture_orders(chain, {free, {}, {}, 1}).orders.front());
  return !Search(space, watch).within({.peak = peak - 1});
}

Plan make_plan(search::Chain& chain, const Space& space, const Partition& stages, const Request& wanted) {
  Plan plan = space.plan_of(stages);
  const bool fits = search::set_warmup(chain, plan, Warmup::A, search::when_short(wanted.space.ignore_memory));
  ensure(fits, "capture gave a partition that does not fit");
  plan.objective = Objective{"CAPTURE highest peak", {}, Bytes(space.highest_peak(stages))};
  return plan;
}

}  // namespace

Answer of_size(search::Chain& chain, int micro_batch, const Request& wanted, std::int64_t most, std::size_t keep,
               Watch watch) {
  const search::DeviceOrders orders = capture_orders(chain, wanted);
  Answer best{most, {}, false, orders.all && wanted.recommender != Recommender::bayesian};
  for (const auto& order : orders.orders) {
    Space space(chain, micro_batch, wanted.slice, wanted.space, order);
    if (watch.stop.stop_requested()) break;
    const std::int64_t bound = best.plans.empty() ? most : best.peak - 1;
    auto list = recommend(space, wanted, bound, watch, best.truncated);
    if (list.empty() || space.highest_peak(list.front()) > bound) continue;
    keep_fastest(space, list, keep);
    best.peak = space.highest_peak(list.front());
    best.plans.clear();
    for (const Partition& stages : list) best.plans.push_back(make_plan(chain, space, stages, wanted));
    watch.answered = true;
    if (order == orders.orders.front() && orders.orders.size() > 1 &&
        beyond_memory(chain, micro_batch, wanted, best.peak, watch)) {
      best.proven = true;
      break;
    }
  }
  best.proven &= !best.truncated;
  return best;
}

Result<bool> capture_fits(search::Chain& chain, const std::vector<int>& sizes, const Request& wanted,
                          const PlannerContext& context) {
  for (const int size : sizes)
    for (const auto& order : capture_orders(chain, wanted).orders) {
      Space space(chain, size, wanted.slice, wanted.space, order);
      TRY_VOID(check_stop(context));
      Search search(space, {context.stop, {}});
      if (search.within({})) return true;
    }
  return false;
}

}  // namespace pipedeck::planner::capture
