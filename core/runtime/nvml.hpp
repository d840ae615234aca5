// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/domain/found_machine.hpp"
#include "core/domain/result.hpp"

namespace pipedeck {

struct FoundGpus {
  std::vector<FoundGpu> gpus;
  std::vector<std::vector<Joint>> joints;
};

/// What NVIDIA's management library tells; an error where it is not there or does not answer.
Result<FoundGpus> gpus_by_nvml();

}  // namespace pipedeck
