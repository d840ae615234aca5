// SPDX-License-Identifier: Apache-2.0
// The dimensions that a plan of format version 2 is edited in, one value each.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/mesh/question.hpp"
#include "core/mesh/rates.hpp"
#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/sim/simulate.hpp"

namespace pipedeck::study::mesh_editing {

enum class Dimension {
  tensor,
  sequence,  ///< 0 or 1
  context,
  context_kind,  ///< a ContextKind
  expert,
  expert_tensor,  ///< ranks that cut each expert
  pipeline,
  virtual_stages,
  data,            ///< follows the others
  sharding,        ///< level
  sharding_group,  ///< ranks
  micro_batch,     ///< samples on a data rank
  products,        ///< position in product_names
  recompute,       ///< position in Mesh::recomputed
  overlap,         ///< a HiddenLane: switched on or off
};
inline constexpr int dimension_count = 15;
/// Returns "TP", or a word where engines have no abbreviation.
std::string_view name_of(Dimension dimension);

enum class HiddenLane { gradients, weights, pipeline, tensor, expert };
inline constexpr int hidden_lane_count = 5;

inline constexpr std::array<std::string_view, 5> product_names{"bf16", "fp16", "fp8", "mxfp8", "nvfp4"};

/// A rule that a value breaks.
struct BrokenRule {
  std::string engine;  ///< "Megatron-LM"; empty: of every plan
  std::string name;    ///< "heads"
  std::string text;    ///< "found ..., expected ..."
  std::string source;  ///< file and line of the engine, or a paper; empty: of the program itself
  bool operator==(const BrokenRule&) const = default;
};

/// A value of a dimension.
struct DimensionValue {
  Dimension dimension;
  int value;
  bool operator==(const DimensionValue&) const = default;
};

/// A plan that is edited: its question, what its devices reach, and what may not move.
struct Mesh {
  mesh::Question question;
  mesh::Rates rates;
  std::vector<analytic::transformer::shards::Recomputed> recomputed;  ///< choices, least time first; has the question's
  std::set<Dimension> locked{};
  std::vector<std::string_view> engines{"Megatron-LM", "TransformerEngine"};  ///< whose rules hold
};

/// Returns bad_input with the place of what is not covered (mesh::question_of). `simulator`: of the plan's problem.
Result<Mesh> mesh_of(const sim::Simulator& simulator, const Plan& plan);

/// Returns the question's value in a dimension; of `overlap`, 0.
int value_of(const Mesh& mesh, Dimension dimension);
bool is_hidden(const Hidden& hidden, HiddenLane lane);

/// Returns the question with that value, on as many devices and with the same global batch. Unlocked dimensions follow:
/// D has the ranks that are left, or if it is locked, P, C or T; v falls until the blocks and micro-batches divide. A
/// change of e lowers x, and one of x lowers e, until both divide a stage's ranks. Sends are hidden where ranks have
/// several stages. The error is the first rule that the result breaks (planner::mesh::first_broken_rule), or the lock
/// in the way.
tl::expected<mesh::Question, BrokenRule> changed(const Mesh& mesh, Dimension dimension, int value);
/// Returns the question as changed(), even if the dimension itself is locked.
tl::expected<mesh::Question, BrokenRule> unlocked_change(const Mesh& mesh, Dimension dimension, int value);

/// Returns the change of one more unlocked dimension with which a value is admissible: sharding first, tensor ranks
/// last, near values first. Nothing: there is none.
std::optional<DimensionValue> admissible_with(const Mesh& mesh, Dimension dimension, int value);

/// Returns the values that a dimension is offered in, ascending, with its own. Not all need be admissible.
std::vector<int> offered_values(const Mesh& mesh, Dimension dimension);

/// Returns "8", "off", "heads+ring", "ZeRO-1", "each block".
std::string text_of(const Mesh& mesh, Dimension dimension, int value);

/// Returns the plan of a question with the names and origin of the plan that it was made from.
Plan edited_plan(const Plan& plan, const mesh::Question& question, const Profile& profile);

/// Returns the options of the planner `mesh` that keep the locked dimensions as they are.
std::map<std::string, std::string> planner_options(const Mesh& mesh);

}  // namespace pipedeck::study::mesh_editing
