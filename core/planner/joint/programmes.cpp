// SPDX-License-Identifier: Apache-2.0
// joint's second step: its dynamic programme (search.hpp) for every micro-batch size and several orders of the
// devices. It runs on all ideals of a layer graph or, if they are too many, on the topological orders of the seeds.
//
// A rough search with few boundaries and positions comes first, then a detailed one: early simulations limit the rest.
// Then the candidates are simulated under every schedule, ascending by closed form.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/planner/joint/orders.hpp"
#include "core/planner/joint/run.hpp"
#include "core/planner/joint/search.hpp"

namespace pipedeck::planner::joint {

namespace {

constexpr std::size_t listed = 32;                   // candidates saved per programme
constexpr std::size_t coarse_search = 3;             // of those, simulated at once
constexpr std::size_t all_efforts = 6000000;         // suffixes of all programmes
constexpr int small_layers = 12, small_devices = 8;  // of problems whose pipelines are all listed
constexpr std::size_t every_effort = 200000;         // suffixes of all these lists
constexpr Detail coarse_detail{.cuts = 16, .start_positions = 8, .pairs = 1e5};

struct DpCandidate {
  Candidate candidate;
  JointOrder* order;
  int micro_batch;
};

class DynamicProgram {
 public:
  explicit DynamicProgram(Run& run) : run_(run) {}

  Result<void> search() {
    const JointOrder& first = *run_.pool.orders().front();
    if (first.chain.layers() > 2 * coarse_detail.cuts || first.chain.devices() > 2 * coarse_detail.start_positions ||
        run_.graph)
      TRY_VOID(search_all(true));
    TRY_VOID(search_all(false));
    TRY_VOID(simulate());
    return search_every_pipeline();
  }

 private:
  Result<void> search_all(bool rough) {
    const std::vector<int> sizes = sizes_nearest_best_first();
    std::vector<JointOrder*> orders;
    if (run_.graph)
      orders = {run_.graph.get()};
    else
      for (const auto& order : run_.pool.orders()) orders.push_back(order.get());
    for (std::size_t o = 0; o < orders.size(); ++o) {
      JointOrder* const order = orders[o];
      const auto device_orders = joint_orders(order->chain);
      for (std::size_t i = 0; i < sizes.size(); ++i)
        for (const auto& devices : device_orders) {
          const double done =
              static_cast<double>(o * sizes.size() + i) / static_cast<double>(orders.size() * sizes.size());
          report(run_.context.progress, rough ? 0.3 + 0.1 * done : 0.4 + 0.2 * done,
                 fmt::format("searching with micro-batches of {}", sizes[i]));
          TRY_VOID(check_stop(run_.context));
          if (run_.enough() || effort_ > all_efforts) return {};
          TRY_VOID(search_one(*order, devices, sizes[i], rough));
        }
    }
    return {};
  }

  /// Returns the sizes, the one of the best plan first: its results limit the other searches.
  std::vector<int> sizes_nearest_best_first() {
    std::vector<int> sizes = run_.sizes;
    int best = sizes.empty() ? 0 : sizes[sizes.size() / 2];
    for (const auto& entry : run_.pool.entries())
      if (entry.plan.synchronous()) {
        best = entry.plan.micro_batch;
        break;
      }
    std::stable_sort(sizes.begin(), sizes.end(), [&](int a, int b) {
      return std::abs(std::log(a) - std::log(best)) < std::abs(std::log(b) - std::log(best));
    });
    return sizes;
  }

  /// Searches one size and order, first with a single micro-batch per stage. If memory is short, it also searches for
  /// plans that hold 1F1B's whole warm-up, with recomputation. If there is still no plan, it allows recomputation with
  /// a single micro-batch.
  Result<void> search_one(JointOrder& order, const std::vector<DeviceId>& devices, int size, bool rough) {
    struct Mode {
      bool full_warmup, recompute;
    };
    bool memory_short = false, any = false;
    for (const Mode mode : {Mode{false, false}, Mode{true, true}, Mode{false, true}}) {
      if (mode.recompute && (!memory_short || (!mode.full_warmup && (any || !run_.pool.empty())))) break;
      const SearchOptions options{.below = run_.pool.incumbent_time(),
                                  .keep = listed,
                                  .search_budget = joint_effort,
                                  .full_warmup = mode.full_warmup,
                                  .recompute = mode.recompute,
                                  .detail = rough ? coarse_detail : Detail(),
                                  .any_end = true};
      Found found = search_joint(order.costs, devices, size, options, run_.context.stop,
                                 run_.pool.empty() ? std::stop_token() : run_.context.deadline_token);
      effort_ += found.effort;
      memory_short |= found.memory_short;
      memory_short_ |= found.memory_short;
      any |= !found.candidates.empty();
      if (!found.candidates.empty()) run_.min_bound = std::min(run_.min_bound, found.candidates.front().bound);
      TRY_VOID(look_at(std::move(found.candidates), order, size, rough));
    }
    return {};
  }

  /// The first few are simulated at once, as long as a quarter of the budget lasts.
  Result<void> look_at(std::vector<Candidate> candidates, JointOrder& order, int size, bool rough) {
    std::vector<Plan> plans;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      DpCandidate one{std::move(candidates[i]), &order, size};
      if (i >= (rough ? 1 : coarse_search) || 4 * run_.pool.spent() >= run_.wanted.evaluations) {
        if (!rough) all_.push_back(std::move(one));
        continue;
      }
      TRY(auto plan, plan_of(one));
      plans.push_back(std::move(plan));
    }
    return run_.pool.add(plans, false);
  }

  /// Simulates the listed candidates with at most half of the budget.
  Result<void> simulate() { return simulate_below(1, run_.wanted.evaluations / 2); }

  /// Simulates the listed candidates whose closed form is below `slack` times the best time.
  Result<void> simulate_below(double slack, int budget) {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const DpCandidate& a, const DpCandidate& b) { return a.candidate.bound < b.candidate.bound; });
    for (std::size_t i = 0; i < all_.size() && !run_.enough(); i += 16) {
      if (all_[i].candidate.bound >= slack * run_.pool.incumbent_time() || run_.pool.spent() >= budget) break;
      std::vector<Plan> plans;
      for (std::size_t j = i; j < std::min(i + 16, all_.size()); ++j) {
        TRY(auto plan, plan_of(all_[j]));
        plans.push_back(std::move(plan));
      }
      TRY_VOID(run_.pool.add(plans, false));
    }
    return {};
  }

  /// Where memory is short in a small problem, lists all pipelines that may fit. A dynamic programme by time alone
  /// drops slower suffixes, but only these may fit.
  Result<void> search_every_pipeline() {
    JointOrder& first = run_.graph ? *run_.graph : *run_.pool.orders().front();
    if (!memory_short_ || !run_.context.fits || first.chain.layers() > small_layers ||
        first.chain.devices() > small_devices)
      return {};
    // The closed form is a bound only where all devices and links are alike.
    const double slack = uniform_cluster(first.chain.network()) ? 1 : 1.1;
    all_.clear();
    std::size_t effort = 0;
    for (const int size : sizes_nearest_best_first())
      for (const auto& devices : joint_orders(first.chain)) {
        TRY_VOID(check_stop(run_.context));
        if (run_.enough() || effort > every_effort) break;
        Found found = search_joint(first.costs, devices, size,
                                   {.below = slack * run_.pool.incumbent_time(),
                                    .keep = every_effort,
                                    .search_budget = every_effort,
                                    .recompute = true,
                                    .every = true,
                                    .any_end = true},
                                   run_.context.stop, run_.context.deadline_token);
        effort += found.effort;
        for (Candidate& candidate : found.candidates) all_.push_back({std::move(candidate), &first, size});
      }
    return simulate_below(slack, 3 * run_.wanted.evaluations / 4);
  }

  /// Returns the plan in the order that makes the layers between its ideals contiguous.
  Result<Plan> plan_of(const DpCandidate& listed) {
    const search::Ideals& ideals = listed.order->layers.ideals();
    std::vector<int> nested{0};
    for (const TeamRange& part : listed.candidate.parts) nested.push_back(part.last);
    JointOrder* order = listed.order;
    if (!ideals.is_chain()) {
      TRY(const auto found, run_.pool.order_with(ideals, nested));
      order = found;
    }
    Plan plan = order->chain.plan_of("joint", listed.micro_batch);
    for (const TeamRange& part : listed.candidate.parts) {
      const Team& team = listed.order->costs.stage_devices(part.team);
      Stage stage = search::stage_on(ideals.size(part.first), ideals.size(part.last), team.devices);
      stage.tensor_parallel = team.degree;
      if (!team.even) stage.samples_per_replica = team.samples;
      stage.recompute = order->chain.recompute(part.recompute);
      plan.stages.push_back(std::move(stage));
    }
    return plan;
  }

  Run& run_;
  std::vector<DpCandidate> all_;
  std::size_t effort_ = 0;
  bool memory_short_ = false;
};

}  // namespace

Result<void> search_joint_plans(Run& run) {
  if (!run.problem.profile->is_chain()) {
    report(run.context.progress, 0.3, "finding the cuts of the layer graph");
    if (auto ideals = search::Ideals::of(*run.problem.profile); !ideals)
      run.too_many_ideals = true;
    else if (!ideals->is_chain())
      run.graph = std::make_unique<JointOrder>(run.pool.orders().front()->chain, *std::move(ideals), run.wanted);
  }
  return DynamicProgram(run).search();
}

}  // namespace pipedeck::planner::joint
