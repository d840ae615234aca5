// SPDX-License-Identifier: Apache-2.0
// DAPPLE (Fan et al., PPoPP 2021), section IV: the partition, replication and placement with the least latency of one
// synchronous iteration, stages being replicated by splitting each micro-batch.
//
// Objective. The paper's eq. 1-3 follow one pivot stage Q; we take the largest over all stages,
//   L_max = max_Q [ sum_{s<=Q} F_s + (M - 1) t_Q + max_{s<=Q}( AR_s + sum_{a=s..Q} B_a ) ],
// t = F + B of a computing stage and max(F, B) of a transfer (full-duplex). Reasons: the printed one loses the pivot's
// last backward, can fall when a stage gets slower, and makes a link wait for both directions. L_max is never above the
// simulated 1F1B without overlap, grows with every stage, and needs three figures of a prefix (dapple_search.cpp).
// --printed-objective computes eq. 1-3 as they are (dapple_printed.cpp).
//
// Search, eq. 4-5: stages are added front to back, placed by three policies (dapple_space.hpp). Data parallelism (one
// stage) and straight pipelines (one device each) are among the plans.
//
// Ranking. L_max can't tell the warm-up policies A and B apart, so candidates are simulated with both, in the order of
// L_max and like it without overlap of all-reduces; pure data parallelism alone overlaps them, as in the paper, where
// the workload does. Once the next L_max is not below the best simulated time, no other candidate can be better (inside
// a node; across nodes the longest transfers of a cut need not lie on one path, and that rule is a heuristic).
// --rank-by objective answers the least L_max.
//
// Beyond the paper: device memory is respected (at least one micro-batch must fit every device, and the warm-up is
// shortened to what fits); the micro-batch is chosen too, where the user leaves it open; stages may recompute.
#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/planner/dapple_search.hpp"
#include "core/planner/planner_entries.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

namespace {

constexpr std::size_t effort = 3000000;  // stages tried a search, where simulation has the last word
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t handful = 24;  // candidates of the first, narrow search, a micro-batch
constexpr std::size_t pool = 512;    // candidates that are kept for the simulator, a micro-batch

struct Wanted {
  DappleSpaceOptions space;
  bool simulated = true, printed = false;
  std::string recompute = "auto", warmup = "auto";
  int simulations = 64;
};

Wanted wanted_of(const PlannerOptions& options, const Profile& profile) {
  const PlannerInfo info = dapple_planner();
  Wanted wanted;
  wanted.space.slice = smallest_slice(profile, integer(info, options, "min-slice"));
  wanted.space.allow_idle = flag(info, options, "allow-idle");
  wanted.space.ignore_memory = flag(info, options, "ignore-memory");
  wanted.simulated = choice(info, options, "rank-by") == "simulated";
  wanted.printed = flag(info, options, "printed-objective");
  wanted.recompute = choice(info, options, "recompute");
  wanted.warmup = choice(info, options, "warmup");
  wanted.simulations = std::max(1, integer(info, options, "simulations"));
  return wanted;
}

/// A candidate of one of several spaces (micro-batches, with and without recompute).
struct Entry {
  DappleCandidate candidate;
  DappleSpace* space;
};

class DapplePlanner {
 public:
  DapplePlanner(Chain& chain, const Wanted& wanted, const PlannerContext& context)
      : chain_(chain), wanted_(wanted), context_(context) {}

  Result<Ranking> run(const std::vector<int>& sizes) {
    make_spaces(sizes);
    std::vector<Entry> best = best_by_bound();
    if (auto stopped = check_stop(context_); !stopped) return tl::unexpected(stopped.error());
    if (best.empty()) return Ranking{};
    if (!wanted_.simulated) return by_objective(std::move(best));
    return by_simulation(std::move(best));
  }

 private:
  int top() const { return std::max(1, context_.top); }

  void make_spaces(const std::vector<int>& sizes) {
    for (const int size : sizes)
      for (const bool recompute : {false, true}) {
        if (wanted_.recompute == (recompute ? "off" : "on")) continue;
        DappleSpaceOptions options = wanted_.space;
        options.recompute = recompute;
        spaces_.push_back(std::make_unique<DappleSpace>(chain_, size, options));
      }
  }

  /// With --recompute auto, recomputing is tried only where memory refused something without it.
  bool worth(const DappleSpace& space, const DappleSpace* before) const {
    if (wanted_.recompute != "auto" || !space.options().recompute) return true;
    return before->memory_refused() || clipped_;
  }

  /// The least bounds of all spaces: what narrow searches find limits the full ones, which find all there are below.
  std::vector<Entry> best_by_bound() {
    const auto count = static_cast<std::size_t>(top());
    const double anything = std::numeric_limits<double>::infinity();
    std::vector<Entry> quick = search(anything, wanted_.simulated ? std::max(count, handful) : count, 0, true);
    // Simulated times decide: they are taken of these first, and then of all that may be better.
    if (wanted_.simulated || wanted_.printed) return quick;
    // The margin is for rounding, since bounds of prefixes are summed in another order.
    return search(quick.size() < count ? anything : quick[count - 1].candidate.bound * (1 + 1e-9), count, 0.3, false);
  }

  /// Several of what one prefix leads to, where a list is wanted or simulation has the last word.
  int depth(bool narrow) const { return std::max(top(), wanted_.simulated && !narrow ? 2 : 1); }

  std::vector<DappleCandidate> search_one(DappleSpace& space, const DappleSearchOptions& options, bool narrow) {
    if (wanted_.printed) return search_printed(space, options, context_.stop);
    return narrow ? search_narrowly(space, options, context_.stop)
                  : search_dapple(space, options, context_.stop, &cut_short_);
  }

  /// The best candidates of all spaces by bound, `keep` of each.
  std::vector<Entry> search(double below, std::size_t keep, double progress, bool narrow) {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < spaces_.size() && !context_.stop.stop_requested(); ++i) {
      report(context_.progress, progress + 0.3 * static_cast<double>(i) / static_cast<double>(spaces_.size()),
             fmt::format("searching with micro-batches of {}", spaces_[i]->micro_batch()));
      if (!worth(*spaces_[i], i > 0 ? spaces_[i - 1].get() : nullptr)) continue;
      const DappleSearchOptions options{
          .below = below, .keep = keep, .depth = depth(narrow), .effort = wanted_.simulated ? effort : unlimited};
      auto found = search_one(*spaces_[i], options, narrow);
      for (DappleCandidate& candidate : found) all.push_back({std::move(candidate), spaces_[i].get()});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Entry& a, const Entry& b) { return a.candidate.bound < b.candidate.bound; });
    return all;
  }

  Plan plan_of(const Entry& entry) const {
    DappleSpace& space = *entry.space;
    Plan plan = chain_.plan_of("dapple", space.micro_batch());
    for (const DapplePart& part : entry.candidate.parts) {
      Stage stage = stage_on(part.first, part.last, space.state(part.state).stage);
      stage.recompute.all = space.options().recompute;
      plan.stages.push_back(std::move(stage));
    }
    const auto steps = dapple_steps(space, entry.candidate.parts);
    plan.objective = wanted_.printed
                         ? Objective{"DAPPLE eq. 2, as printed", Seconds(dapple_printed(steps, plan.micro_batches)), {}}
                         : Objective{"DAPPLE L_max", Seconds(dapple_l_max(steps, plan.micro_batches)), {}};
    plan.name = "DAPPLE " + shape_text(plan);
    return plan;
  }

  /// The plan with the warm-up that simulates best; policy A where nobody can tell.
  Result<Judged> with_warmup(Plan plan) {
    std::optional<Judged> best;
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      if (wanted_.warmup == (policy == Warmup::A ? "B" : "A")) continue;
      Plan variant = plan;
      if (!set_warmup(chain_, variant, policy, wanted_.space.ignore_memory))
        return fail(ErrorCode::internal, "dapple searched a plan that does not fit");
      if (policy == Warmup::A && variant.warmup_counts) clipped_ = true;
      if (best && same_warmup(best->plan, variant)) continue;
      const auto iteration =
          context_.score ? judge(context_, variant, overlap_of(variant)) : Result<Seconds>(Seconds());
      if (!iteration) return tl::unexpected(iteration.error());
      if (!best || *iteration < best->iteration) best = Judged{std::move(variant), *iteration};
    }
    return std::move(*best);
  }

  /// Nothing: as the workload says.
  static std::optional<Overlap> overlap_of(const Plan& plan) {
    return plan.stages.size() == 1 ? std::nullopt : std::optional(Overlap::none);
  }

  static bool same_warmup(const Plan& a, const Plan& b) {
    const auto counts = [](const Plan& plan) {
      return plan.warmup_counts.value_or(
          policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup));
    };
    return counts(a) == counts(b);
  }

  Result<Ranking> by_objective(std::vector<Entry> best) {
    Ranking ranking;
    for (const Entry& entry : best) {
      if (static_cast<int>(ranking.plans.size()) == top()) break;
      auto judged = with_warmup(plan_of(entry));
      if (!judged) return tl::unexpected(judged.error());
      ranking.plans.push_back(std::move(judged->plan));
    }
    return ranking;
  }

  /// First the best of every space, for a time to beat; then all candidates whose bound is below it.
  Result<Ranking> by_simulation(std::vector<Entry> best) {
    if (!context_.score) return fail(ErrorCode::internal, "--rank-by simulated needs a simulator to judge plans");
    std::vector<Judged> judged;
    if (auto done = simulate(data_parallel(), judged, wanted_.simulations, 0.3); !done)
      return tl::unexpected(done.error());
    if (auto done = simulate(best, judged, (wanted_.simulations + 1) / 2, 0.3); !done)
      return tl::unexpected(done.error());
    // Candidates a little above the least bound first; further up as long as better ones may be there and the effort
    // lasts. Where it does not (dozens of devices in nodes), the answer is the best of those looked at.
    const double least = best.front().candidate.bound;
    for (const double reach : {1.02, 1.05, 1.1, 1.2, std::numeric_limits<double>::infinity()}) {
      const double limit = std::min(to_beat(judged), least * reach);
      const auto candidates = search(limit, pool, 0.4, false);
      if (auto done = simulate(candidates, judged, wanted_.simulations, 0.7); !done)
        return tl::unexpected(done.error());
      if (cut_short_ || limit >= to_beat(judged) || static_cast<int>(judged.size()) >= wanted_.simulations) break;
    }
    report(context_.progress, 1, "done");
    return ranked(std::move(judged), context_);
  }

  /// One stage on all devices, of every space. Their all-reduces may overlap, so that L_max is no bound of theirs.
  std::vector<Entry> data_parallel() {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < spaces_.size(); ++i) {
      DappleSpace& space = *spaces_[i];
      if (!worth(space, i > 0 ? spaces_[i - 1].get() : nullptr)) continue;
      for (const DappleSpace::Hop& hop : space.hops(DappleSpace::start))
        if (space.state(hop.to).left == 0 && space.fits(hop.to, 0, chain_.layers()))
          all.push_back({{0, {{0, chain_.layers(), hop.to}}}, &space});
    }
    return all;
  }

  /// Simulated time of the worst plan of the answer so far.
  double to_beat(const std::vector<Judged>& judged) const {
    std::vector<double> times;
    for (const Judged& one : judged) times.push_back(one.iteration.count);
    if (static_cast<int>(times.size()) < top()) return std::numeric_limits<double>::infinity();
    std::nth_element(times.begin(), times.begin() + top() - 1, times.end());
    return times[static_cast<std::size_t>(top()) - 1];
  }

  /// In the order of their bounds, until that is no better than what is there, or the budget is used up.
  Result<void> simulate(const std::vector<Entry>& entries, std::vector<Judged>& judged, int most, double progress) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (auto stopped = check_stop(context_); !stopped) return stopped;
      if (entries[i].candidate.bound >= to_beat(judged) || static_cast<int>(judged.size()) >= most) break;
      report(context_.progress, progress, "simulating");
      const Plan plan = plan_of(entries[i]);
      if (std::any_of(judged.begin(), judged.end(), [&](const Judged& one) { return same_cut(one.plan, plan); }))
        continue;
      auto one = with_warmup(plan);
      if (!one) return tl::unexpected(one.error());
      judged.push_back(std::move(*one));
    }
    return {};
  }

  static bool same_cut(const Plan& a, const Plan& b) { return a.micro_batch == b.micro_batch && a.stages == b.stages; }

  Chain& chain_;
  Wanted wanted_;
  PlannerContext context_;
  std::vector<std::unique_ptr<DappleSpace>> spaces_;
  bool cut_short_ = false;  ///< some search used up its effort
  bool clipped_ = false;    ///< memory shortened some warm-up
};

Result<bool> any_plan(const Problem& problem, const std::vector<int>& sizes, Wanted wanted,
                      const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  // A single micro-batch needs more with recompute than without; several need less.
  for (const bool recompute : {false, true}) {
    if (wanted.recompute == (recompute ? "off" : "on")) continue;
    wanted.space.recompute = recompute;
    for (const int size : sizes) {
      DappleSpace space(*chain, size, wanted.space);
      if (!search_dapple(space, {}, context.stop).empty()) return true;
    }
  }
  return false;
}

/// Idle devices help, or fewer samples a replica.
Result<Ranking> not_enough_samples(const Problem& problem, const std::string& reason, Wanted wanted,
                                   const PlannerContext& context) {
  const auto sizes = micro_batch_choices(problem.workload, 1);
  if (!sizes) return tl::unexpected(sizes.error());
  Wanted idle = wanted;
  idle.space.allow_idle = true;
  const auto helps = any_plan(problem, *sizes, idle, context);
  if (!helps) return tl::unexpected(helps.error());
  if (*helps) return Ranking{{}, Infeasible{reason, "--allow-idle"}};
  return too_few_samples(reason, problem.workload, wanted.space.slice, [&](int slice) {
    wanted.space.slice = slice;
    return any_plan(problem, *sizes, wanted, context);
  });
}

/// Nothing fits, or nothing gives every device whole samples.
Result<Ranking> no_plan(const Problem& problem, const std::vector<int>& sizes, Wanted wanted,
                        const PlannerContext& context) {
  Wanted unlimited = wanted;
  unlimited.space.ignore_memory = true;
  const auto any = any_plan(problem, sizes, unlimited, context);
  if (!any) return tl::unexpected(any.error());
  if (!*any) {
    const std::string reason =
        fmt::format("no plan gives every one of {} devices at least {} samples of each micro-batch",
                    devices_of(*problem.cluster).size(), wanted.space.slice);
    return not_enough_samples(problem, reason, wanted, context);
  }
  return nothing_fits("no plan fits the devices' memory, with one micro-batch at a time on every stage", context,
                      [&](Bytes more) { return any_plan(with_more_memory(problem, more), sizes, wanted, context); });
}

Result<Ranking> plan_dapple(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  const Wanted wanted = wanted_of(options, *problem.profile);
  auto sizes = micro_batch_choices(problem.workload, 1);
  if (!sizes) return tl::unexpected(sizes.error());
  std::erase_if(*sizes, [&](int size) { return size < wanted.space.slice; });
  auto ranking = DapplePlanner(*chain, wanted, context).run(*sizes);
  if (!ranking || !ranking->plans.empty()) return ranking;
  return no_plan(problem, *sizes, wanted, context);
}

}  // namespace

PlannerInfo dapple_planner() {
  return {.name = "dapple",
          .title = "DAPPLE",
          .summary = "least latency of a synchronous iteration; stages replicated over any devices",
          .source = "Fan et al., DAPPLE: A Pipelined Data Parallel Approach for Training Large Models, PPoPP 2021",
          .options = {{"rank-by",
                       OptionType::choice,
                       "simulated: the best simulated candidate; objective: the one of least L_max",
                       "simulated",
                       {"simulated", "objective"}},
                      {"warmup",
                       OptionType::choice,
                       "policy A or B of 1F1B; auto: the one that simulates best",
                       "auto",
                       {"auto", "A", "B"}},
                      {"recompute",
                       OptionType::choice,
                       "run forwards again before backwards; auto: where memory is short and it pays",
                       "auto",
                       {"auto", "off", "on"}},
                      {"allow-idle", OptionType::flag, "plans that leave devices idle, too", "false", {}},
                      {"ignore-memory", OptionType::flag, "also plans that do not fit, as in the paper", "false", {}},
                      {"printed-objective", OptionType::flag, "the paper's eq. 1-3 as printed", "false", {}},
                      {"min-slice",
                       OptionType::integer,
                       "least samples of a micro-batch on a replica; 0: the smallest measured",
                       "0",
                       {}},
                      {"simulations", OptionType::integer, "candidates to simulate at most", "64", {}}},
          .plan = &plan_dapple,
          .compared_by_default = true};
}

}  // namespace pipedeck
