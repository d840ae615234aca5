// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/trace_files.hpp"

#include <utility>

#include "core/io/trace_events.hpp"
#include "core/presets/traced_profile.hpp"

namespace pipedeck::app {

bool is_trace_file(const QString& path) { return looks_like_trace(path.toStdString()); }

Result<std::shared_ptr<const TracePreview>> traced_modules_in(const QString& file, const std::stop_token& stop,
                                                              const Progress& progress) {
  auto read = read_traced_modules(file.toStdString(), stop, progress);
  if (!read) return tl::unexpected(std::move(read.error()));
  auto traced = std::make_shared<TracedModules>(*std::move(read));
  auto found = traced_profile(*traced, {});
  if (!found) return nullptr;
  return std::make_shared<const TracePreview>(TracePreview{
      file, *std::move(found), [traced](const RecordedOptions& options) { return traced_profile(*traced, options); }});
}

}  // namespace pipedeck::app
