// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/study/engines/engine.hpp"
#include "core/study/engines/reread.hpp"

namespace pipedeck::study::engines {

/// Chains of an embedding, transformer blocks and a head; cut between blocks, also before the first and behind the
/// last, under 1F1B or interleaved.
Engine megatron();

/// Returns bad_input with the first limitation of Megatron-LM's step.
Result<void> check_megatron_step(const Plan& plan);

/// Returns Megatron-LM's arguments for a plan, a word each: "--num-layers", "32". Other engines call it with them.
std::vector<std::string> megatron_words(const EngineRequest& request);

/// Returns the rules of Megatron-LM, which hold for every engine that calls it, without its limitations of a step.
/// `plan_of_text`, `model_limitation`: of the engine itself.
EngineRules megatron_rules(Result<Plan> (*plan_of_text)(const EngineRequest&),
                           std::function<std::string(const Profile&)> model_limitation);

/// Returns the plan of an engine's own text for a plan that Megatron-LM can run; bad_input with its first limitation.
/// `read`: the text's job.
template <class Read>
Result<Plan> plan_of_megatron_text(const EngineRequest& request, const Read& read) {
  TRY_VOID(check_megatron_step(request.plan));
  TRY(auto job, read());
  return plan_of_job(request, std::move(job));
}

/// Returns the model's obstacle for an engine that builds Megatron Core's GPT models; empty: none.
std::string megatron_model_limitation(const Profile& profile, std::string_view engine);

}  // namespace pipedeck::study::engines
