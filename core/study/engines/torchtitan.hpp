// SPDX-License-Identifier: Apache-2.0
// torchtitan's configuration for a plan.
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

Engine torchtitan();

}  // namespace pipedeck::study::engines
