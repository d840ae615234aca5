// SPDX-License-Identifier: Apache-2.0
// A^L of a finished PipeDream plan: its stages are grouped by the components that hold them, level by level.
#include <algorithm>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/cost/evaluate_parts.hpp"

namespace pipedeck {

namespace {

/// Narrowest path between devices of one node, of different nodes, or of any.
enum class Between { same_node, nodes, any };

double bandwidth(const Evaluation& e, Between which) {
  double least = std::numeric_limits<double>::infinity();
  for (const DeviceId a : e.network.representatives())
    for (const DeviceId b : e.network.representatives()) {
      const bool same = e.network.node_of(a) == e.network.node_of(b);
      if (a == b || (which == Between::same_node && !same) || (which == Between::nodes && same)) continue;
      least = std::min(least, e.network.path(a, b).bandwidth.count);
    }
  return least;
}

/// Nodes of one size above 1, more than one of them: two levels. Otherwise one.
bool nested(const Evaluation& e) {
  std::vector<int> sizes(static_cast<std::size_t>(e.network.node_count()), 0);
  for (int d = 0; d < e.network.device_count(); ++d) ++sizes[e.network.node_of(DeviceId(d)).index()];
  return !e.options.flat_levels && sizes.size() > 1 && sizes.front() > 1 &&
         std::set(sizes.begin(), sizes.end()).size() == 1;
}

double compute(const Evaluation& e, int s) {
  double sum = 0;
  for (int p = e.stage(s).first; p < e.stage(s).last; ++p) {
    double slowest = 0;  // the paper has one kind of device: of several, the slowest counts
    for (int d = 0; d < e.network.device_count(); ++d) {
      const LayerTimes times =
          layer_times(e.profile(), e.layer(p), e.plan.micro_batch, *e.problem.cluster, e.network.type(DeviceId(d)));
      slowest = std::max(slowest, times.forward.count + times.backward.count);
    }
    sum += slowest;
  }
  return sum;
}

/// T^k: `inside` replicated m times, synchronising `weights` bytes.
double replicated(const Evaluation& e, double inside, double m, double weights, double bandwidth) {
  const double moved = e.options.printed_objective ? 2 * (m - 1) * weights : 2 * (m - 1) / m * weights;
  return std::max(inside, moved / bandwidth) / m;
}

double transfer(const Evaluation& e, int stage, double bandwidth) {
  return 2 * static_cast<double>(crossing(e, stage, e.plan.micro_batch).count) / bandwidth;
}

std::set<NodeId> nodes_of(const Evaluation& e, int s) {
  std::set<NodeId> nodes;
  for (const DeviceId device : e.stage(s).devices) nodes.insert(e.network.node_of(device));
  return nodes;
}

double weights_of(const Evaluation& e, int first, int last) {
  double sum = 0;
  for (int s = first; s < last; ++s) sum += static_cast<double>(parameters_of(e, s).count);
  return sum;
}

double one_level(const Evaluation& e) {
  const double narrow = bandwidth(e, Between::any);
  double slowest = 0;
  for (int s = 0; s < e.stages(); ++s) {
    slowest = std::max(slowest, replicated(e, compute(e, s), e.stage(s).replicas(), weights_of(e, s, s + 1), narrow));
    if (s > 0) slowest = std::max(slowest, transfer(e, s, narrow));
  }
  return slowest;
}

/// A^1 of the stages [first, last), which share their nodes.
double inside_nodes(const Evaluation& e, int first, int last, int nodes, double narrow) {
  double slowest = 0;
  for (int s = first; s < last; ++s) {
    const double devices = static_cast<double>(e.stage(s).devices.size()) / nodes;
    slowest = std::max(slowest, replicated(e, compute(e, s), devices, weights_of(e, s, s + 1), narrow));
    if (s > first) slowest = std::max(slowest, transfer(e, s, narrow));
  }
  return slowest;
}

double two_levels(const Evaluation& e) {
  const double inside = bandwidth(e, Between::same_node), between = bandwidth(e, Between::nodes);
  double slowest = 0;
  for (int first = 0, last = 0; first < e.stages(); first = last) {
    const std::set<NodeId> nodes = nodes_of(e, first);
    for (last = first + 1; last < e.stages() && nodes_of(e, last) == nodes;) ++last;
    const int m = static_cast<int>(nodes.size());
    slowest = std::max(slowest,
                       replicated(e, inside_nodes(e, first, last, m, inside), m, weights_of(e, first, last), between));
    if (first > 0) slowest = std::max(slowest, transfer(e, first, between));
  }
  return slowest;
}

}  // namespace

Result<Seconds> pipedream_objective(const Evaluation& e) { return Seconds(nested(e) ? two_levels(e) : one_level(e)); }

std::string pipedream_objective_text(const Evaluation& e) {
  const int workers = static_cast<int>(devices_used(e.plan).size()), first = e.stage(0).replicas();
  return fmt::format(
      "A^L {:.3f} ms: the slowest stage's time a mini-batch of {} samples, replicas and transfers counted; "
      "NOAM = ceil({} / {}) = {} mini-batches are under way",
      in_milliseconds(*e.plan.objective->time), e.plan.micro_batch, workers, first, (workers + first - 1) / first);
}

}  // namespace pipedeck
