// SPDX-License-Identifier: Apache-2.0
// A NeMo 2 recipe's settings for a plan: a function in Python that changes a recipe of NeMo-Run. Names:
// nemo/lightning/pytorch/strategies/megatron_strategy.py, callbacks/megatron_comm_overlap.py,
// nemo/collections/llm/recipes and scripts/performance/helpers.py; docs/engines.md lists them.
#include "core/study/engines/nemo_recipe.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/one_line.hpp"
#include "core/io/jobs/nemo_recipe.hpp"
#include "core/study/engines/megatron.hpp"
#include "core/study/engines/megatron_bridge.hpp"
#include "core/study/engines/ranks.hpp"
#include "core/study/engines/transformer_blocks.hpp"

namespace pipedeck::study::engines {
namespace {

std::string recipe_program(const EngineRequest& request) {
  const EvenNodes nodes = even_nodes(request.plan, request.cluster).value_or(EvenNodes{});
  std::string text = fmt::format(
      "# Settings of a NeMo 2 recipe for plan '{}'. Call planned() with a recipe of the model:\n"
      "#   recipe = planned(llm.llama3_70b.pretrain_recipe(name=\"run\"))\n"
      "# Set what a plan does not contain: tokenizer, data, learning rate, steps.\n"
      "import nemo_run as run\n"
      "import torch\n"
      "from nemo.collections.llm.recipes.precision.mixed_precision import bf16_mixed, fp16_mixed\n"
      "from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback\n"
      "\n"
      "\n"
      "def planned(recipe):\n"
      "    \"\"\"Returns the recipe with the settings of the plan.\"\"\"\n"
      "    overlap = run.Config(MegatronCommOverlapCallback)\n"
      "    others = [one for one in recipe.trainer.callbacks or [] if one.__fn_or_cls__ is not "
      "MegatronCommOverlapCallback]\n"
      "    recipe.trainer.callbacks = [*others, overlap]\n"
      "    recipe.trainer.devices = {}\n"
      "    recipe.trainer.num_nodes = {}\n",
      strip_control_characters(request.plan.name), nodes.devices, nodes.nodes);
  text += io::jobs::recipe_lines(bridge_fields_of(request), "    ");
  return text + "    return recipe\n\n\n" + rank_comment(request.plan, request.cluster, "# ");
}

Result<Plan> plan_of_recipe(const EngineRequest& request) {
  return plan_of_megatron_text(
      request, [&] { return io::jobs::job_from_nemo_recipe(recipe_program(request), request.plan.name); });
}

}  // namespace

Engine nemo_recipe() {
  // Apart: g++ 12 frees parts of a nested aggregate twice where memory ends.
  EngineRules rules = megatron_rules(
      plan_of_recipe, [](const Profile& profile) { return megatron_model_limitation(profile, "NeMo 2"); });
  rules.even_nodes = true, rules.states_all = false;
  std::vector<EngineOutput> outputs{{"nemo-recipe", ".py", "settings of a NeMo 2 recipe", recipe_program}};
  return {"NeMo 2", "core 0.15", std::move(rules), std::move(outputs)};
}

}  // namespace pipedeck::study::engines
