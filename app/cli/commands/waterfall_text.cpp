// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/waterfall_text.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/options/question.hpp"
#include "app/cli/text/table.hpp"

namespace pipedeck::cli::commands {
namespace {

using Json = nlohmann::ordered_json;

/// Milliseconds with all six digits of the nanoseconds.
std::string exact_text(Nanoseconds time) {
  const std::int64_t size = time.count < 0 ? -time.count : time.count;
  return fmt::format("{}{}.{:06}", time.count < 0 ? "-" : "", size / 1'000'000, size % 1'000'000);
}

std::string signed_text(Nanoseconds time) { return (time.count > 0 ? "+" : "") + exact_text(time); }

/// How much of A's iteration a change is.
std::string share_text(Nanoseconds change, Nanoseconds whole) {
  if (whole.count == 0) return "-";
  constexpr double shown = 0.005;
  const double percent = 100 * static_cast<double>(change.count) / static_cast<double>(whole.count);
  return fmt::format("{:+.2f} %", std::abs(percent) < shown ? 0 : percent);
}

bool is_shown(TimePart part, const Waterfall& steps) {
  return is_of_all_plans(part) || steps.a[part].count > 0 || steps.b[part].count > 0;
}

}  // namespace

std::string waterfall_text(const Waterfall& steps, const SimulationOptions& simulation) {
  const Nanoseconds whole = steps.a.total();
  text::Table table({{"from A's iteration to B's", text::Align::left}, {"A ms"}, {"B ms"}, {"B - A ms"}, {"of A"}});
  const auto add = [&](const std::string& name, Nanoseconds a, Nanoseconds b, Nanoseconds change) {
    table.add({name, exact_text(a), exact_text(b), signed_text(change), share_text(change, whole)});
  };
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (is_shown(part, steps)) add(std::string(name_of(part)), steps.a[part], steps.b[part], steps.change[part]);
  }
  add("in all", whole, steps.b.total(), steps.change.total());
  return table.text() + fmt::format("network {}, overlap {}{}\n", name_of(simulation.network),
                                    name_of(simulation.overlap), options::collectives_text(simulation.collectives));
}

Json waterfall_json(const Waterfall& steps, const SimulationOptions& simulation) {
  Json parts = Json::array();
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (!is_shown(part, steps)) continue;
    parts.push_back({{"part", name_of(part)},
                     {"a_ms", in_milliseconds(steps.a[part])},
                     {"b_ms", in_milliseconds(steps.b[part])},
                     {"change_ms", in_milliseconds(steps.change[part])}});
  }
  return {{"network", name_of(simulation.network)},
          {"overlap", name_of(simulation.overlap)},
          {"collectives", name_of(simulation.collectives)},
          {"a_ms", in_milliseconds(steps.a.total())},
          {"b_ms", in_milliseconds(steps.b.total())},
          {"change_ms", in_milliseconds(steps.change.total())},
          {"parts", std::move(parts)}};
}

}  // namespace pipedeck::cli::commands
