// SPDX-License-Identifier: Apache-2.0
// Captured passes of a stage. They are captured on its device and replayed with one call each, because every step
// repeats the step before. A recording is only valid for the memory that it was made with. Passes therefore have a
// memory of their own: their inputs are copied there and their outputs are copied away. A recording is replayed if the
// micro-batch's saved tensors are where the recording expects them, and the other blocks that it uses are available.
// Only passes move these blocks, so one whole step of recordings suffices: every later step meets the same blocks in
// the same order.
// the same blocks in the same order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/layers/layer_kernel.hpp"
#include "core/runtime/layers/loss_kernel.hpp"
#include "core/runtime/tensor/captured_graph.hpp"

namespace pipedeck::runtime::exec {

/// The tensors of one micro-batch in a stage.
struct PassTensors {
  tensor::Tensor value;  ///< a pass's input from a neighbour, later its output for one
  tensor::Tensor targets, logits;
  layers::LossSum loss;
  std::vector<layers::SavedTensors> layers;
};

enum class PassKind { forward, recompute, backward, backward_input, backward_weight };

class CapturedPasses {
 public:
  /// `inside` is a part of `outside` (DeviceMemory) for the passes of one worker. Its device can capture.
  CapturedPasses(std::shared_ptr<tensor::DeviceMemory> inside, std::shared_ptr<tensor::DeviceMemory> outside)
      : inside_(std::move(inside)), outside_(std::move(outside)) {}

  /// Runs `work`, one pass over these tensors that changes nothing else on the host, or replays its recording. `whole`:
  /// no caller needs the times of its parts. Passes of one kind with the same weights and tensors are identical.
  /// Tensors from other stages, the output value and the loss are in `outside`.
  void run(PassKind kind, const tensor::Tensor* weights, PassTensors& tensors, bool whole,
           const std::function<void()>& work);

  /// Captures passes from now on: libraries have allocated their workspace, and the memory has all blocks of a step.
  void begin_recording() { recording_ = true; }
  /// Drops all recordings.
  void forget() { recordings_.clear(); }
  /// Returns why a kind of pass is no longer captured, each reason once; empty: nothing new.
  std::string consume_warnings() { return std::exchange(notes_, {}); }

 private:
  struct Place {
    float* block = nullptr;  ///< null: no tensor
    int samples = 0;
    std::int64_t width = 0;
    bool arrives = false;  ///< from outside
  };
  /// A layer's saved tensors, and what goes with them.
  struct SavedLayer {
    std::size_t tensors;
    float loss_scale;
    bool feeds_loss;
    bool operator==(const SavedLayer&) const = default;
  };
  /// The positions of all tensors of a micro-batch.
  struct Layout {
    std::vector<Place> places;  ///< in each_tensor's order
    std::vector<SavedLayer> layers;
  };
  struct PassCapture {
    PassKind kind;
    const float* weights;
    Layout before, after;
    std::vector<tensor::AllocatedBlock> needed;  ///< available, besides the saved tensors of the micro-batch
    std::int64_t max_floats = 0;                 ///< maximum floats in use, more than before
    std::unique_ptr<tensor::CapturedGraph> work;
  };

  tensor::ComputeDevice& device() const { return inside_->device(); }
  Layout layout_of(PassTensors& tensors) const;
  void restore(PassTensors& tensors, const Layout& layout) const;
  PassCapture* find(PassKind kind, const float* weights, const Layout& layout);
  bool fits(const PassCapture& recording, const Layout& layout) const;
  void enter(PassTensors& tensors, const PassCapture* into) const;
  void leave(PassTensors& tensors) const;
  bool repeat(PassCapture& recording, PassTensors& tensors);
  bool record(PassKind kind, const float* weights, const Layout& came, PassTensors& tensors,
              const std::function<void()>& work);
  void failed(PassKind kind, const char* why);

  std::shared_ptr<tensor::DeviceMemory> inside_, outside_;
  bool recording_ = false;
  std::vector<PassCapture> recordings_;
  std::map<PassKind, int> failures_;  ///< consecutive
  std::string notes_;
};

}  // namespace pipedeck::runtime::exec
