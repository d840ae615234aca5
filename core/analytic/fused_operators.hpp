// SPDX-License-Identifier: Apache-2.0
// Attention and other parts of transformers as one operator each: ONNX's own (docs/Operators.md, version 23 on) and
// those that ONNX Runtime's optimizer puts in the place of several (its docs/ContribOperators.md, domain
// com.microsoft).
#pragma once

#include <string_view>

#include "core/analytic/shape_rules.hpp"

namespace pipedeck {

/// Who defines the operator: ONNX, under either of its names.
bool is_standard(const Operator& op);
bool is_of_onnx_runtime(const Operator& op);

/// Operators that it runs itself: branches and bodies of loops.
bool runs_inner_graphs(const Operator& op);

/// The same with the sum and the norm of "skip" normalisations as two operators where both results are used: one
/// tensor, the sum, leads from block to block again. Sums come last, so that all others keep their places.
OperatorGraph with_sums_apart(OperatorGraph graph);

struct AttentionSizes {
  std::int64_t samples = 0, queries = 0, keys = 0;  ///< tokens of either
  std::int64_t heads = 0, key_heads = 0;
  std::int64_t key_width = 0, value_width = 0;  ///< of a head
  bool projects = false;                        ///< makes queries, keys and values itself, of weights: inputs 0 and 1
  bool heads_apart = false;                     ///< the result is samples x heads x tokens x width
  bool causal = false;
};

/// Whether the operator is attention, of any kind.
bool is_attention(const Operator& op);
/// Of one that is; bad_input where sizes do not fit.
Result<AttentionSizes> attention_sizes(const RuleCall& call);

/// Rules of ONNX's attention, and of ONNX Runtime's operators.
ShapeRules attention_shape_rules();
ShapeRules onnx_runtime_shape_rules();

}  // namespace pipedeck
