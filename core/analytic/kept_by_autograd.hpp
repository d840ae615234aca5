// SPDX-License-Identifier: Apache-2.0
// What PyTorch's operators keep from the forward to the backward pass: from the formulas of its derivatives
// (tools/autograd/derivatives.yaml of PyTorch).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/recording.hpp"

namespace pipedeck::recorded {

struct KeptByOperator {
  std::vector<int> inputs = {};  ///< positions of inputs that are kept
  bool product = false;          ///< of matrices
  bool factors = false;          ///< each input is kept for the other's gradient, where that has one
  bool result = false;           ///< what is as large as the first input and of its type
  bool mask = false;             ///< a byte for each number of the first input
  bool indices = false;          ///< eight bytes for each number of the result
  int rows = 0;                  ///< 4-byte numbers for each row that is normalised (of the sizes of input 2)
  int channels = 0;              ///< 4-byte numbers for each number of input 1
};

/// Of the operator whose backward function is called so: "AddmmBackward0". Nothing: it is not known.
std::optional<KeptByOperator> kept_by(std::string_view function);

/// "native_layer_norm" of "NativeLayerNormBackward0".
std::string operator_of(std::string_view function);

/// Numbers in a tensor; 2^60 where there are more.
double numbers_in(const RecordedTensor& tensor);

}  // namespace pipedeck::recorded
