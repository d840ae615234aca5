// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/profile/trace_files.hpp"

#include <utility>

#include "core/io/traces/events.hpp"
#include "core/presets/traced_profile.hpp"

namespace pipedeck::session::profile {

bool is_trace_file(const QString& path) { return io::traces::looks_like_trace(path.toStdString()); }

Result<std::shared_ptr<const TracePreview>> traced_modules_in(const QString& file, const std::stop_token& stop,
                                                              const Progress& progress) {
  auto read = presets::read_traced_modules(file.toStdString(), stop, progress);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto traced = std::make_shared<presets::TracedModules>(*std::move(read));
  auto found = presets::traced_profile(*traced, {});
  if (!found) return nullptr;
  return std::make_shared<const TracePreview>(TracePreview{
      file, *std::move(found),
      [traced](const analytic::recorded::Options& options) { return presets::traced_profile(*traced, options); }});
}

}  // namespace pipedeck::session::profile
