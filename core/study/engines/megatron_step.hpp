// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's arguments for degrees and choices of plan format version 2. Rules: megatron/training/arguments.py,
// megatron/core/transformer/transformer_config.py; docs/engines.md lists them.
#pragma once

#include <string>
#include <vector>

#include "core/model/plan.hpp"

namespace pipedeck::study::engines {

/// Returns what Megatron-LM does not have of the plan's degrees, sharding and choices, a sentence each.
std::vector<std::string> megatron_step_limitations(const Plan& plan);

/// Returns the lines of its arguments, for a plan without such limitations. `with_experts`: of a model with some.
std::string megatron_step_arguments(const Plan& plan, bool with_experts);

}  // namespace pipedeck::study::engines
