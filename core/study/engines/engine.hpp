// SPDX-License-Identifier: Apache-2.0
// Training engines and their requirements on a plan: Megatron-LM and who calls it, torchtitan, DeepSpeed, Hugging
// Face's programs, PyTorch's pipelining. None runs every plan. Each unsupported part of a plan is reported, with
// similar plans that the engine can run.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/cluster.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::study::engines {

struct EngineRequest {
  const Plan& plan;  ///< valid for profile and cluster
  const Profile& profile;
  const Cluster& cluster;
  /// The source of a computed profile; null: unknown.
  const TransformerOrigin* origin = nullptr;
};

/// An engine's abilities, as its own argument checks state them (docs/engines.md has the sources).
struct EngineRules {
  std::vector<ScheduleKind> schedules;  ///< the first is the one that other plans are brought to
  bool tensor_parallel = true;          ///< whether it cuts layers itself
  bool pipeline = true;                 ///< whether it has several stages
  int max_zero = 0;
  bool recompute_at_once = false;  ///< whether it recomputes a stage as one, too (RecomputeUnit::stage)
  std::vector<Optimizer> optimizers;
  /// Engines of plan::mesh_rules() whose rules a plan of format version 2 has to keep, besides those of every plan.
  std::vector<std::string_view> rule_sets;
  bool even_nodes = false;  ///< whether its launcher takes as many devices on each node
  /// The fewest micro-batches that it takes with this plan's stages and schedule; null: one.
  int (*min_micro_batches)(const Plan&) = nullptr;
  /// Returns what the engine lacks of degrees and choices of plan format version 2, a sentence each; null: it has none.
  std::vector<std::string> (*step_limitations)(const Plan&) = nullptr;
  /// Returns the plan of format version 2 that the engine runs by its own text for a plan. It differs in what the text
  /// can't express.
  Result<Plan> (*plan_of_text)(const EngineRequest&) = nullptr;
  /// True if its text states all that `step_limitations` lets pass. Then plans for measured profiles, which no text
  /// brings back, are written, too.
  bool states_all = false;
  /// Returns true if a stage may begin at this position (1 .. N-1) of the profile's layers.
  std::function<bool(const Profile&, int)> is_valid_boundary;
  /// Returns the model's own obstacles, for any plan; empty: none.
  std::function<std::string(const Profile&)> model_limitation;
};

/// A text that an engine takes: arguments, a configuration, a program.
struct EngineOutput {
  std::string_view name;     ///< "megatron", as `export` calls it
  std::string_view ending;   ///< ".sh"
  std::string_view summary;  ///< one line
  std::string (*text)(const EngineRequest&);
};

struct Engine {
  std::string_view name;     ///< "Megatron-LM"
  std::string_view version;  ///< whose names and rules it has: "core 0.15"
  EngineRules rules;
  std::vector<EngineOutput> outputs;  ///< of a plan that fits
};

const std::vector<Engine>& engines();
/// The engine that has an output of that name, and the output; null where there is none.
struct NamedOutput {
  const Engine* engine = nullptr;
  const EngineOutput* output = nullptr;
};
NamedOutput find_engine_output(std::string_view name);

/// Which parts of the plan the engine can't run, a sentence each; empty: it runs the plan as it is.
std::vector<std::string> unsupported_features(const Engine& engine, const Plan& plan, const Profile& profile);
/// Returns them with the devices: a launcher must be able to start the processes there (plan/launch_order.hpp).
std::vector<std::string> unsupported_features(const Engine& engine, const EngineRequest& question);

/// The plan itself where it fits. Else plans that the engine can run and that keep what can be kept, on the same
/// devices or some of them: as many stages with as many layers where that is possible, called after the plan and the
/// engine. Valid for the cluster; whether they fit into memory the caller sees. Empty where the engine can't run the
/// model at all.
std::vector<Plan> closest_plans(const Engine& engine, const EngineRequest& question);

/// The text; bad_input with the misfits where the plan does not fit.
Result<std::string> engine_text(const NamedOutput& wanted, const EngineRequest& question);

}  // namespace pipedeck::study::engines
