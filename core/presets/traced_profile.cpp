// SPDX-License-Identifier: Apache-2.0
#include "core/presets/traced_profile.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/io/text/utf8.hpp"
#include "core/io/traces/recording.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck::presets {
namespace {

/// "resnet" of "traces/resnet.pt.trace.json.gz".
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = io::text::to_utf8(name.substr(0, name.find('.', 1)));
  return name.empty() ? "trace" : name;
}

}  // namespace

Result<TracedModules> read_traced_modules(const std::string& path, const std::stop_token& stop,
                                          const Progress& progress) {
  TRY(auto recording, io::traces::read_recording(path, stop, progress));
  if (recording.title.empty()) recording.title = name_of_file(path);
  TracedModules traced{std::move(recording), path, {}};
  traced.driver = traced.recording.device;
  if (traced.driver.empty()) return traced;
  if (const auto known = catalogue_device(traced.driver)) traced.recording.device = known->type.name;
  return traced;
}

Result<analytic::recorded::RecordedProfile> traced_profile(TracedModules& traced,
                                                           const analytic::recorded::Options& options) {
  auto made = analytic::recorded::recorded_profile(traced.recording, options);
  if (!made) {
    made.error().file = traced.path;
    return made;
  }
  if (made->profile.device == traced.recording.device && traced.recording.device != traced.driver)
    made->notes.push_back(
        fmt::format("The device is \"{}\", in the catalogue {}", traced.driver, made->profile.device));
  return made;
}

Result<analytic::recorded::RecordedProfile> read_traced_profile(const std::string& path,
                                                                const analytic::recorded::Options& options,
                                                                const std::stop_token& stop, const Progress& progress) {
  TRY(auto traced, read_traced_modules(path, stop, progress));
  return traced_profile(traced, options);
}

}  // namespace pipedeck::presets
