// SPDX-License-Identifier: Apache-2.0
#include "core/sim/step/predict_step.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/checks.hpp"
#include "core/mesh/stages.hpp"
#include "core/sim/engine_plan.hpp"
#include "core/sim/step/fold.hpp"
#include "core/sim/verdict.hpp"

namespace pipedeck::sim::step {
namespace {

using analytic::transformer::shards::LayerShard;

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

/// Adds the mean of the ranks' parts. Sends are exposed by as much as the step is shorter without them.
void add_parts(mesh::Prediction& prediction, const mesh::Question& question,
               const std::vector<mesh::StageCosts>& stages, FoldedStep folded) {
  const StepTimes times = times_of(folded);
  for (costs::Channel& channel : folded.channels.all) channel.duration = 0;
  const Seconds without_sends = times_of(folded).iteration;
  using mesh::StepPart;
  const auto add = [&](StepPart part, Seconds time) { prediction.parts[static_cast<std::size_t>(part)] += time; };
  const double ranks = question.pipeline, passes = question.micro_batches / ranks;
  for (const mesh::StageCosts& stage : stages) {
    cost::PassTime both = stage.forward;
    both += stage.backward;
    add(StepPart::compute, (both[cost::PassPart::compute] - stage.recompute) * passes);
    add(StepPart::recompute, stage.recompute * passes);
    add(StepPart::tensor, both[cost::PassPart::tensor] * passes);
    add(StepPart::context, both[cost::PassPart::context] * passes);
    add(StepPart::expert, both[cost::PassPart::expert] * passes);
    add(StepPart::gather, (both[cost::PassPart::gather] + both[cost::PassPart::scatter]) * passes);
    add(StepPart::optimizer, stage.optimizer / ranks);
    if (!question.training.hidden.pipeline) add(StepPart::pipeline, stage.send * 2 * passes);
  }
  for (int p = 0; p < question.pipeline; ++p) add(StepPart::data, stages[static_cast<std::size_t>(p)].gather / ranks);
  add(StepPart::data, times.reductions);
  add(StepPart::pipeline, times.iteration - without_sends);
  Seconds sum;
  for (const Seconds part : prediction.parts) sum += part;
  add(StepPart::bubble, times.iteration - sum);
  prediction.iteration = times.iteration;
}

/// Returns the layers before those for further tokens.
std::span<const LayerShard> without_multi_token(const mesh::StageLayers& stage) {
  const auto first =
      std::ranges::find_if(stage, [](const LayerShard& one) { return one.name.starts_with("multi_token"); });
  return {stage.begin(), first};
}

Result<std::vector<mesh::StageMemory>> memory_of(const mesh::Question& question,
                                                 const std::vector<mesh::StageLayers>& layers) {
  std::vector<mesh::StageMemory> memory;
  for (std::size_t s = 0; s < layers.size(); ++s) {
    TRY(mesh::StageMemory stage,
        mesh::stage_memory(question, without_multi_token(layers[s]), s == 0, s + 1 == layers.size()));
    memory.push_back(stage);
  }
  return memory;
}

/// The fullest pipeline rank decides.
void add_memory(mesh::Prediction& prediction, const mesh::Question& question, const mesh::Rates& rates,
                const std::vector<mesh::StageMemory>& memory) {
  double peak = 0, needed = 0, with_context = 0;
  for (int p = 0; p < question.pipeline; ++p) {
    std::vector<mesh::StageMemory> own;
    for (std::size_t s = static_cast<std::size_t>(p); s < memory.size();
         s += static_cast<std::size_t>(question.pipeline))
      own.push_back(memory[s]);
    const mesh::RankMemory rank = mesh::rank_memory(question, p, own);
    peak = std::max(peak, rank.peak);
    needed = std::max(needed, rank.needed);
    with_context = std::max(with_context, rank.with_context);
  }
  prediction.peak = Bytes(static_cast<std::int64_t>(peak));
  prediction.needed = Bytes(static_cast<std::int64_t>(needed));
  prediction.with_context = Bytes(static_cast<std::int64_t>(with_context));
  prediction.capacity = rates.type.memory;
  prediction.fits = needed <= mesh::usable_share * static_cast<double>(prediction.capacity.count);
}

/// A step's costs, of each of the P v stages.
struct StepCosts {
  std::vector<mesh::StageCosts> stages;
  std::vector<mesh::StageMemory> memory;
};

Result<StepCosts> costs_of(const mesh::Question& question, const mesh::Rates& rates) {
  TRY(const std::vector<mesh::StageLayers> layers, mesh::stage_layers(question));
  StepCosts costs;
  TRY(costs.stages, mesh::stage_costs(question, rates, layers));
  TRY(costs.memory, memory_of(question, layers));
  return costs;
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

Result<Simulation> simulate_step(const mesh::Question& question, const mesh::Rates& rates, std::stop_token stop,
                                 const SimulationDetail& detail) {
  TRY(const StepCosts costs, costs_of(question, rates));
  TRY(const FoldedStep folded, fold(question, costs.stages, costs.memory));
  TRY(cost::Network network, cost::Network::of(*question.cluster));
  const auto profile = std::make_shared<Profile>();
  profile->micro_batch = folded.plan.micro_batch;
  const costs::SimulatorInputs inputs{profile, question.cluster, {}, std::move(network), {}, {}};
  const engine::EngineInput input = folded.input(true);
  TRY(const engine::Trace trace, run_to_end(input, stop));
  return verdict_of(inputs, input, trace, detail, std::move(stop));
}

}  // namespace pipedeck::sim::step
