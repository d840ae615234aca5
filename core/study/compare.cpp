// SPDX-License-Identifier: Apache-2.0
#include "core/study/compare.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "core/plan/short_list.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::study {

namespace {

/// Judges the best plan. An arrangement that is not possible counts as no plan.
Result<void> take_best(ComparedPlan& answer, Plan plan, const Problem& problem, PlanSimulator& plan_simulator,
                       const CompareOptions& options, const std::stop_token& stop) {
  if (options.arrange) {
    auto arranged = options.arrange(std::move(plan));
    if (!arranged) {
      answer.infeasible = planner::Infeasible{arranged.error().text(), {}};
      return {};
    }
    plan = *std::move(arranged);
  }
  auto simulated_plan = plan_simulator.simulate(problem, std::move(plan), stop);
  if (!simulated_plan && options.arrange && simulated_plan.error().code == ErrorCode::bad_input) {
    answer.infeasible = planner::Infeasible{simulated_plan.error().text(), {}};
    return {};
  }
  TRY(answer.simulated_plan, std::move(simulated_plan));
  return {};
}

/// Judges the other plans of a short list. Plans without a merit, or without this arrangement, are no alternatives.
Result<void> take_alternatives(ComparedPlan& answer, std::vector<Plan> plans, const Problem& problem,
                               PlanSimulator& plan_simulator, const CompareOptions& options,
                               const std::stop_token& stop) {
  for (std::size_t i = 1; i < plans.size(); ++i) {
    ComparedPlan one;
    TRY_VOID(take_best(one, std::move(plans[i]), problem, plan_simulator, options, stop));
    if (one.simulated_plan && plan::is_alternative(one.simulated_plan->plan))
      answer.alternatives.push_back(*std::move(one.simulated_plan));
  }
  return {};
}

bool answers(const Plan& plan, const Problem& problem) {
  const Workload& workload = problem.workload;
  return plan.global_batch == workload.global_batch && plan.optimizer == workload.optimizer &&
         plan.precision == workload.precision && plan.zero == workload.zero && adapters_of(plan) == workload.adapters &&
         workload.micro_batch.value_or(plan.micro_batch) == plan.micro_batch &&
         plan::validate(plan, *problem.profile, *problem.cluster) &&
         !first_violation(plan, *problem.profile, problem.pins);
}

/// Orders two plans of one planner: those that fit, then the least peak if it minimises that, then the fastest.
bool is_better(const SimulatedPlan& a, const SimulatedPlan& b) {
  const auto rank = [](const SimulatedPlan& one) {
    const auto& objective = one.plan.objective;
    return std::tuple(!one.simulation->fits, objective && objective->bytes ? *objective->bytes : Bytes(),
                      one.simulation->iteration);
  };
  return rank(a) < rank(b);
}

/// Keeps the plan of an earlier search if it is better.
Result<void> keep_earlier(ComparedPlan& answer, const Problem& problem, PlanSimulator& plan_simulator,
                          const CompareOptions& options, const std::stop_token& stop) {
  const auto earlier = options.earlier.find(answer.planner);
  if (earlier == options.earlier.end() || !answers(earlier->second, problem)) return {};
  TRY(auto known, plan_simulator.simulate(problem, earlier->second, stop));
  if (answer.simulated_plan ? !is_better(known, *answer.simulated_plan) : !known.simulation->fits) return {};
  known.plan.truncated = answer.simulated_plan ? answer.simulated_plan->plan.truncated : answer.out_of_time;
  if (!known.plan.merits.empty()) known.plan.merits = {Merit::fastest};  // the others were of another list
  answer = {.planner = answer.planner, .simulated_plan = std::move(known)};
  return {};
}

/// Keeps the best plan that a planner has simulated, though it was stopped before it could hand it over.
Result<void> keep_seen(ComparedPlan& answer, Plan seen, const Problem& problem, PlanSimulator& plan_simulator,
                       const CompareOptions& options, const std::stop_token& stop) {
  if (!answers(seen, problem)) return {};
  seen.planner = answer.planner->name;
  seen.name = answer.planner->title + " " + stage_shape_text(seen);
  seen.objective.reset(), seen.certificate.reset(), seen.rationale.clear(), seen.merits.clear();
  seen.truncated = true;
  ComparedPlan kept{.planner = answer.planner};
  TRY_VOID(take_best(kept, std::move(seen), problem, plan_simulator, options, stop));
  if (kept.simulated_plan) answer = std::move(kept);
  return {};
}

Result<ComparedPlan> ask(const PlannerRequest& asked, const Problem& problem, PlanSimulator& plan_simulator,
                         const CompareOptions& options, const planner::PlannerContext& context) {
  TRY(auto ranking, planner::run_planner(*asked.planner, problem, asked.options, context));
  ComparedPlan answer{.planner = asked.planner, .infeasible = std::move(ranking.infeasible)};
  answer.out_of_time = answer.infeasible && answer.infeasible->out_of_time;
  if (!ranking.plans.empty()) {
    TRY_VOID(take_best(answer, std::move(ranking.plans.front()), problem, plan_simulator, options, context.stop));
    if (answer.simulated_plan)
      TRY_VOID(take_alternatives(answer, std::move(ranking.plans), problem, plan_simulator, options, context.stop));
  }
  TRY_VOID(keep_earlier(answer, problem, plan_simulator, options, context.stop));
  return answer;
}

/// A planner that has run for this long holds back no other.
constexpr std::chrono::milliseconds patience{100};
/// Budgets are checked, and progress is reported, this often.
constexpr std::chrono::milliseconds check_interval{25};
/// The time that a planner has to hand over its best plan after its budget. Then it is stopped.
constexpr std::chrono::milliseconds grace{1500};

std::chrono::nanoseconds in_nanoseconds(Seconds time) {
  constexpr double longest = 1e9;  // about 30 years
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(time.count, longest) * 1e9));
}

}  // namespace

std::vector<Searches::Status> Searches::statuses() const {
  const std::lock_guard lock(mutex_);
  std::vector<Status> statuses;
  for (const Search& search : searches_) {
    statuses.push_back(search.status);
    if (search.status.state == State::running)
      statuses.back().elapsed = Seconds(std::chrono::duration<double>(Clock::now() - *search.begin).count());
  }
  return statuses;
}

void Searches::keep_best(std::size_t place) { set_budget(place, Seconds(0)); }

void Searches::set_budget(std::size_t place, Seconds budget) {
  const std::lock_guard lock(mutex_);
  if (place >= searches_.size()) return;
  searches_[place].status.budget = budget;
  changed_.notify_all();
}

/// A comparison in progress: a thread per planner that has begun, supervised by the caller's thread.
class Supervisor {
 public:
  Supervisor(const Problem& problem, const std::vector<PlannerRequest>& planners, PlanSimulator& plan_simulator,
             const CompareOptions& options, const Progress& progress, std::stop_token stop)
      : problem_(problem),
        planners_(planners),
        plan_simulator_(plan_simulator),
        options_(options),
        progress_(progress),
        stop_(std::move(stop)),
        searches_(options.searches ? *options.searches : own_searches_),
        runs_(planners.size()) {
    const std::lock_guard lock(searches_.mutex_);
    searches_.searches_.assign(planners.size(), {});
    for (Searches::Search& search : searches_.searches_) search.status.budget = options.budget;
    for (std::size_t i = 0; i < planners.size(); ++i) order_.push_back(i);
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return planners[i].planner->search_time; });
  }

  ~Supervisor() {
    for (Run& run : runs_) run.stop.request_stop();
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  std::vector<ComparedPlan> run(const sim::Simulator& simulator) {
    const std::stop_callback wake(stop_, [this] {
      const std::lock_guard lock(searches_.mutex_);
      searches_.changed_.notify_all();
    });
    std::vector<ComparedPlan> answers(planners_.size());
    for (std::size_t open = planners_.size(); open > 0;) {
      start_next(simulator);
      hold_to_budgets();
      report_progress();
      const std::size_t before = open;
      for (std::size_t i = 0; i < runs_.size(); ++i)
        if (take(i, answers[i])) --open;
      if (stop_.stop_requested() && num_running() == 0) break;
      if (open == before) wait();  // else the next planner starts at once
    }
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (!answers[i].planner)
        answers[i] = {.planner = planners_[i].planner, .error = Error{ErrorCode::cancelled, "cancelled", {}, {}}};
    return answers;
  }

 private:
  using Clock = Searches::Clock;
  struct Run {
    std::stop_source stop, deadline;
    std::optional<Result<ComparedPlan>> answer;  ///< guarded by the mutex of the searches
    bool done = false;                           ///< likewise
    bool taken = false;
    std::jthread thread{};
  };

  Searches::Search& search(std::size_t i) { return searches_.searches_[i]; }
  bool running(std::size_t i) const { return searches_.searches_[i].status.state == Searches::State::running; }

  int num_running() const {
    const std::lock_guard lock(searches_.mutex_);
    int count = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) count += running(i);
    return count;
  }

  void start_next(const sim::Simulator& simulator) {
    if (stop_.stop_requested()) return;
    std::unique_lock lock(searches_.mutex_);
    const Clock::time_point now = Clock::now();
    int fresh = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) fresh += running(i) && now - *search(i).begin < patience;
    for (; next_ < order_.size() && fresh < std::max(1, options_.threads); ++next_, ++fresh) {
      const std::size_t i = order_[next_];
      search(i).begin = now;
      search(i).status.state = Searches::State::running;
      runs_[i].thread = std::jthread([this, &simulator, i] { work(simulator, i); });
    }
  }

  bool improves(std::size_t i, Seconds time) {
    const std::lock_guard lock(searches_.mutex_);
    const Searches::Status& status = search(i).status;
    return !status.best || time < *status.best;
  }

  /// Notes the best plan that the planner scores and that fits, for its status.
  planner::Score watched(planner::PlannerContext& context, std::size_t i) {
    return [this, score = context.score, fits = context.fits, i](const Plan& plan, std::optional<Overlap> overlap,
                                                                 const std::stop_token& stop) -> Result<Seconds> {
      TRY(const auto time, score(plan, overlap, stop));
      if (overlap || !improves(i, time)) return time;
      if (const Result<bool> fitting = fits ? fits(plan, stop) : Result<bool>(true); !fitting || !*fitting) return time;
      const std::lock_guard lock(searches_.mutex_);
      Searches::Status& status = search(i).status;
      if (!status.best || time < *status.best) status.best = time, status.best_plan = plan;
      return time;
    };
  }

  void work(const sim::Simulator& simulator, std::size_t i) {
    Run& run = runs_[i];
    planner::PlannerContext context = context_for(simulator, run.stop.get_token());
    context.deadline_token = run.deadline.get_token();
    context.budget = options_.budget.value_or(Seconds(0));
    context.score = watched(context, i);
    context.explain = options_.explain;
    context.top = planners_[i].planner->choices;
    context.threads = std::max(1, options_.threads / static_cast<int>(planners_.size()));
    std::optional<Result<ComparedPlan>> answer;
    try {
      answer = ask(planners_[i], problem_, plan_simulator_, options_, context);
    } catch (const std::bad_alloc&) {
      answer = fail(ErrorCode::io, "out of memory");
    } catch (const std::exception& error) {  // a broken invariant of this planner alone
      answer = fail(ErrorCode::internal, fmt::format("internal error: {}", error.what()));
    }
    const std::lock_guard lock(searches_.mutex_);
    run.answer = std::move(answer);
    run.done = true;
    searches_.changed_.notify_all();
  }

  /// Ends searches whose budget is over, and all of them after a stop.
  void hold_to_budgets() {
    std::vector<std::stop_source> ended;  // requested without the lock, since callbacks run inside the request
    {
      const std::lock_guard lock(searches_.mutex_);
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        if (!running(i)) continue;
        if (stop_.stop_requested()) ended.push_back(runs_[i].stop);
        const std::optional<Seconds> budget = search(i).status.budget;
        if (!budget) continue;
        // "Keep best" sets a budget in the past: the time to hand over begins with the request.
        const Clock::time_point now = Clock::now();
        if (now >= *search(i).begin + in_nanoseconds(*budget)) {
          if (!runs_[i].deadline.stop_requested()) over_[i] = now, ended.push_back(runs_[i].deadline);
          if (now >= over_[i] + grace) ended.push_back(runs_[i].stop);
        }
      }
    }
    for (std::stop_source& source : ended) source.request_stop();
  }

  /// Hands over an answer that is there. Returns true once per planner.
  bool take(std::size_t i, ComparedPlan& answer) {
    Run& run = runs_[i];
    {
      const std::lock_guard lock(searches_.mutex_);
      if (!run.done || run.taken) return false;
      run.taken = true;
      search(i).status.state = Searches::State::answered;
    }
    run.thread.join();
    if (*run.answer) {
      answer = std::move(**run.answer);
    } else {
      const Error& error = run.answer->error();
      answer = {.planner = planners_[i].planner, .error = error};
      if (error.code == ErrorCode::cancelled && !stop_.stop_requested()) {
        answer.error.reset();
        answer.out_of_time = true;
        answer.infeasible = planner::Infeasible{fmt::format("no plan was found in {:.1f} s", elapsed(i)), {}};
        if (const auto kept = keep_known(i, answer); !kept)
          answer = {.planner = planners_[i].planner, .error = kept.error()};
      }
    }
    const bool unfinished = answer.error && answer.error->code == ErrorCode::cancelled;
    if (options_.answered && !unfinished) options_.answered(i, answer);
    return true;
  }

  /// Fills the answer of a planner that was stopped with the best plan that is known of it.
  Result<void> keep_known(std::size_t i, ComparedPlan& answer) {
    std::optional<Plan> seen;
    {
      const std::lock_guard lock(searches_.mutex_);
      if (search(i).status.best) seen = search(i).status.best_plan;
    }
    if (seen) TRY_VOID(keep_seen(answer, *std::move(seen), problem_, plan_simulator_, options_, stop_));
    return keep_earlier(answer, problem_, plan_simulator_, options_, stop_);
  }

  double elapsed(std::size_t i) const {
    const std::lock_guard lock(searches_.mutex_);
    return std::chrono::duration<double>(Clock::now() - *searches_.searches_[i].begin).count();
  }

  /// Names the planner that has been searching for longest.
  void report_progress() {
    if (!progress_) return;
    double done = 0, elapsed = 0;
    int answered = 0;
    std::size_t oldest = runs_.size();
    {
      const std::lock_guard lock(searches_.mutex_);
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        answered += search(i).status.state == Searches::State::answered;
        if (search(i).status.state == Searches::State::answered) done += 1;
        if (!running(i)) continue;
        const double time = std::chrono::duration<double>(Clock::now() - *search(i).begin).count();
        if (const auto budget = search(i).status.budget; budget && budget->count > 0)
          done += std::min(1.0, time / budget->count);
        if (oldest == runs_.size() || *search(i).begin < *search(oldest).begin) oldest = i, elapsed = time;
      }
    }
    std::string what = fmt::format("{} of {} planners", answered, runs_.size());
    if (oldest < runs_.size()) what += fmt::format("; {}, {:.1f} s", planners_[oldest].planner->title, elapsed);
    report(progress_, done / static_cast<double>(std::max<std::size_t>(1, runs_.size())), what);
  }

  void wait() {
    std::unique_lock lock(searches_.mutex_);
    const auto news = [this] {
      return std::ranges::any_of(runs_, [](const Run& run) { return run.done && !run.taken; });
    };
    searches_.changed_.wait_for(lock, check_interval, news);
  }

  const Problem& problem_;
  const std::vector<PlannerRequest>& planners_;
  PlanSimulator& plan_simulator_;
  const CompareOptions& options_;
  const Progress& progress_;
  std::stop_token stop_;
  Searches own_searches_;
  Searches& searches_;
  std::vector<std::size_t> order_;                 ///< in which the planners begin
  std::size_t next_ = 0;                           ///< in `order_`
  std::map<std::size_t, Clock::time_point> over_;  ///< end of the budget
  std::vector<Run> runs_;                          ///< the last member: its threads end before the others
};

Result<Comparison> compare(const Problem& problem, const std::vector<PlannerRequest>& planners,
                           PlanSimulator& plan_simulator, const CompareOptions& options, const Progress& progress,
                           std::stop_token stop) {
  const auto begin = std::chrono::steady_clock::now();
  TRY_VOID(plan::validate_amounts(*problem.profile, *problem.cluster, problem.workload.global_batch));
  TRY(const auto simulator, plan_simulator.simulator(problem));
  TRY(const auto facts, plan_simulator.facts(problem, stop));
  Comparison comparison;
  comparison.facts = facts;
  comparison.plans = Supervisor(problem, planners, plan_simulator, options, progress, stop).run(simulator);
  comparison.cancelled = std::ranges::any_of(comparison.plans, [](const ComparedPlan& answer) {
    return answer.error && answer.error->code == ErrorCode::cancelled;
  });
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
  comparison.duration = Seconds(duration.count());
  return comparison;
}

Result<std::optional<SimulatedPlan>> fastest(PlanSimulator& plan_simulator, const Problem& problem,
                                             std::vector<Plan> plans, std::stop_token stop) {
  const auto rank = [](const SimulatedPlan& of) { return std::pair(!of.simulation->fits, of.simulation->iteration); };
  std::optional<SimulatedPlan> best;
  for (Plan& plan : plans) {
    TRY(auto simulated_plan, plan_simulator.simulate(problem, std::move(plan), stop));
    if (!best || rank(simulated_plan) < rank(*best)) best = std::move(simulated_plan);
  }
  return best;
}

std::string mesh_bound_text() {
  return "No bound of all plans holds in several dimensions of parallelism: there, mesh's bound counts meshes of equal "
         "stages.";
}

Error no_plan_fits(const std::string& planner, const planner::Infeasible& infeasible) {
  std::string message = planner + " has no plan: " + infeasible.reason;
  if (!infeasible.relaxation.empty()) message += "; smallest relaxation: " + infeasible.relaxation;
  return {ErrorCode::infeasible, std::move(message), {}, {}};
}

}  // namespace pipedeck::study
