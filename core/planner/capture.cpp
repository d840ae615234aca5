// SPDX-License-Identifier: Apache-2.0
// CAPTURE and mCAP (Dreuning et al.): cut a model over a pipeline, and choose each stage's degrees of data and tensor
// parallelism, so that the highest peak memory of any device is smallest for the global batch that is wanted. What a
// plan is predicted to need: capture_space.hpp.
//
// Recommenders: `exact` (default) finds the smallest highest peak in polynomial time (capture_search.hpp); `bf` is
// mCAP's brute force over everything, `bo` its Bayesian optimisation. With --pipeline-only every stage has one device,
// and there are as many as devices and layers allow; else any number of stages, and devices may idle, where that is
// what the smallest peak takes. Without --micro-batch, the one of the smallest peak is taken.
//
// Several plans often reach the optimum: the quickest in simulation is the answer. Of pipelines the ties whose slowest
// stage is quickest are simulated; of hybrid plans, for each micro-batch and number of stages, the one whose slowest
// stage is quickest. Devices are taken in the cluster's order. Where their memories differ and that is in the way, any
// other order of their types is tried, so that no stage is kept from a device that it needs.
#include <algorithm>

#include <fmt/format.h>

#include "core/planner/capture_bo.hpp"
#include "core/planner/capture_brute.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

namespace {

constexpr double most_cells = 5e8;              // of the tables of all micro-batch sizes
constexpr std::size_t most_orders = 256;        // of unlike devices
constexpr std::size_t most_guessed_orders = 8;  // each of which costs all the evaluations
constexpr double simulated_operations = 4e6;    // for all ties together
constexpr double quick_cells = 2e6;             // spent on making ties quick
constexpr double all_counts_cells = 2e6;        // at the most, for ties of every number of stages

enum class Recommender { exact, brute_force, bayesian };

struct Wanted {
  CaptureOptions space;
  Recommender recommender = Recommender::exact;
  CaptureBudget budget;
  int slice = 1;
};

/// The best partitions of one micro-batch size.
struct Answer {
  std::int64_t peak = 0;
  std::vector<Plan> plans;
  bool truncated = false, proven = false;
};

std::vector<DeviceId> pinned_devices(const Problem& problem) {
  std::vector<DeviceId> devices;
  for (const auto& [layer, device] : problem.pins.layers)
    if (std::count(devices.begin(), devices.end(), device) == 0) devices.push_back(device);
  return devices;
}

/// The orders of devices that may make a difference: where neither memory nor a pin is asked about, none does.
DeviceOrders orders_of(const Chain& chain, const Wanted& wanted) {
  const std::size_t most = wanted.recommender == Recommender::bayesian ? most_guessed_orders : most_orders;
  DeviceOrders orders = device_orders(chain.network(), pinned_devices(chain.problem()), most);
  if (!wanted.space.ignore_memory || !chain.problem().pins.layers.empty()) return orders;
  return {{orders.orders.front()}, true};
}

double cells(const CaptureSpace& space) { return static_cast<double>(space.rows()) * space.layers() * space.ways(); }

// --- one space: a micro-batch size and an order of devices

/// By the time of the slowest stage, then in lexicographic order; no more than `keep`.
void keep_quickest(CaptureSpace& space, std::vector<Partition>& list, std::size_t keep) {
  std::vector<std::pair<double, Partition>> timed;
  for (Partition& stages : list) timed.push_back({space.slowest(stages), std::move(stages)});
  std::sort(timed.begin(), timed.end());
  timed.erase(std::unique(timed.begin(), timed.end()), timed.end());
  list.clear();
  for (auto& [time, stages] : timed)
    if (list.size() < keep) list.push_back(std::move(stages));
}

std::vector<Partition> exact(CaptureSpace& space, std::int64_t most, const CaptureWatch& watch, bool& truncated) {
  CaptureSearch search(space, watch);
  auto least = search.least_peak(most);
  if (!least) return {};
  const std::int64_t peak = space.highest_peak(*least);
  std::vector<Partition> ties{*least};
  if (space.pipelines()) {
    const std::size_t many = std::clamp<std::size_t>(400000 / least->size(), 16, 4096);
    if (auto all = search.all({.peak = peak}, many); !all.empty()) ties = std::move(all);
  } else {
    ties.push_back(search.quick(*least, peak, quick_cells / space.ways()));
    if (cells(space) <= all_counts_cells)
      for (Partition& other : search.of_each_count({peak, space.slowest(ties.back())}))
        ties.push_back(std::move(other));
  }
  truncated |= search.truncated();
  return ties;
}

std::vector<Partition> recommend(CaptureSpace& space, const Wanted& wanted, std::int64_t most,
                                 const CaptureWatch& watch, bool& truncated) {
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

/// Whether no order of the devices can beat a peak: not even if every device had all the memory.
bool beyond_memory(Chain& chain, int micro_batch, const Wanted& wanted, std::int64_t peak, const CaptureWatch& watch) {
  if (wanted.recommender != Recommender::exact || !chain.problem().pins.layers.empty()) return false;
  CaptureOptions free = wanted.space;
  free.ignore_memory = true;
  CaptureSpace space(chain, micro_batch, wanted.slice, free, orders_of(chain, {free, {}, {}, 1}).orders.front());
  return !CaptureSearch(space, watch).within({.peak = peak - 1});
}

Plan plan_from(Chain& chain, const CaptureSpace& space, const Partition& stages, const Wanted& wanted) {
  Plan plan = space.plan_of(stages);
  const bool fits = set_warmup(chain, plan, Warmup::A, wanted.space.ignore_memory);
  ensure(fits, "capture gave a partition that does not fit");
  plan.objective = Objective{"CAPTURE highest peak", {}, Bytes(space.highest_peak(stages))};
  return plan;
}

/// The best over the orders of the devices; no plans where none fits with a highest peak of `most`.
Answer best_of_size(Chain& chain, int micro_batch, const Wanted& wanted, std::int64_t most, std::size_t keep,
                    CaptureWatch watch) {
  const DeviceOrders orders = orders_of(chain, wanted);
  Answer best{most, {}, false, orders.all && wanted.recommender != Recommender::bayesian};
  for (const auto& order : orders.orders) {
    if (watch.stop.stop_requested()) break;
    CaptureSpace space(chain, micro_batch, wanted.slice, wanted.space, order);
    const std::int64_t bound = best.plans.empty() ? most : best.peak - 1;
    auto list = recommend(space, wanted, bound, watch, best.truncated);
    if (list.empty() || space.highest_peak(list.front()) > bound) continue;
    keep_quickest(space, list, keep);
    best.peak = space.highest_peak(list.front());
    best.plans.clear();
    for (const Partition& stages : list) best.plans.push_back(plan_from(chain, space, stages, wanted));
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

/// Is there any plan, with any of these sizes?
Result<bool> any_fits(Chain& chain, const std::vector<int>& sizes, const Wanted& wanted,
                      const PlannerContext& context) {
  for (const int size : sizes)
    for (const auto& order : orders_of(chain, wanted).orders) {
      if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
      CaptureSpace space(chain, size, wanted.slice, wanted.space, order);
      CaptureSearch search(space, {context.stop, {}});
      if (search.within({})) return true;
    }
  return false;
}

// --- all sizes

std::string where_optimal(const Chain& chain, const Plan& plan, const Wanted& wanted) {
  const std::string stages = wanted.space.pipeline_only
                                 ? fmt::format("pipelines of {} stages on one device each", plan.stages.size())
                                 : "contiguous stages of any degrees of data and tensor parallelism";
  const std::string sizes = chain.workload().micro_batch
                                ? fmt::format("micro-batches of {}", plan.micro_batch)
                                : fmt::format("any micro-batch of {} samples a replica or more", wanted.slice);
  return fmt::format("{}, {}{}: no lower highest peak memory as CAPTURE predicts it", stages, sizes,
                     chain.problem().pins.empty() ? "" : ", the pins kept");
}

/// Few ties of long pipelines: simulating one of them takes time.
std::size_t kept_ties(const Chain& chain, const std::vector<int>& sizes) {
  const double micro_batches = static_cast<double>(chain.workload().global_batch) / sizes.front();
  const double operations = 2 * micro_batches * std::min(chain.layers(), chain.devices());
  const double most = sizes.size() == 1 ? 32 : 8;
  return static_cast<std::size_t>(std::clamp(simulated_operations / operations, 1.0, most));
}

Result<std::vector<Plan>> candidates(Chain& chain, const std::vector<int>& sizes, const Wanted& wanted,
                                     const PlannerContext& context) {
  const std::size_t keep = kept_ties(chain, sizes);
  std::vector<Answer> answers;
  std::int64_t least = INT64_MAX;
  bool truncated = false, proven = true;
  for (std::size_t i = 0; i < sizes.size() && !truncated; ++i) {
    report(context.progress, 0.5 * static_cast<double>(i) / static_cast<double>(sizes.size()), "partitioning");
    const CaptureWatch watch{context.stop, context.hurry, !answers.empty()};
    // Where one plan is wanted, sizes that do not reach the least peak so far are of no interest.
    Answer answer = best_of_size(chain, sizes[i], wanted, context.top > 1 ? INT64_MAX : least, keep, watch);
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    proven &= answer.proven;
    truncated = answer.truncated;
    if (answer.plans.empty()) continue;
    least = std::min(least, answer.peak);
    answers.push_back(std::move(answer));
    truncated |= out_of_time(context) && i + 1 < sizes.size();
  }
  std::vector<Plan> plans;
  for (Answer& answer : answers)
    for (Plan& plan : answer.plans) {
      plan.truncated = truncated;
      if (proven && !truncated && answer.peak == least)
        plan.certificate.emplace().optimal_in = where_optimal(chain, plan, wanted);
      plans.push_back(std::move(plan));
    }
  return plans;
}

/// Smallest highest peak first, then the quickest.
Result<Ranking> ordered(std::vector<Plan> plans, const PlannerContext& context) {
  const auto smaller = [](const Plan& a, const Plan& b) { return *a.objective->bytes < *b.objective->bytes; };
  if (context.top <= 1) {
    const Plan least = *std::min_element(plans.begin(), plans.end(), smaller);
    std::erase_if(plans, [&](const Plan& plan) { return smaller(least, plan); });
  }
  if (plans.size() == 1) return Ranking{std::move(plans), {}};
  std::vector<Judged> judged;
  bool truncated = false;
  for (std::size_t i = 0; i < plans.size() && !truncated; ++i) {
    report(context.progress, 0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(plans.size()), "simulating");
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    // Without a simulator all of the ties are as good: the order given stands.
    const auto iteration = context.score ? judge(context, plans[i]) : Result<Seconds>(Seconds());
    if (!iteration) return tl::unexpected(iteration.error());
    judged.push_back({std::move(plans[i]), *iteration});
    truncated = out_of_time(context) && i + 1 < plans.size();
  }
  PlannerContext all = context;
  all.top = static_cast<int>(judged.size());
  Ranking ranking = ranked(std::move(judged), all);
  std::stable_sort(ranking.plans.begin(), ranking.plans.end(), smaller);
  if (ranking.plans.size() > static_cast<std::size_t>(std::max(1, context.top)))
    ranking.plans.erase(ranking.plans.begin() + std::max(1, context.top), ranking.plans.end());
  for (Plan& plan : ranking.plans) {
    plan.truncated |= truncated;
    if (plan.truncated) plan.certificate.reset();
  }
  return ranking;
}

// --- the question

Result<Wanted> wanted_of(const Problem& problem, const PlannerOptions& options) {
  const PlannerInfo info = capture_planner();
  Wanted wanted;
  wanted.space = {.ignore_memory = flag(info, options, "ignore-memory"),
                  .paper_in_flight = flag(info, options, "paper-in-flight"),
                  .pipeline_only = flag(info, options, "pipeline-only")};
  const std::string recommender = choice(info, options, "recommender");
  if (recommender == "bf") wanted.recommender = Recommender::brute_force;
  if (recommender == "bo") wanted.recommender = Recommender::bayesian;
  wanted.budget = {integer(info, options, "evaluations"), static_cast<std::uint64_t>(integer(info, options, "seed"))};
  wanted.slice = smallest_slice(*problem.profile, integer(info, options, "min-slice"));
  if (wanted.budget.evaluations < 1 || wanted.budget.evaluations > 100000)
    return fail(ErrorCode::bad_usage,
                fmt::format("--evaluations is {}, 1 to 100000 expected", wanted.budget.evaluations));
  for (const auto& [pin, name] : {std::pair{problem.pins.replicas, "--dp"}, {problem.pins.tensor_parallel, "--tmp"}})
    if (wanted.space.pipeline_only && pin.value_or(1) != 1)
      return fail(ErrorCode::bad_usage, fmt::format("{} {} contradicts --pipeline-only", name, *pin));
  return wanted;
}

/// A search that would take too long, or bad_usage for a brute force that would.
Result<std::optional<Infeasible>> too_large(Chain& chain, const std::vector<int>& sizes, const Wanted& wanted) {
  const DeviceOrders orders = orders_of(chain, wanted);
  double table = 0, partitions = 0;
  for (const int size : sizes) {
    const CaptureSpace space(chain, size, wanted.slice, wanted.space, orders.orders.front());
    table += cells(space);
    if (wanted.recommender == Recommender::brute_force)
      partitions += partition_count(space) * static_cast<double>(orders.orders.size());
  }
  if (partitions > brute_force_limit)
    return fail(
        ErrorCode::bad_usage,
        fmt::format("{:.3g} partitions of {} layers over {} devices, at most {:.0f} for --recommender bf expected",
                    partitions, chain.layers(), chain.devices(), brute_force_limit));
  if (wanted.recommender != Recommender::exact || table <= most_cells) return std::optional<Infeasible>();
  return std::optional(
      Infeasible{fmt::format("too large: {:.3g} states of {} layers on {} devices, {:.3g} are the most", table,
                             chain.layers(), chain.devices(), most_cells),
                 wanted.space.pipeline_only ? "planner gpipe-balanced can" : "--pipeline-only, or a --micro-batch"});
}

Result<Ranking> no_size(const Problem& problem, Chain& chain, const Wanted& wanted, const PlannerContext& context) {
  const std::string reason =
      fmt::format("no micro-batch gives every replica the {} samples that were measured at least", wanted.slice);
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  return too_few_samples(reason, problem.workload, wanted.slice, [&](int fewer) -> Result<bool> {
    const auto all = micro_batch_choices(problem.workload, 1);
    if (!all) return tl::unexpected(all.error());
    Wanted with = wanted;
    with.slice = fewer;
    return any_fits(chain, *all, with, context);
  });
}

Result<Ranking> none_fits(const Problem& problem, const std::vector<int>& sizes, Wanted wanted,
                          const PlannerContext& context) {
  const int smallest = sizes.front();
  const std::string reason =
      wanted.recommender == Recommender::bayesian
          ? fmt::format("none of the {} partitions tried fits", wanted.budget.evaluations)
          : fmt::format("no {} fits with micro-batches of {} samples{}",
                        wanted.space.pipeline_only ? "pipeline of one device a stage" : "partition", smallest,
                        sizes.size() > 1 ? " or more" : "");
  if (!context.relax) return Ranking{{}, Infeasible{reason, {}}};
  if (wanted.recommender == Recommender::bayesian) {
    wanted.recommender = Recommender::exact;  // which looks at all orders of the devices
    auto chain = Chain::of(problem);
    if (!chain) return tl::unexpected(chain.error());
    const auto fits = any_fits(*chain, sizes, wanted, context);
    if (!fits) return tl::unexpected(fits.error());
    if (*fits) return Ranking{{}, Infeasible{reason, "--recommender exact"}};
  }
  return nothing_fits(reason, context, [&](Bytes more) -> Result<bool> {
    auto relaxed = Chain::of(with_more_memory(problem, more));
    if (!relaxed) return tl::unexpected(relaxed.error());
    return any_fits(*relaxed, sizes, wanted, context);
  });
}

Result<Ranking> plan_capture(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const auto wanted = wanted_of(problem, options);
  if (!wanted) return tl::unexpected(wanted.error());
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const auto all = micro_batch_choices(problem.workload, wanted->slice);
  if (!all) return tl::unexpected(all.error());
  std::vector<int> sizes;  // that some way to run a stage has samples for
  for (const int size : *all)
    if (size / problem.pins.replicas.value_or(1) >= wanted->slice) sizes.push_back(size);
  if (sizes.empty()) return no_size(problem, *chain, *wanted, context);
  const auto large = too_large(*chain, sizes, *wanted);
  if (!large) return tl::unexpected(large.error());
  if (*large) return Ranking{{}, **large};

  auto plans = candidates(*chain, sizes, *wanted, context);
  if (!plans) return tl::unexpected(plans.error());
  return plans->empty() ? none_fits(problem, sizes, *wanted, context) : ordered(std::move(*plans), context);
}

}  // namespace

PlannerInfo capture_planner() {
  return {
      .name = "capture",
      .title = "CAPTURE",
      .summary = "smallest highest peak memory of any device, then the quickest",
      .source =
          "Dreuning et al., CAPTURE: Memory-Centric Partitioning for Distributed DNN Training with Hybrid "
          "Parallelism; mCAP",
      .options =
          {{"recommender",
            OptionType::choice,
            "exact: dynamic programme; bf: all partitions, where they are at most 5,000,000; bo: Bayesian "
            "optimisation",
            "exact",
            {"exact", "bf", "bo"}},
           {"pipeline-only", OptionType::flag, "one device a stage, without data or tensor parallelism", "false", {}},
           {"paper-in-flight",
            OptionType::flag,
            "predict one micro-batch on every stage, as the paper does",
            "false",
            {}},
           {"evaluations", OptionType::integer, "bo: predictions for each micro-batch size", "100", {}},
           {"seed", OptionType::integer, "bo: of its random choices", "1", {}},
           {"ignore-memory", OptionType::flag, "also plans that do not fit", "false", {}},
           {"min-slice", OptionType::integer, "least samples of a replica; 0: the smallest measured", "0", {}}},
      .plan = &plan_capture,
      .compared_by_default = true,
      .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck
