// SPDX-License-Identifier: Apache-2.0
#include "core/presets/traced_profile.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/io/trace_recording.hpp"
#include "core/io/utf8.hpp"
#include "core/presets/device_catalogue.hpp"

namespace pipedeck {
namespace {

/// "resnet" of "traces/resnet.pt.trace.json.gz".
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name = to_utf8(name.substr(0, name.find('.', 1)));
  return name.empty() ? "trace" : name;
}

}  // namespace

Result<RecordedProfile> traced_profile(Recording recording, const std::string& path, const RecordedOptions& options) {
  if (recording.title.empty()) recording.title = name_of_file(path);
  const std::string driver = recording.device;
  if (const auto known = catalogue_device(driver); known && !driver.empty()) recording.device = known->type.name;
  const bool renamed = options.device.empty() && recording.device != driver;
  auto made = recorded_profile(std::move(recording), options);
  if (!made) {
    made.error().file = path;
    return made;
  }
  if (renamed && made->profile.device != "CPU")
    made->notes.push_back(fmt::format("the device is \"{}\", in the catalogue {}", driver, made->profile.device));
  return made;
}

Result<RecordedProfile> read_traced_profile(const std::string& path, const RecordedOptions& options,
                                            const std::stop_token& stop, const Progress& progress) {
  auto recording = read_recording(path, stop, progress);
  if (!recording) return tl::unexpected(recording.error());
  return traced_profile(*std::move(recording), path, options);
}

}  // namespace pipedeck
