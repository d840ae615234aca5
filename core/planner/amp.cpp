// SPDX-License-Identifier: Apache-2.0
// AMP (Li et al., NeurIPS 2022), Algorithm 1: for all degrees (pp, dp, tmp), all micro-batch sizes and Megatron's
// placement, the layer assignment of least estimated time, eq. 3-5 (section 3.4):
//   T = max over the dp pipelines of T^pp + max over devices of T^dpsync,
//   T^pp = (gas - 1) max t_i + sum e_i + sum t_i.
// Where we read it differently:
// - e_i is the activation and the gradient back with the path's latency each way; printed is v / b, one way
//   (--printed-objective), 17 % short of the simulated time at gas = 1;
// - t_i and e_i are those of the devices and links that the pipeline has: types are not averaged, and the slowest link
//   of a ring counts, not its last one (their program does both otherwise);
// - the assignment is the optimum of eq. 4, gradient synchronisation included; the paper's programme minimises eq. 5
//   first, which is another one in over half of random cases (amp_assignment.hpp);
// - memory counts: one micro-batch at a time must fit on every stage, and the warm-up is shortened to what fits.
// The answer is the strategy of least T, as in the paper where nothing is run; --rank-by simulated judges the best
// strategies by simulation, which stands for the paper's trial runs. A list has each strategy once.
#include <algorithm>

#include <fmt/format.h>

#include "core/planner/amp_answer.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

class AmpSearch {
 public:
  AmpSearch(Chain& chain, const AmpOptions& options, std::size_t wanted, const PlannerContext& context)
      : chain_(chain), costs_(chain, options), wanted_(wanted), context_(context) {}

  /// The wanted number of strategies of least T, best first.
  Result<void> run(const std::vector<AmpStrategy>& strategies) {
    if (auto done = bound(strategies); !done) return done;
    for (std::size_t i = 0; i < open_.size() && open_[i].bound < below() && !too_large; ++i) {
      report(context_.progress, 0.2 + 0.7 * static_cast<double>(i) / static_cast<double>(open_.size()),
             fmt::format("assigning layers to {} stages", open_[i].strategy.stages));
      if (auto stopped = check_stop(context_); !stopped) return stopped;
      if (out_of_time(context_) && !best.empty()) {
        truncated = true;
        break;
      }
      if (auto done = assign(open_[i].strategy); !done) return done;
    }
    return {};
  }

  std::vector<AmpCandidate> best;
  bool truncated = false, too_large = false;

 private:
  struct Open {
    double bound;
    AmpStrategy strategy;
  };

  double below() const {
    return best.size() < wanted_ ? std::numeric_limits<double>::infinity() : best.back().assignment.time;
  }

  /// In the order of their bounds, so that most need no search.
  Result<void> bound(const std::vector<AmpStrategy>& strategies) {
    for (const AmpStrategy& strategy : strategies) {
      if (auto stopped = check_stop(context_); !stopped) return stopped;
      if (out_of_time(context_) && !open_.empty()) {
        truncated = true;
        break;
      }
      const AmpTask task = costs_.task(strategy, megatron_placement(strategy));
      const AmpAssigner assigner(task);
      if (assigner.possible()) open_.push_back({assigner.lower_bound(), strategy});
    }
    std::stable_sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) { return a.bound < b.bound; });
    return {};
  }

  Result<void> assign(const AmpStrategy& strategy) {
    const AmpPlacement placement = megatron_placement(strategy);
    const AmpTask task = costs_.task(strategy, placement);
    AmpAssigner assigner(task);
    const auto outcome = assigner.search(below(), context_.stop, context_.hurry);
    if (outcome == AmpAssigner::Outcome::stopped) return check_stop(context_);
    truncated |= outcome == AmpAssigner::Outcome::hurried;
    too_large |= outcome == AmpAssigner::Outcome::too_large;
    if (!assigner.best()) return {};
    const auto after = std::find_if(best.begin(), best.end(), [&](const AmpCandidate& other) {
      return other.assignment.time > assigner.best()->time;
    });
    best.insert(after, {strategy, placement, *assigner.best()});
    if (best.size() > wanted_) best.pop_back();
    return {};
  }

  Chain& chain_;
  AmpCosts costs_;
  std::size_t wanted_;
  const PlannerContext& context_;
  std::vector<Open> open_;
};

std::string proven_of(const Chain& chain, const AmpStrategy& strategy, bool whole, const AmpOptions& options) {
  const std::string memory = options.ignore_memory ? "" : " that fits";
  const std::string pins = chain.problem().pins.empty() ? "" : " and keeps the pins";
  const std::string measure = options.printed ? "T, eq. 4 with v / b as printed" : "T, eq. 4";
  if (!whole)
    return fmt::format("layer assignments of pp {}, dp {}, tmp {} and micro-batch {}, Megatron's placement{}{}: by {}",
                       strategy.stages, strategy.replicas, strategy.tensor_parallel, strategy.micro_batch, memory, pins,
                       measure);
  const std::string size = chain.workload().micro_batch
                               ? fmt::format("micro-batch {}", strategy.micro_batch)
                               : fmt::format("every micro-batch of at least {} samples a replica", options.slice);
  return fmt::format(
      "AMP's strategies: pp x dp x tmp {} {} devices, {}, Megatron's placement, every layer assignment"
      "{}{}: by {}",
      options.allow_idle ? "up to" : "on all", chain.devices(), size, memory, pins, measure);
}

Result<Ranking> plan_amp(const Problem& problem, const PlannerOptions& given, const PlannerContext& context) {
  const PlannerInfo info = amp_planner();
  const AmpOptions options = amp_options(info, given, *problem.profile);
  const bool simulated = choice(info, given, "rank-by") == "simulated";
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  if (auto none = amp_too_large(*chain)) return Ranking{{}, *std::move(none)};
  const auto strategies = amp_strategies(*chain, options);
  if (!strategies) return tl::unexpected(strategies.error());

  const int wanted = std::max({1, context.top, simulated ? integer(info, given, "simulations") : 1});
  AmpSearch search(*chain, options, static_cast<std::size_t>(wanted), context);
  if (auto done = search.run(*strategies); !done) return tl::unexpected(done.error());
  if (search.too_large) return Ranking{{}, amp_too_unlike()};
  if (search.best.empty()) return amp_no_plan(problem, options, context);

  std::vector<Judged> judged;
  for (const AmpCandidate& candidate : search.best) {
    if (auto stopped = check_stop(context); !stopped) return tl::unexpected(stopped.error());
    if (out_of_time(context) && !judged.empty()) {
      search.truncated = true;
      break;
    }
    report(context.progress, 0.9, "simulating");
    auto one = amp_judged(*chain, candidate, info.name, options, context);
    if (!one) return tl::unexpected(one.error());
    if (!simulated) one->iteration = Seconds(candidate.assignment.time);
    const bool whole = judged.empty() && !simulated;
    one->plan.certificate = Certificate{{}, {}, 0, proven_of(*chain, candidate.strategy, whole, options)};
    judged.push_back(*std::move(one));
  }
  for (Judged& one : judged)
    if ((one.plan.truncated = search.truncated)) one.plan.certificate.reset();
  report(context.progress, 1, "done");
  return ranked(std::move(judged), context);
}

}  // namespace

PlannerInfo amp_planner() {
  return {.name = "amp",
          .title = "AMP",
          .summary = "pipeline, data and tensor degrees, micro-batch and layer assignment of least estimated time",
          .source =
              "Li et al., AMP: Automatically Finding Model Parallel Strategies with Heterogeneity Awareness, "
              "NeurIPS 2022",
          .options = amp_option_table(),
          .plan = &plan_amp,
          .compared_by_default = true,
          .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck
