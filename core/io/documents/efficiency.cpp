// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/efficiency.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/checks.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

constexpr double least_share = 1e-6, most_size = 1e9, most_cast = 64, most_slow_down = 10;

// The members of each object, once, for the reader and the writer alike.
template <class Visitor, class Of>
void visit_product(Visitor& visit, Of& product) {
  visit.share("share", product.share);
  visit.number("half_rows", product.half_rows, 0, most_size);
  visit.number("half_inner", product.half_inner, 0, most_size);
  visit.number("half_columns", product.half_columns, 0, most_size);
}

template <class Visitor, class Of>
void visit_precision(Visitor& visit, Of& precision) {
  visit.object("plain", [&](auto& inner) { visit_product(inner, precision.plain); });
  visit.object("grouped", [&](auto& inner) { visit_product(inner, precision.grouped); });
  visit.number("casts", precision.casts, 0, most_cast);
}

template <class Visitor, class Of>
void visit_attention(Visitor& visit, Of& attention) {
  visit.share("forward", attention.forward);
  visit.share("backward", attention.backward);
  visit.number("half_rows", attention.half_rows, 0, most_size);
  visit.number("half_width", attention.half_width, 0, most_size);
}

template <class Visitor, class Of>
void visit_device(Visitor& visit, Of& device) {
  visit.share("memory", device.memory);
  visit.latency("kernel_us", device.kernel);
  visit.latency("launch_us", device.launch);
  visit.latency("layer_us", device.layer);
  visit.latency("expert_layer_us", device.expert_layer);
  visit.share("link", device.link);
  visit.share("network", device.network);
  visit.latency("link_call_us", device.link_call);
  visit.latency("network_call_us", device.network_call);
  visit.number("busy", device.busy, 1, most_slow_down);
}

class EfficiencyWriter {
 public:
  explicit EfficiencyWriter(ObjectWriter& out) : out_(out) {}
  void share(std::string_view name, double value) { out_.add(name, Value(json::number(value))); }
  void number(std::string_view name, double value, double, double) { share(name, value); }
  void latency(std::string_view name, Seconds value) { out_.add(name, Value(json::microseconds_of(value))); }
  template <class Visit>
  void object(std::string_view name, Visit visit) {
    ObjectWriter members;
    EfficiencyWriter inner(members);
    visit(inner);
    out_.add(name, members.finish());
  }

 private:
  ObjectWriter& out_;
};

/// Reports a member that was not read. Values of a misspelt one would be lost silently.
void refuse_unknown(ObjectReader& in) {
  const std::string left = in.preserve_unknown_members();
  if (left.empty() || !in.ok()) return;
  const Result<Value> members = json::parse(left);
  ensure(members.has_value(), "unknown members are JSON");
  const std::string& name = members->as<json::Members>()->front().first;
  in.fail(name, "found an unknown member, expected those of docs/formats.md alone");
}

class EfficiencyReader {
 public:
  explicit EfficiencyReader(ObjectReader& in) : in_(in) {}
  void share(std::string_view name, double& value) { value = in_.number(name, least_share, 1); }
  void number(std::string_view name, double& value, double least, double most) {
    value = in_.number(name, least, most);
  }
  void latency(std::string_view name, Seconds& value) { value = in_.latency(name); }
  template <class Visit>
  void object(std::string_view name, Visit visit) {
    in_.object(name, [&](ObjectReader& object) {
      EfficiencyReader inner(object);
      visit(inner);
      refuse_unknown(object);
    });
  }

 private:
  ObjectReader& in_;
};

}  // namespace

DeviceEfficiency read_efficiency(ObjectReader& in) {
  DeviceEfficiency row;
  in.object("products", [&](ObjectReader& products) {
    EfficiencyReader reader(products);
    for (const std::string& precision : products.names())
      reader.object(precision, [&](auto& inner) { visit_precision(inner, row.products[precision]); });
  });
  in.object("attention", [&](ObjectReader& kernels) {
    EfficiencyReader reader(kernels);
    kernels.get(default_efficiency);  // reports it if it is missing
    for (const std::string& kernel : kernels.names())
      reader.object(kernel, [&](auto& inner) { visit_attention(inner, row.attention[kernel]); });
  });
  EfficiencyReader reader(in);
  visit_device(reader, row);
  row.source = in.text("source");
  return row;
}

namespace {

void read_row(ObjectReader& in, EfficiencyTable& table) {
  DeviceEfficiency row = read_efficiency(in);
  in.values("devices", [&](const Value& value, const std::string& place) {
    row.device = json::read_text(value, place, in.problems());
    if (std::ranges::find(table.devices, row.device, &DeviceEfficiency::device) != table.devices.end())
      return in.problems().add(place, fmt::format("found {} a second time, expected each device once", row.device));
    table.devices.push_back(row);
  });
  refuse_unknown(in);
}

bool differ_by_name_alone(DeviceEfficiency one, const DeviceEfficiency& other) {
  one.device = other.device;
  return one == other;
}

}  // namespace

Result<EfficiencyTable> efficiency_from_json(const std::string& text) {
  EfficiencyTable table;
  const Result<void> read = json::read_document(text, "pipedeck.efficiency", [&](ObjectReader& in) {
    in.objects("rows", [&](ObjectReader& row) { read_row(row, table); });
    refuse_unknown(in);
  });
  if (!read) return tl::unexpected(read.error());
  return table;
}

void write_efficiency(ObjectWriter& out, const DeviceEfficiency& row) {
  ObjectWriter products, kernels;
  EfficiencyWriter of_products(products), of_kernels(kernels), values(out);
  for (const auto& [name, precision] : row.products)
    of_products.object(name, [&](auto& inner) { visit_precision(inner, precision); });
  for (const auto& [name, kernel] : row.attention)
    of_kernels.object(name, [&](auto& inner) { visit_attention(inner, kernel); });
  out.add("products", products.finish()).add("attention", kernels.finish());
  visit_device(values, row);
  out.add("source", Value(row.source));
}

std::string efficiency_to_json(const EfficiencyTable& table) {
  json::List rows;
  for (std::size_t i = 0; i < table.devices.size();) {
    const DeviceEfficiency& row = table.devices[i];
    json::List names;
    for (; i < table.devices.size() && differ_by_name_alone(table.devices[i], row); ++i)
      names.push_back(Value(table.devices[i].device));
    ObjectWriter out;
    out.add("devices", Value(std::move(names)));
    write_efficiency(out, row);
    rows.push_back(out.finish());
  }
  ObjectWriter out = ObjectWriter::document("pipedeck.efficiency");
  out.add("rows", Value(std::move(rows)));
  return json::pretty(out.finish());
}

}  // namespace pipedeck::io::documents
