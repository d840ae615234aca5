// SPDX-License-Identifier: Apache-2.0
// Bytes of layers from the inputs of one pass's operators.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/analytic/recorded/times.hpp"

namespace pipedeck::analytic::recorded {

struct LayerBytes {
  double output = 0, saved = 0, parameters = 0;
};

struct Sizes {
  std::vector<LayerBytes> layers;
  std::int64_t samples = 0;         ///< first size of the first layer's input; 0: unknown
  bool recorded = false;            ///< operators have recorded inputs
  bool output_of_gradients = true;  ///< outputs' sizes: those of gradients; otherwise of the next layer's input
  bool gradients = true;            ///< parameters' sizes: those of gradients; otherwise of operators' inputs
  std::set<std::string> unknown;    ///< backward functions with unknown saved tensors
};

/// Returns the sizes from that pass. Counts are limited to 2^60.
Sizes sizes_of(const ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers,
               const Attribution& found, std::size_t pass);

}  // namespace pipedeck::analytic::recorded
