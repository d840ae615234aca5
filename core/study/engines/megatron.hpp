// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Chains of an embedding, transformer blocks and a head; cut between blocks, also before the first and behind the
/// last, under 1F1B or interleaved.
Engine megatron();

}  // namespace pipedeck::study::engines
