// SPDX-License-Identifier: Apache-2.0
// A machine as its own tools describe it (nvidia-smi, NCCL, the driver): what GPUs sit in it and what lies between any
// two of them. What such a description leaves open is decided, and said, where a cluster is made of it
// (core/presets/machine_import).
#pragma once

#include <optional>
#include <string>
#include <vector>

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
};

struct Joint {
  JointKind kind = JointKind::self;
  int lanes = 0;                       ///< of a link
  std::optional<BytesPerSecond> pcie;  ///< of the narrowest piece of the way over PCI Express, where it is told
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
  std::vector<std::string> notes;  ///< what the reader had to leave out or could not make sense of
  bool operator==(const FoundMachine&) const = default;
};

/// What one file told.
struct FoundMachines {
  std::vector<FoundMachine> machines;
  bool operator==(const FoundMachines&) const = default;
};

}  // namespace pipedeck
