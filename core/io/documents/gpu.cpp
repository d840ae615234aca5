// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/gpu.hpp"

#include <limits>

#include <fmt/format.h>

namespace pipedeck::io::documents {
namespace {

constexpr double most = std::numeric_limits<double>::max();

void add(json::ObjectWriter& out, std::string_view key, const std::optional<double>& figure) {
  if (figure) out.add(key, json::number(*figure));
}
void add(json::ObjectWriter& out, std::string_view key, const std::optional<Bytes>& bytes) {
  if (bytes) out.add(key, *bytes);
}

std::optional<double> figure(json::ObjectReader& in, std::string_view key, double largest = most) {
  return in.has(key) ? std::optional(in.number(key, 0, largest)) : std::nullopt;
}
std::optional<Bytes> bytes(json::ObjectReader& in, std::string_view key) {
  return in.has(key) ? std::optional(in.total_bytes(key)) : std::nullopt;
}

json::Value names_of(std::uint32_t limits) {
  json::List names;
  for (const NamedClockLimit& named : clock_limits)
    if (holds(limits, named.limit)) names.push_back(json::Value(std::string(named.name)));
  return names;
}

/// Limits that this program does not know are passed over: drivers may tell of more.
std::uint32_t parse_limits(json::ObjectReader& in) {
  std::uint32_t limits = 0;
  in.values("throttle", [&](const json::Value& value, const std::string& place) {
    const auto* text = value.as<std::string>();
    if (!text) return in.problems().add(place, fmt::format("found {}, expected a name", json::describe(value)));
    for (const NamedClockLimit& named : clock_limits)
      if (named.name == *text) limits |= static_cast<std::uint32_t>(named.limit);
  });
  return limits;
}

}  // namespace

json::Value gpus_to_json(const std::vector<RunGpu>& gpus) {
  return json::list_of(gpus, [](const RunGpu& gpu) {
    json::ObjectWriter out;
    out.add("devices", json::integers(gpu.devices)).add("name", gpu.name);
    out.add("uuid", gpu.uuid).add("bus", gpu.bus);
    add(out, "memory_bytes", gpu.memory);
    add(out, "power_limit_w", gpu.power_limit);
    add(out, "top_sm_clock_mhz", gpu.max_clock);
    return out.finish();
  });
}

json::Value readings_to_json(const std::vector<GpuSample>& readings) {
  return json::list_of(readings, [](const GpuSample& reading) {
    json::ObjectWriter out;
    add(out, "power_w", reading.power);
    add(out, "memory_used_bytes", reading.memory);
    add(out, "sm_clock_mhz", reading.clock);
    add(out, "utilization", reading.utilization);
    add(out, "temperature_c", reading.temperature);
    if (reading.limits) out.add("throttle", names_of(*reading.limits));
    return out.finish();
  });
}

json::Value figures_to_json(const std::vector<std::optional<double>>& figures) {
  return json::list_of(
      figures, [](const std::optional<double>& one) { return one ? json::Value(json::number(*one)) : json::Value(); });
}

std::vector<RunGpu> parse_gpus(json::ObjectReader& in, std::string_view key) {
  std::vector<RunGpu> gpus;
  if (!in.has(key)) return gpus;
  in.objects(key, [&](json::ObjectReader& one) {
    RunGpu& gpu = gpus.emplace_back();
    gpu.devices = one.counts("devices", 0, limits::devices);
    gpu.name = one.text("name");
    gpu.uuid = one.text_or("uuid", {});
    gpu.bus = one.text_or("bus", {});
    gpu.memory = bytes(one, "memory_bytes");
    gpu.power_limit = figure(one, "power_limit_w");
    gpu.max_clock = figure(one, "top_sm_clock_mhz");
  });
  return gpus;
}

std::vector<GpuSample> parse_readings(json::ObjectReader& in, std::string_view key) {
  std::vector<GpuSample> readings;
  if (!in.has(key)) return readings;
  in.objects(key, [&](json::ObjectReader& one) {
    GpuSample& reading = readings.emplace_back();
    reading.power = figure(one, "power_w");
    reading.memory = bytes(one, "memory_used_bytes");
    reading.clock = figure(one, "sm_clock_mhz");
    reading.utilization = figure(one, "utilization", 1);
    reading.temperature = figure(one, "temperature_c");
    if (one.has("throttle")) reading.limits = parse_limits(one);
  });
  return readings;
}

std::vector<std::optional<double>> parse_figures(json::ObjectReader& in, std::string_view key) {
  std::vector<std::optional<double>> figures;
  if (!in.has(key)) return figures;
  in.values(key, [&](const json::Value& value, const std::string& place) {
    figures.push_back(value.is_null()
                          ? std::nullopt
                          : std::optional(json::read_number(value, json::Unit::plain, 0, most, place, in.problems())));
  });
  return figures;
}

}  // namespace pipedeck::io::documents
