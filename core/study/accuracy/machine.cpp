// SPDX-License-Identifier: Apache-2.0
#include "core/study/accuracy/machine.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/limits.hpp"

namespace pipedeck::study::accuracy {
namespace {

constexpr Seconds inside_a_node{5e-6}, to_the_switch{10e-6};  // as the clusters of presets/families
constexpr double bytes_per_gigabit = 1e9 / 8, bytes_per_gib = 0x1p30;

/// Finds "H100-96GB-HBM2e" as "H100-96GB", and if that is unknown as "H100".
const DeviceModel* device_of(const std::vector<DeviceModel>& catalogue, std::string_view name,
                             std::vector<std::string>& notes) {
  for (std::string_view part = name;; part = part.substr(0, part.rfind('-'))) {
    if (const DeviceModel* const model = find_device_model(catalogue, part)) {
      if (part != name) notes.push_back(fmt::format("the GPU is taken for {}", model->type.name));
      return model;
    }
    if (part.rfind('-') == part.npos) return nullptr;
  }
}

/// Returns the GPUs of a domain that a run takes: schedulers place equal numbers of nodes in each.
int used_of_domain(int domain, int node, int gpus) {
  for (int used = domain / node * node; used > node; used -= node)
    if (gpus % used == 0) return used;
  return node;
}

}  // namespace

Machine machine_of(const PublishedRun& run, const std::vector<DeviceModel>& catalogue) {
  Machine machine;
  if (!run.gpus) return {nullptr, {}, "the number of GPUs is not known", {}};
  if (*run.gpus > limits::devices) return {nullptr, {}, fmt::format("{} GPUs are too many", *run.gpus), {}};
  const DeviceModel* const model = device_of(catalogue, run.gpu, machine.notes);
  if (!model) return {nullptr, {}, fmt::format("the device type {} is not in the catalogue", run.gpu), {}};

  const int gpus = *run.gpus;
  const int node_gpus = std::min(run.gpus_per_node.value_or(8), gpus);
  if (!run.gpus_per_node && gpus > 8) machine.notes.push_back("8 GPUs of a node are assumed");
  const int domain = run.domain_gpus.value_or(node_gpus);
  int domain_gpus = node_gpus;
  if (domain > node_gpus && gpus > node_gpus) {
    domain_gpus = gpus <= domain ? gpus : used_of_domain(domain, node_gpus, gpus);
    if (gpus > domain && domain_gpus != domain)
      machine.notes.push_back(fmt::format("{} of the {} GPUs of each NVLink domain are used", domain_gpus, domain));
  }

  auto cluster = std::make_shared<Cluster>();
  machine.type = model->type;
  if (model->host_link) machine.type.host_bandwidth = model->host_link->bandwidth;
  if (run.gpu_memory_gb) {
    const Bytes printed{saturating::whole(*run.gpu_memory_gb * bytes_per_gib)};
    const double ratio = double(printed.count) / double(machine.type.memory.count);
    if (ratio < 0.9 || ratio > 1.1) machine.type.memory = printed;
  }
  cluster->name = fmt::format("{} {}", gpus, model->type.name);
  cluster->device_types = {machine.type};
  const int nodes = (gpus + node_gpus - 1) / node_gpus;
  const BytesPerSecond nic{run.network_gbps.value_or(400) * bytes_per_gigabit};
  if (!run.network_gbps && nodes > 1) machine.notes.push_back("a network of 400 Gbit/s for each GPU is assumed");
  for (int n = 0; n < nodes; ++n) {
    Node& node = cluster->nodes.emplace_back();
    const int count = std::min(node_gpus, gpus - n * node_gpus);
    node.name = fmt::format("n{}", n);
    node.devices = {{model->type.name, count}};
    if (count > 1 || domain_gpus > node_gpus) node.link = Link{device_bandwidth(*model), inside_a_node};
    if (nodes > 1) node.nic = nic;
    if (domain_gpus > node_gpus) node.domain = fmt::format("domain {}", n * node_gpus / domain_gpus);
  }
  if (nodes > 1) {
    cluster->switches = {{"switch"}};
    for (const Node& node : cluster->nodes)
      cluster->links.push_back({node.name, "switch", Link{nic * device_count(node), to_the_switch}});
  }
  machine.cluster = std::move(cluster);
  return machine;
}

}  // namespace pipedeck::study::accuracy
