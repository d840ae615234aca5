// SPDX-License-Identifier: Apache-2.0
// ONNX's tensors: sizes, and the numbers of those that shapes are computed with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/operator_graph.hpp"

namespace pipedeck::io::onnx {

/// Returns the element type of ONNX's TensorProto.DataType.
Element element_of_onnx(std::uint64_t data_type);

/// Returns the number of elements. Errors have no place.
Result<std::int64_t> count_of(const std::vector<std::int64_t>& shape);

/// Present data must match the sizes; data in another file are not looked for. Errors have no place.
Result<Initializer> tensor_from_onnx(std::string_view message);

/// A name as messages and files can hold it: one line of UTF-8.
std::string name_from_onnx(std::string_view bytes);

}  // namespace pipedeck::io::onnx
