// SPDX-License-Identifier: Apache-2.0
// Lines in which programs name the GPUs of a machine, as in logs with its topology.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace pipedeck::io::topology {

struct NamedGpus {
  std::vector<std::size_t> numbers;  ///< at least one
  std::string_view name;             ///< "NVIDIA A100-SXM4-40GB"
};

/// Reads the lines in which programs list GPUs: nvidia-smi -L ("GPU 3: NVIDIA A100-SXM4-40GB (UUID: GPU-...)"), its
/// table, --query-gpu=index,name,... as CSV, nccl-tests ("# Rank 0 ... device 0 [0x8f] NVIDIA H200"), and PyTorch's
/// "GPU 0,1: NVIDIA H100 PCIe". Numbers above `most` are invalid. The name is a part of `line`.
std::optional<NamedGpus> gpu_names_in(std::string_view line, std::size_t most);

}  // namespace pipedeck::io::topology
