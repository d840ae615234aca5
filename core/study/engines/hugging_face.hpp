// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Accelerate, with TRL's trainers: data parallelism, FSDP 2 and its copies, tensor and context ranks.
Engine accelerate();

/// Axolotl, which has the same degrees in one file.
Engine axolotl();

}  // namespace pipedeck::study::engines
