// SPDX-License-Identifier: Apache-2.0
// The steps, numbered as in DualPipe's reference implementation (github.com/deepseek-ai/DualPipe, dualpipe.py and
// dualpipev.py). A device fills up with forwards, then runs each forward overlapped with the backward of the other
// direction as one operation. It drains with backwards whose weight gradients fill the bubbles.
#include "core/schedule/dualpipe_steps.hpp"

#include <deque>

namespace pipedeck::schedule {
namespace {

class DualPipeSteps {
 public:
  DualPipeSteps(DirectedStage here, DirectedStage there)
      : chunks_{{here, here.first, here.first}, {there, there.first, there.first}} {}

  void forward(int chunk, bool joined = false) {
    list_.push_back({OpKind::forward, chunks_[chunk].at.stage, chunks_[chunk].next_forward++, joined});
  }
  void backward(int chunk) {
    list_.push_back({OpKind::backward, chunks_[chunk].at.stage, chunks_[chunk].next_backward++});
  }
  /// Appends the input gradient alone; a later weight() appends its weight gradient.
  void backward_input(int chunk) {
    const Operation input{OpKind::backward_input, chunks_[chunk].at.stage, chunks_[chunk].next_backward++};
    list_.push_back(input);
    left_.push_back({OpKind::backward_weight, input.stage, input.micro_batch});
  }
  /// Appends the oldest pending weight gradient.
  void weight() {
    list_.push_back(left_.front());
    left_.pop_front();
  }
  void forward_and_backward(int forward_chunk, int backward_chunk) {
    forward(forward_chunk, true);
    backward(backward_chunk);
  }

  std::vector<Operation> take() { return std::move(list_); }

 private:
  struct Progress {
    DirectedStage at;
    int next_forward = 0, next_backward = 0;
  };
  Progress chunks_[2];
  std::vector<Operation> list_;
  std::deque<Operation> left_;
};

}  // namespace

std::vector<Operation> dualpipe_steps(int position, int positions, int count, DirectedStage here, DirectedStage there) {
  constexpr int h = 0, t = 1;
  const int behind = positions - position - 1;  // devices between this one and the turn
  DualPipeSteps steps(here, there);
  for (int i = 0; i < 2 * behind; ++i) steps.forward(h);  // 1: F0
  for (int i = 0; i < position + 1; ++i) {                // 2: F0 F1
    steps.forward(h);
    steps.forward(t);
  }
  for (int i = 0; i < behind; ++i) {  // 3: I1 W1 F1
    steps.backward_input(t);
    steps.weight();
    steps.forward(t);
  }
  for (int i = 0; i < count - 2 * positions + position + 1; ++i) {  // 4: F0 with B1, F1 with B0
    if (i == 0 && behind == 0) {                                    // separate where they turn: a smaller bubble
      steps.forward(h);
      steps.backward(t);
    } else {
      steps.forward_and_backward(h, t);
    }
    steps.forward_and_backward(t, h);
  }
  for (int i = 0; i < behind; ++i) {  // 5: B1, F1 with B0
    steps.backward(t);
    steps.forward_and_backward(t, h);
  }
  bool split = false;  // 6: B1 B0, the second half of them without weight gradients
  const auto drain = [&](int chunk) { split ? steps.backward_input(chunk) : steps.backward(chunk); };
  for (int i = 0; i < position + 1; ++i) {
    if (i == (position + 1) / 2 && position % 2 == 1) split = true;
    drain(t);
    if (i == (position + 1) / 2 && position % 2 == 0) split = true;
    drain(h);
  }
  for (int i = 0; i < behind; ++i) {  // 7: W I0
    steps.weight();
    steps.backward_input(h);
  }
  for (int i = 0; i < position + 1; ++i) steps.weight();  // 8: W
  return steps.take();
}

}  // namespace pipedeck::schedule
