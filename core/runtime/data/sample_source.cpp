// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data/sample_source.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/runtime/data/images.hpp"
#include "core/runtime/data/patterns.hpp"
#include "core/runtime/data/sample_shape.hpp"
#include "core/runtime/data/tokens.hpp"

namespace pipedeck::runtime::data {
namespace {

std::unique_ptr<SampleSource> make_synthetic(const SampleShape& shape, std::uint64_t seed) {
  if (shape.vocabulary) return make_markov_source(shape, seed);
  return shape.image && shape.positions == 1 ? make_patch_source(shape, seed) : make_centroid_source(shape, seed);
}

Result<std::unique_ptr<SampleSource>> make_images(const SampleShape& shape, const DataSource& data) {
  if (shape.vocabulary || shape.positions != 1)
    return fail(ErrorCode::bad_input,
                shape.vocabulary
                    ? std::string("images need a model that does not begin with an embedding")
                    : fmt::format("images have one class each, the model's loss has {} positions", shape.positions),
                "/data/kind");
  TRY(auto images, data.kind == "idx" ? read_idx(data.path, shape) : read_image_folder(data.path, shape));
  return make_image_source(std::move(images), shape, data.seed);
}

/// A source for replays, from which nothing is learnt.
class ZeroSource : public SampleSource {
 public:
  void input(std::uint64_t, std::span<float> values) const override { std::fill(values.begin(), values.end(), 0.0f); }
  void target(std::uint64_t, std::span<float> classes) const override {
    std::fill(classes.begin(), classes.end(), 0.0f);
  }
};

}  // namespace

Result<std::unique_ptr<SampleSource>> make_source(const ModelSpec& model) {
  if (model.data.kind == "zeros") return std::make_unique<ZeroSource>();
  TRY(const auto shape, sample_shape(model));
  const DataSource& data = model.data;
  if (data.kind == "synthetic") return make_synthetic(shape, data.seed);
  if (data.kind == "text" && !shape.vocabulary)
    return fail(
        ErrorCode::bad_input,
        fmt::format("text needs a model that begins with an embedding, not with '{}'", model.layers.front().kind),
        "/data/kind");
  if (data.kind == "text") return make_text_source(shape, data);
  if (data.kind == "idx" || data.kind == "images") return make_images(shape, data);
  return fail(ErrorCode::bad_input,
              fmt::format("data of kind '{}', expected one of synthetic, text, idx, images", data.kind), "/data/kind");
}

Result<DataSource> parse_data(const std::string& argument) {
  const std::size_t colon = argument.find(':');
  DataSource data;
  data.kind = argument.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : argument.substr(colon + 1);
  const bool from_file = data.kind == "text" || data.kind == "idx" || data.kind == "images";
  if (from_file && !rest.empty()) {
    data.path = rest;
    return data;
  }
  if (data.kind == "synthetic" && colon == std::string::npos) return data;
  const char* end = rest.data() + rest.size();
  const auto seed = std::from_chars(rest.data(), end, data.seed);
  if (data.kind == "synthetic" && !rest.empty() && seed.ec == std::errc() && seed.ptr == end) return data;
  return fail(
      ErrorCode::bad_usage,
      fmt::format("found the data '{}', expected synthetic, synthetic:SEED, text:FILE, idx:FILE or images:FOLDER",
                  argument));
}

}  // namespace pipedeck::runtime::data
