// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/capacity.hpp"

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr std::size_t looked_at = 4096;  ///< bytes, within which a file identifies itself
constexpr double max_per_second = 1e18, max_price = 1e15;

std::shared_ptr<const Plan> parse_plan(ObjectReader& in) {
  const Value* value = in.get("plan");
  if (!value) return nullptr;
  Result<Plan> plan = plan_from_json(json::compact(*value));
  if (!plan) {
    in.problems().add(in.place_of("plan") + plan.error().place, plan.error().message);
    return nullptr;
  }
  return std::make_shared<const Plan>(*std::move(plan));
}

PlanCandidate parse_found_plan(ObjectReader& in) {
  PlanCandidate found;
  found.fits = in.bool_or("fits", false);
  found.iteration = in.long_time("iteration_ms");
  found.samples_per_second = in.number("samples_per_s", 0, max_per_second);
  found.peak = in.total_bytes("fullest_peak_bytes");
  found.capacity = in.total_bytes("fullest_capacity_bytes");
  found.largest_peak = in.total_bytes("peak_memory_bytes");
  found.devices = in.count("devices_used", 1, limits::devices);
  found.nodes = in.count("nodes_used", 1, limits::devices);
  if (in.has("price_per_hour")) found.price_per_hour = in.number("price_per_hour", 0, max_price);
  found.plan = parse_plan(in);
  return found;
}

/// A plan's own values must equal the point's: a damaged file may still be JSON.
void check_plan(ObjectReader& in, const CapacityFound& found) {
  const PlanCandidate& plan = *found.plan;
  if (plan.samples_per_second <= 0)
    in.problems().add(in.place_of("samples_per_s"), "found no samples, expected more than 0");
  if (plan.fits != (plan.peak <= plan.capacity))
    in.problems().add(in.place_of("fits"), fmt::format("found {}, expected {}: the fullest device needs {} of {} bytes",
                                                       plan.fits, !plan.fits, plan.peak.count, plan.capacity.count));
  if (plan.plan && plan.plan->global_batch != found.point.global_batch)
    in.problems().add(
        in.place_of("plan") + "/global_batch",
        fmt::format("found {}, expected {}, as the point has", plan.plan->global_batch, found.point.global_batch));
}

CapacityFound parse_capacity_point(ObjectReader& in) {
  CapacityFound found;
  found.point.type = in.text_or("device_type", "");
  found.point.nodes = in.count("nodes", 1, limits::devices);
  found.point.global_batch = in.count("global_batch");
  found.point.micro_batch = in.count_or("micro_batch", 0);
  found.failure_reason = in.text_or("why_not", "");
  if (!in.has("plan")) return found;
  found.plan = parse_found_plan(in);
  check_plan(in, found);
  return found;
}

Value value_of(const CapacityFound& found) {
  ObjectWriter out;
  if (!found.point.type.empty()) out.add("device_type", Value(found.point.type));
  out.add("nodes", found.point.nodes).add("global_batch", found.point.global_batch);
  if (found.point.micro_batch > 0) out.add("micro_batch", found.point.micro_batch);
  if (!found.failure_reason.empty()) out.add("why_not", Value(found.failure_reason));
  if (!found.plan) return out.finish();
  const PlanCandidate& plan = *found.plan;
  out.add("fits", Value(plan.fits))
      .add("iteration_ms", json::milliseconds_of(plan.iteration))
      .add("samples_per_s", json::number(plan.samples_per_second))
      .add("fullest_peak_bytes", plan.peak)
      .add("fullest_capacity_bytes", plan.capacity)
      .add("peak_memory_bytes", plan.largest_peak)
      .add("devices_used", plan.devices)
      .add("nodes_used", plan.nodes);
  if (plan.price_per_hour) out.add("price_per_hour", json::number(*plan.price_per_hour));
  const Result<Value> tree = json::parse(plan_to_json(*plan.plan));
  ensure(tree.has_value(), "plans are written as JSON");
  return out.add("plan", *tree).finish();
}

}  // namespace

bool looks_like_capacity_points(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' &&
         text.substr(0, looked_at).find("\"pipedeck.capacity-points\"") != text.npos;
}

Result<CapacityPoints> capacity_points_from_json(const std::string& text) {
  CapacityPoints points;
  const Result<void> read = json::read_document(text, "pipedeck.capacity-points", [&](ObjectReader& in) {
    points.question = in.text("question_sha256");
    in.objects("points", [&](ObjectReader& point) {
      CapacityFound found = parse_capacity_point(point);
      if (points.found.contains(found.point))
        point.problems().add(point.place_of("nodes"), "found the point a second time, expected each once");
      points.found.insert_or_assign(found.point, std::move(found));
    });
  });
  if (!read) return tl::unexpected(read.error());
  return points;
}

std::string capacity_points_to_json(const CapacityPoints& points) {
  json::List list;
  for (const auto& [point, found] : points.found) list.push_back(value_of(found));
  ObjectWriter out = ObjectWriter::document("pipedeck.capacity-points");
  out.add("question_sha256", Value(points.question)).add("points", Value(std::move(list)));
  return json::pretty(out.finish());
}

}  // namespace pipedeck::io::documents
