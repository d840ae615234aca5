// SPDX-License-Identifier: Apache-2.0
#include "core/presets/cluster_families.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/plan/validate.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/embedded.hpp"
#include "core/presets/preset_names.hpp"

namespace pipedeck::presets {
namespace {

using io::json::ObjectReader;
using io::json::Value;

// Assumed, as in the clusters of the papers.
const Seconds inside_a_node(5e-6), to_the_switch(10e-6);
constexpr int most_devices = 64, most_nodes = 4096;  // per node; of a cluster

struct Family {
  std::string group, source;
  std::vector<std::string> devices;
  std::vector<int> counts, nodes;  ///< devices per node; nodes
  bool nvlink = false;             ///< else through the host's memory
  BytesPerSecond nic;              ///< of each device, each way
};

Family read_family(ObjectReader& in) {
  Family family;
  family.group = in.text("group");
  in.values("devices", [&](const Value& value, const std::string& place) {
    family.devices.push_back(io::json::read_text(value, place, in.problems()));
  });
  family.counts = in.counts("counts", 1, most_devices);
  family.nodes = in.counts("nodes", 1, most_nodes);
  const std::string joined = in.text("joined");
  family.nvlink = joined == "nvlink";
  if (in.ok() && !family.nvlink && joined != "host")
    in.fail("joined", fmt::format("found {}, expected nvlink or host", io::json::describe(Value(joined))));
  const bool several = std::ranges::any_of(family.nodes, [](int nodes) { return nodes > 1; });
  constexpr double max_gigabits = 1e6;
  if (several) family.nic = BytesPerSecond(in.number("nic_gbit_per_s", 0.1, max_gigabits) * 1e9 / 8);
  family.source = in.text("source");
  for (const std::string& device : family.devices) {
    const DeviceModel* model = find_device_model(device_catalogue(), device);
    if (in.ok() && (!model || (family.nvlink && !model->link)))
      in.fail("devices", fmt::format("found {}, expected a device of the catalogue{}",
                                     io::json::describe(Value(device)), family.nvlink ? " that has NVLink" : ""));
  }
  return family;
}

Cluster cluster_of(const Family& family, const DeviceModel& model, int count, int nodes) {
  const std::string& type = model.type.name;
  Cluster cluster;
  cluster.name = nodes == 1 ? fmt::format("{} × {}", count, type) : fmt::format("{} × {} {}", nodes, count, type);
  cluster.device_types = {model.type};
  const BytesPerSecond inside = family.nvlink ? model.link->bandwidth() : pcie_bandwidth(model.pcie) / 2;
  for (int n = 0; n < nodes; ++n) {
    Node& node = cluster.nodes.emplace_back();
    node.name = fmt::format("n{}", n);
    node.devices = {{type, count}};
    if (count > 1) node.link = Link{inside, inside_a_node};
    if (nodes > 1) node.nic = family.nic;
  }
  if (nodes > 1) {
    cluster.switches = {{"switch"}};
    for (const Node& node : cluster.nodes)
      cluster.links.push_back({node.name, "switch", Link{family.nic * count, to_the_switch}});
  }
  cluster.assumptions = {nodes == 1
                             ? fmt::format("a latency of {:.0f} µs inside the node", in_microseconds(inside_a_node))
                             : fmt::format("latencies of {:.0f} µs inside nodes and {:.0f} µs to the switch",
                                           in_microseconds(inside_a_node), in_microseconds(to_the_switch))};
  const std::string alias =
      in_lower_case(nodes == 1 ? fmt::format("{}-{}", count, type) : fmt::format("{}x{}-{}", nodes, count, type));
  cluster.extra = io::json::compact(
      io::json::ObjectWriter()
          .add("alias", alias)
          .add("group", family.group)
          .add("source", fmt::format("{}; {}; latencies are our assumption", family.source, model.source))
          .finish());
  return cluster;
}

}  // namespace

Result<std::vector<Cluster>> family_clusters_from_json(const std::string& text) {
  std::vector<Family> families;
  TRY_VOID(io::json::read_document(text, "pipedeck.cluster-families", [&](ObjectReader& in) {
    in.objects("families", [&](ObjectReader& entry) { families.push_back(read_family(entry)); });
  }));
  std::vector<Cluster> clusters;
  for (const Family& family : families)
    for (const std::string& device : family.devices)
      for (const int count : family.counts)
        for (const int nodes : family.nodes) {
          clusters.push_back(cluster_of(family, *find_device_model(device_catalogue(), device), count, nodes));
          TRY_VOID(plan::validate(clusters.back()));
        }
  return clusters;
}

const std::vector<Cluster>& family_clusters() {
  static const std::vector<Cluster> all = [] {
    std::vector<Cluster> clusters;
    for (const std::string& text : embedded_families()) {
      auto read = family_clusters_from_json(text);
      ensure(read.has_value(), "the families that come with the program are valid");
      std::ranges::move(*read, std::back_inserter(clusters));
    }
    return clusters;
  }();
  return all;
}

}  // namespace pipedeck::presets
