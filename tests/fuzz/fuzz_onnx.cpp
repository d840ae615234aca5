// SPDX-License-Identifier: Apache-2.0
// ONNX models, made into profiles.
#include "core/analytic/graph/profile.hpp"
#include "core/io/onnx/model.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content = fuzz::text_of(data, size);
  looks_like_onnx(content);
  const auto graph = operators_from_onnx(content, "fuzz");
  if (!fuzz::judged(graph)) return 0;
  static const DeviceModel device = catalogue_device("A100-80GB").value();
  graph::Options options;
  for (const OpenDimension& open : open_dimensions(*graph)) options.sizes.named[open.name] = 4;
  // The result is a profile that all other parts accept.
  const auto made = graph_profile(*graph, device, options);
  if (fuzz::judged(made)) fuzz::require(validate(made->profile).has_value());
  return 0;
}
