// SPDX-License-Identifier: Apache-2.0
// Whale's objective of a finished plan: the busiest device's compute time in an iteration. It is M max over TaskGraphs
// and replicas of F + B, each layer by its slowest device and with the all-reduces of split layers.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/cost/compute.hpp"
#include "core/cost/ring_times.hpp"
#include "core/cost/whale_bridge.hpp"
#include "core/planner/whale/evaluate.hpp"

namespace pipedeck::planner::whale {

namespace {

std::span<const DeviceId> devices_of_replica(const Stage& stage, int replica) {
  const auto degree = static_cast<std::size_t>(stage.tensor_parallel);
  return std::span(stage.devices).subspan(static_cast<std::size_t>(replica) * degree, degree);
}

double layer_seconds(const evaluation::Evaluation& e, const Stage& stage, const Layer& layer,
                     std::span<const DeviceId> devices, int samples) {
  const int degree = stage.tensor_parallel;
  double forward = 0, backward = 0, reduced = 0;
  for (int rank = 0; rank < degree; ++rank) {
    const DeviceType& type = e.network.type(devices[static_cast<std::size_t>(rank)]);
    const cost::LayerTimes times = cost::layer_times(e.profile(), layer, samples, *e.problem.cluster, type, degree);
    forward = std::max(forward, shard_factor(stage, rank) * times.forward.count);
    backward = std::max(backward, shard_factor(stage, rank) * times.backward.count);
  }
  for (const TensorParallelPoint& point : layer.tensor_parallel)
    if (degree > 1 && point.degree == degree)
      for (const Bytes bytes : {point.forward_allreduce, point.backward_allreduce})
        reduced +=
            cost::all_reduce(e.network, devices, cost::scale_bytes(bytes, samples, e.profile().micro_batch)).count;
  return forward + backward + reduced;
}

double replica_seconds(const evaluation::Evaluation& e, int s, int replica, int samples) {
  double sum = 0;
  for (int p = e.stage(s).first; p < e.stage(s).last; ++p)
    sum += layer_seconds(e, e.stage(s), e.layer(p), devices_of_replica(e.stage(s), replica), samples);
  return sum;
}

struct Busiest {
  int stage = 0, replica = 0, samples = 0;
  double seconds = 0;  ///< per micro-batch
};

Busiest busiest(const evaluation::Evaluation& e) {
  Busiest most;
  for (int s = 0; s < e.stages(); ++s) {
    const std::vector<int> samples = replica_samples(e.stage(s), e.plan.micro_batch);
    for (std::size_t r = 0; r < samples.size(); ++r) {
      const double seconds = replica_seconds(e, s, static_cast<int>(r), samples[r]);
      if (seconds > most.seconds) most = {s, static_cast<int>(r), samples[r], seconds};
    }
  }
  return most;
}

/// Returns the sum of equation 1 over a TaskGraph's replicas.
double imbalance(const evaluation::Evaluation& e, int s) {
  const std::vector<int> samples = replica_samples(e.stage(s), e.plan.micro_batch);
  std::vector<double> speeds;
  double all = 0, sum = 0;
  for (std::size_t r = 0; r < samples.size(); ++r) {
    const double alone = replica_seconds(e, s, static_cast<int>(r), e.profile().micro_batch);
    all += speeds.emplace_back(alone > 0 ? 1 / alone : 1);
  }
  for (std::size_t r = 0; r < samples.size(); ++r)
    sum += std::abs(static_cast<double>(samples[r]) / e.plan.micro_batch - speeds[r] / all);
  return sum;
}

std::string primitive(const Stage& stage) {
  if (stage.tensor_parallel == 1) return fmt::format("replicate({})", stage.replicas());
  std::string text = fmt::format("{} x split({})", stage.replicas(), stage.tensor_parallel);
  if (stage.shard_fractions) text += fmt::format(" of {:.4f} of the columns", fmt::join(*stage.shard_fractions, ", "));
  return text;
}

cost::PatternChoice patterns_of(const evaluation::Evaluation& e, int s) {
  std::vector<Layer> layers;
  for (int p = e.stage(s).first; p < e.stage(s).last; ++p) layers.push_back(e.layer(p));
  return cost::cheapest_patterns(layers, evaluation::crossing(e, s, e.profile().micro_batch),
                                 e.stage(s).tensor_parallel);
}

cost::Bridge bridge_behind(const evaluation::Evaluation& e, int s) {
  std::optional<cost::WhaleSplitPattern> first;
  if (e.stage(s + 1).tensor_parallel > 1) {
    const cost::PatternChoice choice = patterns_of(e, s + 1);
    if (!choice.patterns.empty()) first = choice.patterns.front();
  }
  return cost::bridge_between(e.stage(s), e.stage(s + 1), evaluation::crossing(e, s + 1, e.plan.micro_batch), first);
}

}  // namespace

Result<Seconds> whale_objective(const evaluation::Evaluation& e) {
  return Seconds(busiest(e).seconds * e.plan.micro_batches);
}

std::string whale_objective_text(const evaluation::Evaluation& e) {
  const Busiest most = busiest(e);
  const DeviceId device = devices_of_replica(e.stage(most.stage), most.replica).front();
  std::string text = fmt::format(
      "Busiest device {:.3f} ms = {} micro-batch{} x {:.3f} ms ({} sample{} on device {}, {}).",
      most.seconds * e.plan.micro_batches * 1e3, e.plan.micro_batches, e.plan.micro_batches == 1 ? "" : "es",
      most.seconds * 1e3, most.samples, most.samples == 1 ? "" : "s", device.value, e.network.type(device).name);
  for (int s = 0; s < e.stages(); ++s) {
    text += fmt::format(" TaskGraph {}: {}, sum of eq. 1 {:.4f}", s, primitive(e.stage(s)), imbalance(e, s));
    if (e.stage(s).tensor_parallel > 1) text += ", " + cost::text_of(patterns_of(e, s));
    if (s + 1 < e.stages()) text += ", " + cost::text_of(bridge_behind(e, s));
    text += '.';
  }
  return text;
}

}  // namespace pipedeck::planner::whale
