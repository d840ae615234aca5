// SPDX-License-Identifier: Apache-2.0
// Sources of samples. Sample i of step k is a function of (source, k * global batch + i) only, so it is the same on
// every plan.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace pipedeck::runtime::data {

/// A source of samples: the input of the first layer and the target of the loss.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual void input(std::uint64_t sample, std::span<float> values) const = 0;
  /// Writes one class per position.
  virtual void target(std::uint64_t sample, std::span<float> classes) const = 0;
  /// Returns the number of samples, which are 0 .. count - 1; 0 if the source is endless.
  virtual std::uint64_t count() const { return 0; }
};

/// Returns the source of a model's samples. Models that begin with an embedding get token sequences, whose target is
/// the next token, or the original token at replaced positions for bidirectional models. All others get images or
/// vectors with a class. bad_input if data and model do not fit together, or the data cannot be read.
Result<std::unique_ptr<SampleSource>> make_source(const ModelSpec& model);

/// Parses the command line's name of data: synthetic, synthetic:SEED, text:FILE, idx:FILE, images:FOLDER. bad_usage
/// otherwise.
Result<DataSource> parse_data(const std::string& argument);

}  // namespace pipedeck::runtime::data
