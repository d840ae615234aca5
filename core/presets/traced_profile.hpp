// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch's profiler as a profile of layers.
#pragma once

#include <stop_token>
#include <string>

#include "core/analytic/recorded/profile.hpp"
#include "core/base/progress.hpp"

namespace pipedeck::presets {

/// A recording that is named after the file where the trace has no title, on the catalogue's device type where the
/// trace names a GPU that is in there.
struct TracedModules {
  ProfilerTrace recording;
  std::string path;
  std::string driver;  ///< what the trace calls the device
};
Result<TracedModules> read_traced_modules(const std::string& path, const std::stop_token& stop = {},
                                          const Progress& progress = {});

/// recorded_profile of it. Errors name the file.
Result<analytic::recorded::RecordedProfile> traced_profile(TracedModules& traced,
                                                           const analytic::recorded::Options& options);

/// As above, with reading first.
Result<analytic::recorded::RecordedProfile> read_traced_profile(const std::string& path,
                                                                const analytic::recorded::Options& options,
                                                                const std::stop_token& stop = {},
                                                                const Progress& progress = {});

}  // namespace pipedeck::presets
