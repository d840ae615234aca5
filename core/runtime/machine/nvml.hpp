// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::runtime::machine {

struct FoundGpus {
  std::vector<FoundGpu> gpus;
  std::vector<std::vector<Interconnect>> joints;
};

/// Returns the GPUs that NVML reports; an error if NVML is missing or does not answer.
Result<FoundGpus> gpus_by_nvml();

}  // namespace pipedeck::runtime::machine
