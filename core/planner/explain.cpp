// SPDX-License-Identifier: Apache-2.0
#include "core/planner/explain.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/cost/all_reduce.hpp"
#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/plan/layer_bytes.hpp"
#include "core/planner/ranking.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/micro_batch_sizes.hpp"

namespace pipedeck::planner {

namespace {

constexpr double noticeable = 5e-4;     // rounds to 0.1 %
constexpr double max_operations = 2e6;  // of all neighbours' simulations together: well under a second

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// A neighbour of the plan and the change that it makes.
struct NeighbourPlan {
  std::string name;
  double change = 0;  ///< of the iteration, relative
  bool fits = true;
};

std::string sentence(const NeighbourPlan& neighbour) {
  if (neighbour.change < -noticeable)
    return fmt::format("{} is {} quicker{}", neighbour.name, percent(-neighbour.change),
                       neighbour.fits ? "" : " but does not fit");
  if (neighbour.change < noticeable) return fmt::format("{} takes the same time", neighbour.name);
  return fmt::format("{} costs {}{}", neighbour.name, percent(neighbour.change),
                     neighbour.fits ? "" : " and does not fit");
}

class Explanation {
 public:
  Explanation(const Problem& problem, const cost::Network& network, const Plan& plan, const PlannerContext& context,
              Seconds iteration)
      : problem_(problem),
        network_(network),
        plan_(plan),
        context_(context),
        iteration_(iteration),
        order_(order_of(plan, *problem.profile)) {}

  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    if (plan_.synchronous()) all.push_back(pace());
    for (const std::vector<NeighbourPlan>& kind : {shifted_boundaries(), other_sizes(), other_warmup()}) {
      std::string line;
      for (const NeighbourPlan& neighbour : kind) line += (line.empty() ? "" : "; ") + sentence(neighbour);
      if (!line.empty()) all.push_back(line + ".");
    }
    return all;
  }

 private:
  /// Returns the seconds of forward and backward of a micro-batch on the stage's slowest replica, with its recomputed
  /// forwards and tensor-parallel all-reduces.
  double busy(const Stage& stage) const {
    const std::vector<int> samples = replica_samples(stage, plan_.micro_batch);
    double slowest = 0;
    for (std::size_t r = 0; r < samples.size(); ++r) {
      const bool alike =
          r > 0 && stage.tensor_parallel == 1 && samples[r] == samples[r - 1] && type(stage, r) == type(stage, r - 1);
      if (samples[r] > 0 && !alike) slowest = std::max(slowest, busy(stage, r, samples[r]));
    }
    return slowest;
  }

  double busy(const Stage& stage, std::size_t replica, int samples) const {
    const int degree = stage.tensor_parallel;
    const auto begin = stage.devices.begin() + static_cast<std::ptrdiff_t>(replica) * degree;
    const cost::AllReduce all_reduce(network_, {begin, begin + degree}, problem_.workload.conventions.collectives);
    double sum = 0;
    for (int p = stage.first; p < stage.last; ++p) {
      double forward = 0, backward = 0;  // of the slowest device
      for (int rank = 0; rank < (stage.shard_fractions ? degree : 1); ++rank) {
        const cost::LayerTimes times = cost::layer_times(*problem_.profile, layer(p), samples, *problem_.cluster,
                                                         network_.type(device(stage, replica, rank)), degree);
        forward = std::max(forward, shard_factor(stage, rank) * times.forward.count);
        backward = std::max(backward, shard_factor(stage, rank) * times.backward.count);
      }
      if (const TensorParallelPoint* point = degree > 1 ? plan::point_of_degree(layer(p), degree) : nullptr) {
        const auto time = [&](Bytes bytes) {
          return all_reduce.time(cost::scale_bytes(bytes, samples, problem_.profile->micro_batch)).count;
        };
        forward += time(point->forward_allreduce);
        backward += time(point->backward_allreduce);
      }
      sum += forward * (cost::is_recomputed(stage, p) ? 2 : 1) + backward;
    }
    return sum;
  }

  const Layer& layer(int position) const {
    return problem_.profile->layers[order_[static_cast<std::size_t>(position)].index()];
  }
  static DeviceId device(const Stage& stage, std::size_t replica, int rank) {
    return stage.devices[replica * static_cast<std::size_t>(stage.tensor_parallel) + static_cast<std::size_t>(rank)];
  }
  int type(const Stage& stage, std::size_t replica) const { return network_.device(device(stage, replica, 0)).type; }

  std::string pace() const {
    std::vector<double> times;
    for (const Stage& stage : plan_.stages) times.push_back(busy(stage));
    const auto slowest = static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
    const double all = times[slowest] * plan_.micro_batches;
    const bool one = plan_.micro_batches == 1;
    const std::string share = fmt::format("{} micro-batch{} of {:.3f} ms {} {} of the iteration", plan_.micro_batches,
                                          one ? "" : "es", 1e3 * times[slowest], one ? "is" : "are",
                                          percent(iteration_.count > 0 ? all / iteration_.count : 0));
    if (plan_.stages.size() == 1) return fmt::format("Its slowest device computes all the while: {}.", share);
    const double mean = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    const double above = times[slowest] / mean - 1;
    if (mean <= 0 || above < noticeable) return fmt::format("All stages take the same time: {}.", share);
    return fmt::format("Stage {} sets the pace, {} above the average stage: {}.", slowest, percent(above), share);
  }

  /// Simulates a neighbour and adds it; skips plans that can't be simulated or are too large.
  void add(std::vector<NeighbourPlan>& list, std::string name, Plan plan) const {
    const auto operations = 4.0 * plan.micro_batches * static_cast<double>(devices_used(plan).size());
    spent_ += operations;
    if (spent_ > max_operations || context_.stop.stop_requested()) return;
    plan.warmup_counts.reset();  // the simulator lowers the policy's counts to fit memory
    const auto iteration = judge(context_, plan);
    const auto fits = context_.fits ? context_.fits(plan, context_.stop) : Result<bool>(true);
    if (iteration && fits) list.push_back({std::move(name), iteration->count / iteration_.count - 1, *fits});
  }

  std::vector<NeighbourPlan> shifted_boundaries() const {
    std::vector<NeighbourPlan> moves;
    for (std::size_t s = 0; s + 1 < plan_.stages.size(); ++s)
      for (const int by : {-1, 1}) {
        Plan moved = plan_;
        Stage &before = moved.stages[s], &after = moved.stages[s + 1];
        before.last += by, after.first += by;
        if (before.first == before.last || after.first == after.last) continue;
        const int position = by < 0 ? after.first : before.last - 1;
        add(moves,
            fmt::format("moving layer \"{}\" from stage {} to stage {}", layer(position).name, by < 0 ? s : s + 1,
                        by < 0 ? s + 1 : s),
            std::move(moved));
      }
    return cheapest(std::move(moves));
  }

  /// Returns the two cheapest moves of many boundaries.
  static std::vector<NeighbourPlan> cheapest(std::vector<NeighbourPlan> moves) {
    std::stable_sort(moves.begin(), moves.end(),
                     [](const NeighbourPlan& a, const NeighbourPlan& b) { return a.change < b.change; });
    if (moves.size() > 2) moves.resize(2);
    if (!moves.empty()) moves.front().name[0] = 'M';
    return moves;
  }

  std::vector<NeighbourPlan> other_sizes() const {
    std::vector<NeighbourPlan> sizes;
    if (!plan_.synchronous() || problem_.workload.micro_batch) return sizes;
    int replicas = 1;
    for (const Stage& stage : plan_.stages) {
      replicas = std::max(replicas, stage.replicas());
      if (stage.samples_per_replica) return sizes;
    }
    const auto choices =
        search::micro_batch_choices(problem_.workload, replicas * search::min_replica_samples(*problem_.profile, 0));
    if (!choices) return sizes;
    const auto here = std::find(choices->begin(), choices->end(), plan_.micro_batch);
    const auto resized = [&](int size) {
      Plan plan = plan_;
      plan.micro_batch = size;
      plan.micro_batches = plan.global_batch / size;
      add(sizes, sizes.empty() ? fmt::format("Micro-batch {}", size) : fmt::format("micro-batch {}", size),
          std::move(plan));
    };
    if (here == choices->end()) return sizes;
    if (here != choices->begin()) resized(*std::prev(here));
    if (std::next(here) != choices->end()) resized(*std::next(here));
    return sizes;
  }

  std::vector<NeighbourPlan> other_warmup() const {
    std::vector<NeighbourPlan> other;
    if (auto plan = with_alternate_warmup(plan_)) {
      const std::string name = fmt::format("Warm-up {}", name_of(plan->warmup));
      add(other, name, *std::move(plan));
    }
    return other;
  }

  const Problem& problem_;
  const cost::Network& network_;
  const Plan& plan_;
  const PlannerContext& context_;
  Seconds iteration_;
  std::vector<LayerId> order_;
  mutable double spent_ = 0;
};

}  // namespace

Result<std::vector<std::string>> explain(const PlannerInfo& planner, const Problem& problem, const Plan& plan,
                                         const evaluation::EvaluateOptions& how, const PlannerContext& context) {
  std::vector<std::string> sentences;
  TRY(const auto network, cost::Network::of(*problem.cluster, problem.workload.conventions));
  TRY(const auto objective, objective_text(planner, problem, plan, how));
  if (!objective.empty()) sentences.push_back(objective + (objective.ends_with('.') ? "" : "."));
  TRY(const auto iteration, judge(context, plan));
  if (iteration.count <= 0) return sentences;
  for (std::string& sentence : Explanation(problem, network, plan, context, iteration).sentences())
    sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace pipedeck::planner
