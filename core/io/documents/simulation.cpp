// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/documents/intervals.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/words.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

/// Names and members of the causes of idle time, for reading and writing alike.
constexpr std::array<std::pair<std::string_view, Nanoseconds IdleBreakdown::*>, 5> idle_causes{
    {{"warmup_ms", &IdleBreakdown::warmup},
     {"drain_ms", &IdleBreakdown::drain},
     {"waiting_activation_ms", &IdleBreakdown::waiting_activation},
     {"waiting_gradient_ms", &IdleBreakdown::waiting_gradient},
     {"waiting_all_reduce_ms", &IdleBreakdown::waiting_all_reduce}}};

MemoryBreakdown parse_parts(ObjectReader& in) {
  MemoryBreakdown parts;
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    if (in.has(pipedeck::name_of(item))) parts[item] = in.total_bytes(pipedeck::name_of(item));
  }
  return parts;
}

std::vector<MemoryPoint> parse_curve(ObjectReader& in) {
  std::vector<MemoryPoint> curve;
  in.values("memory_curve", [&](const Value& value, const std::string& place) {
    const json::List* pair = json::read_list(value, place, in.problems());
    if (!pair) return;
    if (pair->size() != 2)
      return in.problems().add(place, fmt::format("found {}, expected [ms, bytes]", json::describe(value)));
    MemoryPoint point;
    point.time = json::read_nanoseconds((*pair)[0], place + "/0", in.problems());
    point.bytes = Bytes(json::read_integer((*pair)[1], 0, limits::total_bytes, place + "/1", in.problems()));
    if (in.ok() && (curve.empty() ? point.time.count != 0 : point.time < curve.back().time))
      in.problems().add(place + "/0",
                        fmt::format("found {}, expected times that begin at 0 and rise", json::describe((*pair)[0])));
    curve.push_back(point);
  });
  return curve;
}

/// The times are those of memory_curve; an item that is not named is 0 all the time.
std::vector<MemoryBreakdown> parse_item_curve(ObjectReader& in, std::size_t points) {
  std::vector<MemoryBreakdown> curve(points);
  in.object("memory_item_curve", [&](ObjectReader& items) {
    for (int i = 0; i < memory_item_count; ++i) {
      const auto item = static_cast<MemoryItem>(i);
      if (!items.has(pipedeck::name_of(item))) continue;
      std::size_t count = 0;
      items.values(pipedeck::name_of(item), [&](const Value& value, const std::string& place) {
        const Bytes bytes(json::read_integer(value, 0, limits::total_bytes, place, items.problems()));
        if (count < points) curve[count][item] = bytes;
        ++count;
      });
      if (items.ok() && count != points)
        items.fail(pipedeck::name_of(item),
                   fmt::format("found {} figures, expected one for each of memory_curve's {} points", count, points));
    }
  });
  return curve;
}

IdleBreakdown parse_idle(ObjectReader& in) {
  IdleBreakdown idle;
  for (const auto& [name, cause] : idle_causes)
    if (in.has(name)) idle.*cause = in.nanoseconds(name);
  return idle;
}

std::string part_key(TimePart part) { return std::string(pipedeck::name_of(part)) + "_ms"; }

TimeBreakdown parse_time_parts(ObjectReader& in) {
  TimeBreakdown parts;
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (in.has(part_key(part))) parts[part] = in.nanoseconds(part_key(part));
  }
  return parts;
}

SimulatedDevice parse_device(ObjectReader& in) {
  SimulatedDevice device;
  device.device = DeviceId(in.count("device", 0, limits::devices - 1));
  for (const int twin : in.has("twins") ? in.counts("twins", 0, limits::devices - 1) : std::vector<int>())
    device.twins.push_back(DeviceId(twin));
  device.busy = in.nanoseconds("busy_ms");
  if (in.has("idle")) in.object("idle", [&](ObjectReader& idle) { device.idle = parse_idle(idle); });
  if (in.has("parts")) in.object("parts", [&](ObjectReader& parts) { device.parts = parse_time_parts(parts); });
  device.peak = in.total_bytes("peak_memory_bytes");
  device.peak_upper_bound = in.has("peak_memory_upper_bytes") ? in.total_bytes("peak_memory_upper_bytes") : device.peak;
  if (in.has("capacity_bytes")) device.capacity = in.total_bytes("capacity_bytes");
  if (in.has("peak_time_ms")) device.peak_time = in.nanoseconds("peak_time_ms");
  device.peak_micro_batches = in.count_or("peak_micro_batches", 0, 0);
  if (in.has("memory_parts"))
    in.object("memory_parts", [&](ObjectReader& parts) { device.peak_breakdown = parse_parts(parts); });
  if (in.has("memory_curve")) device.curve = parse_curve(in);
  if (in.has("memory_item_curve")) device.item_curve = parse_item_curve(in, device.curve.size());
  return device;
}

void read_simulation(ObjectReader& in, Simulation& out) {
  out.network = in.word_or("network", NetworkModel::ideal, parse_network_model, json::words_of<NetworkModel>());
  out.overlap = in.word_or("overlap", Overlap::layer, parse_overlap, json::words_of<Overlap>());
  out.fragmentation = in.number_or("fragmentation", 0, 0, 0.9);
  out.collectives = in.word_or("collectives", Collectives::best_ring, parse_collectives, json::words_of<Collectives>());
  out.iteration = in.nanoseconds("iteration_ms");
  if (in.has("longest_span_ms")) out.longest_span = in.nanoseconds("longest_span_ms");
  if (in.has("period_ms")) out.period = in.nanoseconds("period_ms");
  out.samples_per_second = in.number("samples_per_s", 0, 1e18);
  out.bubble_fraction = in.number("bubble_fraction", 0, 1);
  out.communication_fraction = in.number_or("communication_fraction", 0, 0, 1);
  out.fits = in.bool_or("fits", true);
  if (in.has("idle")) in.object("idle", [&](ObjectReader& idle) { out.idle = parse_idle(idle); });
  for (const char* derived : {"exposed_communication_ms", "exposed_communication_fraction"})
    in.number_or(derived, 0, 0, 1e18);
  if (in.has("parts")) in.object("parts", [&](ObjectReader& parts) { out.parts = parse_time_parts(parts); });
  in.objects("devices", [&](ObjectReader& device) {
    out.devices.push_back(parse_device(device));
    const std::size_t count = out.devices.size();
    if (count > 1 && out.devices[count - 1].device <= out.devices[count - 2].device)
      device.fail("device", fmt::format("found {} after {}, expected rising device numbers",
                                        out.devices[count - 1].device.value, out.devices[count - 2].device.value));
  });
  if (in.has("intervals")) out.timeline = documents::read_intervals(in, "intervals");
  out.extra = in.preserve_unknown_members();
}

Value parts_to_json(const MemoryBreakdown& parts) {
  ObjectWriter out;
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    out.add(pipedeck::name_of(item), parts[item]);
  }
  return out.finish();
}

Value memory_point_to_json(const MemoryPoint& point) {
  return Value(json::List{Value(json::milliseconds_of(point.time)), Value(json::integer(point.bytes.count))});
}

Value item_curve_to_json(const std::vector<MemoryBreakdown>& curve) {
  ObjectWriter out;
  for (int i = 0; i < memory_item_count; ++i) {
    const auto item = static_cast<MemoryItem>(i);
    if (std::ranges::all_of(curve, [&](const MemoryBreakdown& parts) { return parts[item].count == 0; })) continue;
    out.add(pipedeck::name_of(item), json::list_of(curve, [&](const MemoryBreakdown& parts) {
              return Value(json::integer(parts[item].count));
            }));
  }
  return out.finish();
}

Value idle_to_json(const IdleBreakdown& idle) {
  ObjectWriter out;
  for (const auto& [name, cause] : idle_causes) out.add(name, json::milliseconds_of(idle.*cause));
  return out.finish();
}

Value time_parts_to_json(const TimeBreakdown& parts) {
  ObjectWriter out;
  for (int i = 0; i < time_part_count; ++i) {
    const auto part = static_cast<TimePart>(i);
    if (is_of_all_plans(part) || parts[part].count > 0) out.add(part_key(part), json::milliseconds_of(parts[part]));
  }
  return out.finish();
}

Value device_to_json(const SimulatedDevice& device, bool curves) {
  ObjectWriter out;
  out.add("device", device.device.value);
  if (!device.twins.empty())
    out.add("twins", json::list_of(device.twins, [](DeviceId twin) { return Value(json::integer(twin.value)); }));
  out.add("busy_ms", json::milliseconds_of(device.busy));
  out.add("idle", idle_to_json(device.idle)).add("parts", time_parts_to_json(device.parts));
  out.add("peak_memory_bytes", device.peak).add("peak_memory_upper_bytes", device.peak_upper_bound);
  out.add("capacity_bytes", device.capacity);
  out.add("peak_time_ms", json::milliseconds_of(device.peak_time));
  out.add("peak_micro_batches", device.peak_micro_batches).add("memory_parts", parts_to_json(device.peak_breakdown));
  if (curves) out.add("memory_curve", json::list_of(device.curve, memory_point_to_json));
  if (curves && !device.item_curve.empty()) out.add("memory_item_curve", item_curve_to_json(device.item_curve));
  return out.finish();
}

}  // namespace

Result<Simulation> simulation_from_json(const std::string& text) {
  Simulation simulation;
  const Result<void> read =
      json::read_document(text, "pipedeck.simulation", [&](ObjectReader& in) { read_simulation(in, simulation); });
  if (!read) return tl::unexpected(read.error());
  return simulation;
}

std::string simulation_to_json(const Simulation& simulation, const SimulationText& what) {
  ObjectWriter out = ObjectWriter::document("pipedeck.simulation");
  out.add("network", pipedeck::name_of(simulation.network)).add("overlap", pipedeck::name_of(simulation.overlap));
  if (simulation.collectives != Collectives::best_ring)
    out.add("collectives", pipedeck::name_of(simulation.collectives));
  if (simulation.fragmentation > 0) out.add("fragmentation", json::number(simulation.fragmentation));
  out.add("iteration_ms", json::milliseconds_of(simulation.iteration));
  out.add("longest_span_ms", json::milliseconds_of(simulation.longest_span));
  if (simulation.period)
    out.add("period_ms", json::milliseconds_of(*simulation.period));
  else
    out.leave_out("period_ms");
  out.add("samples_per_s", json::number(simulation.samples_per_second));
  out.add("bubble_fraction", json::number(simulation.bubble_fraction));
  out.add("communication_fraction", json::number(simulation.communication_fraction));
  out.add("exposed_communication_ms", json::milliseconds_of(simulation.parts.communication()));
  out.add("exposed_communication_fraction", json::number(simulation.parts.share(simulation.parts.communication())));
  out.add("parts", time_parts_to_json(simulation.parts));
  out.add("fits", Value(simulation.fits)).add("idle", idle_to_json(simulation.idle));
  out.add("devices", json::list_of(simulation.devices,
                                   [&](const SimulatedDevice& device) { return device_to_json(device, what.curves); }));
  what.intervals ? out.add("intervals", documents::intervals_to_json(simulation.timeline)) : out.leave_out("intervals");
  return json::pretty(out.finish(simulation.extra));
}

}  // namespace pipedeck::io::documents
