// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Chains of any layers, cut anywhere, under 1F1B.
Engine deepspeed();

}  // namespace pipedeck::study::engines
