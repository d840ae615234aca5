// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/offloaded_tensors.hpp"

#include <exception>

#include <fmt/format.h>

namespace pipedeck::runtime::exec {
namespace {

tensor::Tensor pinned_like(const tensor::Tensor& tensor, const std::shared_ptr<tensor::DeviceMemory>& host) {
  try {
    return tensor::Tensor(host, tensor.samples(), tensor.width());
  } catch (const tensor::OutOfMemory& error) {
    throw tensor::OutOfMemory(
        fmt::format("the plan's offload: found no {} bytes of host memory to pin for activations, after {}: {}",
                    tensor.bytes().count, host->in_use().count, error.what()));
  }
}

}  // namespace

/// Copies of a failed run may be on their way.
OffloadedTensors::~OffloadedTensors() {
  try {
    settle();
  } catch (const std::exception&) {  // a failed device has no work left
  }
}

/// Frees the tensors that left. The device's work waits until their copies are done: compute does not hide more.
void OffloadedTensors::settle() {
  if (leaving_.empty()) return;
  leaving_.front().memory()->device().wait(left_);
  leaving_.clear();
}

void OffloadedTensors::send(int micro_batch, std::size_t layer, layers::SavedTensors& saved) {
  if (!layers_[layer] || saved.tensors.empty()) return;
  settle();
  Sent& sent = sent_[{micro_batch, layer}];
  tensor::ComputeDevice* device = nullptr;
  for (const tensor::Tensor& tensor : saved.tensors) {
    sent.host.push_back(tensor.empty() ? tensor::Tensor() : pinned_like(tensor, host_));
    if (!tensor.empty()) sent.memory = tensor.memory(), device = &sent.memory->device();
  }
  if (!device) return static_cast<void>(sent_.erase({micro_batch, layer}));
  const tensor::Completion ready = device->now();
  for (std::size_t i = 0; i < saved.tensors.size(); ++i) {
    tensor::Tensor& tensor = saved.tensors[i];
    if (tensor.empty()) continue;
    left_ = device->host_link()->to_host(sent.host[i].data(), tensor.data(), tensor.size(), ready);
    leaving_.push_back(std::move(tensor));
  }
  saved.tensors.clear();
}

void OffloadedTensors::prefetch(int micro_batch, std::size_t layer) {
  const auto found = sent_.find({micro_batch, layer});
  if (found == sent_.end() || found->second.returns) return;
  settle();
  Sent& sent = found->second;
  tensor::ComputeDevice& device = sent.memory->device();
  for (const tensor::Tensor& tensor : sent.host)
    sent.device.push_back(tensor.empty() ? tensor::Tensor()
                                         : tensor::Tensor(sent.memory, tensor.samples(), tensor.width()));
  const tensor::Completion ready = device.now();
  for (std::size_t i = 0; i < sent.host.size(); ++i)
    if (!sent.host[i].empty())
      sent.there =
          device.host_link()->to_device(sent.device[i].data(), sent.host[i].data(), sent.host[i].size(), ready);
  sent.returns = true;
}

/// The host's blocks are free from here on: a later copy to them waits for the device's work, which waits for this.
void OffloadedTensors::fetch(int micro_batch, std::size_t layer, layers::SavedTensors& saved) {
  const auto found = sent_.find({micro_batch, layer});
  if (found == sent_.end()) return;
  prefetch(micro_batch, layer);
  found->second.memory->device().wait(found->second.there);
  saved.tensors = std::move(found->second.device);
  sent_.erase(found);
}

}  // namespace pipedeck::runtime::exec
