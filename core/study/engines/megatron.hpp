// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Chains of an embedding, transformer blocks and a head; cut between blocks, also before the first and behind the
/// last, under 1F1B or interleaved.
Engine megatron();

/// Returns Megatron-LM's arguments for a plan, a word each: "--num-layers", "32". Other engines call it with them.
std::vector<std::string> megatron_words(const EngineRequest& request);

/// Returns the model's obstacle for an engine that builds Megatron Core's GPT models; empty: none.
std::string megatron_model_limitation(const Profile& profile, std::string_view engine);

}  // namespace pipedeck::study::engines
