// SPDX-License-Identifier: Apache-2.0
#include "core/planner/joint/parts.hpp"

#include <algorithm>

#include "core/planner/search/arithmetic.hpp"

namespace pipedeck::planner::joint {

namespace {

Stage stage_of(const JointStage& part, int first, int last) {
  Stage stage = search::stage_on(first, last, {});
  for (const JointStage::Group& group : part.groups)
    stage.devices.insert(stage.devices.end(), group.begin(), group.end());
  stage.tensor_parallel = part.degree;
  return stage;
}

/// A stage's seconds per micro-batch; for an asynchronous plan divided by its replicas, which take turns.
class Pace {
 public:
  Pace(JointCosts& costs, const Plan& plan, const Stages& stages)
      : costs_(costs), stages_(stages), synchronous_(plan.synchronous()) {
    for (const JointStage& part : stages) {
      const Stage stage = stage_of(part, 0, 1);
      teams_.push_back(synchronous_ ? costs.stage_devices(stage.devices, part.degree, plan.micro_batch)
                                    : costs.team_of(stage, plan.micro_batch, false));
    }
  }
  bool possible() const {
    return std::none_of(teams_.begin(), teams_.end(), [](int team) { return team < 0; });
  }
  double of(int stage, int first, int last) const {
    const JointStage& part = stages_[search::at(stage)];
    const JointCosts::Passes one = costs_.passes(teams_[search::at(stage)], first, last);
    const double replicas = synchronous_ ? 1 : static_cast<double>(part.groups.size());
    return (one.forward * (part.recompute ? 2 : 1) + one.backward) / replicas;
  }

  /// Returns the ends if each stage takes all layers that it can within `most`: the first layer at any cost, and one
  /// left for each stage behind. Returns fewer ends if the limit is too low.
  std::vector<int> ends_within(double most, int layers) const {
    const int count = static_cast<int>(stages_.size());
    std::vector<int> ends;
    for (int s = 0, first = 0; s < count; ++s) {
      int fits = first + 1, beyond = layers - (count - 1 - s) + 1;
      while (beyond - fits > 1) {
        const int middle = (fits + beyond) / 2;
        (of(s, first, middle) <= most ? fits : beyond) = middle;
      }
      if (of(s, first, fits) > most) break;
      ends.push_back(first = fits);
    }
    return ends;
  }

 private:
  JointCosts& costs_;
  const Stages& stages_;
  bool synchronous_;
  std::vector<int> teams_;
};

}  // namespace

Stages stages_of(const Plan& plan) {
  Stages stages;
  for (const Stage& stage : plan.stages) {
    JointStage part{stage.first, stage.last, stage.tensor_parallel, {}, stage.recompute.any()};
    for (int r = 0; r < stage.replicas(); ++r) {
      const auto begin = stage.devices.begin() + r * stage.tensor_parallel;
      part.groups.emplace_back(begin, begin + stage.tensor_parallel);
    }
    stages.push_back(std::move(part));
  }
  return stages;
}

std::optional<Plan> plan_with(JointCosts& costs, const Plan& plan, const Stages& stages, int micro_batch) {
  // A cut moved past the next one leaves the stage behind it empty, and this one maybe past the last layer.
  if (std::any_of(stages.begin(), stages.end(), [](const JointStage& part) { return part.last <= part.first; }))
    return {};
  Plan made = plan;
  made.micro_batch = micro_batch;
  made.micro_batches = plan.global_batch / micro_batch;
  made.warmup_counts.reset();
  made.stages.clear();
  for (JointStage part : stages) {
    if (part.groups.empty()) return {};
    if (plan.synchronous() && static_cast<int>(part.groups.size()) * costs.slice() > micro_batch) return {};
    if (!costs.splittable(part.degree, part.first, part.last)) return {};
    std::sort(part.groups.begin(), part.groups.end());
    Stage stage = stage_of(part, part.first, part.last);
    stage.recompute = costs.layers().chain().recompute(part.recompute);
    if (plan.synchronous()) stage.samples_per_replica = costs.shares(stage.devices, part.degree, micro_batch);
    made.stages.push_back(std::move(stage));
  }
  return made;
}

bool balance_joint(JointCosts& costs, const Plan& plan, Stages& stages) {
  const int layers = costs.layers().whole(), count = static_cast<int>(stages.size());
  const Pace pace(costs, plan, stages);
  if (count < 2 || count > layers || !pace.possible()) return false;
  double low = 0, high = 0;
  for (int s = 0; s < count; ++s) high = std::max(high, pace.of(s, 0, layers));
  std::vector<int> best;
  for (int round = 0; round < 24; ++round) {
    const double most = (low + high) / 2;
    std::vector<int> ends = pace.ends_within(most, layers);
    const bool enough = static_cast<int>(ends.size()) == count && ends.back() == layers;
    if (enough) best = std::move(ends);
    (enough ? high : low) = most;
  }
  if (best.empty()) return false;
  bool changed = false;
  for (int s = 0; s < count; ++s) {
    JointStage& part = stages[search::at(s)];
    const int first = s == 0 ? 0 : best[search::at(s - 1)];
    changed |= part.first != first || part.last != best[search::at(s)];
    part.first = first, part.last = best[search::at(s)];
  }
  return changed;
}

}  // namespace pipedeck::planner::joint
