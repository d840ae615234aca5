// SPDX-License-Identifier: Apache-2.0
// The shape of samples: the input of a model and the targets of its loss.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace pipedeck::runtime::data {

struct ImageShape {
  std::int64_t channels = 1, height = 1, width = 1;
  std::int64_t values() const { return channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

struct SampleShape {
  std::int64_t values = 1;     ///< numbers per sample that the first layer takes
  std::int64_t positions = 1;  ///< positions of the loss, with a class each
  std::int64_t classes = 1;
  std::optional<std::int64_t> vocabulary;  ///< of tokens, if the model begins with an embedding
  std::optional<ImageShape> image;         ///< if the first layer has rows and columns
  /// True if some layer sees later positions (attention without a mask, a bidirectional LSTM). Predicting the next
  /// token would then be copying it.
  bool is_bidirectional = false;
};

/// Returns the shape. bad_input if the first layer or the loss lacks a size.
Result<SampleShape> sample_shape(const ModelSpec& model);

}  // namespace pipedeck::runtime::data
