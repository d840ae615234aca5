// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/layers.hpp"

namespace pipedeck::cuda {
namespace {

using Make = std::unique_ptr<LayerKernel> (*)(const ModelLayer& layer, std::unique_ptr<LayerKernel> on_processor);

KernelFactory factory(const KernelFactory& on_processor, Make make) {
  return [on_processor, make](const ModelLayer& layer) {
    return on_processor(layer).map([&](std::unique_ptr<LayerKernel> made) { return make(layer, std::move(made)); });
  };
}

}  // namespace

Kernels cuda_kernels() {
  const Kernels processors = cpu_kernels();
  Kernels kernels;
  kernels.where = "GPUs";
  for (const auto& [kind, make] :
       std::initializer_list<std::pair<const char*, Make>>{{"embedding", make_embedding},
                                                           {"layer_norm", make_layer_norm},
                                                           {"linear", make_linear},
                                                           {"transformer", make_transformer}})
    kernels.layers[kind] = factory(processors.layers.at(kind), make);
  return kernels;
}

}  // namespace pipedeck::cuda
