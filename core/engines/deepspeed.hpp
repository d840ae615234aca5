// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/engines/engine.hpp"

namespace pipedeck {

/// Chains of any layers, cut anywhere, under 1F1B.
Engine deepspeed();

}  // namespace pipedeck
