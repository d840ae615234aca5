// SPDX-License-Identifier: Apache-2.0
// AMP's eq. 3-5 for a finished plan: replica d of every stage forms pipeline d.
#include <algorithm>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/cost/ring_times.hpp"
#include "core/planner/amp/evaluate.hpp"

namespace pipedeck::planner::amp {

namespace {

std::vector<DeviceId> replica(const Stage& stage, int r) {
  const auto first = stage.devices.begin() + r * stage.tensor_parallel;
  return {first, first + stage.tensor_parallel};
}

/// Returns the bytes that each pass of the layer reduces among `degree` devices, for the profile's micro-batch.
TensorParallelPoint reduced_by(const Layer& layer, int degree) {
  for (const TensorParallelPoint& point : layer.tensor_parallel)
    if (point.degree == degree) return point;
  return {};
}

/// t_i: forward and backward of one micro-batch on the slowest device, and the all-reduces of its layers.
double stage_time(const evaluation::Evaluation& e, int s, int r) {
  const Stage& stage = e.stage(s);
  const std::vector<DeviceId> devices = replica(stage, r);
  const int samples = replica_samples(stage, e.plan.micro_batch)[static_cast<std::size_t>(r)];
  double sum = 0;
  for (int p = stage.first; p < stage.last; ++p) {
    double forward = 0, backward = 0;
    for (const DeviceId device : devices) {
      const cost::LayerTimes times = cost::layer_times(e.profile(), e.layer(p), samples, *e.problem.cluster,
                                                       e.network.type(device), stage.tensor_parallel);
      forward = std::max(forward, times.forward.count);
      backward = std::max(backward, times.backward.count);
    }
    sum += forward + backward;
    if (stage.tensor_parallel == 1) continue;
    const TensorParallelPoint point = reduced_by(e.layer(p), stage.tensor_parallel);
    for (const Bytes bytes : {point.forward_allreduce, point.backward_allreduce})
      sum += cost::all_reduce(e.network, devices, cost::scale_bytes(bytes, samples, e.profile().micro_batch)).count;
  }
  return sum;
}

/// e_i: the activation over the cut before stage s and its gradient back; v / b as in the paper.
double transfer_time(const evaluation::Evaluation& e, int s, int r) {
  const DeviceId from = replica(e.stage(s - 1), r).front(), to = replica(e.stage(s), r).front();
  const int samples = replica_samples(e.stage(s), e.plan.micro_batch)[static_cast<std::size_t>(r)];
  const Bytes bytes = evaluation::crossing(e, s, samples);
  if (e.options.printed_objective) return (bytes / e.network.path(from, to).bandwidth).count;
  return e.network.transfer(from, to, bytes).count + e.network.transfer(to, from, bytes).count;
}

/// T^dpsync of the stage's slowest group, where a group is the devices of equal rank of all replicas.
double synchronisation(const evaluation::Evaluation& e, int s) {
  const Stage& stage = e.stage(s);
  if (stage.replicas() < 2) return 0;
  const int degree = stage.tensor_parallel;
  const Bytes share = plan::share_of(evaluation::weights_of(e, s), degree);
  double slowest = 0;
  for (int rank = 0; rank < degree; ++rank) {
    std::vector<DeviceId> group;
    for (int r = 0; r < stage.replicas(); ++r) group.push_back(replica(stage, r)[static_cast<std::size_t>(rank)]);
    slowest = std::max(slowest, cost::ring_all_reduce(e.network, group, share).count);
  }
  return slowest;
}

/// A pipeline's terms of eq. 5.
struct EvaluatedPipeline {
  double slowest = 0, transfers = 0, stages = 0;
  int slowest_stage = 0;
  double time(int micro_batches) const { return (micro_batches - 1) * slowest + transfers + stages; }
};

EvaluatedPipeline pipeline_of(const evaluation::Evaluation& e, int r) {
  EvaluatedPipeline pipeline;
  for (int s = 0; s < e.stages(); ++s) {
    const double time = stage_time(e, s, r);
    if (time > pipeline.slowest) pipeline.slowest = time, pipeline.slowest_stage = s;
    pipeline.stages += time;
    if (s > 0) pipeline.transfers += transfer_time(e, s, r);
  }
  return pipeline;
}

/// A plan's terms of eq. 4: the slowest pipeline, then the slowest synchronisation.
struct AmpTerms {
  EvaluatedPipeline pipeline;
  int index = 0;
  double synchronisation = 0;
  int synchronised = 0;  ///< stage with the longest synchronisation
};

AmpTerms terms_of(const evaluation::Evaluation& e) {
  AmpTerms terms;
  for (int r = 0; r < e.stage(0).replicas(); ++r) {
    const EvaluatedPipeline pipeline = pipeline_of(e, r);
    if (pipeline.time(e.plan.micro_batches) > terms.pipeline.time(e.plan.micro_batches))
      terms.pipeline = pipeline, terms.index = r;
  }
  for (int s = 0; s < e.stages(); ++s)
    if (const double time = synchronisation(e, s); time > terms.synchronisation)
      terms.synchronisation = time, terms.synchronised = s;
  return terms;
}

bool same_degrees(const evaluation::Evaluation& e) {
  return std::all_of(e.plan.stages.begin(), e.plan.stages.end(), [&](const Stage& stage) {
    return stage.replicas() == e.stage(0).replicas() && stage.tensor_parallel == e.stage(0).tensor_parallel;
  });
}

}  // namespace

Result<Seconds> amp_objective(const evaluation::Evaluation& e) {
  if (!same_degrees(e))
    return fail(ErrorCode::internal, e.plan.planner + ": stages of different degrees, AMP's eq. 4 knows one of each");
  const AmpTerms terms = terms_of(e);
  return Seconds(terms.pipeline.time(e.plan.micro_batches) + terms.synchronisation);
}

std::string amp_objective_text(const evaluation::Evaluation& e) {
  if (!same_degrees(e)) return {};
  const AmpTerms terms = terms_of(e);
  const auto ms = [](double seconds) { return in_milliseconds(Seconds(seconds)); };
  const int again = e.plan.micro_batches - 1;
  std::string text =
      fmt::format("T {:.3f} ms = {} x {:.3f} ms (slowest stage, {}) + {:.3f} ms (one micro-batch through all stages)",
                  ms(terms.pipeline.time(e.plan.micro_batches) + terms.synchronisation), again,
                  ms(terms.pipeline.slowest), terms.pipeline.slowest_stage, ms(terms.pipeline.stages));
  const auto add = [&](double seconds, const std::string& what) {
    text += fmt::format(" + {:.3f} ms ({})", ms(seconds), what);
  };
  if (e.stages() > 1) add(terms.pipeline.transfers, "its transfers");
  if (e.stage(0).replicas() > 1) {
    add(terms.synchronisation, fmt::format("gradients of stage {}", terms.synchronised));
    text += "; " + fmt::format("pipeline {} of {} is the slowest", terms.index, e.stage(0).replicas());
  }
  return text + ".";
}

}  // namespace pipedeck::planner::amp
