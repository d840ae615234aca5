// SPDX-License-Identifier: Apache-2.0
// Models that are trained: the same text when they are written, and samples of their shape.
#include <vector>

#include "core/io/documents/formats.hpp"
#include "core/plan/validate.hpp"
#include "core/runtime/data/sample_shape.hpp"
#include "core/runtime/data/sample_source.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto model = io::documents::model_from_json(fuzz::text_of(data, size));
  if (!fuzz::judged(model)) return 0;
  const std::string text = io::documents::model_to_json(*model);
  const auto again = io::documents::model_from_json(text);
  fuzz::require(fuzz::judged(again) && io::documents::model_to_json(*again) == text);
  fuzz::require(plan::validate(*model).has_value());
  model->data.path = "nowhere";  // no file of this machine
  const auto shape = runtime::data::sample_shape(*model);
  constexpr std::int64_t few = 1 << 16;
  if (!fuzz::judged(shape) || shape->values > few || shape->positions > few || shape->vocabulary.value_or(0) > few)
    return 0;
  const auto source = runtime::data::make_source(*model);
  if (!fuzz::judged(source)) return 0;
  std::vector<float> input(static_cast<std::size_t>(shape->values)), target(static_cast<std::size_t>(shape->positions));
  (*source)->input(7, input);
  (*source)->target(7, target);
  return 0;
}
