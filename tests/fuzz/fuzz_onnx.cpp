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
  io::onnx::looks_like_onnx(content);
  const auto graph = io::onnx::operators_from_onnx(content, "fuzz");
  if (!fuzz::judged(graph)) return 0;
  static const DeviceModel device = presets::catalogue_device("A100-80GB").value();
  analytic::graph::Options options;
  for (const analytic::graph::OpenDimension& open : analytic::graph::open_dimensions(*graph))
    options.sizes.named[open.name] = 4;
  // The result is a profile that all other parts accept.
  const auto made = analytic::graph::graph_profile(*graph, device, options);
  if (fuzz::judged(made)) fuzz::require(plan::validate(made->profile).has_value());
  return 0;
}
