// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/domain/random.hpp"
#include "core/runtime/layer_kernel.hpp"

namespace pipedeck {
namespace {

/// Streams of the seed: what belongs to the source as a whole, and one for each sample.
constexpr std::uint64_t rule_stream = 0, first_sample_stream = 1;

/// A sequence of tokens; the target of each is the one behind it.
class TokenSource : public SampleSource {
 public:
  void input(std::uint64_t sample, std::span<float> values) const override { tokens(sample, 0, values); }
  void target(std::uint64_t sample, std::span<float> classes) const override { tokens(sample, 1, classes); }

 protected:
  /// Tokens skip .. skip + out.size() - 1 of the sample.
  virtual void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const = 0;
};

/// A noisy Markov chain: nine times of ten a token has its fixed successor, else any. A model that has learned it has a
/// loss of 0.1 ln(n) + entropy(0.1), about 0.33 + 0.1 ln(n) for n tokens.
class MarkovSource final : public TokenSource {
 public:
  MarkovSource(std::uint64_t seed, std::int64_t tokens) : seed_(seed), successor_(static_cast<std::size_t>(tokens)) {
    std::iota(successor_.begin(), successor_.end(), 0u);
    Random random(seed, rule_stream);
    for (std::size_t i = successor_.size(); i > 1; --i) std::swap(successor_[i - 1], successor_[random.below(i)]);
  }

 private:
  void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const override {
    Random random(seed_, first_sample_stream + sample);
    std::uint64_t token = random.below(successor_.size());
    for (std::size_t i = 0; i < skip + out.size(); ++i) {
      if (i >= skip) out[i - skip] = static_cast<float>(token);
      token = random.below(10) == 0 ? random.below(successor_.size()) : successor_[token];
    }
  }

  std::uint64_t seed_;
  std::vector<std::uint32_t> successor_;
};

/// Windows of a file's bytes, at random places.
class TextSource final : public TokenSource {
 public:
  TextSource(std::uint64_t seed, std::string text, std::size_t sequence)
      : seed_(seed), places_(text.size() - sequence), text_(std::move(text)) {}

 private:
  void tokens(std::uint64_t sample, std::size_t skip, std::span<float> out) const override {
    const std::size_t first = Random(seed_, first_sample_stream + sample).below(places_) + skip;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(text_[first + i]);
  }

  std::uint64_t seed_;
  std::size_t places_;  ///< where a window and the byte behind it fit
  std::string text_;
};

/// Vectors around class centroids: noise as strong as the centroids are apart in each coordinate, so that single
/// coordinates say little and all together nearly everything.
class CentroidSource final : public SampleSource {
 public:
  CentroidSource(std::uint64_t seed, std::size_t classes, std::size_t width)
      : seed_(seed), classes_(classes), width_(width), centroids_(classes * width) {
    Random random(seed, rule_stream);
    for (float& value : centroids_) value = 0.5f * random.bell();
  }

  void input(std::uint64_t sample, std::span<float> values) const override {
    Random random(seed_, first_sample_stream + sample);
    for (std::size_t position = 0; position * width_ < values.size(); ++position) {
      const float* centroid = centroids_.data() + class_of(sample, position) * width_;
      for (std::size_t i = 0; i < width_; ++i) values[position * width_ + i] = centroid[i] + random.bell();
    }
  }
  void target(std::uint64_t sample, std::span<float> classes) const override {
    for (std::size_t position = 0; position < classes.size(); ++position)
      classes[position] = static_cast<float>(class_of(sample, position));
  }

 private:
  std::size_t class_of(std::uint64_t sample, std::size_t position) const {
    return mix_bits(mix_bits(seed_ ^ 0xc1a55e5ULL) ^ mix_bits(sample * 0x10001 + position)) % classes_;
  }

  std::uint64_t seed_;
  std::size_t classes_, width_;
  std::vector<float> centroids_;
};

Result<std::unique_ptr<SampleSource>> make_text(const ModelSpec& model, std::int64_t tokens, std::int64_t sequence) {
  if (tokens < 256)
    return fail(
        ErrorCode::bad_input,
        fmt::format("text needs a vocabulary and classes of at least 256 (a byte each), the model has {}", tokens),
        "/data/kind");
  std::ifstream file(model.data.path, std::ios::binary);
  if (!file)
    return fail(ErrorCode::bad_input, fmt::format("can't be opened: {}", std::strerror(errno)), {}, model.data.path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) return fail(ErrorCode::bad_input, "can't be read", {}, model.data.path);
  if (static_cast<std::int64_t>(text.size()) <= sequence)
    return fail(ErrorCode::bad_input,
                fmt::format("has {} bytes, expected at least {} (a sequence and the byte behind it)", text.size(),
                            sequence + 1),
                {}, model.data.path);
  return std::make_unique<TextSource>(model.data.seed, std::move(text), static_cast<std::size_t>(sequence));
}

}  // namespace

Result<std::unique_ptr<SampleSource>> make_source(const ModelSpec& model) {
  const ModelLayer &first = model.layers.front(), &loss = model.layers.back();
  const auto sequence = size_of(first, "sequence"), classes = size_of(loss, "classes");
  for (const auto* size : {&sequence, &classes})
    if (!*size) return tl::unexpected(size->error());
  const std::string& kind = model.data.kind;
  if (kind != "synthetic" && kind != "text")
    return fail(ErrorCode::bad_input, fmt::format("data of kind '{}', expected 'synthetic' or 'text'", kind),
                "/data/kind");
  if (loss.size("sequence") != *sequence)
    return fail(ErrorCode::bad_input, fmt::format("the loss has {} positions a sample, the first layer {}",
                                                  loss.size("sequence"), *sequence));
  if (first.kind == "embedding") {
    const std::int64_t tokens = std::min(first.size("vocabulary"), *classes);
    if (kind == "text") return make_text(model, tokens, *sequence);
    return std::make_unique<MarkovSource>(model.data.seed, tokens);
  }
  if (kind == "text")
    return fail(ErrorCode::bad_input,
                fmt::format("text needs a model that begins with an embedding, not with '{}'", first.kind),
                "/data/kind");
  const std::string width = first.kind == "linear" ? "in" : "hidden";
  const auto values = size_of(first, width);
  if (!values) return tl::unexpected(values.error());
  return std::make_unique<CentroidSource>(model.data.seed, static_cast<std::size_t>(*classes),
                                          static_cast<std::size_t>(*values));
}

}  // namespace pipedeck
