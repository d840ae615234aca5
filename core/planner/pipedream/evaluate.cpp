// SPDX-License-Identifier: Apache-2.0
// The bottleneck stage time of a finished PipeDream plan. Over levels it is A^L: stages are grouped by the components
// that hold them, level by level. On consecutive devices (--levels any), each stage counts with the paths among its own
// devices.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/count_text.hpp"
#include "core/cost/compute.hpp"
#include "core/planner/pipedream/evaluate.hpp"
#include "core/planner/pipedream/evaluate_levels.hpp"

namespace pipedeck::planner::pipedream {

namespace {

constexpr double unreachable = std::numeric_limits<double>::infinity();

double narrower_bandwidth(const evaluation::Evaluation& e, DeviceId a, DeviceId b) {
  return std::min(e.network.path(a, b).bandwidth.count, e.network.path(b, a).bandwidth.count);
}

double compute(const evaluation::Evaluation& e, int s) {
  std::map<int, DeviceId> types;
  for (int d = 0; d < e.network.device_count(); ++d) types.emplace(e.network.device(DeviceId(d)).type, DeviceId(d));
  double sum = 0;
  for (int p = e.stage(s).first; p < e.stage(s).last; ++p) {
    double slowest = 0;  // the paper has one device type; of several, the slowest counts
    for (const auto& [type, device] : types) {
      const cost::LayerTimes times =
          cost::layer_times(e.profile(), e.layer(p), e.plan.micro_batch, *e.problem.cluster, e.network.type(device));
      slowest = std::max(slowest, times.forward.count + times.backward.count);
    }
    sum += slowest;
  }
  return sum;
}

/// T^k: `inside` replicated m times, synchronising `weights` bytes.
double replicated(const evaluation::Evaluation& e, double inside, double m, double weights, double bandwidth) {
  const double moved = e.options.printed_objective ? 2 * (m - 1) * weights : 2 * (m - 1) / m * weights;
  return std::max(inside, m > 1 ? moved / bandwidth : 0) / m;
}

double transfer(const evaluation::Evaluation& e, int stage, double bandwidth) {
  return 2 * static_cast<double>(evaluation::crossing(e, stage, e.plan.micro_batch).count) / bandwidth;
}

double weights_between(const evaluation::Evaluation& e, int first, int last) {
  double sum = 0;
  for (int s = first; s < last; ++s) sum += static_cast<double>(evaluation::weights_of(e, s).all.count);
  return sum;
}

/// A computation of A^k for the stages [first, last) in one component of level k; only this component's devices count.
class Hierarchy {
 public:
  Hierarchy(const evaluation::Evaluation& e, bool flat) : e_(e), levels_(evaluation_levels(e, flat)) {}

  double slowest() const { return inside(levels_.size() - 1, levels_.back().component.front(), 0, e_.stages()); }

 private:
  std::set<int> components(std::size_t level, int of_level_above, int s) const {
    std::set<int> found;
    for (const DeviceId device : e_.stage(s).devices)
      if (levels_[level + 1].of(device) == of_level_above) found.insert(levels_[level].of(device));
    return found;
  }

  double inside(std::size_t level, int component, int first, int last) const {
    if (level == 0) {
      double sum = 0;
      for (int s = first; s < last; ++s) sum += compute(e_, s);
      return sum;
    }
    double slowest = 0;
    for (int from = first, to = first; from < last; from = to) {
      const std::set<int> held = components(level - 1, component, from);
      for (to = from + 1; to < last && components(level - 1, component, to) == held;) ++to;
      slowest =
          std::max(slowest, replicated(e_, inside(level - 1, *held.begin(), from, to), static_cast<double>(held.size()),
                                       weights_between(e_, from, to), levels_[level].bandwidth));
      if (from > first) slowest = std::max(slowest, transfer(e_, from, levels_[level].bandwidth));
    }
    return slowest;
  }

  const evaluation::Evaluation& e_;
  std::vector<EvaluationLevel> levels_;
};

double narrowest(const evaluation::Evaluation& e, const std::vector<DeviceId>& from, const std::vector<DeviceId>& to) {
  double least = unreachable;
  for (const DeviceId a : from)
    for (const DeviceId b : to)
      if (a != b) least = std::min(least, narrower_bandwidth(e, a, b));
  return least;
}

double on_consecutive_devices(const evaluation::Evaluation& e) {
  double slowest = 0;
  for (int s = 0; s < e.stages(); ++s) {
    const std::vector<DeviceId>& devices = e.stage(s).devices;
    slowest = std::max(slowest, replicated(e, compute(e, s), e.stage(s).replicas(), weights_between(e, s, s + 1),
                                           narrowest(e, devices, devices)));
    if (s > 0) slowest = std::max(slowest, transfer(e, s, narrowest(e, e.stage(s - 1).devices, devices)));
  }
  return slowest;
}

bool named(const evaluation::Evaluation& e, std::string_view words) {
  return e.plan.objective && e.plan.objective->name.ends_with(words);
}

}  // namespace

Result<Seconds> pipedream_objective(const evaluation::Evaluation& e) {
  if (named(e, "as released")) return pipedream_released_objective(e);
  if (named(e, "consecutive devices")) return Seconds(on_consecutive_devices(e));
  return Seconds(Hierarchy(e, e.options.flat_levels || named(e, "all devices one level")).slowest());
}

std::string pipedream_objective_text(const evaluation::Evaluation& e) {
  const int workers = static_cast<int>(devices_used(e.plan).size()), first = e.stage(0).replicas();
  return fmt::format(
      "{} {:.3f} ms: the slowest stage's time per mini-batch of {}, replicas and transfers counted; NOAM = "
      "ceil({} / {}) = {} under way",
      e.plan.objective->name.ends_with("A^L") ? "A^L" : e.plan.objective->name,
      in_milliseconds(*e.plan.objective->time), counted(e.plan.micro_batch, "sample"), workers, first,
      counted((workers + first - 1) / first, "mini-batch"));
}

}  // namespace pipedeck::planner::pipedream
