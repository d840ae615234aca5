// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/data_source.hpp"

#include <fmt/format.h>

#include "core/runtime/data/patterns.hpp"
#include "core/runtime/data/tokens.hpp"
#include "core/runtime/sample_shape.hpp"

namespace pipedeck {
namespace {

std::unique_ptr<SampleSource> make_synthetic(const SampleShape& shape, std::uint64_t seed) {
  if (shape.vocabulary) return make_markov_source(shape, seed);
  return shape.image && shape.positions == 1 ? make_patch_source(shape, seed) : make_centroid_source(shape, seed);
}

}  // namespace

Result<std::unique_ptr<SampleSource>> make_source(const ModelSpec& model) {
  const auto shape = sample_shape(model);
  if (!shape) return tl::unexpected(shape.error());
  const DataSource& data = model.data;
  if (data.kind == "synthetic") return make_synthetic(*shape, data.seed);
  if (data.kind == "text" && !shape->vocabulary)
    return fail(
        ErrorCode::bad_input,
        fmt::format("text needs a model that begins with an embedding, not with '{}'", model.layers.front().kind),
        "/data/kind");
  if (data.kind == "text") return make_text_source(*shape, data);
  return fail(ErrorCode::bad_input, fmt::format("data of kind '{}', expected 'synthetic' or 'text'", data.kind),
              "/data/kind");
}

}  // namespace pipedeck
