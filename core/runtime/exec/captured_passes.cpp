// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/exec/captured_passes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pipedeck::runtime::exec {
namespace {

/// Maximum consecutive failures to capture a kind of pass. Captures fail, for example, when a workspace grows again.
constexpr int max_failures = 3;
/// Maximum per stage: more recordings would cost more device memory than they save time.
constexpr std::size_t max_recordings = 1024;

template <class Work>
void each_tensor(PassTensors& tensors, const Work& work) {
  work(tensors.value), work(tensors.targets), work(tensors.logits), work(tensors.loss.there());
  for (layers::SavedTensors& layer : tensors.layers)
    for (tensor::Tensor& tensor : layer.tensors) work(tensor);
}

const char* plural_of(PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return "forward passes";
    case PassKind::recompute:
      return "recomputed forward passes";
    case PassKind::backward:
      return "backward passes";
    case PassKind::backward_input:
      return "backward passes of inputs";
    case PassKind::backward_weight:
      return "backward passes of weights";
  }
  return "";
}

/// A scope in which the memory reports the blocks that it hands out.
class TakenBlocks {
 public:
  explicit TakenBlocks(tensor::DeviceMemory& memory) : memory_(memory) { memory_.record_allocations(&blocks); }
  ~TakenBlocks() { memory_.record_allocations(nullptr); }
  TakenBlocks(const TakenBlocks&) = delete;
  TakenBlocks& operator=(const TakenBlocks&) = delete;
  std::vector<tensor::AllocatedBlock> blocks;

 private:
  tensor::DeviceMemory& memory_;
};

std::int64_t floats_of(Bytes bytes) { return bytes.count / static_cast<std::int64_t>(sizeof(float)); }

}  // namespace

void CapturedPasses::run(PassKind kind, const tensor::Tensor* weights, PassTensors& tensors, bool whole,
                         const std::function<void()>& work) {
  std::erase_if(recordings_, [](const PassCapture& recording) { return !recording.work->valid(); });
  const float* const from = weights ? weights->data() : nullptr;
  const Layout came = layout_of(tensors);
  const bool records = recording_ && whole;
  PassCapture* const found = records ? find(kind, from, came) : nullptr;
  enter(tensors, found);
  const bool done = found ? repeat(*found, tensors) : records && record(kind, from, came, tensors, work);
  if (!done) work();
  leave(tensors);
}

CapturedPasses::Layout CapturedPasses::layout_of(PassTensors& tensors) const {
  Layout layout;
  each_tensor(tensors, [&](tensor::Tensor& tensor) {
    layout.places.push_back(
        {tensor.data(), tensor.samples(), tensor.width(), tensor.memory() && tensor.memory() != inside_});
  });
  for (const layers::SavedTensors& layer : tensors.layers)
    layout.layers.push_back({layer.tensors.size(), layer.loss_scale, layer.feeds_loss});
  return layout;
}

/// Makes the tensors refer to their blocks and the values in them. They have no other tensors.
void CapturedPasses::restore(PassTensors& tensors, const Layout& layout) const {
  tensors = {};
  for (const auto& [count, loss_scale, feeds_loss] : layout.layers)
    tensors.layers.push_back({std::vector<tensor::Tensor>(count), loss_scale, feeds_loss});
  auto place = layout.places.begin();
  each_tensor(tensors, [&](tensor::Tensor& tensor) {
    const Place& at = *place++;
    if (at.block) tensor = tensor::Tensor::in_block(inside_, at.block, at.samples, at.width);
  });
}

CapturedPasses::PassCapture* CapturedPasses::find(PassKind kind, const float* weights, const Layout& layout) {
  const auto found = std::ranges::find_if(recordings_, [&](const PassCapture& recording) {
    return recording.kind == kind && recording.weights == weights && fits(recording, layout);
  });
  return found == recordings_.end() ? nullptr : &*found;
}

bool CapturedPasses::fits(const PassCapture& recording, const Layout& layout) const {
  const auto alike = [](const Place& a, const Place& b) {
    return a.samples == b.samples && a.width == b.width && a.arrives == b.arrives && (a.arrives || a.block == b.block);
  };
  return recording.before.layers == layout.layers &&
         std::ranges::equal(recording.before.places, layout.places, alike) &&
         std::ranges::all_of(recording.needed, [&](const tensor::AllocatedBlock& block) {
           return inside_->available(block.data, block.floats);
         });
}

/// Copies tensors from outside to where the recording expects them, or to any block inside.
void CapturedPasses::enter(PassTensors& tensors, const PassCapture* into) const {
  std::size_t i = 0;
  each_tensor(tensors, [&](tensor::Tensor& tensor) {
    const std::size_t place = i++;
    if (tensor.empty() || tensor.memory() == inside_) return;
    tensor::Tensor inside =
        into ? tensor::Tensor::in_block(inside_, into->before.places[place].block, tensor.samples(), tensor.width())
             : tensor::Tensor(inside_, tensor.samples(), tensor.width());
    device().copy(inside.data(), tensor.data(), tensor.size());
    tensor = std::move(inside);
  });
}

void CapturedPasses::leave(PassTensors& tensors) const {
  for (tensor::Tensor* tensor : {&tensors.value, &tensors.loss.there()})
    if (!tensor->empty()) *tensor = tensor->slice(0, tensor->samples(), outside_);
}

/// Replays the recording. Returns false if the device refuses it: nothing was executed then.
bool CapturedPasses::repeat(PassCapture& recording, PassTensors& tensors) {
  inside_->account_transient(recording.max_floats);
  try {
    recording.work->launch();
  } catch (const std::runtime_error& error) {
    failed(recording.kind, error.what());
    return false;
  }
  restore(tensors, recording.after);
  return true;
}

/// Captures the pass and launches it. Returns false if that fails: nothing was executed then, and the tensors are
/// unchanged.
bool CapturedPasses::record(PassKind kind, const float* weights, const Layout& came, PassTensors& tensors,
                            const std::function<void()>& work) {
  if (failures_[kind] >= max_failures) return false;
  PassCapture made{kind, weights, layout_of(tensors), {}, {}, 0, nullptr};
  try {
    if (recordings_.size() >= max_recordings) throw tensor::CaptureUnsupported("there are too many different ones");
    TakenBlocks taken(*inside_);
    const Bytes used = inside_->in_use();
    inside_->restart_peak();
    made.work = device().record(work);
    made.max_floats = floats_of(inside_->peak() - used);
    made.needed = std::move(taken.blocks);
    made.after = layout_of(tensors);
    made.work->launch();
  } catch (const std::runtime_error& error) {
    restore(tensors, made.before);
    failed(kind, error.what());
    return false;
  }
  for (std::size_t i = 0; i < made.before.places.size(); ++i) {
    Place& place = made.before.places[i];
    place.arrives = came.places[i].arrives;
    if (place.arrives)
      made.needed.push_back({place.block, place.samples * place.width});
    else
      std::erase_if(made.needed, [&](const tensor::AllocatedBlock& block) { return block.data == place.block; });
  }
  failures_[kind] = 0;
  recordings_.push_back(std::move(made));
  return true;
}

void CapturedPasses::failed(PassKind kind, const char* why) {
  if (++failures_[kind] != max_failures) return;
  if (!notes_.empty()) notes_ += "; ";
  notes_ += fmt::format("{} are not recorded: {}", plural_of(kind), why);
}

}  // namespace pipedeck::runtime::exec
