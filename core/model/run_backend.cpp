// SPDX-License-Identifier: Apache-2.0
#include "core/model/run_backend.hpp"

#include <array>

namespace pipedeck {

std::string_view name_of(ProductPrecision precision) {
  constexpr std::array<std::string_view, 3> names{"fp32", "tf32", "bf16"};
  return names[static_cast<std::size_t>(precision)];
}

std::optional<ProductPrecision> parse_product_precision(std::string_view name) {
  for (const auto precision : {ProductPrecision::fp32, ProductPrecision::tf32, ProductPrecision::bf16})
    if (name_of(precision) == name) return precision;
  return std::nullopt;
}

std::vector<std::string> arguments_of(const RunBackend& backend) {
  if (!backend.gpus) return {"--backend", "cpu"};
  std::vector<std::string> arguments{"--backend", "cuda"};
  if (backend.precision != ProductPrecision::fp32) {
    arguments.emplace_back("--precision");
    arguments.emplace_back(name_of(backend.precision));
  }
  if (backend.share_gpus) arguments.emplace_back("--oversubscribe");
  return arguments;
}

}  // namespace pipedeck
