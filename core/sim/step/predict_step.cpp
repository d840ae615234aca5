// SPDX-License-Identifier: Apache-2.0
#include "core/sim/step/predict_step.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"
#include "core/mesh/pipeline_times.hpp"
#include "core/sim/step/fold.hpp"

namespace pipedeck::sim::step {
namespace {

Seconds seconds(std::int64_t nanoseconds) { return to_seconds(Nanoseconds(nanoseconds)); }

/// A step's time, and what its ranks wait for at its end.
struct StepTimes {
  Seconds iteration;
  Seconds reductions;  ///< exposed, mean of the ranks
};

StepTimes times_of(const FoldedStep& folded) {
  const engine::Trace trace = engine::run_engine(folded.input(false));
  ensure(trace.complete, "a folded pipeline ends");
  StepTimes times{to_seconds(engine::synchronous_iteration(folded.costs, trace)), {}};
  for (std::size_t p = 0; p < folded.costs.lanes.size(); ++p) {
    std::int64_t waited = engine::end_of_step(folded.costs, trace, p) - trace.end[p];
    for (const std::size_t w : folded.costs.lanes[p].workers) waited -= folded.costs.workers[w].optimizer.front();
    times.reductions += seconds(waited) / static_cast<double>(folded.costs.lanes.size());
  }
  return times;
}

/// A number of passes of a stage in a step, by kind.
struct PassCounts {
  int forwards = 0, backwards = 0, inputs = 0, weights = 0;
};

/// Returns the passes of each stage.
std::vector<PassCounts> pass_counts(const mesh::Question& question, const Schedule& schedule) {
  const int all = question.micro_batches;
  std::vector<PassCounts> counts(static_cast<std::size_t>(question.pipeline * question.virtual_stages), {all, all});
  if (!mesh::splits_backward(question.order)) return counts;
  for (PassCounts& one : counts) one = {};
  for (const DeviceLane& lane : schedule.lanes)
    for (int i = 0; i < operation_count(lane.order); ++i) {
      const Operation operation = operation_at(lane.order, i);
      PassCounts& own = counts[operation.stage.index()];
      own.forwards += operation.kind == OpKind::forward, own.backwards += operation.kind == OpKind::backward;
      own.inputs += operation.kind == OpKind::backward_input, own.weights += operation.kind == OpKind::backward_weight;
    }
  return counts;
}

/// Adds the mean of the ranks' parts. Sends are exposed by as much as the step is shorter without them.
void add_parts(mesh::Prediction& prediction, const mesh::Question& question,
               const std::vector<mesh::StageCosts>& stages, FoldedStep folded) {
  const StepTimes times = times_of(folded);
  const std::vector<PassCounts> counts = pass_counts(question, folded.schedule);
  for (costs::Channel& channel : folded.channels.all) channel.duration = 0;
  const Seconds without_sends = times_of(folded).iteration;
  using mesh::StepPart;
  const auto add = [&](StepPart part, Seconds time) { prediction.parts[static_cast<std::size_t>(part)] += time; };
  const double ranks = question.pipeline, passes = question.micro_batches / ranks;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const mesh::StageCosts& stage = stages[s];
    const auto in_step = [&](cost::PassPart part) {
      const PassCounts& count = counts[s];
      return (stage.forward[part] * count.forwards + stage.backward[part] * count.backwards +
              stage.input[part] * count.inputs + stage.weight[part] * count.weights) /
             ranks;
    };
    add(StepPart::compute, in_step(cost::PassPart::compute) - stage.recompute * passes);
    add(StepPart::recompute, stage.recompute * passes);
    add(StepPart::tensor, in_step(cost::PassPart::tensor));
    add(StepPart::context, in_step(cost::PassPart::context));
    add(StepPart::expert, in_step(cost::PassPart::expert));
    add(StepPart::gather, in_step(cost::PassPart::gather) + in_step(cost::PassPart::scatter));
    add(StepPart::host, in_step(cost::PassPart::host));
    add(StepPart::optimizer, stage.optimizer / ranks);
    add(StepPart::data, stage.waiting * (-1 / ranks));  // waits for other ranks' compute are among the bubble
    if (!question.training.hidden.pipeline)
      add(StepPart::pipeline, mesh::send_behind(question, stages, s) * 2 * passes);
  }
  for (int p = 0; p < question.pipeline; ++p) add(StepPart::gather, stages[static_cast<std::size_t>(p)].gather / ranks);
  add(StepPart::data, times.reductions);
  add(StepPart::pipeline, times.iteration - without_sends);
  Seconds sum;
  for (const Seconds part : prediction.parts) sum += part;
  add(StepPart::bubble, times.iteration - sum);
  prediction.iteration = times.iteration;
}

/// Returns the host's part of the node that needs the largest share of its memory: the ranks of each node together.
mesh::HostMemory fullest_host(const mesh::Question& question, std::span<const mesh::HostMemory> ranks) {
  mesh::HostMemory fullest;
  const auto share = [](const mesh::HostMemory& host) {
    const double capacity = host.capacity ? static_cast<double>(host.capacity->count) : 1e30;
    return static_cast<double>(host.total().count) / capacity;
  };
  if (std::ranges::all_of(ranks, [](const mesh::HostMemory& one) { return one.total().count == 0; })) {
    if (!question.cluster->nodes.empty()) fullest.capacity = question.cluster->nodes.front().memory;
    return fullest;  // of many thousand nodes, none needs any
  }
  const std::vector<Device> devices = devices_of(*question.cluster);
  std::vector<mesh::HostMemory> hosts(question.cluster->nodes.size());
  for (std::size_t n = 0; n < hosts.size(); ++n) hosts[n].capacity = question.cluster->nodes[n].memory;
  for (int rank = 0; rank < question.devices(); ++rank) {
    const std::size_t device = question.device(rank).index();
    if (device >= devices.size()) break;
    const mesh::HostMemory& own = ranks[static_cast<std::size_t>(rank / question.stage_devices())];
    mesh::HostMemory& host = hosts[devices[device].node.index()];
    host.states += own.states, host.activations += own.activations, host.copies += own.copies;
  }
  for (const mesh::HostMemory& host : hosts)
    if (&host == hosts.data() || share(host) > share(fullest)) fullest = host;
  return fullest;
}

/// The fullest pipeline rank decides: the one that needs the largest share of its devices' memory.
void add_memory(mesh::Prediction& prediction, const mesh::Question& question, const mesh::Rates& rates,
                std::span<const mesh::StageMemory> memory) {
  double peak = 0, needed = 0, with_context = 0;
  std::vector<mesh::HostMemory> hosts;
  for (int p = 0; p < question.pipeline; ++p) {
    std::vector<mesh::StageMemory> own;
    for (std::size_t s = 0; s < memory.size(); ++s)
      if (question.rank_of_stage(s) == static_cast<std::size_t>(p)) own.push_back(memory[s]);
    const mesh::RankMemory rank = mesh::rank_memory(question, p, own);
    hosts.push_back(rank.host);
    const Bytes capacity = mesh::smallest_memory(question, rates, p);
    if (p > 0 && capacity != prediction.capacity) {
      const auto share = [](double bytes, Bytes of) { return bytes / static_cast<double>(of.count); };
      if (share(rank.needed, capacity) <= share(needed, prediction.capacity)) continue;
      peak = needed = with_context = 0;
    }
    prediction.capacity = capacity;
    peak = std::max(peak, rank.peak);
    needed = std::max(needed, rank.needed);
    // PyTorch's allocator frees what it caches, and tries again, before it is out of memory (CUDACachingAllocator).
    const double room = mesh::usable_share * static_cast<double>(capacity.count) - question.kept_for_others;
    with_context = std::max({with_context, rank.needed, std::min(rank.with_context, room)});
  }
  const auto whole = [](double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); };
  prediction.peak = whole(peak), prediction.needed = whole(needed), prediction.with_context = whole(with_context);
  prediction.kept_for_others = whole(question.kept_for_others);
  prediction.host = fullest_host(question, hosts);
  prediction.fits =
      needed + question.kept_for_others <= mesh::usable_share * static_cast<double>(prediction.capacity.count) &&
      prediction.host.fits();
}

}  // namespace

Result<mesh::Prediction> predict_step(const mesh::Question& question, const mesh::Rates& rates) {
  TRY(const StepCosts costs, costs_of(question, rates));
  TRY(FoldedStep folded, fold(question, costs.stages));
  mesh::Prediction prediction;
  add_parts(prediction, question, costs.stages, std::move(folded));
  add_memory(prediction, question, rates, costs.memory);
  prediction.tokens_per_second_per_device = static_cast<double>(question.global_batch()) *
                                            question.layer.count.sequence / question.devices() /
                                            prediction.iteration.count;
  return prediction;
}

Result<mesh::Prediction> predict_memory(const mesh::Question& question, const mesh::Rates& rates) {
  TRY(const std::vector<mesh::StageMemory> memory, memory_of(question));
  return memory_prediction(question, rates, memory);
}

mesh::Prediction memory_prediction(const mesh::Question& question, const mesh::Rates& rates,
                                   std::span<const mesh::StageMemory> memory) {
  mesh::Prediction prediction;
  add_memory(prediction, question, rates, memory);
  return prediction;
}

}  // namespace pipedeck::sim::step
