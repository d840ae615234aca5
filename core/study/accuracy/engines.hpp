// SPDX-License-Identifier: Apache-2.0
// Habits of training engines, for what a table of runs leaves open: bytes of states and on the wire, hidden
// communication, recomputation. docs/accuracy.md has the sources.
#pragma once

#include <string_view>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/mesh/question.hpp"
#include "core/study/accuracy/runs_table.hpp"

namespace pipedeck::study::accuracy {

enum class Engine {
  megatron,       ///< Megatron-LM, Megatron Core
  megatron_2021,  ///< before the distributed optimizer and fused attention (2104.04473, 2205.05198)
  nemo,           ///< NeMo on Megatron Core, with its performance recipes; MLPerf
  bridge,         ///< Megatron-Bridge, with its performance recipes
  simumax,        ///< Megatron-LM without hidden communication
  deepspeed,      ///< Megatron-DeepSpeed
  foundry,        ///< LLM Foundry, PyTorch FSDP1
  titan,          ///< torchtitan, PyTorch FSDP2
  fms,            ///< IBM's fms-fsdp
  automodel,      ///< NeMo AutoModel, PyTorch FSDP2
  jax,            ///< MaxText, Pax: XLA's sharding
  internevo,
  colossal,
};

/// Returns the engine by source, software and sharding; Megatron-LM if nothing else is known.
Engine engine_of(const PublishedRun& run);

/// A set of habits of an engine.
struct EngineHabits {
  std::string_view name;                   ///< "Megatron-LM"
  std::string_view states;                 ///< recipe of cost::state_recipes()
  double wire_gradients = 4;               ///< bytes of a gradient as reduced
  bool hides_data = true;                  ///< gradients behind the backward, weights behind the forward
  bool hides_tensor = false;               ///< where nothing is stated, with sequence parallelism
  bool waits_for_input_gradients = false;  ///< as Training has it
  bool scatters_sends = false;             ///< as Training has it
  bool sequence = false;                   ///< sequence parallelism where nothing is stated and T > 1
  bool megatron = false;                   ///< pads the vocabulary; weighs experts' activations by probabilities
  LossKind loss = LossKind::plain;
  analytic::transformer::shards::Recomputed recomputed{};  ///< where nothing is stated
  std::string_view attention{};  ///< kernels, as in presets/efficiency.json; empty: the best of the device type
  double cached = 0;             ///< as Training has it
  bool own_groups = false;       ///< as Training has it
};
const EngineHabits& habits_of(Engine engine);

}  // namespace pipedeck::study::accuracy
