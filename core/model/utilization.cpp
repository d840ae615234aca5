// SPDX-License-Identifier: Apache-2.0
#include "core/model/utilization.hpp"

#include <fmt/format.h>

namespace pipedeck {

std::string mfu_convention(const std::string& precision) {
  return fmt::format(
      "MFU counts matrix products of forward and backward, attention over the pairs that a causal mask leaves, no "
      "recomputation; peak: dense {}",
      precision);
}

std::string above_peak_reason(const Utilization& rates) {
  constexpr double tera = 1e12;
  const double needed = rates.hfu > rates.mfu ? rates.hfu * rates.peak_per_device : rates.operations_per_device;
  return fmt::format(
      "needs {:.0f} TFLOP/s per device, of a dense {} peak of {:.0f}: its layer times are too short for these devices",
      needed / tera, rates.precision, rates.peak_per_device / tera);
}

}  // namespace pipedeck
