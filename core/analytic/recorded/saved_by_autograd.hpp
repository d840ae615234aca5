// SPDX-License-Identifier: Apache-2.0
// The tensors that PyTorch's operators save from the forward to the backward pass, from the formulas of their
// derivatives (tools/autograd/derivatives.yaml of PyTorch).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/profiler_trace.hpp"

namespace pipedeck::analytic::recorded {

struct SavedByOperator {
  std::vector<int> inputs = {};  ///< positions of saved inputs
  bool gemm = false;             ///< a matmul
  bool factors = false;          ///< each input is saved for the other's gradient, if that has one
  bool result = false;           ///< a tensor of the first input's size and type
  bool mask = false;             ///< one byte per element of the first input
  bool indices = false;          ///< eight bytes per element of the result
  int rows = 0;                  ///< 4-byte elements per normalised row (of the sizes of input 2)
  int channels = 0;              ///< 4-byte elements per element of input 1
};

/// Returns the tensors saved by the operator with this backward function: "AddmmBackward0". Nothing if they are
/// unknown.
std::optional<SavedByOperator> saved_tensors_of(std::string_view function);

/// Returns "native_layer_norm" for "NativeLayerNormBackward0".
std::string operator_of(std::string_view function);

/// Returns the number of elements in a tensor, at most 2^60.
double num_elements(const RecordedTensor& tensor);

}  // namespace pipedeck::analytic::recorded
