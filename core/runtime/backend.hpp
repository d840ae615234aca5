// SPDX-License-Identifier: Apache-2.0
// What a run computes with: a device for each worker, layers and loss that compute there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"

namespace pipedeck {

struct Backend {
  /// The processor's, with these layers.
  Backend(Kernels layers) : kernels(std::move(layers)) {}  // NOLINT: layers say it all

  std::string name = "cpu";  ///< as RunStarted has it
  std::string warning;       ///< what a run on it says at first; empty: nothing
  /// Layers find their device by the tensors that they are given.
  Kernels kernels;
  /// Of each worker (Layout::placements' order) of this process.
  std::function<std::shared_ptr<ComputeDevice>(std::size_t worker)> device = [](std::size_t) { return processor(); };
  std::function<std::shared_ptr<const LossKernel>(const SoftmaxCrossEntropy&)> loss = processor_loss;
};

}  // namespace pipedeck
