// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/loss_kernel.hpp"

#include <array>
#include <bit>

namespace pipedeck::runtime::layers {
double LossSum::get() const {
  if (there_.empty()) return value_;
  std::array<float, sizeof(double) / sizeof(float)> bytes{};
  there_.memory()->device().download(bytes, there_.data());
  return std::bit_cast<double>(bytes);
}

}  // namespace pipedeck::runtime::layers
