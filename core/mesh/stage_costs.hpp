// SPDX-License-Identifier: Apache-2.0
// The times of a stage's passes, reductions and optimizer step on a rank (parallelism.md, "Times").
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/result.hpp"
#include "core/cost/data_traffic.hpp"
#include "core/cost/pass_walk.hpp"
#include "core/mesh/group_times.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/mesh/stages.hpp"

namespace pipedeck::mesh {

class PipelineTimes;

/// A collective of gradients, once a step.
struct StageReduction {
  Seconds ready;  ///< after the start of the last backward
  Seconds time;
  Seconds ready_in_weight{};  ///< after the start of the last weight gradient, where that is apart
};

struct StageCosts {
  cost::PassTime forward, backward;  ///< of a micro-batch; the backward has the recomputation
  /// The parts of the backward that run apart; 0 if there are none. Traffic behind a weight gradient in a whole
  /// backward is exposed in `input`.
  cost::PassTime input, weight;
  Seconds recompute;  ///< compute of the recomputation, part of `backward`
  Seconds send;       ///< of the output to the next stage; as long for its gradient
  Seconds gather;     ///< wait for weights before the first forward, once a step
  std::vector<StageReduction> reductions;
  Seconds waiting;  ///< of a rank's first stage: for data ranks with longer samples, the last of `reductions`
  Seconds optimizer;
};

/// A layer's times, without those of its sharded states.
struct TimedLayer {
  cost::PassLayer pass;
  Seconds attention;  ///< of a micro-batch
};
using TimedLayers = std::map<std::tuple<std::string, double, double, double, double, double>, TimedLayer>;

/// Returns the times of a layer, of `known` if it is there; else it is added. Collectives that no compute hides are
/// part of a pass (cost::walk_pass).
Result<TimedLayer> timed_layer(const analytic::transformer::shards::LayerShard& layer, const Question& question,
                               const TypeRates& rates, const GroupTimes& groups, TimedLayers& known);

/// Returns the costs of one stage. `known`: of questions with equal `layer`, `training` and `states`, and with equal
/// stages where devices share their nodes' links.
Result<StageCosts> stage_costs_of(const Question& question, const TypeRates& rates, const GroupTimes& groups,
                                  const StageLayers& layers, bool is_last, TimedLayers& known);

/// Adds the sum of the gradients of a table that the embedding and the head share on unlike ranks, behind both ends'
/// reductions (Megatron-LM, finalize_model_grads.py). `last`: the layers of the last of the P v stages.
void add_tied_table(std::vector<StageCosts>& stages, const Question& question, const PipelineTimes& times,
                    const StageLayers& last);

/// Adds the waiting of each rank's stages for other data ranks behind its last backward, which is of its first stage.
/// `stages`: P v without it.
void add_waiting(std::vector<StageCosts>& stages, const Question& question);

/// Returns the time of stage `s`'s output on its way to the next stage; 0 for stages of one rank.
Seconds send_behind(const Question& question, std::span<const StageCosts> stages, std::size_t s);

/// Returns the collectives of a layer's states. Frozen weights are gathered where they are sharded, and never exchanged
/// otherwise.
std::vector<cost::DataCollective> traffic_of(const analytic::transformer::shards::LayerShard& layer,
                                             const Question& question, const plan::StageDegrees& degrees);

/// Returns the costs of each of the P v stages. bad_input if the degrees divide neither model nor devices. `known`: of
/// the question's cluster.
Result<std::vector<StageCosts>> stage_costs(const Question& question, const Rates& rates,
                                            const std::vector<StageLayers>& stages,
                                            std::shared_ptr<KnownGroups> known = {});

}  // namespace pipedeck::mesh
