// SPDX-License-Identifier: Apache-2.0
// Bytes of layers from what operators of one pass were called with.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/analytic/recorded_times.hpp"

namespace pipedeck::recorded {

struct LayerBytes {
  double output = 0, saved = 0, parameters = 0;
};

struct Sizes {
  std::vector<LayerBytes> layers;
  std::int64_t samples = 0;         ///< first size of what the first layer takes; 0: nobody says
  bool recorded = false;            ///< operators say what they were called with
  bool output_of_gradients = true;  ///< outputs' sizes are those of their gradients, else of what the next layer takes
  bool gradients = true;            ///< parameters' sizes are those of their gradients, else of operators
  std::set<std::string> unknown;    ///< backward functions of which nobody knows what they keep
};

/// Of that pass. Counts beyond 2^60 stay there.
Sizes sizes_of(const Recording& recording, const Calls& calls, const std::vector<std::size_t>& layers,
               const Attribution& found, std::size_t pass);

}  // namespace pipedeck::recorded
