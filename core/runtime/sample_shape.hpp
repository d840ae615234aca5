// SPDX-License-Identifier: Apache-2.0
// What a model takes and what its loss compares with: what samples have to look like.
#pragma once

#include <cstdint>
#include <optional>

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct ImageShape {
  std::int64_t channels = 1, height = 1, width = 1;
  std::int64_t values() const { return channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

struct SampleShape {
  std::int64_t values = 1;     ///< numbers the first layer takes a sample
  std::int64_t positions = 1;  ///< at which the loss compares, a class each
  std::int64_t classes = 1;
  std::optional<std::int64_t> vocabulary;  ///< of tokens, where the model begins with an embedding
  std::optional<ImageShape> image;         ///< where the first layer knows rows and columns
  /// Some layer sees what comes behind a position (attention without a mask, an LSTM in both directions): to predict
  /// the next token would be to copy it.
  bool sees_ahead = false;
};

/// bad_input where the first layer or the loss lacks a size.
Result<SampleShape> sample_shape(const ModelSpec& model);

}  // namespace pipedeck
