// SPDX-License-Identifier: Apache-2.0
// Files of the simulator Calculon (github.com/calculon-ai/calculon): models and systems.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/found_machine.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::simulators {

/// Identified by attn_heads and num_blocks, or by mem1 and networks.
bool looks_like_calculon_model(const json::Value& document);
bool looks_like_calculon_system(const json::Value& document);

/// Returns a model of GPT's blocks, as Calculon counts them. The vocabulary is assumed: its files have none.
Result<ParsedTransformer> model_from_calculon(const json::Value& document, const std::string& name);

/// Returns one machine as large as the first network, with a network card per processor by the second one. The
/// processor's peaks, memory and memory bandwidth are the file's; `name` is its type's. Efficiencies are left out.
Result<FoundMachines> machines_from_calculon(const json::Value& document, const std::string& name);

}  // namespace pipedeck::io::simulators
