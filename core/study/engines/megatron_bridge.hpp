// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// A configuration of Megatron-Bridge: Megatron-LM's arguments as fields that override a recipe.
Engine megatron_bridge();

}  // namespace pipedeck::study::engines
