// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/figures.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace pipedeck::study::reports {

std::string milliseconds_text(const Translator& words, Nanoseconds time) {
  return words.figure("{:.3f}", in_milliseconds(time));
}

std::string time_text(const Translator& words, Nanoseconds time) {
  constexpr std::int64_t long_from = 10'000'000'000;  // ten seconds
  return time.count < long_from ? words.figure("{:.3f} ms", in_milliseconds(time))
                                : words.figure("{:.3f} s", to_seconds(time).count);
}

std::string gib_text(const Translator& words, Bytes bytes) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  return words.figure("{:.2f}", static_cast<double>(bytes.count) / gib);
}

std::string bytes_text(const Translator& words, Bytes bytes) {
  constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
  auto size = static_cast<double>(bytes.count);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < units.size()) size /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes.count) : words.figure("{:.2f} {}", size, units[unit]);
}

std::string rate_text(const Translator& words, BytesPerSecond rate) {
  return words.figure("{:.4g} GB/s", in_gigabytes_per_second(rate));
}

std::string percent_text(const Translator& words, double fraction) { return words.figure("{:.1f} %", fraction * 100); }

std::string share_text(const Translator& words, Nanoseconds part, Nanoseconds of) {
  return of.count > 0 ? percent_text(words, static_cast<double>(part.count) / static_cast<double>(of.count)) : "-";
}

std::string devices_text(const Translator& words, std::vector<DeviceId> devices) {
  std::ranges::sort(devices);
  const auto twice = std::ranges::unique(devices);
  devices.erase(twice.begin(), twice.end());
  std::string text;
  for (std::size_t first = 0, end = 0; first < devices.size(); first = end) {
    for (end = first + 1; end < devices.size() && devices[end].value == devices[end - 1].value + 1;) ++end;
    if (!text.empty()) text += ", ";
    const int from = devices[first].value, to = devices[end - 1].value;
    text += end - first == 1   ? fmt::format("{}", from)
            : end - first == 2 ? fmt::format("{}, {}", from, to)
                               : words("{} to {}", from, to);
  }
  return text;
}

std::string schedule_text(const Plan& plan) {
  if (plan.schedule != ScheduleKind::one_f_one_b || plan.stages.size() < 2) return std::string(name_of(plan.schedule));
  return fmt::format("{} {}", name_of(plan.schedule), plan.warmup_counts ? "K" : name_of(plan.warmup));
}

std::string short_shape_text(const Translator& words, const Plan& plan) {
  constexpr std::size_t widest = 28;
  std::string shape = stage_shape_text(plan);
  return shape.size() <= widest ? shape : words.count(plan.stages.size(), "1 stage", "{} stages");
}

}  // namespace pipedeck::study::reports
