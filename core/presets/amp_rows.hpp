// SPDX-License-Identifier: Apache-2.0
// Common parts of AMP's models (NeurIPS 2022, section 6.5): rows without compute, 16-bit numbers and Megatron's tensor
// parallelism.
#pragma once

#include <string>

#include "core/model/profile.hpp"

namespace pipedeck::presets {

/// A row of the papers' tables without work: a lambda that hands `output` bytes on.
Layer idle_row(const std::string& name, Bytes output);

/// From a profile in fp32: half of its bytes, and times of 2, 4, 8 and 16 tensor-parallel ranks. A block all-reduces
/// its output twice in either pass; nothing is lost by smaller products.
Profile in_16_bits_with_tensor_parallelism(Profile profile);

}  // namespace pipedeck::presets
