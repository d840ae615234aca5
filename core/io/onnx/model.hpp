// SPDX-License-Identifier: Apache-2.0
// ONNX models (github.com/onnx/onnx, onnx.proto): operators, tensors and their sizes. Weights are skipped, in the file
// or outside. Other files are never opened, bodies of loops and branches not entered.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "core/model/operator_graph.hpp"

namespace pipedeck::io::onnx {

/// Identified by the version of the format, which comes first, and the field after it.
bool looks_like_onnx(std::string_view content);

/// Names are unique, sizes not negative, and every tensor that an operator takes is there: of the inputs, the fixed
/// ones or another operator's outputs. Operators may stand in any order, also in a circle. `name` is used where the
/// graph has none. Errors carry the place: "/graph/node/12".
Result<OperatorGraph> operators_from_onnx(std::string_view content, const std::string& name);

}  // namespace pipedeck::io::onnx
