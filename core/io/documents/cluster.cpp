// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/io/documents/formats.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/plan/validate.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

DeviceType parse_device_type(ObjectReader& in) {
  DeviceType type;
  type.name = in.text("name");
  type.memory = in.bytes("memory_bytes");
  type.relative_speed = in.number_or("relative_speed", 1.0, 0, 1e9);
  if (in.has("peak_tflops"))
    in.object("peak_tflops", [&](ObjectReader& peaks) {
      for (const std::string& precision : peaks.names()) type.peak_tflops[precision] = peaks.number(precision, 0, 1e12);
    });
  if (in.has("memory_gb_per_s")) type.memory_bandwidth = in.rate("memory_gb_per_s");
  if (in.has("host_gb_per_s")) type.host_bandwidth = in.rate("host_gb_per_s");
  if (in.has("price_per_hour")) type.price_per_hour = in.number("price_per_hour", 0, 1e12);
  type.extra = in.preserve_unknown_members();
  return type;
}

Link parse_link(ObjectReader& in) {
  Link link;
  link.bandwidth = in.rate("gb_per_s");
  if (in.has("latency_us")) link.latency = in.latency("latency_us");
  link.measured = in.bool_or("measured", false);
  return link;
}

Node parse_node(ObjectReader& in) {
  Node node;
  node.name = in.text("name");
  in.objects("devices", [&](ObjectReader& group) {
    DeviceGroup read;
    read.type = group.text("type");
    read.count = group.count_or("count", 1, 1, limits::devices);
    node.devices.push_back(std::move(read));
  });
  if (in.has("link")) in.object("link", [&](ObjectReader& link) { node.link = parse_link(link); });
  node.bus = in.bool_or("bus", false);
  if (in.has("nic_gb_per_s")) node.nic = in.rate("nic_gb_per_s");
  node.domain = in.text_or("domain", "");
  if (in.has("memory_bytes")) node.memory = in.bytes("memory_bytes");
  if (in.has("memory_gb_per_s")) node.memory_bandwidth = in.rate("memory_gb_per_s");
  node.extra = in.preserve_unknown_members();
  return node;
}

void read_matrix(ObjectReader& in, Cluster& cluster) {
  cluster.bandwidth_matrix.emplace();
  in.values("bandwidth_matrix_gb_per_s", [&](const Value& value, const std::string& place) {
    std::vector<BytesPerSecond>& row = cluster.bandwidth_matrix->emplace_back();
    const json::List* cells = json::read_list(value, place, in.problems());
    for (std::size_t i = 0; cells && i < cells->size() && in.ok(); ++i)
      row.push_back(BytesPerSecond(json::read_number((*cells)[i], json::Unit::gigabytes_per_second, 0,
                                                     limits::bytes_per_second, place + json::step(i), in.problems())));
  });
}

Value device_type_to_json(const DeviceType& type) {
  ObjectWriter out;
  out.add("name", type.name).add("memory_bytes", type.memory).add("relative_speed", json::number(type.relative_speed));
  if (!type.peak_tflops.empty()) {
    ObjectWriter peaks;
    for (const auto& [precision, peak] : type.peak_tflops) peaks.add(precision, json::number(peak));
    out.add("peak_tflops", peaks.finish());
  }
  if (type.memory_bandwidth) out.add("memory_gb_per_s", json::gigabytes_per_second_of(*type.memory_bandwidth));
  if (type.host_bandwidth) out.add("host_gb_per_s", json::gigabytes_per_second_of(*type.host_bandwidth));
  if (type.price_per_hour) out.add("price_per_hour", json::number(*type.price_per_hour));
  return out.finish(type.extra);
}

ObjectWriter& add_link(ObjectWriter& out, const Link& link) {
  out.add("gb_per_s", json::gigabytes_per_second_of(link.bandwidth))
      .add("latency_us", json::microseconds_of(link.latency));
  if (link.measured) out.add("measured", Value(true));
  return out;
}

Value node_to_json(const Node& node) {
  ObjectWriter out;
  out.add("name", node.name);
  out.add("devices", json::list_of(node.devices, [](const DeviceGroup& group) {
            return ObjectWriter().add("type", group.type).add("count", group.count).finish();
          }));
  if (node.link) {
    ObjectWriter link;
    out.add("link", add_link(link, *node.link).finish());
  }
  if (node.bus) out.add("bus", Value(true));
  if (node.nic) out.add("nic_gb_per_s", json::gigabytes_per_second_of(*node.nic));
  if (!node.domain.empty()) out.add("domain", node.domain);
  if (node.memory) out.add("memory_bytes", *node.memory);
  if (node.memory_bandwidth) out.add("memory_gb_per_s", json::gigabytes_per_second_of(*node.memory_bandwidth));
  return out.finish(node.extra);
}

Value network_link_to_json(const NetworkLink& link) {
  ObjectWriter out;
  out.add("from", link.from).add("to", link.to);
  return add_link(out, link.link).finish();
}

Value row_to_json(const std::vector<BytesPerSecond>& row) {
  return Value(json::list_of(row, [](BytesPerSecond rate) { return Value(json::gigabytes_per_second_of(rate)); }));
}

}  // namespace

Result<Cluster> cluster_from_json(const std::string& text) {
  Cluster cluster;
  const Result<void> read = json::read_document(text, "pipedeck.cluster", [&](ObjectReader& in) {
    cluster.name = in.text_or("name", "");
    in.objects("device_types", [&](ObjectReader& type) { cluster.device_types.push_back(parse_device_type(type)); });
    in.objects("nodes", [&](ObjectReader& node) { cluster.nodes.push_back(parse_node(node)); });
    if (in.has("switches"))
      in.objects("switches", [&](ObjectReader& member) { cluster.switches.push_back({member.text("name")}); });
    if (in.has("links"))
      in.objects("links", [&](ObjectReader& link) {
        NetworkLink read_link{link.text("from"), link.text("to"), {}};
        read_link.link = parse_link(link);
        cluster.links.push_back(std::move(read_link));
      });
    if (in.has("bandwidth_matrix_gb_per_s")) read_matrix(in, cluster);
    if (in.has("assumptions"))
      in.values("assumptions", [&](const Value& value, const std::string& place) {
        if (const std::string* sentence = value.as<std::string>()) return cluster.assumptions.push_back(*sentence);
        in.problems().add(place, fmt::format("found {}, expected a text", json::describe(value)));
      });
    cluster.extra = in.preserve_unknown_members();
  });
  if (!read) return tl::unexpected(read.error());
  if (const Result<void> valid = plan::validate(cluster); !valid) return tl::unexpected(valid.error());
  return cluster;
}

std::string cluster_to_json(const Cluster& cluster) {
  ObjectWriter out = ObjectWriter::document("pipedeck.cluster");
  out.add("name", cluster.name);
  out.add("device_types", json::list_of(cluster.device_types, device_type_to_json));
  out.add("nodes", json::list_of(cluster.nodes, node_to_json));
  out.add("switches", json::list_of(cluster.switches, [](const Switch& member) {
            return ObjectWriter().add("name", member.name).finish();
          }));
  if (cluster.bandwidth_matrix)
    out.add("bandwidth_matrix_gb_per_s", json::list_of(*cluster.bandwidth_matrix, row_to_json));
  else
    out.add("links", json::list_of(cluster.links, network_link_to_json));
  if (!cluster.assumptions.empty())
    out.add("assumptions",
            json::list_of(cluster.assumptions, [](const std::string& sentence) { return Value(sentence); }));
  return json::pretty(out.finish(cluster.extra));
}

}  // namespace pipedeck::io::documents
