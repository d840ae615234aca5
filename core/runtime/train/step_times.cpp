// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/train/step_times.hpp"

#include <algorithm>

namespace pipedeck::runtime::train {

void StepTimes::add(Seconds time) {
  sum_ += time;
  if (count_++ % every_ != 0) return;
  if (kept_.size() == most) {
    for (std::size_t i = 0; 2 * i < most; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(most / 2);
    every_ *= 2;
  }
  kept_.push_back(time);
}

Seconds StepTimes::median() const {
  if (kept_.empty()) return {};
  std::vector<Seconds> times = kept_;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace pipedeck::runtime::train
