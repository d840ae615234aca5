// SPDX-License-Identifier: Apache-2.0
// Random questions in the choices of Megatron-LM, and the profiles of presets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/mesh/question.hpp"
#include "core/model/profile.hpp"
#include "tests/support/random_problem.hpp"

namespace pipedeck::test {

/// Returns the profile of a preset on an H100 with samples of 4,096 tokens.
Profile computed_profile_of(const std::string& preset);

int one_of(Random& random, const std::vector<int>& values);
bool yes(Random& random);

/// Returns a question of at most 512 devices that keeps the rules of every plan, Megatron-LM and TransformerEngine.
mesh::Question megatron_question(Random& random, const TransformerConfig& config,
                                 std::shared_ptr<const Cluster> cluster);

}  // namespace pipedeck::test
