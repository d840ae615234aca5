// SPDX-License-Identifier: Apache-2.0
// Files of the simulator SimuMax (github.com/MooreThreads/SimuMax): models and systems.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/found_machine.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::simulators {

/// Identified by head_num and layer_num, or by accelerator and networks.
bool looks_like_simumax_model(const json::Value& document);
bool looks_like_simumax_system(const json::Value& document);

/// Returns a model of Llama's blocks, with experts or latent attention where the file has them. The longest sequence is
/// assumed: its files have none.
Result<ParsedTransformer> model_from_simumax(const json::Value& document, const std::string& name);

/// Returns one machine with its fastest network inside, and a network card per device by inter_node. Efficiencies are
/// left out.
Result<FoundMachines> machines_from_simumax(const json::Value& document, const std::string& name);

}  // namespace pipedeck::io::simulators
