// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/nemo_recipe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/limits.hpp"
#include "core/io/jobs/megatron_bridge.hpp"
#include "core/io/jobs/megatron_fields.hpp"
#include "core/io/text/lines.hpp"

namespace pipedeck::io::jobs {
namespace {

/// A section of Megatron-Bridge and its place in a recipe.
struct Section {
  std::string_view bridge, recipe;
};
constexpr auto sections = std::to_array<Section>({{"dataset.sequence_length", "recipe.data.seq_length"},
                                                  {"train.", "recipe.data."},
                                                  {"ddp.", "recipe.trainer.strategy.ddp."},
                                                  {"optimizer.", "recipe.optim.config."},
                                                  {"mixed_precision.", "recipe.trainer.plugins."},
                                                  {"comm_overlap.", "overlap."},
                                                  {"model.", "recipe.model.config."}});

constexpr std::string_view strategy = "recipe.trainer.strategy.", model = "model.";
/// Fields of Megatron-Bridge's model that MegatronStrategy takes.
constexpr auto of_strategy = std::to_array<std::string_view>(
    {"tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size",
     "microbatch_group_size_per_vp_stage", "context_parallel_size", "sequence_parallel", "expert_model_parallel_size",
     "expert_tensor_parallel_size", "num_layers_in_first_pipeline_stage", "num_layers_in_last_pipeline_stage",
     "account_for_embedding_in_pipeline_split", "account_for_loss_in_pipeline_split"});

/// Fields that no recipe has by these names, or that its functions of precision set.
constexpr auto not_in_recipes = std::to_array<std::string_view>(
    {"model.pipeline_model_parallel_layout", "model.cuda_graph_impl", "model.cuda_graph_scope",
     "model.attention_backend", "ddp.data_parallel_sharding_strategy", "ddp.outer_dp_sharding_strategy",
     "ddp.num_distributed_optimizer_instances", "comm_overlap._target_",
     "comm_overlap.overlap_moe_expert_parallel_comm", "comm_overlap.delay_wgrad_compute", "mixed_precision._target_",
     "mixed_precision.fp32", "mixed_precision.bf16", "mixed_precision.fp16", "mixed_precision.fp4",
     "mixed_precision.fp4_recipe", "mixed_precision.reuse_grad_buf_for_mxfp8_param_ag"});

constexpr std::string_view precision = "recipe.trainer.plugins";
constexpr std::string_view bf16 = "bf16_mixed()", fp16 = "fp16_mixed()";

/// Returns the path of a field in a recipe; nothing: it has none.
std::optional<std::string> recipe_path(std::string_view bridge) {
  if (std::ranges::find(not_in_recipes, bridge) != not_in_recipes.end()) return {};
  if (bridge.starts_with(model) && std::ranges::find(of_strategy, bridge.substr(model.size())) != of_strategy.end())
    return fmt::format("{}{}", strategy, bridge.substr(model.size()));
  for (const Section& section : sections)
    if (bridge.starts_with(section.bridge))
      return fmt::format("{}{}", section.recipe, bridge.substr(section.bridge.size()));
  return {};
}

/// Returns the path in a configuration of Megatron-Bridge; another path as it is.
std::string bridge_path(std::string_view recipe) {
  const std::string_view of =
      recipe.starts_with(strategy) ? recipe.substr(strategy.size()) : std::string_view("recipe");
  if (std::ranges::find(of_strategy, of) != of_strategy.end()) return fmt::format("{}{}", model, of);
  for (const Section& section : sections)
    if (recipe.starts_with(section.recipe))
      return fmt::format("{}{}", section.bridge, recipe.substr(section.recipe.size()));
  return std::string(recipe);
}

bool is_number(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

std::string literal(const std::string& text) {
  if (text == "true" || text == "false") return text == "true" ? "True" : "False";
  if (is_number(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "\"";
}

std::string literal(const json::Value& value) {
  if (const auto* const text = value.as<std::string>()) return literal(*text);
  if (const json::Value* const type = value.find("_target_"))
    if (const auto* const name = type->as<std::string>()) return *name;
  if (const auto* const list = value.as<json::List>()) {
    std::vector<std::string> items;
    for (const json::Value& item : *list) items.push_back(literal(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  return "None";
}

void add_lines(const json::Members& tree, const std::string& prefix, const std::string& indentation,
               std::string& lines) {
  for (const auto& [key, value] : tree) {
    const std::string path = prefix + key;
    const auto* const members = value.as<json::Members>();
    if (members && !value.find("_call_"))  // which types have
      add_lines(*members, path + ".", indentation, lines);
    else if (const auto place = recipe_path(path))
      lines += fmt::format("{}{} = {}\n", indentation, *place, literal(value));
  }
}

/// Returns the value of a literal as a scalar or list of tree_from_yaml().
json::Value value_of(std::string_view text) {
  if (text == "None") return {};
  if (text == "True" || text == "False") return text == "True" ? "true" : "false";
  if (text.starts_with('[')) {
    json::List list;
    for (const std::string_view item : text::words_between(text, "[, ]")) list.push_back(value_of(item));
    return list;
  }
  if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

struct Assignment {
  std::string_view path, value;
};

/// Returns the assignment of a line: "recipe.a.b = 1  # why".
std::optional<Assignment> assignment_of(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == line.npos) return {};
  line = line.substr(begin);
  const std::size_t equals = line.find(" = ");
  if (equals == line.npos || !(line.starts_with("recipe.") || line.starts_with("overlap."))) return {};
  std::string_view value = line.substr(equals + 3);
  value = value.substr(0, value.find("  #"));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\r')) value.remove_suffix(1);
  return Assignment{line.substr(0, equals), value};
}

/// A recipe's settings.
struct Settings {
  json::Members bridge;   ///< as members of a configuration of Megatron-Bridge; others as they are
  json::Members trainer;  ///< "devices", "num_nodes"
};

Settings settings_of(const std::string& text) {
  constexpr std::string_view trainer = "recipe.trainer.";
  Settings settings;
  text::for_lines(text, [&](std::string_view line, int) {
    const auto found = assignment_of(line);
    if (!found) return true;
    const auto [path, value] = *found;
    if (path == precision && (value == bf16 || value == fp16))
      set_at(settings.bridge, value == bf16 ? "mixed_precision.bf16" : "mixed_precision.fp16", "true");
    else if (path == "recipe.trainer.devices" || path == "recipe.trainer.num_nodes")
      set_at(settings.trainer, path.substr(trainer.size()), value_of(value));
    else if (path != "recipe.trainer.callbacks")
      set_at(settings.bridge, bridge_path(path), value_of(value));
    return true;
  });
  return settings;
}

}  // namespace

std::string recipe_lines(const json::Members& bridge, const std::string& indentation) {
  std::string lines;
  const json::Value tree(bridge);
  const json::Value* const section = tree.find("mixed_precision");
  for (const auto& [field, function] : {std::pair{"bf16", bf16}, std::pair{"fp16", fp16}})
    if (section && section->find(field) && *section->find(field) == json::Value("true"))
      lines += fmt::format("{}{} = {}\n", indentation, precision, function);
  add_lines(bridge, "", indentation, lines);
  return lines;
}

bool looks_like_nemo_recipe(const std::string& text) {
  return text.find("recipe.trainer.strategy.tensor_model_parallel_size = ") != text.npos;
}

Result<TrainingJob> job_from_nemo_recipe(const std::string& text, std::string name) {
  Settings settings = settings_of(text);
  const json::Value bridge(std::move(settings.bridge)), trainer(std::move(settings.trainer));
  TRY(TrainingJob job, job_from_bridge_tree(bridge, std::move(name)));
  Options options(trainer);
  const std::int64_t devices = options.number("devices", 1, 1), nodes = options.number("num_nodes", 1, 1);
  if (options.error()) return tl::unexpected(*options.error());
  if (devices * nodes > limits::devices)
    return fail(ErrorCode::bad_input, fmt::format("found {} devices on {} nodes, expected at most {} in all", devices,
                                                  nodes, limits::devices));
  job.devices = static_cast<int>(devices * nodes);
  job.version = "core 0.15, as NeMo 2 calls it";
  return job;
}

}  // namespace pipedeck::io::jobs
