// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace pipedeck {

/// Where a run leaves checkpoints, and how often. The last step is always kept, also of a run that is stopped.
struct CheckpointOptions {
  std::string folder;
  int every = 0;  ///< steps; 0: the last one alone
  int keep = 3;   ///< complete steps that stay in the folder; 0: all
};

}  // namespace pipedeck
