// SPDX-License-Identifier: Apache-2.0
// Precisions of GPU computation. Parameters, their gradients, statistics and optimizer state are always 32-bit floats.
#pragma once

#include <cstddef>

namespace pipedeck::runtime::cuda {

enum class Precision {
  fp32,  ///< 32-bit factors, products and sums
  tf32,  ///< 32-bit in memory; factors of products are rounded to 10 bits of mantissa (tensor cores)
  bf16,  ///< activations and copies of weights in 16 bits (7 of mantissa); products summed in 32 bits
};

/// A type of the values in GPU memory.
enum class Element { fp32, bf16 };
constexpr std::size_t bytes_of(Element element) { return element == Element::fp32 ? 4 : 2; }
/// Returns the element of activations.
constexpr Element element_of(Precision precision) {
  return precision == Precision::bf16 ? Element::bf16 : Element::fp32;
}

}  // namespace pipedeck::runtime::cuda
