// SPDX-License-Identifier: Apache-2.0
// The backend of a run: a device for each worker, and the layers and loss that run on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/machine/gpu_monitor.hpp"

namespace pipedeck::runtime::transport {
class RunControl;
class Transport;
struct WorkerLinks;
}  // namespace pipedeck::runtime::transport

namespace pipedeck::runtime::layers {

struct Backend {
  std::string name = "cpu";        ///< as RunStarted has it
  std::string warning;             ///< warning at the beginning of a run; empty: none
  std::string precision = "fp32";  ///< of products
  /// Layers find their device by their input tensors.
  KernelRegistry kernels;
  /// Returns the device of a worker of this process (in the order of Layout::placements).
  std::function<std::shared_ptr<tensor::ComputeDevice>(std::size_t worker)> device;
  /// Returns the GPU of a worker; the run sets PlacedGpu::device. Empty if there are no GPUs.
  std::function<machine::PlacedGpu(std::size_t worker)> gpu;
  std::function<std::shared_ptr<const LossKernel>(const SoftmaxCrossEntropy&)> loss;
  /// Creates a transport between the devices of this process and all others, if the backend has its own. `hosts` joins
  /// the same workers by host memory. The `memories` of workers in other processes are host memory. Empty: the run's
  /// own transport.
  using Join = std::function<std::unique_ptr<transport::Transport>(
      std::unique_ptr<transport::Transport> hosts, const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
      const transport::WorkerLinks& links, transport::RunControl& control)>;
  Join join;
  /// Name of captured passes, appended to the name in RunStarted ("CUDA graphs"); empty if passes are not captured.
  std::string recorded;
  bool offloads = false;  ///< devices have host links (tensor::HostLink), so that states can be on the host
  std::string transport;  ///< transport between devices, appended to the name in RunStarted; empty: omitted
};

}  // namespace pipedeck::runtime::layers
