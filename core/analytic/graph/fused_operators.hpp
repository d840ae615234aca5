// SPDX-License-Identifier: Apache-2.0
// Attention and other parts of transformers as single operators: ONNX's own (docs/Operators.md, from version 23) and
// those that ONNX Runtime's optimizer substitutes for several (its docs/ContribOperators.md, domain com.microsoft).
#pragma once

#include <string_view>

#include "core/analytic/graph/shape_rules.hpp"

namespace pipedeck::analytic::graph {

/// Returns true if the operator is defined by ONNX, under either of its domain names.
bool is_standard(const Operator& op);
bool is_of_onnx_runtime(const Operator& op);

/// Returns true if the operator has nested graphs: branches and loop bodies.
bool runs_inner_graphs(const Operator& op);

/// Splits "skip" normalisations into a sum and a norm if both results are used, so that one tensor, the sum, connects
/// the blocks again. Sums come last, so that all other operators keep their positions.
OperatorGraph split_skip_layer_norm(OperatorGraph graph);

struct AttentionSizes {
  std::int64_t samples = 0, queries = 0, keys = 0;  ///< tokens of queries and of keys
  std::int64_t heads = 0, key_heads = 0;
  std::int64_t key_width = 0, value_width = 0;  ///< per head
  bool projects = false;     ///< computes queries, keys and values itself from weights: inputs 0 and 1
  bool heads_apart = false;  ///< the result is samples x heads x tokens x width
  bool causal = false;
};

/// Returns true for any kind of attention.
bool is_attention(const Operator& op);
/// Returns the sizes of an attention operator; bad_input if they do not match.
Result<AttentionSizes> attention_sizes(const ShapeInferenceContext& call);

/// Returns the rules of ONNX's attention, and of ONNX Runtime's operators.
ShapeRules attention_shape_rules();
ShapeRules onnx_runtime_shape_rules();

}  // namespace pipedeck::analytic::graph
