// SPDX-License-Identifier: Apache-2.0
// What joins the GPUs of this machine, measured: copies between any two of them, and all-reduces beside what is
// expected of them.
#pragma once

#include <string>
#include <vector>

#include "core/domain/units.hpp"
#include "core/runtime/cuda/module.hpp"

namespace pipedeck::cli {

/// 1 KiB to 32 MiB, and as many as a model's gradients have. All of whole 32-bit floats, ascending.
std::vector<Bytes> all_reduce_sizes(Bytes gradients);

/// Of two GPUs or more, as people read it. All-reduces are among the first two GPUs, the first four and so on, and
/// among all; predictions take the slowest pair of these for every hop. Throws what devices fail with.
std::string gpu_links_text(const cuda::Module& module, const GpusToMeasure& gpus, const std::vector<Bytes>& sizes);

}  // namespace pipedeck::cli
