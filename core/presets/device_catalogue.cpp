// SPDX-License-Identifier: Apache-2.0
#include "core/presets/device_catalogue.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/presets/efficiency.hpp"
#include "core/presets/embedded.hpp"

namespace pipedeck::presets {
namespace {

using io::json::ObjectReader;
using io::json::Value;

void read_type(ObjectReader& in, DeviceType& type) {
  type.name = in.text("name");
  type.memory = in.bytes("memory_bytes");
  type.memory_bandwidth = in.rate("memory_gb_per_s");
  in.object("peak_tflops", [&](ObjectReader& peaks) {
    for (const std::string& precision : peaks.names()) type.peak_tflops[precision] = peaks.number(precision, 1e-3, 1e9);
  });
}

void read_price(ObjectReader& in, DeviceModel& model) {
  if (!in.has("price")) return;
  in.object("price", [&](ObjectReader& offer) {
    ListPrice& price = model.price.emplace();
    price.per_hour = offer.number("per_hour", 0, 1e6);
    price.currency = offer.text("currency");
    price.date = offer.text("date");
    price.source = offer.text("source");
    model.type.price_per_hour = price.per_hour;
  });
}

void read_model_joints(ObjectReader& in, DeviceModel& model) {
  if (in.has("device_link"))
    in.object("device_link", [&](ObjectReader& link) {
      model.link = DeviceLink{link.text("kind"), link.count("lanes", 1, 1024), link.rate("lane_gb_per_s"),
                              link.bool_or("by_bridge", false)};
    });
  in.object("pcie", [&](ObjectReader& pcie) {
    model.pcie = {pcie.count("generation", 1, 6), pcie.count("lanes", 1, 32)};
  });
  if (in.has("host_link"))
    in.object("host_link", [&](ObjectReader& link) {
      model.host_link = HostLink{link.rate("gb_per_s"), link.text("source")};
    });
}

void read_memory_defaults(ObjectReader& in, DeviceModel& model) {
  if (!in.has("memory_defaults")) return;
  in.object("memory_defaults", [&](ObjectReader& defaults) {
    model.memory_defaults = MemoryDefaults{defaults.bytes("reserve_bytes"), defaults.bytes("communicator_bytes"),
                                           defaults.number("fragmentation", 0, 0.9), defaults.text("source")};
  });
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string gibibytes(Bytes bytes) {
  return fmt::format("{} GiB", number(static_cast<double>(bytes.count) / (std::int64_t{1} << 30)));
}

std::string peaks_text(const DeviceModel& model) {
  constexpr std::array<std::string_view, 6> order{"fp32", "tf32", "fp16", "bf16", "fp8", "fp4"};
  std::string text;
  for (const std::string_view precision : order) {
    const auto found = model.type.peak_tflops.find(std::string(precision));
    if (found == model.type.peak_tflops.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", precision, found->second);
  }
  return text + " TFLOP/s";
}

std::string joint_text(const DeviceModel& model) {
  const std::string pcie = fmt::format("PCIe {} x{}", model.pcie.generation, model.pcie.lanes);
  const std::string rate = number(in_gigabytes_per_second(device_bandwidth(model)));
  const std::string bridge = model.link && model.link->by_bridge ? " by a bridge" : "";
  return fmt::format("{}{}, {} GB/s each way", model.link ? model.link->kind : pcie, bridge, rate);
}

std::string price_text(const DeviceModel& model) {
  if (!model.price) return "no known list price";
  return fmt::format("about {:.2f} {} per hour ({})", model.price->per_hour, model.price->currency, model.price->date);
}

}  // namespace

Result<DeviceModel> device_model_from_json(const std::string& text) {
  DeviceModel model;
  const Result<void> read = io::json::read_document(text, "pipedeck.device", [&](ObjectReader& in) {
    read_type(in, model.type);
    model.title = in.text("title");
    model.vendor = in.text("vendor");
    in.values("aliases", [&](const Value& value, const std::string& place) {
      model.aliases.push_back(device_name_key(io::json::read_text(value, place, in.problems())));
    });
    if (in.has("pci_ids"))
      in.values("pci_ids", [&](const Value& value, const std::string& place) {
        model.pci_ids.push_back(io::json::read_text(value, place, in.problems()));
      });
    model.compute_units = in.count("compute_units", 1, 1 << 20);
    model.matrix_units = in.bool_or("matrix_units", false);
    read_model_joints(in, model);
    read_memory_defaults(in, model);
    read_price(in, model);
    model.source = in.text("source");
  });
  if (!read) return tl::unexpected(read.error());
  if (!model.type.peak_tflops.contains("fp32"))
    return fail(ErrorCode::bad_input, "found no fp32 peak, expected one, which all devices are compared by",
                "/peak_tflops");
  return model;
}

const std::vector<DeviceModel>& device_catalogue() {
  static const std::vector<DeviceModel> catalogue = [] {
    std::vector<DeviceModel> models;
    for (const std::string& text : embedded_devices()) {
      Result<DeviceModel> model = device_model_from_json(text);
      ensure(model.has_value(), "the devices that come with the program are valid");
      models.push_back(*std::move(model));
    }
    const std::vector<DeviceEfficiency>& known = efficiency().devices;
    for (DeviceModel& model : models) {
      model.type.relative_speed = relative_speed(model, models.front()).value();
      const auto own = std::ranges::find(known, model.type.name, &DeviceEfficiency::device);
      if (own != known.end()) model.efficiency = *own;
    }
    return models;
  }();
  return catalogue;
}

Result<DeviceModel> catalogue_device(const std::string& name) {
  if (const DeviceModel* found = find_device_model(device_catalogue(), name)) return *found;
  std::string known;
  for (const DeviceModel& model : device_catalogue()) known += (known.empty() ? "" : ", ") + model.type.name;
  return fail(ErrorCode::bad_usage, fmt::format("found no device type '{}', expected one of: {}", name, known));
}

std::string known_device_type(const Cluster& cluster) {
  for (const DeviceType& type : cluster.device_types)
    if (const auto known = catalogue_device(type.name)) return known->type.name;
  return {};
}

MemoryDefaults memory_defaults(const Cluster& cluster) {
  MemoryDefaults most;
  for (const DeviceType& type : cluster.device_types) {
    const DeviceModel* const model = find_device_model(device_catalogue(), type.name);
    if (!model || !model->memory_defaults) continue;
    const MemoryDefaults& own = *model->memory_defaults;
    most.reserve = std::max(most.reserve, own.reserve);
    most.communication = std::max(most.communication, own.communication);
    most.fragmentation = std::max(most.fragmentation, own.fragmentation);
    most.source += fmt::format("{}{}: {}", most.source.empty() ? "" : "; ", model->type.name, own.source);
  }
  return most;
}

std::string device_summary(const DeviceModel& model) {
  return fmt::format("{}; {} at {} GB/s; {}; {}; {}", model.title, gibibytes(model.type.memory),
                     number(in_gigabytes_per_second(*model.type.memory_bandwidth)), peaks_text(model),
                     joint_text(model), price_text(model));
}

}  // namespace pipedeck::presets
