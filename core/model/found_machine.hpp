// SPDX-License-Identifier: Apache-2.0
// A machine as described by its own tools (nvidia-smi, NCCL, hwloc, the driver), by a cloud provider or by Slurm. Lists
// its GPUs, the interconnect between any two of them, and the network between machines. core/presets/machine_import
// makes a cluster from it; there, missing values are chosen and reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/import_share.hpp"
#include "core/base/units.hpp"
#include "core/model/cluster.hpp"
#include "core/model/device_model.hpp"
#include "core/model/shard.hpp"

namespace pipedeck {

/// An interconnect of two devices, the nearest first; nvidia-smi's abbreviations in brackets.
enum class InterconnectKind {
  self,
  nvlink,        ///< NVLink or xGMI (NV#)
  pcie_switch,   ///< one PCIe switch (PIX)
  pcie_bridges,  ///< several PCIe switches (PXB)
  host_bridge,   ///< through the processor (PHB)
  numa_node,     ///< host bridges of one NUMA node (NODE)
  system,        ///< between sockets (SYS)
  unknown,       ///< not reported: the usual interconnect of the device type
};

struct Interconnect {
  InterconnectKind kind = InterconnectKind::self;
  int lanes = 0;                       ///< for links
  std::optional<BytesPerSecond> pcie;  ///< of the narrowest part of the PCI Express path, if reported
  std::optional<BytesPerSecond>
      link{};                      ///< of the lanes together, where the description has it instead of their number
  std::optional<Link> measured{};  ///< replaces all of the above if copies were timed; latency 0: not measured
  bool operator==(const Interconnect&) const = default;
};

/// A test of nccl-tests. Sizes are those of the whole tensor; all_to_all: of one rank's part (bytes_sent()).
struct MeasuredCollective {
  struct Point {
    double bytes = 0;
    Seconds time;
    BytesPerSecond bus;  ///< "busbw": bytes that each rank sends, over the time
    bool operator==(const Point&) const = default;
  };
  std::string test;                    ///< "all_reduce_perf"
  std::optional<CollectiveKind> kind;  ///< absent: each rank sends to the next one (sendrecv_perf)
  int ranks = 0;
  std::vector<std::string> machines;  ///< names of the hosts
  std::vector<Point> points;          ///< in ascending order of bytes
  bool operator==(const MeasuredCollective&) const = default;
};

struct FoundGpu {
  std::string label;     ///< "GPU0"
  std::string name;      ///< the driver's name; empty if not reported
  std::string pci_id;    ///< "10de:20b2"; empty if not reported
  int architecture = 0;  ///< compute capability times ten: 80 is Ampere; 0: not reported
  std::optional<Bytes> memory;
  std::optional<PciExpress> pcie;
  std::optional<int> numa;
  std::optional<DeviceType> type{};  ///< of a file that has its figures
  bool operator==(const FoundGpu&) const = default;
};

struct FoundNic {
  std::string name;
  std::optional<BytesPerSecond> bandwidth;  ///< in each direction
  bool operator==(const FoundNic&) const = default;
};

struct DetectedMachine {
  std::string name;              ///< name of the host or the file; not unique
  std::string source;            ///< "nvidia-smi topo -m"
  std::string processor_vendor;  ///< "GenuineIntel"; empty if not reported
  std::vector<FoundGpu> gpus;
  std::vector<std::vector<Interconnect>> joints;  ///< GPU x GPU, symmetric
  std::vector<FoundNic> nics;
  std::vector<std::string> notes;         ///< parts that the reader omitted or did not understand
  std::vector<std::string> partitions{};  ///< of a batch system that include the machine
  std::optional<Link> fabric{};           ///< to other machines, measured: bandwidth of the machine, latency of a step
  bool shows_links = true;                ///< false: a pair of GPUs may have a link of its own that is not described
  bool operator==(const DetectedMachine&) const = default;
};

/// A network switch and its children.
struct FoundSwitch {
  std::string name;
  std::vector<std::string> machines, switches;  ///< names of children; each has one parent only
  bool operator==(const FoundSwitch&) const = default;
};

/// A table of bandwidths between devices.
struct FoundMatrix {
  std::string name;                         ///< name of the file
  std::vector<std::string> devices;         ///< "node0/gpu1"
  std::string unit;                         ///< unit of the values; empty if the table has none
  std::vector<std::vector<double>> values;  ///< device x device, as written; 0 on the diagonal
  std::string gpu{};                        ///< the driver's name for the devices; empty if not reported
  bool operator==(const FoundMatrix&) const = default;
};

/// A set of machines from one description, or from several together.
struct FoundMachines {
  std::vector<DetectedMachine> machines;
  std::vector<FoundSwitch> switches{};            ///< a forest; empty if the network between machines is unknown
  std::optional<FoundMatrix> matrix{};            ///< never with machines
  std::vector<std::string> notes{};               ///< about the whole description
  std::vector<ImportShare> shares{};              ///< of each file
  std::vector<MeasuredCollective> collectives{};  ///< between machines of this description
  bool operator==(const FoundMachines&) const = default;
};

}  // namespace pipedeck
