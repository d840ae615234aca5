// SPDX-License-Identifier: Apache-2.0
// A training step in several dimensions as a pipeline of P devices: ranks of a stage are equal, so the first one stands
// for all of them. The cost depends on stages and micro-batches, not on the number of devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/memory.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/stage_costs.hpp"
#include "core/sim/engine/engine.hpp"

namespace pipedeck::sim::step {

struct Pipeline {
  Plan plan;                        ///< of P v stages, each on the first device of its pipeline rank
  std::vector<std::int64_t> begin;  ///< by lane, ns: its first weights are gathered
};

struct FoldedStep {
  Pipeline pipeline;
  costs::PlanCosts costs;
  costs::Channels channels;
  Schedule schedule;

  engine::EngineInput input(bool record) const;
};

/// Returns the folded step. `memory`: of each of the P v stages; empty: nothing is held. Bytes of the optimizer step
/// alone are left out. `samples`: those of the micro-batches that results count bytes for.
Result<FoldedStep> fold(const mesh::Question& question, std::span<const mesh::StageCosts> stages,
                        std::span<const mesh::StageMemory> memory = {}, int samples = 1);

/// A step's costs, of each of the P v stages.
struct StepCosts {
  std::vector<mesh::StageCosts> stages;
  std::vector<mesh::StageMemory> memory;
};
/// Returns the bytes of each of the P v stages.
Result<std::vector<mesh::StageMemory>> memory_of(const mesh::Question& question);
/// Returns bad_input if the degrees divide neither model nor devices. `known`: of the question's cluster.
Result<StepCosts> costs_of(const mesh::Question& question, const mesh::Rates& rates,
                           std::shared_ptr<mesh::KnownGroups> known = {});

}  // namespace pipedeck::sim::step
