// SPDX-License-Identifier: Apache-2.0
// The share of its data sheet that a device type reaches, by precision and shape (parallelism.md, "Efficiency").
// presets/efficiency.json has fitted values with their sources.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.hpp"

namespace pipedeck {

/// Returns the share of its speed that a matmul keeps whose rows in memory have that many elements: tensor cores take
/// whole vectors. It grows with the largest power of two, up to 64, that divides the length, as arXiv 2401.14489 finds;
/// the values fit BigScience's runs with heads of width 96 to 216.
double aligned_share(double length);

/// A share of the arithmetic peak for matmuls of rows x inner by inner x columns:
/// share · rows/(rows + half_rows) · inner/(inner + half_inner) · columns/(columns + half_columns).
/// A weight gradient's inner dimension is the tokens.
struct ProductEfficiency {
  double share = 0.7;
  double half_rows = 0, half_inner = 0, half_columns = 0;  ///< sizes at which half of it is reached; 0: any size
  double of(double rows, double inner, double columns) const;
  bool operator==(const ProductEfficiency&) const = default;
};

/// A share of the arithmetic peak for attention that does not store its weights, of the pairs that it computes:
/// share · r/(r + half_rows) · d/(d + half_width), with heads of width d, and r query rows of all heads and samples
/// times the share of pairs that are not masked.
struct AttentionEfficiency {
  double forward = 0.5, backward = 0.4;  ///< the backward does 2.5 times the forward's arithmetic
  double half_rows = 0, half_width = 0;
  double of(bool backward_pass, double rows, double width) const;
  bool operator==(const AttentionEfficiency&) const = default;
};

/// A set of values of a device type at one precision of its large products.
struct PrecisionEfficiency {
  ProductEfficiency plain, grouped;  ///< grouped: rows are those of an expert
  double casts = 0;  ///< bytes read and written per number of activations or gradients, to make them narrow
  bool operator==(const PrecisionEfficiency&) const = default;
};

struct DeviceEfficiency {
  std::string device;                                    ///< type in the catalogue
  std::map<std::string, PrecisionEfficiency> products;   ///< by precision, or "precision-recipe": "fp8-delayed"
  std::map<std::string, AttentionEfficiency> attention;  ///< by kernel: "flash-2"; "default": all others
  double memory = 0.7;                                   ///< of the memory bandwidth
  Seconds kernel{2e-6};                                  ///< at least, per kernel, on the device
  Seconds launch{6e-6};                                  ///< of the host, per kernel, without CUDA graphs
  Seconds layer{1e-4};                ///< of the host in addition, per layer and pass, without CUDA graphs
  Seconds expert_layer{5e-4};         ///< as `layer`, of layers with routed experts: routing waits for counts of tokens
  double link = 0.75, network = 0.8;  ///< of the bandwidth inside a domain, and of the cards
  Seconds link_call{10e-6}, network_call{20e-6};  ///< per collective, in addition to its steps
  double busy = 1;                                ///< compute takes this many times as long next to a busy lane
  std::string source;
  bool operator==(const DeviceEfficiency&) const = default;
};

/// The part of a device type's efficiency that does not depend on layers. The defaults are the data sheet's figures.
struct HardwareEfficiency {
  double memory = 1;                ///< of the memory bandwidth
  double link = 1, network = 1;     ///< of the bandwidth inside a domain, and of links between nodes and cards
  Seconds link_call, network_call;  ///< per collective or transfer, in addition to the latency of its hops
  bool operator==(const HardwareEfficiency&) const = default;
};

struct EfficiencyTable {
  std::vector<DeviceEfficiency> devices;
  bool operator==(const EfficiencyTable&) const = default;
};

/// The name of the row of types, and of the values of attention kernels, without ones of their own.
inline constexpr std::string_view default_efficiency = "default";

/// Returns the values of the row that do not depend on layers.
HardwareEfficiency hardware_efficiency(const DeviceEfficiency& row);

/// Returns the row of the type, or else the default one; null if there is neither.
const DeviceEfficiency* find_efficiency(const EfficiencyTable& table, std::string_view device);

/// Returns the values of "precision-recipe", or else of the precision; null if there are neither.
const PrecisionEfficiency* find_precision(const DeviceEfficiency& device, const std::string& precision,
                                          const std::string& recipe);

/// Returns the values of the kernel, or else the default ones; null if there are neither.
const AttentionEfficiency* find_attention(const DeviceEfficiency& device, const std::string& kernel);

}  // namespace pipedeck
