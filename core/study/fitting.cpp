// SPDX-License-Identifier: Apache-2.0
#include "core/study/fitting.hpp"

#include <algorithm>

#include "core/model/memory_verdict.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/sharding_path.hpp"
#include "core/plan/validate.hpp"
#include "core/plan/warmups.hpp"

namespace pipedeck::study {
namespace {

constexpr int max_sizes = 6;  // micro-batches tried

class Changes {
 public:
  Changes(const Problem& problem, const sim::Simulator& simulator, const Plan& plan, std::stop_token stop)
      : problem_(problem), simulator_(simulator), plan_(plan), stop_(std::move(stop)) {
    plan_.predicted.reset();
    plan_.certificate.reset();
    plan_.objective.reset();
    plan_.merits.clear();
  }

  std::vector<FittingChange> all() {
    recompute();
    for (int zero = plan_.zero + 1; zero <= 3; ++zero) {
      Plan other = plan_;
      other.zero = zero;
      if (has_replicas() && attempt(FittingKind::zero, zero, std::move(other))) break;
    }
    for (int factor = 2; tensor_parallel(factor) == Tried::no; factor *= 2) {
    }
    micro_batch();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const FittingChange& a, const FittingChange& b) { return a.iteration < b.iteration; });
    return stop_.stop_requested() ? std::vector<FittingChange>() : std::move(found_);
  }

 private:
  enum class Tried { fits, no, impossible };

  bool has_replicas() const {
    return std::ranges::any_of(plan_.stages, [](const Stage& stage) { return stage.replicas() > 1; });
  }

  /// Simulates the changed plan, and adds it if it fits.
  bool attempt(FittingKind kind, int value, Plan plan) {
    if (stop_.stop_requested() || !plan::validate(plan, *problem_.profile, *problem_.cluster)) return false;
    const auto simulation = simulator_.run(plan, stop_);
    if (!simulation || !simulation->fits) return false;
    found_.push_back({kind, value, to_seconds(simulation->iteration), memory_margin(*simulation)});
    return true;
  }

  void recompute() {
    Plan other = plan_;
    const RecomputeUnit each = plan::usual_recompute_unit(*problem_.profile, order_of(plan_, *problem_.profile));
    for (Stage& stage : other.stages) stage.recompute = {true, {}, each};
    if (other.stages != plan_.stages) attempt(FittingKind::recompute, 0, std::move(other));
  }

  Tried tensor_parallel(int factor) {
    Plan other = plan_;
    const std::vector<LayerId> order = order_of(plan_, *problem_.profile);
    for (Stage& stage : other.stages) {
      stage.tensor_parallel *= factor;
      stage.samples_per_replica.reset();
      stage.shard_fractions.reset();
      if (static_cast<int>(stage.devices.size()) % stage.tensor_parallel != 0) return Tried::impossible;
      for (int p = stage.first; p < stage.last; ++p)
        if (!plan::is_shardable(problem_.profile->layers[order[static_cast<std::size_t>(p)].index()],
                                stage.tensor_parallel))
          return Tried::impossible;
    }
    const int degree = other.stages.front().tensor_parallel;
    return attempt(FittingKind::tensor_parallel, degree, std::move(other)) ? Tried::fits : Tried::no;
  }

  void micro_batch() {
    int tried = 0;
    for (int size = plan_.micro_batch - 1; size >= 1 && tried < max_sizes; --size) {
      if (plan_.global_batch % size != 0) continue;
      ++tried;
      Plan other = plan_;
      other.micro_batch = size;
      other.micro_batches = plan_.global_batch / size;
      for (Stage& stage : other.stages) stage.samples_per_replica.reset();
      if (attempt(FittingKind::micro_batch, size, std::move(other))) return;
    }
  }

  const Problem& problem_;
  const sim::Simulator& simulator_;
  Plan plan_;
  std::stop_token stop_;
  std::vector<FittingChange> found_;
};

}  // namespace

std::vector<FittingChange> fitting_changes(const Problem& problem, const sim::Simulator& simulator, const Plan& plan,
                                           std::stop_token stop) {
  return Changes(problem, simulator, plan, std::move(stop)).all();
}

std::optional<WarmupReason> warmup_reason(const sim::Simulator& simulator, const Plan& plan, std::stop_token stop) {
  const auto found = plan::short_warmup(plan);
  if (!found) return {};
  Plan whole = plan;
  whole.warmup = Warmup::A;
  whole.warmup_counts.reset();
  const auto simulation = simulator.run(whole, std::move(stop));
  if (!simulation) return {};
  WarmupReason reason{found->stage, found->held, found->whole, to_seconds(simulation->iteration), {}};
  for (const SimulatedDevice& device : simulation->devices)
    reason.missing = std::max(reason.missing, device.peak - device.capacity);
  return reason;
}

}  // namespace pipedeck::study
