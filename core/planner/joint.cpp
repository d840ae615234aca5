// SPDX-License-Identifier: Apache-2.0
// joint: our own planner, which searches together what the papers' planners search apart: stages of unequal size on any
// devices, some perhaps idle, replicas of each stage, tensor parallelism, uneven shares, recompute, the micro-batch and
// the schedule; by the simulated time.
//
// Method. 1. Seeds: the answers of all other planners in the registry, simulated; so the answer is never worse than
// the best of them. 2. A dynamic programme with dominance over a closed form (joint_search.cpp), for every micro-batch
// size and several orders of the devices; what it lists is simulated, best closed form first, under every schedule.
// 3. Local moves (joint_moves.cpp) on the simulated time, always from the most promising plan whose neighbours are not
// yet known; of its neighbours those with the least closed form are simulated. All within a budget of evaluations.
//
// Asynchronous seeds count with their steady state's iteration, global batch / samples a second, and local moves
// improve them as they do others; --synchronous-only leaves them out.
//
// Certificate. Where the answer takes the lower bound over all plans nothing can be better. Where all devices are alike
// and joined alike, the closed form is a lower bound too, under every schedule of whole passes: the largest slice of a
// micro-batch is on the first replica of every stage, so that its first sample meets the slowest replica and transfer
// everywhere. If then the whole dynamic programme finds nothing below the answer, that is a proof for chains.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/cost/lower_bound.hpp"
#include "core/planner/joint_moves.hpp"
#include "core/planner/joint_orders.hpp"
#include "core/planner/joint_pool.hpp"
#include "core/planner/joint_search.hpp"
#include "core/planner/memory_fit.hpp"
#include "core/planner/planner_entries.hpp"

namespace pipedeck {

namespace {

constexpr int asked_in_full = 128;                 // devices; of more, other planners are asked for their first plans
constexpr std::size_t listed = 32;                 // candidates of a dynamic programme that are kept
constexpr std::size_t first_look = 3;              // of those, simulated at once, so that they limit the next programme
constexpr std::size_t search_effort = 300000;      // suffixes a programme
constexpr std::size_t all_efforts = 6000000;       // suffixes of all programmes
constexpr int coarse_cuts = 16, coarse_marks = 8;  // of the rough search
constexpr std::int64_t copied_each =
    500;  // devices of neighbours that count as an evaluation, even if none is simulated
constexpr std::size_t neighbours_tried = 40;  // of a plan, by closed form
constexpr double promising = 1.1;             // times the best: closed forms and plans beyond it are left alone
constexpr double restless = 0.003;            // a plan counts so much slower for each expansion of one of its shape

JointWanted wanted_of(const PlannerOptions& options, const Profile& profile) {
  const PlannerInfo info = joint_planner();
  JointWanted wanted;
  wanted.slice = smallest_slice(profile, integer(info, options, "min-slice"));
  wanted.ignore_memory = flag(info, options, "ignore-memory");
  wanted.synchronous_only = flag(info, options, "synchronous-only");
  wanted.seeds = choice(info, options, "seeds") == "auto";
  wanted.schedule = choice(info, options, "schedule");
  wanted.evaluations = std::max(1, integer(info, options, "evaluations"));
  return wanted;
}

class JointPlanner {
 public:
  JointPlanner(const Problem& problem, const JointWanted& wanted, const PlannerOptions& options,
               const PlannerContext& context, std::vector<int> sizes)
      : problem_(problem),
        wanted_(wanted),
        options_(options),
        context_(context),
        sizes_(std::move(sizes)),
        pool_(problem, wanted, context) {}

  Result<Ranking> run() {
    if (auto first = pool_.order_of(std::vector<LayerId>()); !first) return tl::unexpected(first.error());
    for (const auto step : {&JointPlanner::take_seeds, &JointPlanner::search, &JointPlanner::improve}) {
      if (enough()) break;
      if (auto done = (this->*step)(); !done) return tl::unexpected(done.error());
      if (auto stopped = check_stop(context_); !stopped) return tl::unexpected(stopped.error());
    }
    report(context_.progress, 1, "done");
    if (pool_.empty()) return Ranking{};
    return answer();
  }

 private:
  /// Out of time, with something to answer.
  bool enough() const { return out_of_time(context_) && !pool_.empty(); }

  // --- 1. seeds

  /// Of a large cluster the others are asked for their first plans only, and PipeDream, which has none before the end
  /// of its recurrences, not at all.
  bool large() const { return pool_.orders().front()->chain.devices() > asked_in_full; }

  /// The quickest planners stand last in the registry: they go first, so that there is an answer early.
  Result<void> take_seeds() {
    if (!wanted_.seeds) return {};
    const auto& all = planners();
    for (std::size_t i = all.size(); i-- > 0 && !enough();) {
      if (all[i].name == "joint" || (large() && all[i].name == "pipedream")) continue;
      report(context_.progress, 0.3 * static_cast<double>(all.size() - 1 - i) / static_cast<double>(all.size()),
             "asking " + all[i].name);
      for (const PlannerOptions& how : ways_to_ask(all[i]))
        if (auto taken = take_from(all[i], how); !taken) return taken;
    }
    return {};
  }

  static bool has_option(const PlannerInfo& planner, const std::string& name) {
    return std::any_of(planner.options.begin(), planner.options.end(),
                       [&](const OptionInfo& option) { return option.name == name; });
  }

  /// As it is by itself; with those of our options that it has, too; and for its synchronous plan.
  std::vector<PlannerOptions> ways_to_ask(const PlannerInfo& planner) const {
    PlannerOptions ours;
    for (const char* name : {"min-slice", "ignore-memory"})
      if (const auto given = options_.find(name); given != options_.end() && has_option(planner, name))
        ours[name] = given->second;
    std::vector<PlannerOptions> ways{{}};
    if (!ours.empty()) ways.push_back(ours);
    if (has_option(planner, "synchronous")) {
      ours["synchronous"] = "true";
      ways.push_back(ours);
    }
    return ways;
  }

  /// No answer is no seed. A planner that can't honour a pin is asked without any: its answer may do so by itself.
  Result<void> take_from(const PlannerInfo& planner, const PlannerOptions& how) {
    PlannerContext context = context_;
    context.progress = {};
    context.relax = context.explain = false;
    context.top = 1;
    std::stop_source at_once;
    at_once.request_stop();
    if (large()) context.hurry = at_once.get_token();
    auto ranking = run_planner(planner, problem_, how, context);
    if (!ranking && ranking.error().code == ErrorCode::bad_usage && !problem_.pins.empty()) {
      Problem free = problem_;
      free.pins = {};
      ranking = run_planner(planner, free, how, context);
    }
    if (!ranking)
      return ranking.error().code == ErrorCode::cancelled ? tl::unexpected(ranking.error()) : Result<void>();
    for (Plan& plan : ranking->plans) {
      truncated_ |= plan.truncated && !large();
      if (auto added = pool_.add_seed(std::move(plan)); !added) return added;
    }
    return {};
  }

  // --- 2. the dynamic programme

  struct Listed {
    JointCandidate candidate;
    JointOrder* order;
    int micro_batch;
  };

  Result<void> search() {
    std::vector<Listed> all;
    const JointOrder& first = *pool_.orders().front();
    const bool coarse = first.chain.layers() > 2 * coarse_cuts || first.chain.devices() > 2 * coarse_marks;
    for (const bool rough : {true, false}) {
      if (rough && !coarse) continue;
      if (auto done = search_all(rough, all); !done) return done;
    }
    return simulate(all);
  }

  /// `rough`: with few cuts and places for stages, for times that limit the whole search.
  Result<void> search_all(bool rough, std::vector<Listed>& all) {
    const std::vector<int> sizes = sizes_by_promise();
    for (std::size_t o = 0; o < pool_.orders().size(); ++o) {
      JointOrder& order = *pool_.orders()[o];
      const auto device_orders = joint_orders(order.chain);
      for (std::size_t i = 0; i < sizes.size(); ++i)
        for (const auto& devices : device_orders) {
          report(context_.progress,
                 (rough ? 0.3 : 0.4) + 0.2 * static_cast<double>(i) / static_cast<double>(sizes.size()),
                 fmt::format("searching with micro-batches of {}", sizes[i]));
          if (auto stopped = check_stop(context_); !stopped) return stopped;
          if (enough() || effort_ > all_efforts) return {};
          if (auto done = search_one(order, devices, sizes[i], rough, all); !done) return done;
        }
    }
    return {};
  }

  /// That of the best plan so far first: what it leads to limits the other searches.
  std::vector<int> sizes_by_promise() {
    std::vector<int> sizes = sizes_;
    int best = sizes.empty() ? 0 : sizes[sizes.size() / 2];
    for (const auto& entry : pool_.entries())
      if (entry.plan.synchronous()) {
        best = entry.plan.micro_batch;
        break;
      }
    std::stable_sort(sizes.begin(), sizes.end(), [&](int a, int b) {
      return std::abs(std::log(a) - std::log(best)) < std::abs(std::log(b) - std::log(best));
    });
    return sizes;
  }

  /// First without regard to warm-ups; where memory is short also for plans that hold 1F1B's whole warm-up, recomputing
  /// where that helps; and with a single micro-batch and recompute where nothing else is found.
  Result<void> search_one(JointOrder& order, const std::vector<DeviceId>& devices, int size, bool rough,
                          std::vector<Listed>& all) {
    struct Mode {
      bool full_warmup, recompute;
    };
    bool memory_short = false, any = false;
    for (const Mode mode : {Mode{false, false}, Mode{true, true}, Mode{false, true}}) {
      if (mode.recompute && (!memory_short || (!mode.full_warmup && (any || !pool_.empty())))) break;
      const JointSearchOptions options{.below = pool_.to_beat(),
                                       .keep = listed,
                                       .effort = search_effort,
                                       .full_warmup = mode.full_warmup,
                                       .recompute = mode.recompute,
                                       .cuts = rough ? coarse_cuts : JointSearchOptions().cuts,
                                       .marks = rough ? coarse_marks : JointSearchOptions().marks,
                                       .any_end = true};
      JointFound found = search_joint(order.costs, devices, size, options, context_.stop,
                                      pool_.empty() ? std::stop_token() : context_.hurry);
      effort_ += found.effort;
      memory_short |= found.memory_short;
      any |= !found.candidates.empty();
      if (!found.candidates.empty()) least_bound_ = std::min(least_bound_, found.candidates.front().bound);
      std::vector<Plan> plans;
      for (std::size_t i = 0; i < found.candidates.size(); ++i) {
        if (i < (rough ? 1 : first_look) && 4 * pool_.spent() < wanted_.evaluations)
          plans.push_back(plan_of({found.candidates[i], &order, size}));
        else if (!rough)
          all.push_back({std::move(found.candidates[i]), &order, size});
      }
      if (auto done = pool_.add(plans, false); !done) return done;
    }
    return {};
  }

  /// Half of the budget at most.
  Result<void> simulate(std::vector<Listed>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Listed& a, const Listed& b) { return a.candidate.bound < b.candidate.bound; });
    for (std::size_t i = 0; i < all.size() && !enough(); i += 16) {
      if (all[i].candidate.bound >= pool_.to_beat() || 2 * pool_.spent() >= wanted_.evaluations) break;
      std::vector<Plan> plans;
      for (std::size_t j = i; j < std::min(i + 16, all.size()); ++j) plans.push_back(plan_of(all[j]));
      if (auto done = pool_.add(plans, false); !done) return done;
    }
    return {};
  }

  Plan plan_of(const Listed& listed) const {
    Plan plan = listed.order->chain.plan_of("joint", listed.micro_batch);
    for (const JointPart& part : listed.candidate.parts) {
      const JointTeam& team = listed.order->costs.team(part.team);
      Stage stage = stage_on(part.first, part.last, team.devices);
      stage.tensor_parallel = team.degree;
      if (!team.even) stage.shares = team.samples;
      stage.recompute.all = part.recompute;
      plan.stages.push_back(std::move(stage));
    }
    return plan;
  }

  // --- 3. local moves

  Result<void> improve() {
    while (!pool_.exhausted() && !enough()) {
      report(context_.progress, 0.6 + 0.4 * pool_.spent() / wanted_.evaluations, "improving");
      if (auto stopped = check_stop(context_); !stopped) return stopped;
      JointPool::Entry* entry = most_promising();
      if (!entry) return {};
      entry->expanded = true;
      const Plan plan = entry->plan;
      ++expansions_[shape_of(plan)];
      if (auto done = expand(plan); !done) return done;
    }
    return {};
  }

  using Shape = std::tuple<std::size_t, int, bool>;
  static Shape shape_of(const Plan& plan) { return {plan.stages.size(), plan.micro_batch, plan.synchronous()}; }

  JointPool::Entry* most_promising() {
    JointPool::Entry* best = nullptr;
    double least = promising * pool_.best();
    for (JointPool::Entry& entry : pool_.entries()) {
      if (entry.expanded || !movable(entry.plan)) continue;
      const auto known = expansions_.find(shape_of(entry.plan));
      const double rank = entry.time * (1 + restless * (known == expansions_.end() ? 0 : known->second));
      if (rank < least) least = rank, best = &entry;
    }
    return best;
  }

  /// Other schedules than these are taken as seeds only.
  static bool movable(const Plan& plan) {
    return plan.schedule == ScheduleKind::gpipe || plan.schedule == ScheduleKind::one_f_one_b ||
           plan.schedule == ScheduleKind::pipedream;
  }

  Result<void> expand(const Plan& plan) {
    auto order = pool_.order_of(plan);
    if (!order) return tl::unexpected(order.error());
    if (auto done = other_schedules(plan); !done) return done;
    std::vector<std::pair<double, Plan>> near;
    std::vector<Plan> neighbours = joint_neighbours((*order)->costs, plan, sizes_);
    const auto copied =
        static_cast<std::int64_t>(neighbours.size()) * static_cast<std::int64_t>(devices_used(plan).size());
    pool_.spend(static_cast<int>(copied / copied_each));
    for (Plan& other : neighbours) {
      const double bound = (*order)->costs.closed_form(other);
      if (bound < promising * pool_.best()) near.push_back({bound, std::move(other)});
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Plan> chosen;
    for (auto& [bound, other] : near)
      if (chosen.size() < neighbours_tried) chosen.push_back(std::move(other));
    return pool_.add(chosen, true);
  }

  /// The same stages under the other schedules, and with one micro-batch more or fewer in a stage's warm-up. Of an
  /// asynchronous plan, its synchronous forms.
  Result<void> other_schedules(const Plan& plan) {
    if (!plan.synchronous()) {
      std::vector<Plan> forms;
      for (const int size : sizes_) {
        Plan form = plan;
        form.schedule = ScheduleKind::one_f_one_b;
        form.micro_batch = size;
        form.micro_batches = plan.global_batch / size;
        const bool enough_samples = std::all_of(form.stages.begin(), form.stages.end(), [&](const Stage& stage) {
          return stage.replicas() * wanted_.slice <= size;
        });
        if (enough_samples) forms.push_back(std::move(form));
      }
      return pool_.add(forms, true);
    }
    if (auto done = pool_.add({plan}, false); !done) return done;
    return pool_.add_exact(other_warmups(plan));
  }

  static std::vector<Plan> other_warmups(const Plan& plan) {
    std::vector<Plan> plans;
    if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2) return plans;
    const int stages = static_cast<int>(plan.stages.size());
    const auto counts = plan.warmup_counts.value_or(policy_warmups(stages, plan.micro_batches, plan.warmup));
    const auto take = [&](std::vector<int> changed) {
      // Never rising, or a stage waits for more micro-batches than the one before admits.
      for (std::size_t i = 0; i < changed.size(); ++i)
        if (changed[i] < 1 || changed[i] > plan.micro_batches || (i > 0 && changed[i] > changed[i - 1])) return;
      Plan other = plan;
      other.warmup_counts = std::move(changed);
      plans.push_back(std::move(other));
    };
    for (std::size_t s = 0; s < counts.size(); ++s)
      for (const int by : {-1, 1}) {
        std::vector<int> changed = counts;
        changed[s] += by;
        take(changed);
        changed = counts;
        for (std::size_t t = 0; t <= s; ++t) changed[t] += by;
        take(std::move(changed));
      }
    return plans;
  }

  // --- the answer

  Result<Ranking> answer() {
    const bool cut_short = out_of_time(context_);
    Ranking ranking;
    for (auto& entry : pool_.entries()) {
      if (static_cast<int>(ranking.plans.size()) == std::max(1, context_.top)) break;
      Plan plan = std::move(entry.plan);
      plan.planner = "joint";
      plan.name = "Joint " + shape_text(plan);
      plan.objective = simulated_objective(Seconds(entry.time));
      plan.predicted.reset();
      plan.certificate.reset();
      plan.why.clear();
      plan.truncated = cut_short || truncated_;
      ranking.plans.push_back(std::move(plan));
    }
    if (!ranking.plans.front().truncated)
      if (auto done = certify(ranking.plans.front()); !done) return tl::unexpected(done.error());
    return ranking;
  }

  Result<void> certify(Plan& plan) {
    const auto bound = lower_bound(problem_, plan.synchronous());
    if (!bound) return tl::unexpected(bound.error());
    const double time = plan.objective->time->count;
    if (time <= bound->count + rounding())
      plan.certificate.emplace().optimal_in =
          fmt::format("all {} plans, by simulated time: it equals their lower bound",
                      plan.synchronous() ? "synchronous" : "asynchronous");
    else if (plan.synchronous() && nothing_below(time - rounding()))
      plan.certificate.emplace().optimal_in =
          "synchronous plans of whole passes and even shares, whatever their stages, devices, micro-batch and "
          "schedule, by simulated time: no other has a closed form below";
    return {};
  }

  /// Every operation of the simulation is rounded to nanoseconds, and the bounds are of exact times.
  double rounding() const {
    return 4e-9 * (problem_.workload.global_batch + 2 * static_cast<double>(problem_.profile->layers.size()));
  }

  /// No pipeline has a closed form below `time`, memory left aside; where that is a bound and the search is whole.
  bool nothing_below(double time) {
    const Conventions& judged = problem_.workload.conventions;
    if (judged.network != NetworkModel::ideal || judged.collectives != Collectives::least ||
        judged.overlap == Overlap::bucket)
      return false;
    JointOrder& order = *pool_.orders().front();
    if (least_bound_ < time || !problem_.profile->is_chain() || !uniform_cluster(order.chain.network())) return false;
    JointCosts costs(order.chain, wanted_.slice, true);
    std::vector<DeviceId> devices;
    for (int d = 0; d < order.chain.devices(); ++d) devices.push_back(DeviceId(d));
    std::size_t effort = 0;
    for (const int size : sizes_) {
      const JointFound found =
          search_joint(costs, devices, size, {.below = time, .effort = search_effort}, context_.stop, context_.hurry);
      effort += found.effort;
      if (!found.whole || found.cut_short || !found.candidates.empty() || effort > 4 * search_effort) return false;
    }
    return true;
  }

  Problem problem_;
  JointWanted wanted_;
  PlannerOptions options_;
  PlannerContext context_;
  std::vector<int> sizes_;
  JointPool pool_;
  std::map<Shape, int> expansions_;
  std::size_t effort_ = 0;
  double least_bound_ = std::numeric_limits<double>::infinity();  ///< of all candidates found
  bool truncated_ = false;                                        ///< some seed was
};

Result<bool> any_plan(const Problem& problem, const std::vector<int>& sizes, const JointWanted& wanted,
                      const PlannerContext& context) {
  auto chain = Chain::of(problem);
  if (!chain) return tl::unexpected(chain.error());
  JointCosts costs(*chain, wanted.slice, wanted.ignore_memory);
  const auto orders = joint_orders(*chain);
  for (const bool recompute : {false, true})
    for (const int size : sizes)
      for (const auto& devices : orders) {
        const JointSearchOptions options{.effort = search_effort, .recompute = recompute, .any_end = true};
        if (!search_joint(costs, devices, size, options, context.stop, {}).candidates.empty()) return true;
      }
  return false;
}

Result<Ranking> no_plan(const Problem& problem, const JointWanted& wanted, const std::vector<int>& sizes,
                        const PlannerContext& context) {
  const std::string pinned = problem.pins.empty() ? "" : " with these pins";
  if (!context.relax) return Ranking{{}, Infeasible{"no plan fits" + pinned, ""}};
  JointWanted unlimited = wanted;
  unlimited.ignore_memory = true;
  const auto any = any_plan(problem, sizes, unlimited, context);
  if (!any) return tl::unexpected(any.error());
  if (!*any) {
    const auto all_sizes = micro_batch_choices(problem.workload, 1);
    if (!all_sizes) return tl::unexpected(all_sizes.error());
    return too_few_samples(
        fmt::format("no micro-batch gives every replica at least {} samples{}", wanted.slice, pinned), problem.workload,
        wanted.slice, [&](int slice) {
          JointWanted fewer = wanted;
          fewer.slice = slice;
          return any_plan(problem, *all_sizes, fewer, context);
        });
  }
  return nothing_fits("no plan fits the devices' memory" + pinned, context,
                      [&](Bytes more) { return any_plan(with_more_memory(problem, more), sizes, wanted, context); });
}

Result<Ranking> plan_joint(const Problem& problem, const PlannerOptions& options, const PlannerContext& context) {
  const JointWanted wanted = wanted_of(options, *problem.profile);
  auto sizes = micro_batch_choices(problem.workload, 1);
  if (!sizes) return tl::unexpected(sizes.error());
  std::erase_if(*sizes, [&](int size) { return size < wanted.slice; });
  auto ranking = JointPlanner(problem, wanted, options, context, *sizes).run();
  if (!ranking || !ranking->plans.empty()) return ranking;
  return no_plan(problem, wanted, *sizes, context);
}

}  // namespace

PlannerInfo joint_planner() {
  return {
      .name = "joint",
      .title = "Joint",
      .summary = "least simulated time over stages, devices, replicas, shares, recompute, schedules and micro-batches",
      .source = "our own; starts from the plans of all others",
      .options =
          {{"evaluations", OptionType::integer, "plans to simulate at most; large ones count as several", "2000", {}},
           {"seeds", OptionType::choice, "auto: start from all other planners' plans, too", "auto", {"auto", "none"}},
           {"schedule",
            OptionType::choice,
            "search this synchronous schedule only; seeds keep theirs",
            "any",
            {"any", "1f1b", "gpipe"}},
           {"synchronous-only", OptionType::flag, "no asynchronous plans", "false", {}},
           {"ignore-memory", OptionType::flag, "also plans that do not fit", "false", {}},
           {"min-slice",
            OptionType::integer,
            "least samples of a micro-batch on a replica; 0: the smallest measured",
            "0",
            {}}},
      .plan = &plan_joint,
      .compared_by_default = false,
      .pins = {.stages = true, .max_stages = true, .replicas = true, .tensor_parallel = true, .layers = true}};
}

}  // namespace pipedeck
