// SPDX-License-Identifier: Apache-2.0
// Built ONNX models as profiles.
#pragma once

#include <utility>

#include <QTest>

#include "core/analytic/graph/profile.hpp"
#include "core/io/onnx/model.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "tests/core/analytic/graph/onnx_builder.hpp"

namespace pipedeck::test {

inline OperatorGraph read(const OnnxBuilder& builder) {
  auto graph = io::onnx::operators_from_onnx(builder.bytes(), "model");
  if (!graph) qFatal("%s: %s", graph.error().place.c_str(), graph.error().message.c_str());
  return *std::move(graph);
}

inline analytic::graph::Options options_for(int samples, int sequence = 0) {
  analytic::graph::Options options;
  options.sizes.samples = samples;
  options.sizes.sequence = sequence;
  return options;
}

inline Result<analytic::AnalyticProfile> profile_of(const OnnxBuilder& builder,
                                                    const analytic::graph::Options& options) {
  const auto graph = io::onnx::operators_from_onnx(builder.bytes(), "model");
  if (!graph) return tl::unexpected(graph.error());
  auto made = analytic::graph::graph_profile(*graph, presets::catalogue_device("A100-80GB").value(), options);
  if (made)
    if (auto valid = plan::validate(made->profile); !valid) return tl::unexpected(valid.error());
  return made;
}

}  // namespace pipedeck::test
