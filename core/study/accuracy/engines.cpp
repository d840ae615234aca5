// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/engines.hpp"

#include <array>
#include <utility>

#include "core/base/result.hpp"

namespace pipedeck::study::accuracy {
namespace {

// In the order of Engine.
const std::array<EngineHabits, 13> habits{{
    {.name = "Megatron-LM", .states = "mixed-18", .sequence = true, .megatron = true},
    {.name = "Megatron-LM of 2021",
     .states = "mixed-18",
     .wire_gradients = 2,
     .hides_data = false,
     .waits_for_input_gradients = true,
     .scatters_sends = true,
     .megatron = true},
    {.name = "NeMo",
     .states = "mixed-16",
     .wire_gradients = 2,
     .hides_tensor = true,
     .sequence = true,
     .megatron = true,
     .loss = LossKind::in_place},
    {.name = "Megatron-Bridge",
     .states = "mixed-16",
     .wire_gradients = 2,
     .hides_tensor = true,
     .sequence = true,
     .megatron = true,
     .loss = LossKind::in_place},
    {.name = "Megatron-LM as SimuMax ran it",
     .states = "mixed-18",
     .hides_data = false,
     .sequence = true,
     .megatron = true},
    {.name = "Megatron-DeepSpeed",
     .states = "mixed-16",
     .wire_gradients = 2,
     .hides_data = false,
     .waits_for_input_gradients = true,
     .scatters_sends = true,
     .megatron = true,
     .cached = pytorch_cached,
     .own_groups = true},
    {.name = "LLM Foundry",
     .states = "fp32-masters",
     .wire_gradients = 2,
     .loss = LossKind::fused,
     .attention = "flash-2-alibi"},
    {.name = "torchtitan",
     .states = "fp32-masters",
     .sequence = true,
     .loss = LossKind::separate,
     .attention = "flash-2",
     .cached = pytorch_cached},
    {.name = "fms-fsdp",
     .states = "fp32-masters",
     .wire_gradients = 2,
     .loss = LossKind::separate,
     .attention = "flash-2"},
    {.name = "NeMo AutoModel", .states = "precision-aware-16", .wire_gradients = 2},
    {.name = "MaxText or Pax",
     .states = "fp32-masters",
     .wire_gradients = 2,
     .loss = LossKind::in_place,
     .recomputed = {.blocks = true}},
    {.name = "InternEvo", .states = "internevo", .wire_gradients = 2, .cached = pytorch_cached},
    {.name = "Colossal-AI",
     .states = "mixed-18",
     .wire_gradients = 2,
     .loss = LossKind::separate,
     .recomputed = {.blocks = true},
     .attention = "flash-2"},
}};

}  // namespace

Engine engine_of(const PublishedRun& run) {
  constexpr std::array<std::pair<std::string_view, Engine>, 15> sources{{
      {"megatron-bridge", Engine::bridge},
      {"megatron-lm-a100", Engine::megatron_2021},
      {"korthikanti", Engine::megatron_2021},
      {"megatron-lm", Engine::megatron},
      {"simumax", Engine::simumax},
      {"bigscience", Engine::deepspeed},
      {"llm-foundry", Engine::foundry},
      {"torchtitan", Engine::titan},
      {"ibm-fms", Engine::fms},
      {"nemo-automodel", Engine::automodel},
      {"jax", Engine::jax},
      {"internevo", Engine::internevo},
      {"colossalai", Engine::colossal},
      {"nemo", Engine::nemo},
      {"mlperf", Engine::nemo},
  }};
  if (mentions(run.software, "MaxText") || mentions(run.software, "Pax") || mentions(run.sharding, "XLA"))
    return Engine::jax;
  for (const auto& [prefix, engine] : sources)
    if (run.source.starts_with(prefix)) return engine;
  if (mentions(run.software, "NeMo")) return Engine::nemo;
  if (mentions(run.sharding, "deepspeed")) return Engine::deepspeed;
  if (mentions(run.sharding, "megatron")) return Engine::megatron;
  if (mentions(run.sharding, "fsdp2")) return Engine::titan;
  if (mentions(run.sharding, "fsdp")) return Engine::foundry;
  return Engine::megatron;
}

const EngineHabits& habits_of(Engine engine) { return habits.at(static_cast<std::size_t>(engine)); }

}  // namespace pipedeck::study::accuracy
