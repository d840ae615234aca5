// SPDX-License-Identifier: Apache-2.0
// The options for computing a profile from a transformer's shape. A computed profile stores them, so that it can be
// computed again for another size.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/efficiency.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck {

/// A handling of the attention weights, a s^2 elements per sample.
enum class AttentionMemory {
  stored,     ///< saved for the backward pass
  selective,  ///< discarded after use and recomputed for it (Korthikanti et al., arXiv 2205.05198, section 5)
  fused,      ///< never stored: one kernel computes row sums only (FlashAttention, arXiv 2205.14135)
};

/// A set of fractions of the data-sheet performance that kernels reach, compared with published measurements
/// (docs/accuracy.md).
struct EfficiencyFactors {
  double gemms = 0.77;      ///< large matmuls: of the arithmetic peak
  double attention = 0.36;  ///< attention that does not store its weights: of the arithmetic peak
  double memory = 0.66;     ///< of the memory bandwidth
  double depth = 64;        ///< inner size at which a matmul reaches half
  Seconds launch{3e-6};     ///< per kernel
  bool operator==(const EfficiencyFactors&) const = default;
};

struct AnalyticOptions {
  std::string precision = "bf16";  ///< one with a peak in the device's data sheet: fp32, tf32, fp16, bf16
  int sequence = 0;                ///< tokens per sample; 0: the model's maximum, at most longest_assumed
  int micro_batch = 1;             ///< samples
  AttentionMemory attention = AttentionMemory::fused;
  bool dropout = true;                ///< as configured; false: none
  std::vector<int> degrees{2, 4, 8};  ///< of tensor parallelism; omits those that do not divide the heads
  bool sequence_parallel = true;      ///< operators that tensor-parallel ranks do not shard are sharded by tokens
  /// Fractions of the data-sheet values, above 0 and at most 1, whatever is known of the device type. Absent: what the
  /// type reaches by shape (DeviceModel::efficiency), or the usual fractions if that is unknown at the precision.
  std::optional<EfficiencyFactors> reached{};
  bool operator==(const AnalyticOptions&) const = default;
};

/// The upper bound of the tokens per sample if the options give none; the model's own maximum may be smaller.
inline constexpr int longest_assumed = 4096;

/// Returns the tokens per sample.
inline int sequence_of(const TransformerConfig& config, const AnalyticOptions& options) {
  return options.sequence > 0 ? options.sequence : std::min(config.longest, longest_assumed);
}

/// A computed profile's source.
struct TransformerOrigin {
  TransformerConfig config;
  std::string device;  ///< type in the catalogue
  AnalyticOptions options;
  std::optional<DeviceEfficiency> efficiency{};  ///< of the type, as its times were computed; absent: fractions were
                                                 ///< taken
  bool operator==(const TransformerOrigin&) const = default;
};

}  // namespace pipedeck
