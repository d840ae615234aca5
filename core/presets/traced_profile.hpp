// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch's profiler as a profile of layers.
#pragma once

#include <stop_token>
#include <string>

#include "core/analytic/recorded_profile.hpp"
#include "core/domain/progress.hpp"

namespace pipedeck {

/// recorded_profile of a recording of that file: named after the file where the trace has no title, on the catalogue's
/// device type where the trace names a GPU that is in there.
Result<RecordedProfile> traced_profile(Recording recording, const std::string& path, const RecordedOptions& options);

/// The same, read first. Errors name the file.
Result<RecordedProfile> read_traced_profile(const std::string& path, const RecordedOptions& options,
                                            const std::stop_token& stop = {}, const Progress& progress = {});

}  // namespace pipedeck
