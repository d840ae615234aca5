// SPDX-License-Identifier: Apache-2.0
// Built ONNX models as profiles.
#pragma once

#include <utility>

#include <QTest>

#include "core/analytic/graph_profile.hpp"
#include "core/domain/validate.hpp"
#include "core/io/onnx_model.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/core/analytic/onnx_builder.hpp"

namespace pipedeck::test {

inline OperatorGraph read(const OnnxBuilder& builder) {
  auto graph = operators_from_onnx(builder.bytes(), "model");
  if (!graph) qFatal("%s: %s", graph.error().place.c_str(), graph.error().message.c_str());
  return *std::move(graph);
}

inline GraphOptions options_for(int samples, int sequence = 0) {
  GraphOptions options;
  options.sizes.samples = samples;
  options.sizes.sequence = sequence;
  return options;
}

inline Result<AnalyticProfile> profile_of(const OnnxBuilder& builder, const GraphOptions& options) {
  const auto graph = operators_from_onnx(builder.bytes(), "model");
  if (!graph) return tl::unexpected(graph.error());
  auto made = graph_profile(*graph, catalogue_device("A100-80GB").value(), options);
  if (made)
    if (auto valid = validate(made->profile); !valid) return tl::unexpected(valid.error());
  return made;
}

}  // namespace pipedeck::test
