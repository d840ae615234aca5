// SPDX-License-Identifier: Apache-2.0
#include "tests/core/planner/capture/capture_enumeration.hpp"

#include <algorithm>
#include <set>

#include "core/planner/capture/evaluate.hpp"
#include "tests/core/planner/plan_enumeration.hpp"

namespace pipedeck {

namespace {

class Enumerator {
 public:
  Enumerator(const Problem& problem, int micro_batch, const CaptureEnumeration& options)
      : problem_(problem),
        options_(options),
        network_(*cost::Network::of(*problem.cluster, problem.workload.conventions)),
        order_(topological_order(*problem.profile)) {
    plan_ = plan_without_stages(problem, "capture", micro_batch);
    plan_.order = order_;
    free_.assign(static_cast<std::size_t>(network_.device_count()), true);
    degrees_ = {1};
    for (const Layer& layer : problem.profile->layers)
      for (const TensorParallelPoint& point : layer.tensor_parallel) degrees_.insert(point.degree);
  }

  std::optional<Plan> run() {
    add_stage(0);
    return best_;
  }

 private:
  int layers() const { return static_cast<int>(order_.size()); }

  void add_stage(int first) {
    if (first == layers()) return take();
    for (int last = first + 1; last <= layers(); ++last)
      for (const int tensor : degrees_)
        for (int replicas = 1; replicas <= plan_.micro_batch / options_.slice; ++replicas) {
          if (options_.pipeline_only && tensor * replicas > 1) continue;
          if (!has_times(first, last, tensor)) continue;
          Stage stage;
          stage.first = first, stage.last = last, stage.tensor_parallel = tensor;
          add_devices(stage, tensor * replicas, 0);
        }
  }

  bool has_times(int first, int last, int tensor) const {
    for (int p = first; p < last && tensor > 1; ++p) {
      const auto& points = problem_.profile->layers[order_[static_cast<std::size_t>(p)].index()].tensor_parallel;
      if (std::none_of(points.begin(), points.end(), [&](const auto& point) { return point.degree == tensor; }))
        return false;
    }
    return true;
  }

  /// Adds any `count` free devices from `next` on. Among equal adjacent devices without a pin only the first free one
  /// is used.
  void add_devices(Stage& stage, int count, int next) {
    if (count == 0) {
      plan_.stages.push_back(stage);
      add_stage(stage.last);
      plan_.stages.pop_back();
      return;
    }
    for (int d = next; d < network_.device_count(); ++d) {
      const auto index = static_cast<std::size_t>(d);
      if (!free_[index]) continue;
      if (d > next && free_[index - 1] && like(d - 1, d)) continue;
      free_[index] = false;
      stage.devices.push_back(DeviceId(d));
      add_devices(stage, count - 1, d + 1);
      stage.devices.pop_back();
      free_[index] = true;
    }
  }

  bool like(int a, int b) const {
    for (const auto& [layer, device] : problem_.pins.layers)
      if (device == DeviceId(a) || device == DeviceId(b)) return false;
    return network_.device(DeviceId(a)).type == network_.device(DeviceId(b)).type;
  }

  void take() {
    const int stages = static_cast<int>(plan_.stages.size());
    const PlanConstraints& pins = problem_.pins;
    int most = std::min({layers(), network_.device_count(), pins.max_stages.value_or(layers())});
    if (pins.stages) most = *pins.stages;
    if (options_.pipeline_only && stages != most) return;
    if (first_violation(plan_, *problem_.profile, pins)) return;
    Plan plan = plan_;
    for (Stage& stage : plan.stages)  // the first replicas have most samples: they get the smallest devices
      std::stable_sort(stage.devices.begin(), stage.devices.end(),
                       [&](DeviceId a, DeviceId b) { return network_.type(a).memory < network_.type(b).memory; });
    const planner::evaluation::Evaluation e{problem_, plan, network_, options_.evaluate, order_};
    const Bytes peak = *planner::capture::capture_objective(e);
    if ((best_ && peak >= *best_->objective->bytes) || !planner::evaluation::check_constraints(e)) return;
    plan.objective = Objective{"", {}, peak};
    best_ = plan;
  }

  const Problem& problem_;
  const CaptureEnumeration& options_;
  cost::Network network_;
  std::vector<LayerId> order_;
  std::set<int> degrees_;
  std::vector<bool> free_;
  Plan plan_;
  std::optional<Plan> best_;
};

}  // namespace

std::optional<Plan> enumerate_capture(const Problem& problem, int micro_batch, const CaptureEnumeration& options) {
  return Enumerator(problem, micro_batch, options).run();
}

}  // namespace pipedeck
