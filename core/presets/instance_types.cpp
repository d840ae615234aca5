// SPDX-License-Identifier: Apache-2.0
#include "core/presets/instance_types.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/embedded.hpp"
#include "core/presets/preset_names.hpp"

namespace pipedeck::presets {
namespace {

using io::json::ObjectReader;
using io::json::Value;

constexpr int max_devices = 64;

/// Every device at its own lanes, through switches.
void join_by_switches(InstanceType& shape, int lanes) {
  const auto n = static_cast<std::size_t>(shape.count);
  shape.lanes.assign(n, std::vector<int>(n, lanes));
  for (std::size_t i = 0; i < n; ++i) shape.lanes[i][i] = 0;
}

void read_lanes(ObjectReader& in, InstanceType& shape) {
  in.values("nvlink_lanes", [&](const Value& value, const std::string& place) {
    const io::json::List* row = io::json::read_list(value, place, in.problems());
    std::vector<int>& lanes = shape.lanes.emplace_back();
    if (!row) return;
    for (const Value& entry : *row)
      lanes.push_back(static_cast<int>(io::json::read_integer(entry, 0, 1024, place, in.problems())));
  });
  for (std::size_t i = 0; i < shape.lanes.size(); ++i)
    for (std::size_t j = 0; j < shape.lanes.size(); ++j)
      if (shape.lanes.size() != static_cast<std::size_t>(shape.count) || shape.lanes[i].size() != shape.lanes.size() ||
          shape.lanes[j].size() != shape.lanes.size() || shape.lanes[i][j] != shape.lanes[j][i])
        return in.fail("nvlink_lanes", "found lanes that are no symmetric square of all devices, expected one");
}

void read_shape_joints(ObjectReader& in, InstanceType& shape, const DeviceModel& model) {
  if (in.has("nvlink_lanes")) return read_lanes(in, shape);
  if (shape.count == 1) return;
  const std::string joined = in.text("joined");
  if (joined == "nvlink" && model.link) return join_by_switches(shape, model.link->lanes);
  if (joined != "pcie")
    in.fail("joined", fmt::format("found {}, expected nvlink, of a device that has some, or pcie",
                                  io::json::describe(Value(joined))));
}

InstanceType read_shape(ObjectReader& in) {
  InstanceType shape;
  shape.name = in.text("name");
  shape.count = in.count("count", 1, max_devices);
  shape.device = in.text("device");
  if (const DeviceModel* model = find_device_model(device_catalogue(), shape.device))
    read_shape_joints(in, shape, *model);
  else if (in.ok())
    in.fail("device",
            fmt::format("found {}, expected a device of the catalogue", io::json::describe(Value(shape.device))));
  constexpr double max_gigabits = 1e6;
  shape.network = BytesPerSecond(in.number("network_gbit_per_s", 0.1, max_gigabits) * 1e9 / 8);
  shape.nics = in.count_or("nics", 1, 1, max_devices);
  shape.remark = in.text_or("remark", {});
  return shape;
}

}  // namespace

Result<std::vector<InstanceType>> cloud_shapes_from_json(const std::string& text) {
  std::vector<InstanceType> shapes;
  const Result<void> read = io::json::read_document(text, "pipedeck.cloud", [&](ObjectReader& in) {
    const std::string provider = in.text("provider"), date = in.text("date"), source = in.text("source");
    in.objects("shapes", [&](ObjectReader& entry) {
      InstanceType shape = read_shape(entry);
      shape.provider = provider;
      shape.date = date;
      shape.source = source;
      shapes.push_back(std::move(shape));
    });
  });
  if (!read) return tl::unexpected(read.error());
  return shapes;
}

const std::vector<InstanceType>& instance_types() {
  static const std::vector<InstanceType> all = [] {
    std::vector<InstanceType> shapes;
    for (const std::string& text : embedded_clouds()) {
      auto read = cloud_shapes_from_json(text);
      ensure(read.has_value(), "the shapes that come with the program are valid");
      std::ranges::move(*read, std::back_inserter(shapes));
    }
    return shapes;
  }();
  return all;
}

namespace {

/// Azure's own tools put a word before its names.
std::string plain_name(const std::string& name) {
  constexpr std::string_view before = "standard_";
  std::string plain = in_lower_case(name);
  return plain.starts_with(before) ? plain.substr(before.size()) : plain;
}

/// A whole name, else a family ("p4d") or a beginning ("nd96isr_h100") that one shape alone has.
Result<const InstanceType*> find_shape(const std::string& name) {
  const std::string plain = plain_name(name);
  std::vector<const InstanceType*> family, beginning;
  for (const InstanceType& one : instance_types()) {
    const std::string known = in_lower_case(one.name);
    if (known == plain) return &one;
    if (plain.empty() || !known.starts_with(plain)) continue;
    beginning.push_back(&one);
    if (std::string_view(".-_").find(known[plain.size()]) != std::string_view::npos) family.push_back(&one);
  }
  const std::vector<const InstanceType*>& meant = family.empty() ? beginning : family;
  if (meant.size() == 1) return meant.front();
  std::string known;
  const auto list = [&](const InstanceType& one) { known += (known.empty() ? "" : ", ") + one.name; };
  for (const InstanceType* one : meant) list(*one);
  if (meant.empty()) std::ranges::for_each(instance_types(), list);
  return fail(ErrorCode::bad_usage,
              meant.empty()
                  ? fmt::format("found no cloud shape '{}', expected one of: {}", name, known)
                  : fmt::format("found '{}', which several cloud shapes begin with, expected one of: {}", name, known));
}

}  // namespace

Result<FoundMachines> cloud_machine(const std::string& name) {
  TRY(const auto found_shape, find_shape(name));
  const InstanceType* shape = found_shape;
  DetectedMachine machine;
  machine.name = shape->name;
  machine.source = shape->provider;
  for (int i = 0; i < shape->count; ++i) {
    FoundGpu& gpu = machine.gpus.emplace_back();
    gpu.label = fmt::format("GPU{}", i);
    gpu.name = shape->device;
  }
  const auto n = static_cast<std::size_t>(shape->count);
  // Without a link of their own two GPUs of a mesh reach each other over the processors, as those of a server without
  // NVLink do over PCI Express.
  const Interconnect without{shape->lanes.empty() ? InterconnectKind::host_bridge : InterconnectKind::system, 0, {}};
  machine.joints.assign(n, std::vector<Interconnect>(n, without));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i == j)
        machine.joints[i][j] = Interconnect{};
      else if (!shape->lanes.empty() && shape->lanes[i][j] > 0)
        machine.joints[i][j] = Interconnect{InterconnectKind::nvlink, shape->lanes[i][j], {}};
  for (int i = 0; i < shape->nics; ++i) machine.nics.push_back({fmt::format("NIC{}", i), shape->network / shape->nics});
  FoundMachines found;
  found.machines.push_back(std::move(machine));
  found.notes.push_back(fmt::format("{}: figures as published in {}: {}", shape->name, shape->date, shape->source));
  if (!shape->remark.empty()) found.notes.push_back(fmt::format("{}: {}", shape->name, shape->remark));
  return found;
}

std::string cloud_shape_summary(const InstanceType& shape) {
  const DeviceModel* model = find_device_model(device_catalogue(), shape.device);
  const std::string joint = shape.count == 1 ? ""
                            : shape.lanes.empty()
                                ? ", PCI Express"
                                : fmt::format(", {}", model && model->link ? model->link->kind : "NVLink");
  const int parts = shape.nics >= shape.count ? shape.count : 1;  // of the GPUs, where each has a card
  return fmt::format("{}: {} × {}{}, network {}{:.4g} Gbit/s ({})", shape.provider, shape.count, shape.device, joint,
                     parts == 1 ? "" : fmt::format("{} × ", parts), shape.network.count * 8 / 1e9 / parts, shape.date);
}

}  // namespace pipedeck::presets
