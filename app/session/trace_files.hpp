// SPDX-License-Identifier: GPL-3.0-or-later
// Traces of PyTorch's profiler on their way into the project: what their modules would be as a profile is shown first.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <QString>

#include "core/analytic/recorded_profile.hpp"
#include "core/domain/progress.hpp"

namespace pipedeck::app {

/// A Chrome trace, of whatever program; told by its first bytes.
bool is_trace_file(const QString& path);

/// A trace whose modules can be a profile: made anew for each answer.
struct TracePreview {
  QString file;           ///< its path
  RecordedProfile found;  ///< with nothing answered
  std::function<Result<RecordedProfile>(const RecordedOptions& options)> make;
};
/// Null: it has no modules to make layers of. Errors name the file and the place. For a thread of its own.
Result<std::shared_ptr<const TracePreview>> traced_modules_in(const QString& file, const std::stop_token& stop,
                                                              const Progress& progress);

/// What becomes of a trace.
struct TraceAnswer {
  std::optional<Profile> profile;  ///< absent: it is drawn as a measured timeline
};

}  // namespace pipedeck::app
