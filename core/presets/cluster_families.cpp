// SPDX-License-Identifier: Apache-2.0
#include "core/presets/cluster_families.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
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

using Joint = ClusterFamily::Joint;

Joint read_joint(ObjectReader& in) {
  const std::string joined = in.text("joined");
  if (joined == "nvlink") return Joint::nvlink;
  if (joined == "mesh") return Joint::mesh;
  if (in.ok() && joined != "host")
    in.fail("joined", fmt::format("found {}, expected nvlink, mesh or host", io::json::describe(Value(joined))));
  return Joint::host;
}

ClusterFamily read_family(ObjectReader& in) {
  ClusterFamily family;
  family.group = in.text("group");
  in.values("devices", [&](const Value& value, const std::string& place) {
    family.devices.push_back(io::json::read_text(value, place, in.problems()));
  });
  family.counts = in.counts("counts", 1, most_devices);
  family.nodes = in.counts("nodes", 1, most_nodes);
  family.joint = read_joint(in);
  family.domain_nodes = in.count_or("domain_nodes", 1, 1, most_nodes);
  if (in.ok() && family.domain_nodes > 1 && family.joint != Joint::nvlink)
    in.fail("domain_nodes", fmt::format("found {}, expected 1 without nvlink", family.domain_nodes));
  const bool several = std::ranges::any_of(family.nodes, [](int nodes) { return nodes > 1; });
  constexpr double max_gigabits = 1e6;
  if (several) family.nic = BytesPerSecond(in.number("nic_gbit_per_s", 0.1, max_gigabits) * 1e9 / 8);
  if (in.has("host_memory_bytes")) family.host_memory = in.bytes("host_memory_bytes");
  if (in.has("host_memory_gb_per_s")) family.host_memory_bandwidth = in.rate("host_memory_gb_per_s");
  family.source = in.text("source");
  const bool linked = family.joint != Joint::host;
  for (const std::string& device : family.devices) {
    const DeviceModel* model = find_device_model(device_catalogue(), device);
    if (in.ok() && (!model || (linked && !model->link)))
      in.fail("devices", fmt::format("found {}, expected a device of the catalogue{}",
                                     io::json::describe(Value(device)), linked ? " that has links" : ""));
  }
  const auto largest = [](const std::vector<int>& sizes) { return sizes.empty() ? 0 : std::ranges::max(sizes); };
  if (in.ok() && largest(family.counts) * largest(family.nodes) > limits::devices)
    in.fail("nodes", fmt::format("found more than {} devices", limits::devices));
  return family;
}

std::vector<std::string> assumptions_of(const FamilyCluster& cluster) {
  const DeviceModel& model = *cluster.model;
  std::vector<std::string> assumptions{
      cluster.nodes == 1 ? fmt::format("a latency of {:.0f} µs inside the node", in_microseconds(inside_a_node))
                         : fmt::format("latencies of {:.0f} µs inside nodes and {:.0f} µs to the switch",
                                       in_microseconds(inside_a_node), in_microseconds(to_the_switch))};
  if (cluster.family->joint == Joint::mesh && cluster.count > 1)
    assumptions.push_back(fmt::format(
        "rings use all {} links of a device at once, {:g} GB/s; a transfer between two devices has one of {:g} GB/s, "
        "which is not modelled",
        model.link->lanes, in_gigabytes_per_second(model.link->bandwidth()),
        in_gigabytes_per_second(model.link->lane)));
  return assumptions;
}

std::vector<ClusterFamily> all_families() {
  std::vector<ClusterFamily> families;
  for (const std::string& text : embedded_families()) {
    auto read = cluster_families_from_json(text);
    ensure(read.has_value(), "the families that come with the program are valid");
    std::ranges::move(*read, std::back_inserter(families));
  }
  return families;
}

const std::vector<ClusterFamily>& families() {
  static const std::vector<ClusterFamily> all = all_families();
  return all;
}

/// Returns the number before the end of a text; empty unless it is all that is before it.
std::optional<int> number_before(std::string_view text, std::string_view end) {
  if (!text.ends_with(end)) return std::nullopt;
  text.remove_suffix(end.size());
  int number = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || last != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string FamilyCluster::name() const {
  const std::string& type = model->type.name;
  return nodes == 1 ? fmt::format("{} × {}", count, type) : fmt::format("{} × {} {}", nodes, count, type);
}

std::string FamilyCluster::alias() const {
  const std::string& type = model->type.name;
  return in_lower_case(nodes == 1 ? fmt::format("{}-{}", count, type) : fmt::format("{}x{}-{}", nodes, count, type));
}

Cluster FamilyCluster::build() const {
  const std::string& type = model->type.name;
  Cluster cluster;
  cluster.name = name();
  cluster.device_types = {model->type};
  const BytesPerSecond inside =
      family->joint == Joint::host ? pcie_bandwidth(model->pcie) / 2 : model->link->bandwidth();
  for (int n = 0; n < nodes; ++n) {
    Node& node = cluster.nodes.emplace_back();
    node.name = fmt::format("n{}", n);
    node.devices = {{type, count}};
    if (count > 1 || family->domain_nodes > 1) node.link = Link{inside, inside_a_node};
    if (nodes > 1) node.nic = family->nic;
    node.memory = family->host_memory, node.memory_bandwidth = family->host_memory_bandwidth;
    if (family->domain_nodes > 1) node.domain = fmt::format("domain {}", n / family->domain_nodes);
  }
  if (nodes > 1) {
    cluster.switches = {{"switch"}};
    for (const Node& node : cluster.nodes)
      cluster.links.push_back({node.name, "switch", Link{family->nic * count, to_the_switch}});
  }
  cluster.assumptions = assumptions_of(*this);
  cluster.extra = io::json::compact(
      io::json::ObjectWriter()
          .add("alias", alias())
          .add("group", family->group)
          .add("source", fmt::format("{}; {}; latencies are our assumption", family->source, model->source))
          .finish());
  return cluster;
}

Result<std::vector<ClusterFamily>> cluster_families_from_json(const std::string& text) {
  std::vector<ClusterFamily> families;
  TRY_VOID(io::json::read_document(text, "pipedeck.cluster-families", [&](ObjectReader& in) {
    in.objects("families", [&](ObjectReader& entry) { families.push_back(read_family(entry)); });
  }));
  return families;
}

const std::vector<FamilyCluster>& family_clusters() {
  static const std::vector<FamilyCluster> all = [] {
    std::vector<FamilyCluster> clusters;
    for (const ClusterFamily& family : families())
      for (const std::string& device : family.devices)
        for (const int count : family.counts)
          for (const int nodes : family.nodes)
            clusters.push_back({&family, find_device_model(device_catalogue(), device), count, nodes});
    return clusters;
  }();
  return all;
}

std::optional<FamilyCluster> find_family_cluster(std::string_view wanted) {
  for (FamilyCluster cluster : family_clusters()) {
    if (wanted == cluster.alias() || wanted == in_lower_case(cluster.name())) return cluster;
    const std::string type = in_lower_case(cluster.model->type.name);
    auto nodes = number_before(wanted, fmt::format("x{}-{}", cluster.count, type));
    if (!nodes) nodes = number_before(wanted, fmt::format(" × {} {}", cluster.count, type));
    if (!nodes || *nodes < 2 || *nodes > std::ranges::max(cluster.family->nodes)) continue;
    cluster.nodes = *nodes;
    return cluster;
  }
  return std::nullopt;
}

}  // namespace pipedeck::presets
