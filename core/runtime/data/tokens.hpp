// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens, made up or read from a text.
#pragma once

#include <memory>

#include "core/runtime/data_source.hpp"
#include "core/runtime/sample_shape.hpp"

namespace pipedeck {

/// A noisy Markov chain: nine times of ten a token has its fixed successor, else any. A model that has learned it has a
/// loss of 0.1 ln(n) + entropy(0.1), about 0.33 + 0.1 ln(n) for n tokens.
std::unique_ptr<SampleSource> make_markov_source(const SampleShape& shape, std::uint64_t seed);

/// `shape` has a vocabulary. Windows of a file's bytes, at random places. bad_input where it can't be read or is too
/// short.
Result<std::unique_ptr<SampleSource>> make_text_source(const SampleShape& shape, const DataSource& data);

}  // namespace pipedeck
