// SPDX-License-Identifier: Apache-2.0
// Plans near to one that an engine can't run: stages made alike, cuts moved to where it can cut, a schedule it has.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "core/plan/balance_chunks.hpp"
#include "core/plan/launch_order.hpp"
#include "core/plan/reschedule.hpp"
#include "core/plan/validate.hpp"
#include "core/study/engines/engine.hpp"
#include "core/study/engines/reread.hpp"

namespace pipedeck::study::engines {
namespace {

/// How many devices stand together: `stages` groups of `replicas` x `tensor`.
struct Shape {
  int stages = 1, replicas = 1, tensor = 1;
  auto operator<=>(const Shape&) const = default;
};

class Neighbours {
 public:
  Neighbours(const Engine& engine, const EngineRequest& question)
      : engine_(engine), question_(question), profile_(question.profile) {
    for (int p = 1; p < static_cast<int>(profile_.layers.size()); ++p)
      if (engine.rules.is_valid_boundary(profile_, p)) cuts_.push_back(p);
  }

  std::vector<Plan> all() const {
    std::vector<Plan> plans;
    if (!engine_.rules.model_limitation(profile_).empty()) return plans;
    if (unsupported_features(engine_, question_).empty()) return {question_.plan};
    const std::optional<Plan> base = with_known_schedule();
    if (!base) return plans;
    if (const Shape own = shape_of(*base); alike(*base, own)) keep(plans, in_shape(*base, own));
    for (const Shape& shape : shapes(*base)) keep(plans, in_shape(*base, shape));
    if (plans.empty()) return on_fewer_devices(*base);
    return plans;
  }

 private:
  /// Returns the plan under a schedule that the engine has, without the values that only planners and the simulator
  /// set.
  std::optional<Plan> with_known_schedule() const {
    const EngineRules& rules = engine_.rules;
    Plan plan = question_.plan;
    plan.order.reset();
    const bool known = std::ranges::find(rules.schedules, plan.schedule) != rules.schedules.end();
    // Also of its own schedule: what was predicted and proven goes.
    const auto scheduled = plan::with_schedule(plan, profile_, known ? plan.schedule : rules.schedules.front(),
                                               static_cast<int>(plan.stages.size() / pipeline_ranks(plan).size()));
    if (!scheduled) return std::nullopt;
    plan = *scheduled;
    plan.warmup = Warmup::A;
    plan.zero = std::min(plan.zero, rules.max_zero);
    if (std::ranges::find(rules.optimizers, plan.optimizer) == rules.optimizers.end())
      plan.optimizer = rules.optimizers.front();
    // Partial recomputation means that memory is short: recompute everywhere.
    const bool recompute = std::ranges::any_of(plan.stages, [](const Stage& s) { return s.recompute.any(); });
    for (Stage& stage : plan.stages) {
      stage.samples_per_replica.reset();
      stage.shard_fractions.reset();
      stage.recompute = {recompute, {}};
    }
    return plan;
  }

  static Shape shape_of(const Plan& plan) {
    const Stage& first = plan.stages.front();
    return {static_cast<int>(pipeline_ranks(plan).size()), first.replicas(), first.tensor_parallel};
  }

  /// Where the batch has too few samples or micro-batches for all devices: the most stages, then replicas, that it has
  /// enough for.
  std::vector<Plan> on_fewer_devices(const Plan& base) const {
    std::vector<Plan> plans;
    const int devices = static_cast<int>(devices_used(base).size());
    for (int stages = static_cast<int>(pipeline_ranks(base).size()); stages >= 1; --stages)
      for (int replicas = devices / stages; replicas >= 1; --replicas) {
        keep(plans, in_shape(base, {stages, replicas, 1}));
        if (!plans.empty()) return plans;
      }
    return plans;
  }

  /// As many stages as now, and the numbers next to it that use all devices; every degree that the plan has.
  std::set<Shape> shapes(const Plan& plan) const {
    const int devices = static_cast<int>(devices_used(plan).size());
    const int now = static_cast<int>(pipeline_ranks(plan).size());
    const int most = std::min<int>(devices, static_cast<int>(cuts_.size()) + 1);
    std::set<int> stages{std::min(now, most)};
    for (int s = std::min(now, most); s >= 1; --s)
      if (devices % s == 0) {
        stages.insert(s);
        break;
      }
    for (int s = now; s <= most; ++s)
      if (devices % s == 0) {
        stages.insert(s);
        break;
      }
    std::set<int> degrees{1};
    if (engine_.rules.tensor_parallel)
      for (const Stage& stage : plan.stages) degrees.insert(stage.tensor_parallel);
    std::set<Shape> shapes;
    for (const int s : stages)
      for (const int tensor : degrees)
        if (const int width = devices / s; width % tensor == 0) shapes.insert({s, width / tensor, tensor});
    return shapes;
  }

  std::optional<Plan> in_shape(Plan plan, const Shape& shape) const {
    const bool already = alike(plan, shape) && !plan::first_out_of_launch_order(plan, question_.cluster);
    const int now = static_cast<int>(pipeline_ranks(plan).size());
    if (!already) {
      // Whoever changes the number of stages can't keep chunks.
      if (shape.stages != now && plan.stages.size() != static_cast<std::size_t>(now)) {
        const auto flat = plan::with_schedule(plan, profile_, ScheduleKind::one_f_one_b);
        if (!flat) return std::nullopt;
        plan = *flat;
      }
      assign_devices(plan, shape);
    }
    if (!resize(plan, shape.replicas)) return std::nullopt;
    if (!place_cuts(plan)) return std::nullopt;
    return plan;
  }

  static bool alike(const Plan& plan, const Shape& shape) {
    return shape.stages == static_cast<int>(pipeline_ranks(plan).size()) &&
           std::ranges::all_of(plan.stages, [&](const Stage& s) {
             return s.replicas() == shape.replicas && s.tensor_parallel == shape.tensor;
           });
  }

  /// Devices in ascending order, so that neighbours stay together.
  static void assign_devices(Plan& plan, const Shape& shape) {
    const std::vector<DeviceId> devices = devices_used(plan);
    const auto ranks = pipeline_ranks(plan);
    const auto width = static_cast<std::size_t>(shape.replicas * shape.tensor);
    const auto group = [&](std::size_t rank) {
      const auto begin = devices.begin() + static_cast<std::ptrdiff_t>(rank * width);
      return std::vector<DeviceId>(begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    const bool recompute = plan.stages.front().recompute.all;
    if (static_cast<std::size_t>(shape.stages) != ranks.size()) {
      const int layers = plan.stages.back().last;
      plan.stages.assign(static_cast<std::size_t>(shape.stages), Stage{});
      for (std::size_t s = 0; s < plan.stages.size(); ++s) {
        plan.stages[s].devices = group(s);
        plan.stages[s].first = static_cast<int>(s);  // placed anew
        plan.stages[s].last = s + 1 == plan.stages.size() ? layers : static_cast<int>(s) + 1;
      }
    } else {
      for (std::size_t r = 0; r < ranks.size(); ++r)
        for (const std::size_t chunk : ranks[r].chunks) plan.stages[chunk].devices = group(r);
    }
    for (Stage& stage : plan.stages) {
      stage.tensor_parallel = shape.tensor;
      stage.recompute = {recompute, {}};
    }
  }

  /// The micro-batch nearest to the plan's that the replicas share evenly.
  bool resize(Plan& plan, int replicas) const {
    const int ranks = static_cast<int>(pipeline_ranks(plan).size());
    const auto min_of = engine_.rules.min_micro_batches;
    const int least = min_of ? min_of(plan) : 1;
    int best = 0;
    for (int size = replicas; size <= plan.global_batch; size += replicas) {
      if (plan.global_batch % size != 0) continue;
      if (plan.schedule == ScheduleKind::interleaved && plan.global_batch / size % ranks != 0) continue;
      if (plan.global_batch / size < least) continue;
      if (best == 0 || std::abs(size - plan.micro_batch) < std::abs(best - plan.micro_batch)) best = size;
    }
    if (best == 0) return false;
    plan.micro_batch = best;
    plan.micro_batches = plan.global_batch / best;
    return true;
  }

  /// Each cut to the nearest place where the engine can cut; where stages were placed anew, balanced.
  bool place_cuts(Plan& plan) const {
    const std::size_t wanted = plan.stages.size() - 1;
    if (cuts_.size() < wanted) return false;
    const std::vector<int> targets =
        plan.stages.size() == question_.plan.stages.size() ? cuts_of(plan) : balanced(plan);
    std::vector<int> places;
    for (std::size_t c = 0; c < wanted; ++c) {
      const std::size_t from = c == 0 ? 0 : index_of(places.back()) + 1;
      const std::size_t to = cuts_.size() - (wanted - 1 - c);  // leaves one for each cut behind
      const int target = targets[c];
      const auto nearest = std::min_element(cuts_.begin() + static_cast<std::ptrdiff_t>(from),
                                            cuts_.begin() + static_cast<std::ptrdiff_t>(to),
                                            [&](int a, int b) { return std::abs(a - target) < std::abs(b - target); });
      places.push_back(*nearest);
    }
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      plan.stages[s].first = s == 0 ? 0 : places[s - 1];
      plan.stages[s].last = s < wanted ? places[s] : static_cast<int>(profile_.layers.size());
    }
    return true;
  }
  std::size_t index_of(int cut) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cuts_, cut) - cuts_.begin());
  }
  static std::vector<int> cuts_of(const Plan& plan) {
    std::vector<int> cuts;
    for (std::size_t s = 1; s < plan.stages.size(); ++s) cuts.push_back(plan.stages[s].first);
    return cuts;
  }
  std::vector<int> balanced(const Plan& plan) const {
    std::vector<double> cost;
    for (const Layer& layer : profile_.layers) cost.push_back(layer.forward.count + layer.backward.count);
    std::vector<std::size_t> ranks(plan.stages.size());
    for (std::size_t s = 0; s < ranks.size(); ++s) ranks[s] = s;
    return plan::balanced_boundaries(std::vector<std::vector<double>>(ranks.size(), cost), ranks);
  }

  void keep(std::vector<Plan>& plans, std::optional<Plan> plan) const {
    if (!plan || !plan::validate(*plan, profile_, question_.cluster) ||
        !unsupported_features(engine_, {*plan, profile_, question_.cluster}).empty())
      return;
    plan->name = fmt::format("{} for {}", plan->name, engine_.name);
    plan->planner = "hand";  // as of any plan that no planner chose
    if (std::ranges::find(plans, *plan) == plans.end()) plans.push_back(*std::move(plan));
  }

  const Engine& engine_;
  const EngineRequest& question_;
  const Profile& profile_;
  std::vector<int> cuts_;  ///< where the engine may cut, ascending
};

}  // namespace

std::vector<Plan> closest_plans(const Engine& engine, const EngineRequest& question) {
  if (has_mesh(question.plan) && engine.rules.plan_of_text) {
    if (unsupported_features(engine, question).empty()) return {question.plan};
    if (std::vector<Plan> plans = plans_of_texts(engine, question); !plans.empty()) return plans;
  }
  return Neighbours(engine, question).all();
}

}  // namespace pipedeck::study::engines
