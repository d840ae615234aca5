// SPDX-License-Identifier: Apache-2.0
// First calls on a new communicator. NCCL makes connections at the first call that needs them. That call takes long and
// waits for the other ranks, which a step's calls must not.
#pragma once

#include "core/runtime/cuda/nccl_site.hpp"

namespace pipedeck::runtime::cuda {

enum class WarmUp {
  group,  ///< collectives among all ranks
  path    ///< transfers from rank 0 to rank 1
};

/// Makes one small call of each kind, on a stream of its own, and waits for all of them. All ranks of the communicator
/// call it, on their own threads. Throws CudaError, Interrupted; the communicator is aborted then.
void warm_up(const NcclDevice& worker, Communicator& communicator, WarmUp use, int rank, int size,
             transport::RunControl& control);

}  // namespace pipedeck::runtime::cuda
