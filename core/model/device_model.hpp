// SPDX-License-Identifier: Apache-2.0
// A device that can be bought or rented, as in its data sheet: its type, its interconnect and its approximate hourly
// price. core/presets/device_catalogue has the ones that come with the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/cluster.hpp"
#include "core/model/efficiency.hpp"

namespace pipedeck {

/// A direct interconnect between devices of this kind: NVLink, Infinity Fabric.
struct DeviceLink {
  std::string kind;  ///< "NVLink 3"
  int lanes = 0;
  BytesPerSecond lane;                                       ///< in each direction
  bool by_bridge = false;                                    ///< only between two cards with a bridge
  BytesPerSecond bandwidth() const { return lane * lanes; }  ///< per device, in each direction
  bool operator==(const DeviceLink&) const = default;
};

struct PciExpress {
  int generation = 3;  ///< 1 to 6
  int lanes = 16;
  bool operator==(const PciExpress&) const = default;
};

/// Returns the bandwidth in each direction, after the line code and before packet headers: 15.75 GB/s for generation 3
/// with 16 lanes.
BytesPerSecond pcie_bandwidth(const PciExpress& pcie);

/// A price that was offered once: good enough to compare plans, and editable by the user.
struct ListPrice {
  double per_hour = 0;
  std::string currency, date, source;
  bool operator==(const ListPrice&) const = default;
};

/// The memory of a device that is not the model's: usual values, editable by the user.
struct MemoryDefaults {
  Bytes reserve;             ///< the context, and what the device does not offer
  Bytes communication;       ///< buffers per communicator
  double fragmentation = 0;  ///< fraction of the allocator's memory, for the upper estimate
  std::string source = {};
  bool operator==(const MemoryDefaults&) const = default;
};

/// A rate between the memories of a device and of its host, each way, as copies of pinned memory reach it.
struct HostLink {
  BytesPerSecond bandwidth;
  std::string source;
  bool operator==(const HostLink&) const = default;
};

struct DeviceModel {
  DeviceType type;  ///< with the price, and with its speed relative to the V100-16GB
  std::string title, vendor;
  std::vector<std::string> aliases;  ///< as device_name_key returns them
  std::vector<std::string> pci_ids;  ///< vendor and device: "10de:20b2"
  int compute_units = 1;             ///< streaming multiprocessors, compute units
  bool matrix_units = false;         ///< its fp16 peak is reached on tensor or matrix cores
  std::optional<DeviceLink> link;
  PciExpress pcie;
  std::optional<HostLink> host_link = {};              ///< absent: not known
  std::optional<ListPrice> price = {};                 ///< absent: no list price is known
  std::optional<MemoryDefaults> memory_defaults = {};  ///< absent: nothing is assumed
  std::optional<DeviceEfficiency> efficiency = {};     ///< what it reaches by shape; absent: unknown
  std::string source;                                  ///< the data sheet
  bool operator==(const DeviceModel&) const = default;
};

/// Returns the bandwidth from a device to its neighbours: of its link if it has one, otherwise of PCI Express.
BytesPerSecond device_bandwidth(const DeviceModel& model);

/// Returns the ratio of times on `slow` to times on `fast`, computed from peak performance. With a `precision`, uses
/// the peaks there. Without, uses the fp16 peaks if both have matrix units, as in mixed-precision training, otherwise
/// the fp32 peaks. Absent if one device lacks the peak. Real kernels differ, so times measured on the device take
/// precedence (formats.md, "on").
std::optional<double> relative_speed(const DeviceModel& fast, const DeviceModel& slow, std::string_view precision = {});

/// Returns the currency of the models' prices, that of the first one; empty if no price is known.
std::string price_currency(const std::vector<DeviceModel>& models);

/// Returns the month of the models' prices, or the first and the last month as an ISO 8601 interval: "2025-06/2026-11".
std::string price_dates(const std::vector<DeviceModel>& models);

/// Returns the form in which names are compared: "NVIDIA A100-SXM4-80GB" and "a100 sxm4 80gb" both give
/// "a100-sxm4-80gb".
std::string device_name_key(std::string_view name);

/// Finds a model by its name, an alias or the driver's name for it; null if there is none.
const DeviceModel* find_device_model(const std::vector<DeviceModel>& models, std::string_view name);

}  // namespace pipedeck
