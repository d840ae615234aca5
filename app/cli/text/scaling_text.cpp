// SPDX-License-Identifier: Apache-2.0
#include "app/cli/text/scaling_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/text/table.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/text/printable.hpp"

namespace pipedeck::cli::text {
namespace {

using Json = nlohmann::ordered_json;
using study::capacity::ScalingKind;
using study::capacity::ScalingPoint;

std::string short_name_of(TimePart part) {
  switch (part) {
    case TimePart::tensor_parallel:
      return "TP";
    case TimePart::context_parallel:
      return "CP";
    case TimePart::expert_parallel:
      return "EP";
    case TimePart::gather:
      return "weights";
    case TimePart::point_to_point:
      return "PP";
    case TimePart::all_reduce:
      return "DP";
    default:
      return std::string(name_of(part));
  }
}

}  // namespace

std::string scaling_text(const ScalingText& found) {
  const std::vector<TimePart> parts = study::capacity::scaling_parts(found.points);
  std::vector<Table::Column> columns{{"nodes"},        {"devices"},   {"batch"},     {"plan", Align::left},
                                     {"iteration ms"}, {"samples/s"}, {"efficiency"}};
  for (const TimePart part : parts) columns.push_back({short_name_of(part) + " %"});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < found.points.size(); ++p) {
    const ScalingPoint& one = found.points[p];
    std::vector<std::string> row{std::to_string(one.nodes), std::to_string(one.devices),
                                 std::to_string(one.global_batch)};
    if (one.plan) {
      row.insert(row.end(), {one.plan->plan->name, milliseconds_text(one.plan->iteration),
                             fmt::format("{:.2f}", one.plan->samples_per_second),
                             percent_text(scaling_efficiency(found.points, p))});
      for (const TimePart part : parts) row.push_back(fmt::format("{:.1f}", 100 * one.parts.share(one.parts[part])));
    } else {
      row.push_back(shortened(one.reason, 90));
    }
    table.add(std::move(row));
  }
  std::string notes;
  for (std::size_t p = 0; p < found.points.size(); ++p)
    if (const auto above = study::capacity::above_ideal(found.points, p))
      notes += fmt::format("{} devices: {}.\n", found.points[p].devices, study::capacity::above_ideal_text(*above));
  return fmt::format("{} on {}, {} scaling: {}\n\n", io::text::printable(found.model),
                     io::text::printable(found.cluster), name_of(found.kind),
                     found.kind == ScalingKind::strong ? "the global batch stays" : "the samples of a device stay") +
         table.text() +
         "\nefficiency: throughput of a device over that at the first size with a plan. Then the parts of a step: "
         "TP, CP, EP, weights, PP and DP are exposed communication.\n" +
         notes;
}

std::string scaling_json(const ScalingText& found) {
  Json json{{"format", "pipedeck.scaling"}, {"version", 1},
            {"profile", found.model},       {"cluster", found.cluster},
            {"kind", name_of(found.kind)},  {"points", Json::array()}};
  for (std::size_t p = 0; p < found.points.size(); ++p) {
    const ScalingPoint& one = found.points[p];
    Json point{{"nodes", one.nodes}, {"devices", one.devices}, {"global_batch", one.global_batch}};
    if (one.plan) {
      point["iteration_ms"] = one.plan->iteration.count * 1e3;
      point["samples_per_s"] = one.plan->samples_per_second;
      point["efficiency"] = scaling_efficiency(found.points, p);
      if (const auto above = study::capacity::above_ideal(found.points, p))
        point["note"] = study::capacity::above_ideal_text(*above);
      Json& shares = point["shares"] = Json::object();
      for (int i = 0; i < time_part_count; ++i) {
        const auto part = static_cast<TimePart>(i);
        shares[std::string(name_of(part))] = one.parts.share(one.parts[part]);
      }
      point["plan"] = Json::parse(io::documents::plan_to_json(*one.plan->plan));
    } else {
      point["reason"] = one.reason;
    }
    json["points"].push_back(std::move(point));
  }
  return json.dump(2);
}

}  // namespace pipedeck::cli::text
