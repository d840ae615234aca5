// SPDX-License-Identifier: Apache-2.0
// The devices on which a plan is trained: `pipedeck-cli run --backend` and its options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipedeck {

/// A precision of matmul operands on GPUs. Weights, gradients and sums are always 32-bit floats.
enum class ProductPrecision { fp32, tf32, bf16 };
std::string_view name_of(ProductPrecision precision);  // "tf32"
std::optional<ProductPrecision> parse_product_precision(std::string_view name);

struct RunBackend {
  bool gpus = false;                                    ///< one GPU per device; otherwise one CPU thread
  ProductPrecision precision = ProductPrecision::fp32;  ///< on GPUs
  bool share_gpus = false;                              ///< if there are fewer GPUs than devices
  bool operator==(const RunBackend&) const = default;
};

/// Returns the options of `run` without its defaults: {"--backend", "cuda", "--precision", "bf16", "--oversubscribe"}.
std::vector<std::string> arguments_of(const RunBackend& backend);

}  // namespace pipedeck
