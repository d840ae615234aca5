// SPDX-License-Identifier: Apache-2.0
// Tensors that layers of a stage keep from a forward to its backward, on the device's host in between (parallelism.md,
// "Host"). A layer's leave while the next one computes, and return while the one after it computes backward.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/tensor/tensor.hpp"

namespace pipedeck::runtime::exec {

/// The tensors of one stage on one device.
class OffloadedTensors {
 public:
  /// `layers`: those that are offloaded. `host`: pinned for the device (tensor::pinned_host). A later call for a pass
  /// of one device follows the one before on its queue.
  OffloadedTensors(std::vector<bool> layers, std::shared_ptr<tensor::DeviceMemory> host)
      : layers_(std::move(layers)), host_(std::move(host)) {}

  OffloadedTensors(const OffloadedTensors&) = delete;
  OffloadedTensors& operator=(const OffloadedTensors&) = delete;
  ~OffloadedTensors();

  /// Sends what an offloaded layer's forward of the micro-batch has saved, which is empty then. The tensors stay on the
  /// device until the next call of send() or fetch(), whose later work waits for the copies.
  void send(int micro_batch, std::size_t layer, layers::SavedTensors& saved);
  /// Begins to bring them back, if they are on the host.
  void prefetch(int micro_batch, std::size_t layer);
  /// Brings them back to `saved`, if they are not there: work enqueued from now on finds them.
  void fetch(int micro_batch, std::size_t layer, layers::SavedTensors& saved);

 private:
  using Key = std::pair<int, std::size_t>;
  /// The tensors of a layer: those on the host, and on the device as soon as they return.
  struct Sent {
    std::shared_ptr<tensor::DeviceMemory> memory;
    std::vector<tensor::Tensor> host, device;
    tensor::Completion there;
    bool returns = false;
  };
  void settle();

  std::vector<bool> layers_;
  std::shared_ptr<tensor::DeviceMemory> host_;
  std::map<Key, Sent> sent_;
  std::vector<tensor::Tensor> leaving_;  ///< on the device still
  tensor::Completion left_;              ///< when their copies are done
};

}  // namespace pipedeck::runtime::exec
