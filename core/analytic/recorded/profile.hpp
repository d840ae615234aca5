// SPDX-License-Identifier: Apache-2.0
// A profile of layers from a recorded training: medians over its passes, and sizes from the operators' inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/base/result.hpp"
#include "core/model/profile.hpp"
#include "core/model/profiler_trace.hpp"

namespace pipedeck::analytic::recorded {

struct Options {
  std::optional<int> depth = {};        ///< of modules that become layers, 0 the outermost; absent: detected
  std::optional<int> micro_batch = {};  ///< samples; absent: the first size of the first layer's input
  std::string device = {};              ///< the device type; empty: as recorded
};

struct RecordedProfile {
  Profile profile;
  std::vector<std::string> notes;  ///< recognised parts and assumptions, one sentence each
  ImportShare share{};             ///< of the GPU's time in the model, or of the passes on a processor
  int deepest = 0;                 ///< maximum nesting of modules: larger depths change nothing
};

/// Returns the profile. bad_input if there are no modules, none did any work, or values exceed every limit. Sorts the
/// recording's spans, without any other change.
Result<RecordedProfile> recorded_profile(ProfilerTrace& recording, const Options& options);

}  // namespace pipedeck::analytic::recorded
