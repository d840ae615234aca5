// SPDX-License-Identifier: Apache-2.0
// The passes of a stage, recorded on its device and done again with one call each: a step repeats the step before it.
// A recording is good for the memory that it was made with alone. So passes work in memory of their own, where nobody
// else takes blocks: what comes to a pass is copied there and what leaves it is copied away. A recording is done again
// where a micro-batch has what it kept where the recording found it, and where the other blocks that the recording
// takes are at hand. As nothing but passes moves these, one whole step of recordings is enough: every later step meets
// the same blocks in the same order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/runtime/layer_kernel.hpp"
#include "core/runtime/loss_kernel.hpp"
#include "core/runtime/recorded_work.hpp"

namespace pipedeck {

/// Of one micro-batch in a stage.
struct PassTensors {
  Tensor value;  ///< what a pass takes from its neighbour, and then what it gives to one
  Tensor targets, logits;
  LossSum loss;
  std::vector<Saved> layers;
};

enum class PassKind { forward, recompute, backward, backward_input, backward_weight };

class RecordedPasses {
 public:
  /// `inside`: a part of `outside` (DeviceMemory) for the passes of one worker; its device records.
  RecordedPasses(std::shared_ptr<DeviceMemory> inside, std::shared_ptr<DeviceMemory> outside)
      : inside_(std::move(inside)), outside_(std::move(outside)) {}

  /// Does `work`, one pass over these tensors that changes nothing else of the host's, or what was recorded of it.
  /// `whole`: nobody wants to know when parts of it are done. Passes of one kind with the same weights and the same
  /// tensors differ in nothing. Tensors that come from outside, the given value and the loss are outside.
  void run(PassKind kind, const Tensor* weights, PassTensors& tensors, bool whole, const std::function<void()>& work);

  /// From now on passes are recorded: libraries have made what they need, and memory has all blocks of a step.
  void begin_recording() { recording_ = true; }
  /// Why a kind of pass is not recorded any more, once each; empty: nothing new.
  std::string take_notes() { return std::exchange(notes_, {}); }

 private:
  struct Place {
    float* block = nullptr;  ///< null: no tensor
    int samples = 0;
    std::int64_t width = 0;
    bool arrives = false;  ///< from outside
  };
  /// Where all of a micro-batch's tensors are.
  struct Layout {
    std::vector<Place> places;        ///< in each_tensor's order
    std::vector<std::size_t> layers;  ///< tensors of each
  };
  struct Recording {
    PassKind kind;
    const float* weights;
    Layout before, after;
    std::vector<TakenBlock> needed;  ///< at hand, besides what the micro-batch has kept
    std::int64_t most_floats = 0;    ///< that it has in use at once, more than before
    std::unique_ptr<RecordedWork> work;
  };

  ComputeDevice& device() const { return inside_->device(); }
  Layout layout_of(PassTensors& tensors) const;
  void restore(PassTensors& tensors, const Layout& layout) const;
  Recording* find(PassKind kind, const float* weights, const Layout& layout);
  bool fits(const Recording& recording, const Layout& layout) const;
  void enter(PassTensors& tensors, const Recording* into) const;
  void leave(PassTensors& tensors) const;
  bool repeat(Recording& recording, PassTensors& tensors);
  bool record(PassKind kind, const float* weights, const Layout& came, PassTensors& tensors,
              const std::function<void()>& work);
  void failed(PassKind kind, const char* why);

  std::shared_ptr<DeviceMemory> inside_, outside_;
  bool recording_ = false;
  std::vector<Recording> recordings_;
  std::map<PassKind, int> failures_;  ///< in a row
  std::string notes_;
};

}  // namespace pipedeck
