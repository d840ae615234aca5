// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/kind_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"

namespace pipedeck::cli::text {

std::string kinds_table(const sim::TimelineDifference& difference, const std::string& first,
                        const std::string& second) {
  Table table({{"time, summed over devices", Align::left},
               {"operations"},
               {first + " ms"},
               {second + " ms"},
               {"difference ms"},
               {"change"}});
  const auto add = [&](const std::string& name, const std::string& count, Seconds a, Seconds b) {
    table.add({name, count, milliseconds_text(a), milliseconds_text(b), fmt::format("{:+.3f}", in_milliseconds(b - a)),
               change_text(a.count, b.count)});
  };
  for (const sim::KindDifference& kind : difference.kinds) {
    const std::string count = kind.predicted_count == kind.measured_count
                                  ? std::to_string(kind.measured_count)
                                  : fmt::format("{} / {}", kind.predicted_count, kind.measured_count);
    add(std::string(name_of(kind.kind)), count, kind.predicted, kind.measured);
  }
  add("idle", "", difference.predicted_idle, difference.measured_idle);
  add("iteration (not summed)", "", difference.predicted_iteration, difference.measured_iteration);
  return table.text();
}

nlohmann::ordered_json kinds_json(const sim::TimelineDifference& difference) {
  auto list = nlohmann::ordered_json::array();
  for (const sim::KindDifference& kind : difference.kinds)
    list.push_back({{"kind", name_of(kind.kind)},
                    {"a_count", kind.predicted_count},
                    {"b_count", kind.measured_count},
                    {"a_ms", in_milliseconds(kind.predicted)},
                    {"b_ms", in_milliseconds(kind.measured)}});
  return list;
}

}  // namespace pipedeck::cli::text
