// SPDX-License-Identifier: Apache-2.0
// A device that can be bought or rented, as its data sheet has it: the type that clusters are made of, what it is
// joined by, and what an hour of it costs about. core/presets/device_catalogue has those that come with the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain/cluster.hpp"

namespace pipedeck {

/// What joins devices of this kind directly: NVLink, Infinity Fabric.
struct DeviceLink {
  std::string kind;  ///< "NVLink 3"
  int lanes = 0;
  BytesPerSecond lane;                                       ///< each way
  bool by_bridge = false;                                    ///< only between two cards that a bridge joins
  BytesPerSecond bandwidth() const { return lane * lanes; }  ///< of a device, each way
  bool operator==(const DeviceLink&) const = default;
};

struct PciExpress {
  int generation = 3;  ///< 1 to 6
  int lanes = 16;
  bool operator==(const PciExpress&) const = default;
};

/// Each way, after the line code, before packet headers: 15.75 GB/s for generation 3 with 16 lanes.
BytesPerSecond pcie_bandwidth(const PciExpress& pcie);

/// An offer somebody made once: good enough to compare plans with, to be edited by who knows better.
struct ListPrice {
  double per_hour = 0;
  std::string currency, date, source;
  bool operator==(const ListPrice&) const = default;
};

struct DeviceModel {
  DeviceType type;  ///< with the price, and with relative_speed against the V100-16GB
  std::string title, vendor;
  std::vector<std::string> aliases;  ///< as device_name_key makes them
  std::vector<std::string> pci_ids;  ///< vendor and device: "10de:20b2"
  int compute_units = 1;             ///< streaming multiprocessors, compute units
  bool matrix_units = false;         ///< its fp16 peak is that of tensor or matrix cores
  std::optional<DeviceLink> link;
  PciExpress pcie;
  ListPrice price;
  std::string source;  ///< the data sheet
  bool operator==(const DeviceModel&) const = default;
};

/// How fast a device of this type is by itself joined to its neighbours: by its link, else by PCI Express.
BytesPerSecond device_bandwidth(const DeviceModel& model);

/// Times on `slow` over times on `fast` by their peaks: at `precision` where both have one there, absent where not.
/// Without a precision by the fp16 peaks where both have matrix units (what trains in mixed precision feels), else by
/// the fp32 peaks. Real kernels differ: what was measured on the device goes before (formats.md, "on").
std::optional<double> relative_speed(const DeviceModel& fast, const DeviceModel& slow, std::string_view precision = {});

/// The month that their prices are of, or the first and the last one: "2025-06/2026-11", as ISO 8601 writes a span.
std::string price_dates(const std::vector<DeviceModel>& models);

/// What is compared of two names: "NVIDIA A100-SXM4-80GB" and "a100 sxm4 80gb" are one, "a100-sxm4-80gb".
std::string device_name_key(std::string_view name);

/// By its name or one of its aliases, or by what the driver calls it; null where there is none.
const DeviceModel* find_device_model(const std::vector<DeviceModel>& models, std::string_view name);

}  // namespace pipedeck
