// SPDX-License-Identifier: Apache-2.0
// What stands for a plan's devices when it is trained: `pipedeck-cli run --backend`, and what goes with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipedeck {

/// Factors of matrix products on GPUs; weights, gradients and sums are 32-bit floats with all of them.
enum class ProductPrecision { fp32, tf32, bf16 };
std::string_view name_of(ProductPrecision precision);  // "tf32"
std::optional<ProductPrecision> product_precision_named(std::string_view name);

struct RunBackend {
  bool gpus = false;                                    ///< a GPU a device; else a thread of the processor
  ProductPrecision precision = ProductPrecision::fp32;  ///< on GPUs
  bool share_gpus = false;                              ///< where there are fewer of them than devices
  bool operator==(const RunBackend&) const = default;
};

/// {"--backend", "cuda", "--precision", "bf16", "--oversubscribe"}: as `run` takes them, without what it does by
/// itself.
std::vector<std::string> arguments_of(const RunBackend& backend);

}  // namespace pipedeck
