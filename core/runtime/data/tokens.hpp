// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens, synthetic or from a text file.
#pragma once

#include <memory>

#include "core/runtime/data/sample_shape.hpp"
#include "core/runtime/data/sample_source.hpp"

namespace pipedeck::runtime::data {

/// Returns a noisy Markov chain: a token is followed by its fixed successor in nine of ten cases, else by any token. A
/// trained model has a loss of 0.1 ln(n) + entropy(0.1), about 0.33 + 0.1 ln(n) for n tokens.
std::unique_ptr<SampleSource> make_markov_source(const SampleShape& shape, std::uint64_t seed);

/// Returns windows of a file's bytes at random positions. `shape` has a vocabulary. bad_input if the file cannot be
/// read or is too short.
Result<std::unique_ptr<SampleSource>> make_text_source(const SampleShape& shape, const DataSource& data);

}  // namespace pipedeck::runtime::data
