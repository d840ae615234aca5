// SPDX-License-Identifier: Apache-2.0
// The measured connections of this machine's GPUs: copies between any two of them, and all-reduces next to their
// predictions; and the machine as a cluster with the measured values.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/found_machine.hpp"
#include "core/runtime/cuda/module.hpp"
#include "core/runtime/profile/link_probe.hpp"

namespace pipedeck::cli::work {

/// 1 KiB to 32 MiB, and as many as a model's gradients have. All of whole 32-bit floats, ascending.
std::vector<Bytes> all_reduce_sizes(Bytes gradients);

/// Returns GPUs of these names, in this order: NVML's values (CUDA may number them otherwise), and their links if
/// `links` has them.
DetectedMachine machine_of(const std::vector<std::string>& names, const std::vector<std::vector<Link>>& links = {});

class GpuLinks {
 public:
  /// Times copies between any two. `gpus` outlives it. Throws what devices fail with.
  explicit GpuLinks(const runtime::cuda::GpusToMeasure& gpus);

  /// GPU x GPU, of both ways the one that was measured.
  std::vector<std::vector<Link>> links() const;
  /// Returns the text for two GPUs or more.
  std::string text() const;
  /// All-reduces among the first two GPUs, the first four and so on, and among all; predictions take the slowest pair
  /// of these for every hop. Throws as the constructor.
  std::string all_reduces_text(const runtime::cuda::Module& module, const std::vector<Bytes>& sizes) const;

 private:
  struct Pair {
    std::size_t from, to;
    runtime::profile::LinkMeasurement measured;
  };
  Link slowest_among(std::size_t count) const;

  const runtime::cuda::GpusToMeasure& gpus_;
  std::vector<std::shared_ptr<runtime::tensor::DeviceMemory>> memories_;
  std::vector<Pair> pairs_;
};

}  // namespace pipedeck::cli::work
