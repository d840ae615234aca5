// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/nvml.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/runtime/machine/nvml_library.hpp"

namespace pipedeck::runtime::machine {
namespace {

constexpr unsigned max_links = 36;
constexpr unsigned remote_switch = 2;

struct Links {
  std::vector<std::string> targets;  ///< bus of the GPU at the other end, one entry per lane
  int to_switches = 0;
};

Links links_of(const machine::Library& driver, GpuHandle* device) {
  Links links;
  for (unsigned link = 0; link < max_links; ++link) {
    unsigned active = 0, kind = 0;
    if (!driver.ask("nvmlDeviceGetNvLinkState", device, link, &active) || active == 0) continue;
    PciInfo remote{};
    const bool known = driver.ask("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link, &remote);
    if (driver.ask("nvmlDeviceGetNvLinkRemoteDeviceType", device, link, &kind) && kind == remote_switch)
      ++links.to_switches;
    else if (known)
      links.targets.emplace_back(remote.bus_id);
  }
  return links;
}

FoundGpu gpu_of(const machine::Library& driver, GpuHandle* device, unsigned index, std::string& bus) {
  FoundGpu gpu;
  gpu.label = fmt::format("GPU{}", index);
  std::array<char, 128> name{};
  if (driver.ask("nvmlDeviceGetName", device, name.data(), static_cast<unsigned>(name.size() - 1)))
    gpu.name = name.data();
  if (const auto memory = driver.told<machine::MemoryInfo>("nvmlDeviceGetMemoryInfo", device))
    gpu.memory = Bytes(static_cast<std::int64_t>(memory->total));
  int major = 0, minor = 0;
  if (driver.ask("nvmlDeviceGetCudaComputeCapability", device, &major, &minor)) gpu.architecture = 10 * major + minor;
  unsigned generation = 0, width = 0;
  // The maximum of the slot: the current speed drops while the GPU idles.
  if (driver.ask("nvmlDeviceGetMaxPcieLinkGeneration", device, &generation) &&
      driver.ask("nvmlDeviceGetMaxPcieLinkWidth", device, &width) && generation >= 1 && generation <= 6 && width >= 1 &&
      width <= 32)
    gpu.pcie = PciExpress{static_cast<int>(generation), static_cast<int>(width)};
  PciInfo pci{};
  if (driver.ask("nvmlDeviceGetPciInfo_v3", device, &pci)) {
    gpu.pci_id = fmt::format("{:04x}:{:04x}", pci.vendor_and_device & 0xffff, pci.vendor_and_device >> 16);
    bus = pci.bus_id;
  }
  return gpu;
}

InterconnectKind kind_of(unsigned level) {
  if (level <= 10) return InterconnectKind::pcie_switch;
  if (level <= 20) return InterconnectKind::pcie_bridges;
  if (level <= 30) return InterconnectKind::host_bridge;
  return level <= 40 ? InterconnectKind::numa_node : InterconnectKind::system;
}

}  // namespace

Result<FoundGpus> gpus_by_nvml() {
  TRY(const auto opened, machine::Library::open());
  const machine::Library& driver = *opened;
  unsigned count = 0;
  if (!driver.ask("nvmlDeviceGetCount_v2", &count) || count == 0) return fail(ErrorCode::io, "NVML finds no GPU");
  FoundGpus found;
  std::vector<GpuHandle*> devices;
  std::vector<std::string> buses;
  std::vector<Links> links;
  for (unsigned i = 0; i < count; ++i) {
    GpuHandle* device = nullptr;
    if (!driver.ask("nvmlDeviceGetHandleByIndex_v2", i, &device)) continue;  // another user's, or broken
    devices.push_back(device);
    found.gpus.push_back(gpu_of(driver, device, i, buses.emplace_back()));
    links.push_back(links_of(driver, device));
  }
  if (devices.empty()) return fail(ErrorCode::io, "NVML gives access to no GPU");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::vector<Interconnect>& row = found.joints.emplace_back();
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i >= j) {
        row.push_back(i == j ? Interconnect{} : found.joints[j][i]);
        continue;
      }
      Interconnect joint{InterconnectKind::system, 0, {}};
      unsigned level = 0;
      if (driver.ask("nvmlDeviceGetTopologyCommonAncestor", devices[i], devices[j], &level))
        joint.kind = kind_of(level);
      if (const auto& a = found.gpus[i].pcie, &b = found.gpus[j].pcie; a && b)
        joint.pcie = std::min(pcie_bandwidth(*a), pcie_bandwidth(*b));
      const auto direct = std::ranges::count(links[i].targets, buses[j]);
      joint.lanes = static_cast<int>(direct) + std::min(links[i].to_switches, links[j].to_switches);
      if (joint.lanes > 0) joint.kind = InterconnectKind::nvlink;
      row.push_back(joint);
    }
  }
  return found;
}

}  // namespace pipedeck::runtime::machine
