// SPDX-License-Identifier: Apache-2.0
#include "core/study/engines/engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/study/engines/deepspeed.hpp"
#include "core/study/engines/hugging_face.hpp"
#include "core/study/engines/megatron.hpp"
#include "core/study/engines/megatron_bridge.hpp"
#include "core/study/engines/nemo.hpp"
#include "core/study/engines/nemo_recipe.hpp"
#include "core/study/engines/pytorch.hpp"
#include "core/study/engines/torchtitan.hpp"

namespace pipedeck::study::engines {

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all{megatron(),  megatron_bridge(), nemo(),    nemo_recipe(), torchtitan(),
                                       deepspeed(), accelerate(),      axolotl(), pytorch()};
  return all;
}

NamedOutput find_engine_output(std::string_view name) {
  for (const Engine& engine : engines())
    for (const EngineOutput& output : engine.outputs)
      if (output.name == name) return {&engine, &output};
  return {};
}

Result<std::string> engine_text(const NamedOutput& wanted, const EngineRequest& question) {
  const std::vector<std::string> parts = unsupported_features(*wanted.engine, question);
  if (!parts.empty())
    return fail(ErrorCode::bad_input, fmt::format("{} ({}) can't run this plan: {}", wanted.engine->name,
                                                  wanted.engine->version, fmt::join(parts, "; ")));
  return wanted.output->text(question);
}

}  // namespace pipedeck::study::engines
