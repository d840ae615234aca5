// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/machine/local_machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>
#include <zlib.h>
#ifdef PIPEDECK_HWLOC
#include <hwloc.h>
#endif

#include "core/runtime/machine/nvml.hpp"

namespace pipedeck::runtime::machine {
namespace {

namespace fs = std::filesystem;

struct Processors {
  int cores = 1;
  std::string vendor, words;
};

#ifdef PIPEDECK_HWLOC
Processors processors() {
  Processors found;
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return found;
  if (hwloc_topology_load(topology) == 0) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    const int threads = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    const int sockets = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
    const int numa = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    found.cores = std::max(1, cores > 0 ? cores : threads);
    if (hwloc_obj_t socket = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0))
      if (const char* vendor = hwloc_obj_get_info_by_name(socket, "CPUVendor")) found.vendor = vendor;
    found.words = fmt::format("hwloc: {} cores with {} threads, {} {}, {} NUMA {}", found.cores, threads, sockets,
                              sockets == 1 ? "socket" : "sockets", numa, numa == 1 ? "node" : "nodes");
  }
  hwloc_topology_destroy(topology);
  return found;
}
#else
Processors processors() {
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return {threads, {}, fmt::format("{} processor threads; built without hwloc, which would tell cores", threads)};
}
#endif

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "this machine";
}

/// Returns the first number of a small file of the kernel; 0 if there is none.
double figure_in(const fs::path& file) {
  double value = 0;
  std::ifstream(file) >> value;
  return value > 0 ? value : 0;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

/// Returns the InfiniBand cards if there are any (their Ethernet interfaces share the same wires), else physical
/// Ethernet with a carrier. Rates are "100 Gb/sec (4X EDR)" or megabits.
std::vector<FoundNic> network_cards() {
  std::vector<FoundNic> cards;
  for (const fs::path& card : entries_of("/sys/class/infiniband"))
    if (const double gigabits = figure_in(card / "ports/1/rate"); gigabits > 0)
      cards.push_back({card.filename().string(), BytesPerSecond(gigabits * 1e9 / 8)});
  if (!cards.empty()) return cards;
  std::error_code none;
  for (const fs::path& card : entries_of("/sys/class/net"))
    if (fs::exists(card / "device", none))
      if (const double megabits = figure_in(card / "speed"); megabits > 0)
        cards.push_back({card.filename().string(), BytesPerSecond(megabits * 1e6 / 8)});
  return cards;
}

}  // namespace

LocalMachine local_machine() {
  LocalMachine machine;
  const Processors found = processors();
  machine.cores = found.cores;
  if (!found.words.empty()) machine.notes.push_back(found.words);
  Result<FoundGpus> gpus = gpus_by_nvml();
  if (!gpus) {
    machine.notes.push_back(gpus.error().message);
    return machine;
  }
  machine.gpus = DetectedMachine{.name = host_name(),
                                 .source = "NVML",
                                 .processor_vendor = found.vendor,
                                 .gpus = std::move(gpus->gpus),
                                 .joints = std::move(gpus->joints),
                                 .nics = network_cards(),
                                 .notes = {}};
  return machine;
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  const dnnl_version_t* const dnnl = dnnl_version();
  return {{"oneDNN", fmt::format("{}.{}.{}", dnnl->major, dnnl->minor, dnnl->patch)}, {"zlib", zlibVersion()}};
}

Bytes physical_memory() { return Bytes(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE); }

}  // namespace pipedeck::runtime::machine
