// SPDX-License-Identifier: Apache-2.0
// What a run computes with: a device for each worker, layers and loss that compute there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/gpu_watch.hpp"
#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"

namespace pipedeck {

class RunControl;
class Transport;
struct WorkerLinks;

struct Backend {
  /// The processor's, with these layers.
  Backend(Kernels layers) : kernels(std::move(layers)) {}  // NOLINT: layers say it all

  std::string name = "cpu";  ///< as RunStarted has it
  std::string warning;       ///< what a run on it says at first; empty: nothing
  /// Layers find their device by the tensors that they are given.
  Kernels kernels;
  /// Of each worker (Layout::placements' order) of this process.
  std::function<std::shared_ptr<ComputeDevice>(std::size_t worker)> device = [](std::size_t) { return processor(); };
  /// The GPU of each; PlacedGpu::device is left to the run. Empty: there are no GPUs.
  std::function<PlacedGpu(std::size_t worker)> gpu;
  std::function<std::shared_ptr<const LossKernel>(const SoftmaxCrossEntropy&)> loss = processor_loss;
  /// What joins the devices of this process with all others, where they have a way of their own; `hosts` joins the same
  /// workers by values of the host, `memories` of workers elsewhere are the host's. Empty: the run's own transport.
  using Join = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport> hosts,
                                                        const std::vector<std::shared_ptr<DeviceMemory>>& memories,
                                                        const WorkerLinks& links, RunControl& control)>;
  Join join;
  /// What passes are recorded as and done again, behind the name in RunStarted ("CUDA graphs"); empty: they are not.
  std::string recorded;
  std::string transport;  ///< what carries values between devices, behind the name in RunStarted; empty: nothing to say
};

}  // namespace pipedeck
