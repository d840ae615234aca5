// SPDX-License-Identifier: Apache-2.0
#include "core/planner/dapple/ranking.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/plan/warmups.hpp"
#include "core/planner/dapple/spaces.hpp"
#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::dapple {

namespace {

constexpr std::size_t published_candidates = 24;  // per space, for the simulator to choose from
constexpr std::size_t unproven_candidates = 64;   // per space, without proof
constexpr double max_operations = 1 << 20;        // of a plan to simulate; beyond it the bound replaces the time
constexpr double many_operations = 5e6;           // of all plans in a search of many devices: two seconds or so

class DappleRanking {
 public:
  DappleRanking(search::Chain& chain, const Request& wanted, const std::vector<int>& sizes,
                const PlannerContext& context)
      : chain_(chain), wanted_(wanted), context_(context), sizes_(sizes) {
    open_spaces(wanted.simulated);
  }

  Result<Ranking> run() {
    if (wanted_.simulated && !context_.score)
      return fail(ErrorCode::internal, "--rank-by simulated needs a simulator to score plans");
    auto ranking = wanted_.simulated ? by_simulation() : by_objective();
    TRY_VOID(check_stop(context_));
    if (!ranking) return ranking;
    for (Plan& plan : ranking->plans) plan.truncated = cut_short_;
    if (!ranking->plans.empty() && proven_ && !cut_short_)
      ranking->plans.front().certificate.emplace().optimal_in = claim();
    report(context_.progress, 1, "done");
    return ranking;
  }

 private:
  int top() const { return std::max(1, context_.top); }

  /// Returns true on a stop, or out of time except during the last resort.
  bool interrupted() const { return context_.stop.stop_requested() || (!last_resort_ && deadline_expired(context_)); }

  // --- by objective

  Result<Ranking> by_objective() {
    const auto keep = static_cast<std::size_t>(top());
    auto found = wanted_.printed ? spaces_->search_printed(keep) : deepen(keep);
    if (found.cut_short && found.entries.empty() && !wanted_.printed) found = fallback_search(keep);
    TRY_VOID(check_stop(context_));
    Ranking ranking;
    for (const Entry& entry : found.entries) {
      if (static_cast<int>(ranking.plans.size()) == top()) break;
      note_plan(context_);
      TRY(auto judged, with_warmup(entry));
      ranking.plans.push_back(std::move(judged.plan));
    }
    cut_short_ |= found.cut_short;
    proven_ = !found.entries.empty() && found.entries.front().bound <= found.all_below;
    return ranking;
  }

  /// The limit is raised until as many plans as wanted are below.
  Spaces::Found deepen(std::size_t keep) {
    Spaces::Found found;
    const double least = spaces_->least();
    for (const double reach : reaches) {
      report(context_.progress, 0.1, "searching");
      found = spaces_->search(least == 0 ? search::never : least * reach, keep);
      if (found.cut_short || enough(found)) break;
    }
    return found;
  }

  bool enough(const Spaces::Found& found) const {
    const auto wanted = static_cast<std::size_t>(top());
    return found.entries.size() >= wanted && found.entries[wanted - 1].bound <= found.all_below;
  }

  void open_spaces(bool simulated) {
    Request measured = wanted_;
    measured.simulated = simulated;
    measured.rounds = wanted_.simulated;
    spaces_.emplace(chain_, measured, sizes_, [this] { return interrupted(); });
  }

  /// The search is over before it has found anything: good plans without proof. L_max shows them better than the sure
  /// measure, which often makes little of transfers. Round trips count here, too.
  Spaces::Found fallback_search(std::size_t keep) {
    known_.clear();
    if (wanted_.simulated) open_spaces(false);
    Spaces::Found found;
    if (wanted_.simulated && !deadline_expired(context_)) found = deepen(keep);
    last_resort_ = judged_.empty();
    if (found.entries.empty()) found = spaces_->search_heuristic(keep);
    found.cut_short = true;
    return found;
  }

  // --- by simulation

  Result<Ranking> by_simulation() {
    TRY_VOID(simulate(data_parallel(), search::never));
    TRY_VOID(wanted_.printed ? simulate_printed() : simulate_deepening());
    return ranked(std::move(judged_), context_);
  }

  Result<void> simulate_printed() {
    const auto found = spaces_->search_printed(published_candidates);
    cut_short_ |= found.cut_short;
    return simulate(found.entries, search::never);
  }

  /// Simulates all candidates whose bound is below the best time so far, ascending. If none is left, no other plan is
  /// better.
  Result<void> simulate_deepening() {
    const double least = spaces_->least();
    for (const double reach : reaches) {
      report(context_.progress, 0.3, "searching");
      const double limit = std::min(incumbent_time(), least == 0 ? search::never : least * reach);
      const auto found = spaces_->search(limit, static_cast<std::size_t>(wanted_.simulations) + 1);
      TRY_VOID(simulate(found.entries, found.all_below));
      proven_ = !found.cut_short && !exhausted_ && incumbent_time() <= found.all_below;
      cut_short_ |= found.cut_short;
      if (proven_ || exhausted_ || cut_short_ || limit == search::never || limit >= incumbent_time()) break;
    }
    // A search that its effort ended may have seen few of the good pipelines: there is time for others without proof.
    if (cut_short_ && !exhausted_ && (judged_.empty() || !deadline_expired(context_)))
      return simulate(fallback_search(deadline_expired(context_) ? 1 : unproven_candidates).entries, search::never);
    return exhausted_ && !tired() ? simulate_shapes() : Result<void>();
  }

  /// Simulates other shapes, from all spaces in turn. The least bounds often belong to one plan with its boundaries
  /// moved by a layer, so half of the budget is reserved for this.
  Result<void> simulate_shapes() {
    auto found = spaces_->search_by_shape(incumbent_time(), static_cast<std::size_t>(wanted_.simulations));
    std::vector<int> taken(static_cast<std::size_t>(spaces_->count()), 0);
    std::vector<std::pair<int, Entry>> turns;
    for (Entry& entry : found.entries)
      turns.push_back({taken[static_cast<std::size_t>(entry.space)]++, std::move(entry)});
    std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    ordered_ = false;
    for (auto& [turn, entry] : turns) TRY_VOID(simulate({std::move(entry)}, search::never));
    return {};
  }

  /// One stage, of every space, by the pivot's time alone.
  std::vector<Entry> data_parallel() {
    std::vector<Entry> all;
    for (int s = 0; s < spaces_->count(); ++s) {
      Space& space = spaces_->space(s);
      for (int r = wanted_.rules.unit; r <= space.max_replicas(); r += wanted_.rules.unit)
        for (const int state : space.places().next(Places::start, r))
          if (space.places().may_end(state) && space.max_in_flight(state, 0, chain_.layers()) > 0)
            all.push_back({space.compute(state, 0, chain_.layers()).pivot - spaces_->rounding(s),
                           s,
                           {{0, chain_.layers(), state}}});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bound < b.bound; });
    return all;
  }

  /// In the order of their bounds, until that is no better than what is there, or the budget is used up.
  Result<void> simulate(const std::vector<Entry>& entries, double all_below) {
    for (const Entry& entry : entries) {
      TRY_VOID(check_stop(context_));
      if (!wanted_.printed && (entry.bound >= incumbent_time() || entry.bound >= all_below)) break;
      const bool pipeline = entry.parts.size() > 1;
      if (!known_.insert({entry.space, entry.parts}).second) continue;
      if (!judged_.empty() && deadline_expired(context_)) {
        cut_short_ = true;
        break;
      }
      if (pipeline && (simulated_ >= (ordered_ ? (wanted_.simulations + 1) / 2 : wanted_.simulations) || tired())) {
        exhausted_ = true;
        break;
      }
      simulated_ += pipeline;
      TRY(auto one, with_warmup(entry));
      note_plan(context_);
      judged_.push_back(std::move(one));
    }
    return {};
  }

  /// Returns true if the simulations of many devices have taken long enough.
  bool tired() const { return wanted_.rules.unit > 1 && operations_ > many_operations; }

  /// Returns the simulated time of the worst plan of the answer so far, seconds.
  double incumbent_time() const {
    std::vector<double> times;
    for (const ScoredPlan& one : judged_) times.push_back(one.iteration.count);
    if (static_cast<int>(times.size()) < top()) return search::never;
    std::nth_element(times.begin(), times.begin() + top() - 1, times.end());
    return times[static_cast<std::size_t>(top()) - 1];
  }

  // --- plans

  Plan plan_of(const Entry& entry) {
    Space& space = spaces_->space(entry.space);
    Plan plan = chain_.plan_of("dapple", space.micro_batch());
    for (const Part& part : entry.parts) {
      Stage stage = search::stage_on(part.first, part.last, space.places().devices(part.state));
      stage.recompute = chain_.recompute(space.options().recompute);
      plan.stages.push_back(std::move(stage));
    }
    const auto steps = dapple_steps(space, entry.parts);
    plan.objective =
        wanted_.printed
            ? Objective{"DAPPLE eq. 2, as printed", Seconds(dapple_as_published(steps, plan.micro_batches)), {}}
            : Objective{"DAPPLE L_max", Seconds(l_max(steps)), {}};
    plan.name = "DAPPLE " + stage_shape_text(plan);
    return plan;
  }

  /// Returns the plan with the warm-up that simulates best. Without a simulation it is policy B unless memory shortens
  /// it, with the bound as its time.
  Result<ScoredPlan> with_warmup(const Entry& entry) {
    const Plan plan = plan_of(entry);
    const double operations = 2.0 * plan.micro_batches * static_cast<double>(devices_used(plan).size());
    const bool simulable = operations <= max_operations && context_.score;
    std::optional<ScoredPlan> best;
    const auto when_short = wanted_.space.ignore_memory ? search::WhenShort::ignore_memory : search::WhenShort::shorten;
    for (const Warmup policy : {Warmup::A, Warmup::B}) {
      if (wanted_.warmup && *wanted_.warmup != policy) continue;
      Plan variant = plan;
      if (!search::set_warmup(chain_, variant, policy, when_short))
        return fail(ErrorCode::internal, "dapple searched a plan that does not fit");
      if (best && same_warmup(best->plan, variant)) continue;
      if (!simulable) {
        proven_simulated_ = false;
        if (!best || !variant.warmup_counts) best = ScoredPlan{std::move(variant), Seconds(entry.bound)};
        continue;
      }
      operations_ += operations;
      TRY(const auto iteration, judge(context_, variant));
      if (!best || iteration < best->iteration) best = ScoredPlan{std::move(variant), iteration};
    }
    return std::move(*best);
  }

  static bool same_warmup(const Plan& a, const Plan& b) {
    const auto counts = [](const Plan& plan) {
      return plan.warmup_counts.value_or(
          plan::policy_warmups(static_cast<int>(plan.stages.size()), plan.micro_batches, plan.warmup));
    };
    return counts(a) == counts(b);
  }

  /// Returns the proven statement about the first plan; empty if the proof does not hold for this workload.
  std::string claim() const {
    const Workload& workload = chain_.workload();
    const SimulationOptions& judged = workload.conventions;
    const bool bounded = judged.network == NetworkModel::ideal && judged.collectives == Collectives::best_ring &&
                         judged.overlap != Overlap::bucket;  // required by its closed forms
    if (wanted_.simulated && (!proven_simulated_ || !bounded)) return {};
    std::string space = workload.micro_batch
                            ? fmt::format("micro-batches of {}", *workload.micro_batch)
                            : fmt::format("at least {} per replica", counted(wanted_.space.slice, "sample"));
    // Eq. 2 as printed may fall with a slower stage, so the statement names the searched space.
    const bool never_again = wanted_.printed && wanted_.space.ignore_memory;
    if (wanted_.recompute != Recompute::automatic || never_again)
      space += wanted_.recompute == Recompute::on ? ", recomputing in every stage" : ", without recompute";
    if (wanted_.rules.unit > 1) space += fmt::format(", stages of multiples of {} devices", wanted_.rules.unit);
    if (!chain_.problem().pins.empty()) space += ", under the pins";
    return fmt::format("plans{} that DAPPLE's three placement policies reach, with {}: {}",
                       wanted_.rules.allow_idle ? "" : " on all devices", space,
                       wanted_.simulated ? "none is simulated faster"
                       : wanted_.printed ? "none has less by eq. 2 as printed"
                                         : "none has a lower L_max");
  }

  search::Chain& chain_;
  const Request& wanted_;
  const PlannerContext& context_;
  std::vector<int> sizes_;
  std::optional<Spaces> spaces_;
  std::set<std::pair<int, std::vector<Part>>> known_;  ///< judged already
  std::vector<ScoredPlan> judged_;
  int simulated_ = 0;             ///< pipelines
  double operations_ = 0;         ///< simulated
  bool ordered_ = true;           ///< plans are simulated ascending by bound
  bool exhausted_ = false;        ///< the budget of simulations is used up
  bool cut_short_ = false;        ///< by time, or by the effort of the search
  bool last_resort_ = false;      ///< only a stop interrupts
  bool proven_ = false;           ///< no plan of the space is better
  bool proven_simulated_ = true;  ///< all times are simulated
};

}  // namespace

Result<Ranking> rank_dapple(search::Chain& chain, const Request& wanted, const std::vector<int>& micro_batches,
                            const PlannerContext& context) {
  return DappleRanking(chain, wanted, micro_batches, context).run();
}

Result<bool> any_dapple_plan(const Problem& problem, const Request& wanted, const std::vector<int>& micro_batches,
                             const PlannerContext& context) {
  TRY(auto chain, search::Chain::of(problem));
  Request any = wanted;
  any.simulated = any.printed = false;
  Spaces spaces(chain, any, micro_batches, [&] { return context.stop.stop_requested(); });
  const bool found = !spaces.search_heuristic(1).entries.empty() ||
                     !spaces.search(std::numeric_limits<double>::infinity(), 1).entries.empty();
  TRY_VOID(check_stop(context));
  return found;
}

}  // namespace pipedeck::planner::dapple
