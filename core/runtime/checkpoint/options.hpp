// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pipedeck::runtime::checkpoint {

/// A folder for a run's checkpoints, and their interval. The last step is always saved, also when a run is stopped.
struct Options {
  std::string folder;
  int every = 0;  ///< steps; 0: only the last one
  int keep = 3;   ///< number of complete steps retained; 0: all
};

}  // namespace pipedeck::runtime::checkpoint
