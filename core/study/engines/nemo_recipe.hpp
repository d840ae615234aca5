// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/study/engines/engine.hpp"

namespace pipedeck::study::engines {

/// Settings of a NeMo 2 recipe: Megatron-Bridge's fields as assignments in Python.
Engine nemo_recipe();

}  // namespace pipedeck::study::engines
