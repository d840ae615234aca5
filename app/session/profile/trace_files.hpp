// SPDX-License-Identifier: GPL-3.0-or-later
// Import of traces of PyTorch's profiler. The profile of their modules is previewed first.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <QString>

#include "core/analytic/recorded/profile.hpp"
#include "core/base/progress.hpp"

namespace pipedeck::session::profile {

/// Detects a Chrome trace of any program by its first bytes.
bool is_trace_file(const QString& path);

/// A trace whose modules can become a profile; it is built again for each answer.
struct TracePreview {
  QString file;                               ///< its path
  analytic::recorded::RecordedProfile found;  ///< without any answers
  std::function<Result<analytic::recorded::RecordedProfile>(const analytic::recorded::Options& options)> make;
};
/// Returns null if the trace has no modules for layers. Errors name the file and the place. Call it on a separate
/// thread.
Result<std::shared_ptr<const TracePreview>> traced_modules_in(const QString& file, const std::stop_token& stop,
                                                              const Progress& progress);

/// A decision about a trace.
struct TraceAnswer {
  std::optional<Profile> profile;  ///< absent: it is shown as a measured timeline
};

}  // namespace pipedeck::session::profile
