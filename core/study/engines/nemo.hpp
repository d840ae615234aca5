// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// A configuration of NeMo 1: Megatron-LM's arguments under NeMo's names.
Engine nemo();

}  // namespace pipedeck::study::engines
