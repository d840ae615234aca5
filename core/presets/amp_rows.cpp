// SPDX-License-Identifier: Apache-2.0
#include "core/presets/amp_rows.hpp"

namespace pipedeck::presets {
namespace {

constexpr const char* idle = "lambda";

void add_tensor_parallel(Layer& layer) {
  for (const int degree : {2, 4, 8, 16}) {
    const Bytes reduced = layer.kind == idle ? Bytes() : layer.output * 2;
    layer.tensor_parallel.push_back({degree, layer.forward / degree, layer.backward / degree, reduced, reduced});
  }
}

}  // namespace

Layer idle_row(const std::string& name, Bytes output) {
  Layer layer;
  layer.name = name;
  layer.kind = idle;
  layer.output = output;
  return layer;
}

Profile in_16_bits_with_tensor_parallelism(Profile profile) {
  for (Layer& layer : profile.layers) {
    for (Bytes* bytes : {&layer.output, &layer.saved, &layer.parameters, &layer.workspace}) *bytes = *bytes / 2;
    add_tensor_parallel(layer);
  }
  return profile;
}

}  // namespace pipedeck::presets
