// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/tokens.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.hpp"
#include "core/runtime/data/file_bytes.hpp"

namespace pipedeck::runtime::data {
namespace {

/// Random streams of the seed: one for the whole source and one for each sample.
constexpr std::uint64_t token_rule_stream = 0, first_token_stream = 1;
/// Another seed, for the noise of a sample.
constexpr std::uint64_t noise_probability = 0xc0881297ULL;

/// A source of token sequences. The target of each token is its successor. For bidirectional models it is the token
/// itself. One in seven of their input tokens is replaced (about 15 % as for BERT, Devlin et al., 2018).
class TokenSource : public SampleSource {
 public:
  TokenSource(std::uint64_t seed, std::int64_t alphabet, bool restore)
      : seed_(seed), alphabet_(static_cast<std::uint64_t>(alphabet)), restore_(restore) {}

  void input(std::uint64_t sample, std::span<float> values) const override {
    tokens(sample, 0, values);
    if (!restore_) return;
    Random random(seed_ ^ noise_probability, first_token_stream + sample);
    for (float& value : values)
      if (random.uniform_int(7) == 0) value = static_cast<float>(random.uniform_int(alphabet_));
  }
  void target(std::uint64_t sample, std::span<float> classes) const override {
    tokens(sample, restore_ ? 0 : 1, classes);
  }

 protected:
  /// Returns tokens skip .. skip + out.size() - 1 of the sample.
  virtual void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const = 0;
  std::uint64_t seed() const { return seed_; }

 private:
  std::uint64_t seed_, alphabet_;
  bool restore_;
};

class MarkovSource final : public TokenSource {
 public:
  MarkovSource(std::uint64_t seed, std::int64_t tokens, bool restore)
      : TokenSource(seed, tokens, restore), successor_(static_cast<std::size_t>(tokens)) {
    std::iota(successor_.begin(), successor_.end(), 0u);
    Random random(seed, token_rule_stream);
    for (std::size_t i = successor_.size(); i > 1; --i) std::swap(successor_[i - 1], successor_[random.uniform_int(i)]);
  }

 private:
  void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const override {
    Random random(seed(), first_token_stream + sample);
    std::uint64_t token = random.uniform_int(successor_.size());
    for (std::size_t i = 0; i < skip + out.size(); ++i) {
      if (i >= skip) out[i - skip] = static_cast<float>(token);
      token = random.uniform_int(10) == 0 ? random.uniform_int(successor_.size()) : successor_[token];
    }
  }

  std::vector<std::uint32_t> successor_;
};

class TextSource final : public TokenSource {
 public:
  TextSource(std::uint64_t seed, std::string text, std::size_t sequence, bool restore)
      : TokenSource(seed, 256, restore), places_(text.size() - sequence), text_(std::move(text)) {}

 private:
  void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const override {
    const std::size_t first = Random(seed(), first_token_stream + sample).uniform_int(places_) + skip;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(text_[first + i]);
  }

  std::size_t places_;  ///< number of positions of a window and the byte after it
  std::string text_;
};

std::int64_t tokens_known(const SampleShape& shape) { return std::min(*shape.vocabulary, shape.classes); }

}  // namespace

std::unique_ptr<SampleSource> make_markov_source(const SampleShape& shape, std::uint64_t seed) {
  return std::make_unique<MarkovSource>(seed, tokens_known(shape), shape.is_bidirectional);
}

Result<std::unique_ptr<SampleSource>> make_text_source(const SampleShape& shape, const DataSource& data) {
  if (tokens_known(shape) < 256)
    return fail(ErrorCode::bad_input,
                fmt::format("text needs a vocabulary and classes of at least 256 (a byte each), the model has {}",
                            tokens_known(shape)),
                "/data/kind");
  TRY(auto text, file_bytes(data.path));
  if (static_cast<std::int64_t>(text.size()) <= shape.positions)
    return fail(ErrorCode::bad_input,
                fmt::format("has {} bytes, expected at least {} (a sequence and the byte behind it)", text.size(),
                            shape.positions + 1),
                {}, data.path);
  return std::make_unique<TextSource>(data.seed, std::move(text), static_cast<std::size_t>(shape.positions),
                                      shape.is_bidirectional);
}

}  // namespace pipedeck::runtime::data
