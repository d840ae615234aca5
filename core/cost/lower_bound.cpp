// SPDX-License-Identifier: Apache-2.0
// The maximum of three bounds (only the first one for asynchronous plans).
// Work: device d does at most speed_d seconds of base work per second. So all work of all samples takes at least work /
// sum of speeds.
// Wholeness: with n devices, one of them computes a layer for at least ceil(global batch / n) samples.
// Path: some sample passes through every layer forward, and its gradient through every layer back, in sequence. Weight
// gradients may be computed separately and overlap this path, but that of a chain's first layer follows the whole path.
// Every value is the best over all device types, tensor-parallel degrees and slice sizes that a plan may have. So
// larger slices with a lower cost per sample never break the bound.
//
// Uneven shards preserve all three. A device with a fraction f of a layer's columns at degree t does f of its work in f
// t times the degree's time, which is f of the device-seconds on its type. Some device of each replica has 1 / t of the
// columns or more, so the replica takes at least the degree's time on that device's type.
#include "core/cost/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "core/cost/compute.hpp"

namespace pipedeck::cost {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// A layer's minimum seconds, forward and backward.
struct Best {
  double work = unknown;   ///< device-seconds per sample: over all devices of a tensor-parallel group
  double path = unknown;   ///< of a whole slice, even the smallest: forward and input gradient
  double last = unknown;   ///< of the weight gradient of a whole slice
  double whole = unknown;  ///< of the samples that some replica gets if all devices share them

  void add(const Best& other) {
    work = std::min(work, other.work);
    path = std::min(path, other.path);
    last = std::min(last, other.last);
    whole = std::min(whole, other.whole);
  }
};

/// A range of the choices available to plans.
struct Room {
  int devices = 0;
  int global_batch = 1;
  int largest = 1;  ///< slice
};

/// Returns the sizes where the time per sample can be minimal: time is linear between neighbouring measured points, so
/// these are the points and both ends.
std::set<int> decisive_sizes(const Layer& layer, int largest) {
  std::set<int> sizes{1, largest};
  for (const LayerPoint& point : layer.at)
    if (point.micro_batch <= largest) sizes.insert(point.micro_batch);
  return sizes;
}

Best best_of(const Problem& problem, const Layer& layer, const DeviceType& type, int degree, const Room& room) {
  const int replicas = room.devices / degree;
  const int share = (room.global_batch + replicas - 1) / replicas;
  Best forward, backward;  // separate: where a line is clamped to 0, the two may be minimal at different sizes
  for (const int samples : decisive_sizes(layer, room.largest)) {
    const LayerTimes times = layer_times(*problem.profile, layer, samples, *problem.cluster, type, degree);
    const double f = times.forward.count, b = times.backward.count, w = times.backward_weight.count;
    forward.add({f * degree / samples, f, 0, f / samples * share});
    backward.add({b * degree / samples, b - w, w, b / samples * share});
  }
  return {forward.work + backward.work, forward.path + backward.path, backward.last, forward.whole + backward.whole};
}

Best best_on_type(const Problem& problem, const Layer& layer, const DeviceType& type, const Room& room) {
  Best best = best_of(problem, layer, type, 1, room);
  for (const TensorParallelPoint& point : layer.tensor_parallel)
    if (point.degree <= room.devices) best.add(best_of(problem, layer, type, point.degree, room));
  return best;
}

/// Returns the number of devices of each type of the cluster.
std::vector<int> type_counts(const Cluster& cluster) {
  std::vector<int> counts(cluster.device_types.size(), 0);
  for (const Device& device : devices_of(cluster)) ++counts[static_cast<std::size_t>(device.type)];
  return counts;
}

}  // namespace

Result<Seconds> lower_bound(const Problem& problem, bool synchronous) {
  const Workload& workload = problem.workload;
  if (workload.adapters.rank > 0) return Seconds();  // the profile's backward has all weights' gradients
  const std::vector<int> counts = type_counts(*problem.cluster);
  Room room{std::accumulate(counts.begin(), counts.end(), 0), workload.global_batch, workload.global_batch};
  if (room.devices == 0) return fail(ErrorCode::bad_input, "found no device, expected at least one", "/nodes");
  if (workload.global_batch < 1) return fail(ErrorCode::bad_usage, "found a global batch below 1");
  if (workload.micro_batch) room.largest = std::clamp(*workload.micro_batch, 1, workload.global_batch);

  double work = 0, path = 0, slowest = 0;
  std::vector<double> speed(counts.size(), 0);  // by type: maximum seconds of best work done per second
  for (const Layer& layer : problem.profile->layers) {
    Best best;
    std::vector<double> on_type(counts.size(), 0);
    for (std::size_t t = 0; t < counts.size(); ++t) {
      if (counts[t] == 0) continue;
      const Best here = best_on_type(problem, layer, problem.cluster->device_types[t], room);
      on_type[t] = here.work;
      best.add(here);
    }
    for (std::size_t t = 0; t < counts.size(); ++t)
      if (on_type[t] > 0) speed[t] = std::max(speed[t], best.work / on_type[t]);
    work += best.work * workload.global_batch;
    if (&layer == &problem.profile->layers.front() && problem.profile->is_chain()) path += best.last;
    path += best.path;
    slowest = std::max(slowest, best.whole);
  }
  double all = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) all += speed[t] * counts[t];
  const double spread = work > 0 ? work / all : 0;
  // Each operation may be rounded down by half a nanosecond, and has at most three parts per sample and layer.
  const double rounding = 1.5e-9 * (workload.global_batch + static_cast<double>(problem.profile->layers.size()));
  const double most = synchronous ? std::max({spread, path, slowest}) : spread;
  return Seconds(std::max(0.0, most - rounding));
}

Result<Seconds> lower_bound_of(const Problem& problem, const Plan& plan) {
  if (has_mesh(plan)) return plan.certificate ? plan.certificate->lower_bound : Seconds();
  if (!plan.synchronous() || problem.workload.micro_batch.value_or(plan.micro_batch) == plan.micro_batch)
    return lower_bound(problem, plan.synchronous());
  Problem open = problem;
  open.workload.micro_batch.reset();
  return lower_bound(open);
}

Seconds simulation_lower_bound(const Plan& plan, Seconds bound, Seconds iteration) {
  return plan.synchronous() ? bound : std::min(bound, iteration);
}

}  // namespace pipedeck::cost
