// SPDX-License-Identifier: Apache-2.0
// How fast a plan trains tokens, and which part of the devices' arithmetic peak it uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pipedeck {

/// The floating-point operations of training one sample: those of matrix products, a multiply-add counted as two.
struct SampleWork {
  double tokens = 0;
  double products = 0;          ///< forward and backward, of products with weights
  double attention = 0;         ///< of attention's products, over the pairs of tokens that its mask leaves
  double all_pairs = 0;         ///< of attention's products, over all pairs of tokens
  std::vector<double> forward;  ///< of each layer's forward pass, over the pairs that the mask leaves
  std::string precision;        ///< of the products: "bf16"
  bool operator==(const SampleWork&) const = default;
};

/// A plan's rates. Model FLOPs utilization (MFU; Chowdhery et al., PaLM, arXiv 2204.02311, appendix B) is the
/// operations of the model per second over the dense peaks of the devices that the plan uses, at the precision of the
/// products. The conventions differ in what counts as the model's operations.
struct Utilization {
  int devices = 0;
  double tokens_per_second = 0;
  double tokens_per_second_per_device = 0;
  std::string precision;
  double operations_per_device = 0;  ///< per second, as `mfu` counts
  double peak_per_device = 0;        ///< operations per second, the mean of the devices; 0: of a device it is unknown
  double mfu = 0;            ///< attention over the pairs that a causal mask leaves, no recomputation; 0: no peak
  double mfu_all_pairs = 0;  ///< attention over all pairs, as PaLM counts
  double hfu = 0;            ///< `mfu` with recomputation (hardware FLOPs utilization)
  std::string unknown_peak;  ///< the device type whose peak is unknown
  bool operator==(const Utilization&) const = default;

  /// True if the plan needs more than the devices can compute: its layer times are too short for them.
  bool above_peak() const { return mfu > 1 || hfu > 1; }
};

/// Returns the convention of `mfu` as a clause.
std::string mfu_convention(const std::string& precision);

/// Returns why a plan is above the peak as a clause: "needs 1291 TFLOP/s per device, of a dense bf16 peak of 989: ...".
std::string above_peak_reason(const Utilization& rates);

}  // namespace pipedeck
