// SPDX-License-Identifier: Apache-2.0
// A machine as its own tools describe it (nvidia-smi, NCCL, hwloc, the driver), or as those who rent it out or hand out
// its time do (clouds, Slurm): what GPUs sit in it and what lies between any two of them, and what joins machines. What
// such a description leaves open is decided, and said, where a cluster is made of it (core/presets/machine_import).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/domain/cluster.hpp"
#include "core/domain/device_model.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// What joins two devices, the nearest first; the words of nvidia-smi in brackets.
enum class JointKind {
  self,
  link,         ///< NVLink or xGMI (NV#)
  switched,     ///< one PCIe switch (PIX)
  bridged,      ///< several PCIe switches (PXB)
  host_bridge,  ///< through the processor (PHB)
  numa_node,    ///< host bridges of one NUMA node (NODE)
  system,       ///< between sockets (SYS)
  untold,       ///< nobody says: what devices of their type usually have
};

struct Joint {
  JointKind kind = JointKind::self;
  int lanes = 0;                       ///< of a link
  std::optional<BytesPerSecond> pcie;  ///< of the narrowest piece of the way over PCI Express, where it is told
  std::optional<Link> measured{};      ///< instead of all that, where copies were timed; latency 0: it was not
  bool operator==(const Joint&) const = default;
};

struct FoundGpu {
  std::string label;     ///< "GPU0"
  std::string name;      ///< as the driver calls it; empty where it is not told
  std::string pci_id;    ///< "10de:20b2"; empty where it is not told
  int architecture = 0;  ///< compute capability times ten: 80 is Ampere; 0: not told
  std::optional<Bytes> memory;
  std::optional<PciExpress> pcie;
  std::optional<int> numa;
  bool operator==(const FoundGpu&) const = default;
};

struct FoundNic {
  std::string name;
  std::optional<BytesPerSecond> bandwidth;  ///< each way
  bool operator==(const FoundNic&) const = default;
};

struct FoundMachine {
  std::string name;              ///< of the host or the file; not unique
  std::string source;            ///< "nvidia-smi topo -m"
  std::string processor_vendor;  ///< "GenuineIntel"; empty where it is not told
  std::vector<FoundGpu> gpus;
  std::vector<std::vector<Joint>> joints;  ///< GPU x GPU, symmetric
  std::vector<FoundNic> nics;
  std::vector<std::string> notes;         ///< what the reader had to leave out or could not make sense of
  std::vector<std::string> partitions{};  ///< of a batch system, that hand the machine out
  bool operator==(const FoundMachine&) const = default;
};

/// A switch of a network, with what hangs below it.
struct FoundSwitch {
  std::string name;
  std::vector<std::string> machines, switches;  ///< names; each hangs below one switch only
  bool operator==(const FoundSwitch&) const = default;
};

/// A table of bandwidths between devices.
struct FoundMatrix {
  std::string name;                         ///< of the file
  std::vector<std::string> devices;         ///< "node0/gpu1"
  std::string unit;                         ///< of the values; empty where the table does not say
  std::vector<std::vector<double>> values;  ///< device x device, as written; 0 on the diagonal
  bool operator==(const FoundMatrix&) const = default;
};

/// What one file told, or several together.
struct FoundMachines {
  std::vector<FoundMachine> machines;
  std::vector<FoundSwitch> switches{};  ///< a forest; empty where nobody tells what joins machines
  std::optional<FoundMatrix> matrix{};  ///< stands alone
  std::vector<std::string> notes{};     ///< of the whole
  bool operator==(const FoundMachines&) const = default;
};

}  // namespace pipedeck
