// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/io/json/value.hpp"
#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// A configuration of Megatron-Bridge: Megatron-LM's arguments as fields that override a recipe.
Engine megatron_bridge();

/// Returns the fields of that configuration.
io::json::Members bridge_fields_of(const EngineRequest& request);

}  // namespace pipedeck::study::engines
