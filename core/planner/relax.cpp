// SPDX-License-Identifier: Apache-2.0
#include "core/planner/relax.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/domain/validate.hpp"
#include "core/planner/chain.hpp"
#include "core/planner/ranking.hpp"

namespace pipedeck {

namespace {

constexpr std::size_t most_sizes = 6;  // micro-batches tried
constexpr int most_nodes = 8;          // nodes added

class Relaxations {
 public:
  Relaxations(const PlannerInfo& planner, const Problem& problem, const PlannerOptions& options,
              const PlannerContext& context)
      : planner_(planner), problem_(problem), options_(options) {
    hurry_.request_stop();
    first_found_.score = [](const Plan&, std::optional<Overlap>) { return Result<Seconds>(Seconds(1)); };
    first_found_.stop = context.stop;
    first_found_.hurry = hurry_.get_token();
    first_found_.relax = false;
  }

  Result<std::vector<std::string>> all() {
    for (const auto relaxation : {&Relaxations::micro_batch, &Relaxations::recompute, &Relaxations::nodes})
      if (auto tried = (this->*relaxation)(); !tried) return tl::unexpected(tried.error());
    return std::move(found_);
  }

 private:
  /// Is there any plan? Which one does not matter, so the first ends the search and none is simulated.
  Result<bool> feasible(const Problem& problem, const PlannerOptions& options) const {
    const auto ranking = planner_.plan(problem, options, first_found_);
    if (!ranking) {
      if (ranking.error().code == ErrorCode::cancelled) return tl::unexpected(ranking.error());
      return false;
    }
    return !ranking->plans.empty();
  }

  /// The nearest other size by ratio, the smaller one first where two are as near.
  Result<void> micro_batch() {
    if (!problem_.workload.micro_batch) return {};
    const double here = *problem_.workload.micro_batch;
    Workload open = problem_.workload;
    open.micro_batch.reset();
    auto sizes = micro_batch_choices(open, 1).value_or(std::vector<int>());
    std::erase(sizes, *problem_.workload.micro_batch);
    std::stable_sort(sizes.begin(), sizes.end(),
                     [&](int a, int b) { return std::abs(std::log(a / here)) < std::abs(std::log(b / here)); });
    sizes.resize(std::min(sizes.size(), most_sizes));
    for (const int size : sizes) {
      Problem relaxed = problem_;
      relaxed.workload.micro_batch = size;
      const auto fits = feasible(relaxed, options_);
      if (!fits) return tl::unexpected(fits.error());
      if (*fits) return say(fmt::format("--micro-batch {}", size));
    }
    return {};
  }

  Result<void> recompute() {
    const auto option = std::find_if(planner_.options.begin(), planner_.options.end(),
                                     [](const OptionInfo& one) { return one.name == "recompute"; });
    if (option == planner_.options.end()) return {};
    const std::string on = option->type == OptionType::flag ? "true" : "on";
    PlannerOptions relaxed = options_;
    if (std::exchange(relaxed["recompute"], on) == on) return {};
    const auto fits = feasible(problem_, relaxed);
    if (!fits) return tl::unexpected(fits.error());
    if (*fits) say(option->type == OptionType::flag ? "--recompute" : "--recompute on");
    return {};
  }

  Result<bool> feasible_with(int nodes) const {
    Problem relaxed = problem_;
    auto cluster = with_more_nodes(*problem_.cluster, nodes);
    if (!cluster || !validate(*cluster)) return false;
    relaxed.cluster = std::make_shared<const Cluster>(*std::move(cluster));
    return feasible(relaxed, options_);
  }

  Result<void> nodes() {
    int low = 0, high = 1;
    for (;; low = high, high *= 2) {
      if (high > most_nodes) return {};
      const auto fits = feasible_with(high);
      if (!fits) return tl::unexpected(fits.error());
      if (*fits) break;
    }
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      const auto fits = feasible_with(middle);
      if (!fits) return tl::unexpected(fits.error());
      (*fits ? high : low) = middle;
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
  std::stop_source hurry_;
  PlannerContext first_found_;
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
    for (const NetworkLink& link : cluster.links) {
      if (link.from == last.name) larger.links.push_back({copy.name, link.to, link.link});
      if (link.to == last.name) larger.links.push_back({link.from, copy.name, link.link});
    }
    larger.nodes.push_back(std::move(copy));
  }
  return larger;
}

Result<std::vector<std::string>> relaxations(const PlannerInfo& planner, const Problem& problem,
                                             const PlannerOptions& options, const PlannerContext& context) {
  return Relaxations(planner, problem, options, context).all();
}

}  // namespace pipedeck
