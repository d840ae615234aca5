// SPDX-License-Identifier: Apache-2.0
// Where samples come from. Sample i of step k is a function of (source, k * global batch + i) alone, so that it is the
// same on every plan.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/domain/model.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

/// One sample: what the first layer takes and what the loss compares with.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual void input(std::uint64_t sample, std::span<float> values) const = 0;
  /// One class a position.
  virtual void target(std::uint64_t sample, std::span<float> classes) const = 0;
  /// Samples 0 .. count - 1 are all that there are, each once; 0: there is no end of them.
  virtual std::uint64_t count() const { return 0; }
};

/// Token sequences for a model that begins with an embedding (the target is the next token, or what stood at a place
/// before it was put over where the model sees ahead), images or vectors with a class for any other. bad_input where
/// data and model do not go together, or the data can't be read.
Result<std::unique_ptr<SampleSource>> make_source(const ModelSpec& model);

/// As the command line names data: synthetic, synthetic:SEED, text:FILE, idx:FILE, images:FOLDER. bad_usage else.
Result<DataSource> data_named(const std::string& argument);

}  // namespace pipedeck
