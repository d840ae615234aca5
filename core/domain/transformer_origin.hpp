// SPDX-License-Identifier: Apache-2.0
// How a profile is computed from a transformer's shape, and what a computed one says of that, so that it can be
// computed anew for another size.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/domain/transformer_config.hpp"
#include "core/domain/units.hpp"

namespace pipedeck {

/// What becomes of the weights of attention, a s^2 numbers of each sample.
enum class AttentionMemory {
  stored,     ///< kept for the backward pass
  selective,  ///< written, dropped and computed again for it (Korthikanti et al., arXiv 2205.05198, section 5)
  fused,      ///< never written: one kernel keeps row sums alone (FlashAttention, arXiv 2205.14135)
};

/// What kernels reach of what a device promises, against published measurements (docs/accuracy.md).
struct Reached {
  double products = 0.77;   ///< of the arithmetic peak, by a large product
  double attention = 0.36;  ///< of that, by attention that does not store its weights
  double memory = 0.66;     ///< of the memory's bandwidth
  double depth = 64;        ///< a product whose inner size is this reaches half
  Seconds launch{3e-6};     ///< of a kernel
  bool operator==(const Reached&) const = default;
};

struct AnalyticOptions {
  std::string precision = "bf16";  ///< a peak of the device's data sheet: fp32, tf32, fp16, bf16
  int sequence = 0;                ///< tokens of a sample; 0: what the model was made for, longest_assumed at most
  int micro_batch = 1;             ///< samples
  AttentionMemory attention = AttentionMemory::fused;
  bool dropout = true;                ///< as the configuration says; else none
  std::vector<int> degrees{2, 4, 8};  ///< of tensor parallelism; those that do not divide the heads are left out
  bool sequence_parallel = true;      ///< what tensor-parallel ranks do not divide, they divide by tokens
  Reached reached{};                  ///< parts of what the data sheet promises, above 0 and at most 1
  bool operator==(const AnalyticOptions&) const = default;
};

/// Tokens of a sample where nobody says: what the model was made for, this at most.
inline constexpr int longest_assumed = 4096;

/// Tokens of a sample.
inline int sequence_of(const TransformerConfig& config, const AnalyticOptions& options) {
  return options.sequence > 0 ? options.sequence : std::min(config.longest, longest_assumed);
}

/// What a profile was computed from.
struct TransformerOrigin {
  TransformerConfig config;
  std::string device;  ///< type of the catalogue
  AnalyticOptions options;
  bool operator==(const TransformerOrigin&) const = default;
};

}  // namespace pipedeck
