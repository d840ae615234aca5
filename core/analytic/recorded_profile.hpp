// SPDX-License-Identifier: Apache-2.0
// A profile of layers from a recorded training: medians of its passes, sizes from what its operators took.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/profile.hpp"
#include "core/domain/recording.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct RecordedOptions {
  std::optional<int> depth = {};        ///< of modules that become layers, 0 the outermost; nothing: found out
  std::optional<int> micro_batch = {};  ///< samples; nothing: the first size of what the first layer takes
  std::string device = {};              ///< the device type; empty: what the recording says
};

struct RecordedProfile {
  Profile profile;
  std::vector<std::string> notes;  ///< what was understood and what was assumed, a sentence each
  int deepest = 0;                 ///< most modules in one another: larger depths change nothing
};

/// bad_input where there are no modules, or none did any work, or figures are beyond every limit. The recording's spans
/// are sorted on the way; that is all that changes.
Result<RecordedProfile> recorded_profile(Recording& recording, const RecordedOptions& options);

}  // namespace pipedeck
