// SPDX-License-Identifier: Apache-2.0
// A table of the bandwidths between a cluster's devices, or between its nodes where there are many devices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck {

/// Sizes up to which a table is readable.
inline constexpr std::size_t max_device_rows = 136, max_node_rows = 256;

struct Bandwidths {
  /// A square, symmetric table; 0 for pairs that nothing connects. The diagonal of nodes has the bandwidth inside each.
  std::vector<std::vector<BytesPerSecond>> rows;
  std::vector<std::string> nodes;  ///< names of the rows; empty: the rows are devices
  bool operator==(const Bandwidths&) const = default;
};

}  // namespace pipedeck
