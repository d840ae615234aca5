// SPDX-License-Identifier: Apache-2.0
#include "core/planner/relax.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/plan/validate.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner {

namespace {

constexpr std::size_t max_sizes = 6;  // micro-batches tried
constexpr int max_nodes = 8;          // nodes added
constexpr int one_by_one = 16;        // batches tried: the next ones, then the multiples up to
constexpr int max_batches = 64;
constexpr const char *larger_micro_batch = "a larger --micro-batch", *larger_global_batch = "a larger --global-batch";
constexpr std::int64_t max_batch = std::int64_t{1} << 30;

class Relaxations {
 public:
  Relaxations(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
              const PlannerContext& context)
      : planner_(planner),
        problem_(problem),
        options_(options),
        context_(context),
        first_found_(first_plan_context(context)) {}

  /// Searches for all relaxations. `few_samples`: a larger batch might help.
  Result<void> search(bool few_samples) {
    if (problem_.workload.micro_batch || few_samples) TRY_VOID(micro_batch());
    for (const auto relaxation :
         {&Relaxations::other_options, &Relaxations::zero, &Relaxations::pins, &Relaxations::nodes})
      TRY_VOID((this->*relaxation)());
    return few_samples ? batch() : Result<void>();
  }

  /// Returns the relaxations found so far.
  const std::vector<std::string>& found() const { return found_; }

 private:
  /// Returns true if the planner finds any plan, and keeps it.
  Result<bool> feasible(const Problem& problem, const PlannerOptions& options) {
    const auto ranking = planner_.plan(problem, options, first_found_);
    if (!ranking) {
      if (ranking.error().code == ErrorCode::cancelled) return tl::unexpected(ranking.error());
      return false;
    }
    if (ranking->plans.empty()) return false;
    plan_ = ranking->plans.front();
    return true;
  }

  /// Returns " (28.4 s)", the simulated time of the plan that was found on the same devices.
  std::string time_text() const {
    const auto time = context_.score ? judge(context_, plan_) : Result<Seconds>(Seconds());
    if (!time || time->count <= 0) return {};
    return time->count < 1 ? fmt::format(" ({:.3g} ms)", 1e3 * time->count) : fmt::format(" ({:.3g} s)", time->count);
  }

  /// Tries other micro-batches, nearest by ratio first; the smaller one of equal ratios.
  Result<void> micro_batch() {
    const int now = problem_.workload.micro_batch.value_or(problem_.profile->micro_batch);
    const double here = now;
    Workload open = problem_.workload;
    open.micro_batch.reset();
    auto sizes = search::micro_batch_choices(open, 1).value_or(std::vector<int>());
    std::erase(sizes, now);
    std::stable_sort(sizes.begin(), sizes.end(),
                     [&](int a, int b) { return std::abs(std::log(a / here)) < std::abs(std::log(b / here)); });
    sizes.resize(std::min(sizes.size(), max_sizes));
    for (const int size : sizes) {
      Problem relaxed = problem_;
      relaxed.workload.micro_batch = size;
      TRY(const auto fits, feasible(relaxed, options_));
      if (fits) return say(fmt::format("--micro-batch {}{}", size, time_text()));
    }
    return {};
  }

  const OptionInfo* option(const std::string& name) const {
    const auto found = std::find_if(planner_.options.begin(), planner_.options.end(),
                                    [&](const OptionInfo& one) { return one.name == name; });
    return found == planner_.options.end() ? nullptr : &*found;
  }

  /// Tries options that widen the search.
  Result<void> other_options() {
    for (const auto& [name, value] : {std::pair{"recompute", "on"},
                                      {"allow-idle", "true"},
                                      {"levels", "any"},
                                      {"strategy", "auto"},
                                      {"task-graphs", "0"}}) {
      const OptionInfo* const known = option(name);
      if (!known) continue;
      PlannerOptions relaxed = options_;
      const std::string wider = known->type == OptionType::flag ? "true" : value;
      const auto given = options_.find(name);
      if ((given == options_.end() ? known->default_value : given->second) == wider) continue;
      relaxed[name] = wider;
      TRY(const auto fits, feasible(problem_, relaxed));
      if (!fits) continue;
      const bool flag = known->type == OptionType::flag;
      say((flag ? fmt::format("--{}", name) : fmt::format("--{} {}", name, value)) + time_text());
    }
    return {};
  }

  /// Tries to shard more of the states over replicas, as little as helps.
  Result<void> zero() {
    for (int stage = problem_.workload.zero + 1; stage <= 3; ++stage) {
      Problem relaxed = problem_;
      relaxed.workload.zero = stage;
      TRY(const auto fits, feasible(relaxed, options_));
      if (fits) return say(fmt::format("--zero {}{}", stage, time_text()));
    }
    return {};
  }

  /// Tries one pin less, up to the first that helps; then no pins at all.
  Result<void> pins() {
    const auto without = [&](const std::string& text, const PlanConstraints& fewer) -> Result<bool> {
      Problem relaxed = problem_;
      relaxed.pins = fewer;
      const auto fits = feasible(relaxed, options_);
      if (fits && *fits) say(fmt::format("without {}", text));
      return fits;
    };
    const PlanConstraints& all = problem_.pins;
    std::vector<std::pair<std::string, PlanConstraints>> choices;
    const auto one = [&](const char* name, std::optional<int> PlanConstraints::*degree) {
      if (!(all.*degree)) return;
      choices.emplace_back(fmt::format("--{} {}", name, *(all.*degree)), all);
      (choices.back().second.*degree).reset();
    };
    one("pp", &PlanConstraints::stages), one("max-stages", &PlanConstraints::max_stages);
    one("dp", &PlanConstraints::replicas), one("tmp", &PlanConstraints::tensor_parallel);
    for (std::size_t i = 0; i < all.layers.size(); ++i) {
      const auto& [layer, device] = all.layers[i];
      choices.emplace_back(fmt::format("--pin {}={}", problem_.profile->layers[layer.index()].name, device.value), all);
      choices.back().second.layers.erase(choices.back().second.layers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (choices.size() > 1) choices.emplace_back("pins", PlanConstraints());
    for (const auto& [text, fewer] : choices)
      if (const auto helps = without(text, fewer); !helps || *helps)
        return helps ? Result<void>() : tl::unexpected(helps.error());
    return {};
  }

  /// Tries larger batches, ascending: the next few, the next multiple of the profile's samples, and multiples. A fixed
  /// micro-batch grows with the batch.
  Result<void> batch() {
    const std::int64_t here = problem_.workload.global_batch;
    const std::optional<int> fixed = problem_.workload.micro_batch;
    std::set<std::int64_t> sizes;
    for (int by = 1; by <= one_by_one && !fixed; ++by) sizes.insert(here + by);
    const std::int64_t measured = problem_.profile->micro_batch;
    if (!fixed) sizes.insert((here / measured + 1) * measured);
    for (int times = 2; times <= max_batches; times += times < one_by_one ? 1 : one_by_one / 2)
      sizes.insert(here * times);
    for (const std::int64_t size : sizes) {
      if (size > max_batch) return {};
      Problem relaxed = problem_;
      relaxed.workload.global_batch = static_cast<int>(size);
      if (fixed) relaxed.workload.micro_batch = static_cast<int>(*fixed * (size / here));
      TRY(const auto fits, feasible(relaxed, options_));
      if (!fits) continue;
      return say(fixed ? fmt::format("--global-batch {} with --micro-batch {}", size, *relaxed.workload.micro_batch)
                       : fmt::format("--global-batch {}", size));
    }
    return {};
  }

  Result<bool> feasible_with(int nodes) {
    Problem relaxed = problem_;
    auto cluster = with_more_nodes(*problem_.cluster, nodes);
    if (!cluster || !plan::validate(*cluster)) return false;
    relaxed.cluster = std::make_shared<const Cluster>(*std::move(cluster));
    return feasible(relaxed, options_);
  }

  Result<void> nodes() {
    int low = 0, high = 1;
    for (;; low = high, high *= 2) {
      if (high > max_nodes) return {};
      TRY(const auto fits, feasible_with(high));
      if (fits) break;
    }
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      TRY(const auto fits, feasible_with(middle));
      (fits ? high : low) = middle;
    }
    return say(
        fmt::format("{} more {} like \"{}\"", high, high == 1 ? "node" : "nodes", problem_.cluster->nodes.back().name));
  }

  Result<void> say(std::string text) {
    found_.push_back(std::move(text));
    return {};
  }

  const PlannerInfo& planner_;
  const Problem& problem_;
  const PlannerOptions& options_;
  const PlannerContext& context_;
  PlannerContext first_found_;
  Plan plan_;
  std::vector<std::string> found_;
};

}  // namespace

std::optional<Cluster> with_more_nodes(const Cluster& cluster, int count) {
  if (cluster.bandwidth_matrix || cluster.nodes.empty()) return {};
  Cluster larger = cluster;
  const Node last = cluster.nodes.back();
  for (int i = 1; i <= count; ++i) {
    Node copy = last;
    copy.name = fmt::format("{} (copy {})", last.name, i);
    copy.domain = next_domain(larger);
    for (const NetworkLink& link : cluster.links) {
      if (link.from == last.name) larger.links.push_back({copy.name, link.to, link.link});
      if (link.to == last.name) larger.links.push_back({link.from, copy.name, link.link});
    }
    larger.nodes.push_back(std::move(copy));
  }
  return larger;
}

PlannerContext first_plan_context(const PlannerContext& context) {
  std::stop_source hurry;
  hurry.request_stop();
  PlannerContext first;
  first.score = [](const Plan&, std::optional<Overlap>, std::stop_token) { return Result<Seconds>(Seconds(1)); };
  first.stop = context.stop;
  first.deadline_token = hurry.get_token();
  first.relax = false;
  return first;
}

std::string larger_batch_hint(const Workload& workload) {
  return workload.micro_batch ? larger_micro_batch : larger_global_batch;
}

Result<void> add_relaxations(Infeasible& infeasible, const PlannerInfo& planner, const Problem& problem,
                             const PlannerOptions& options, const PlannerContext& context) {
  std::string& text = infeasible.relaxation;
  const bool few_samples = text == larger_micro_batch || text == larger_global_batch;
  if (few_samples) text.clear();
  Relaxations relaxations(planner, problem, options, context);
  const auto searched = relaxations.search(few_samples);
  const bool in_time = searched || searched.error().code != ErrorCode::cancelled || !deadline_expired(context);
  if (!searched && in_time) return searched;
  for (const std::string& one : relaxations.found())
    if (text.find(one) == text.npos) text = text.empty() ? one : fmt::format("{}, or {}", text, one);
  return {};
}

}  // namespace pipedeck::planner
