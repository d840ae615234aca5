// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck::runtime::train {

/// A record of a run's step times in bounded memory. The median is exact up to `most` steps. In longer runs it is the
/// median of every second, fourth, ... step.
class StepTimes {
 public:
  static constexpr std::size_t most = std::size_t{1} << 16;

  void add(Seconds time);
  int count() const { return count_; }
  Seconds sum() const { return sum_; }
  Seconds median() const;  ///< 0 without steps

 private:
  int count_ = 0, every_ = 1;
  Seconds sum_;
  std::vector<Seconds> kept_;  ///< of steps 0, every_, 2 every_, ...
};

}  // namespace pipedeck::runtime::train
