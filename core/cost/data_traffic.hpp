// SPDX-License-Identifier: Apache-2.0
// The communication of ranks that hold the same weights, by sharding level: gradients and weights (parallelism.md,
// "Sharded states"; ZeRO, arXiv 1910.02054, section 7; PyTorch FSDP, arXiv 2304.11277).
#pragma once

#include <vector>

#include "core/model/shard.hpp"

namespace pipedeck::cost {

/// A time of a collective, and how often it is in a step.
enum class DataMoment {
  first_forward,   ///< before the step's first use of the weights
  every_forward,   ///< of each micro-batch
  every_backward,  ///< before each backward for weights, behind it for gradients
  last_backward,   ///< once, as gradients are ready
  after_backward,  ///< once, behind the last micro-batch
  next_forward,    ///< once, behind the optimizer step: into the next step's forwards
};

struct DataCollective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  DataMoment moment = DataMoment::last_backward;
  bool among_copies = false;  ///< over R ranks with the same shard; otherwise over G ranks that share the states
  bool of_gradients = true;   ///< otherwise of weights
  int ranks = 1;
  double bytes = 0;  ///< that a rank sends each time
};

/// A number of bytes per weight on the wire.
struct WireBytes {
  double weights = 2;    ///< w_p: 16 bits; 1 where fp8 weights are gathered
  double gradients = 4;  ///< w_g: fp32; 2 where gradients are reduced in 16 bits
};

/// Returns the collectives of a step for `parameters` weights of a rank before sharding: of dense ones with `group` = G
/// and `copies` = R, G R = D C; of experts with those of D_e ranks (plan::StageDegrees). At level 0, G is all ranks.
std::vector<DataCollective> data_traffic(const Sharding& sharding, int group, int copies, double parameters,
                                         const WireBytes& wire = {});

/// Returns the bytes that a rank sends in a step of that many micro-batches.
double bytes_per_step(const std::vector<DataCollective>& traffic, int micro_batches);

}  // namespace pipedeck::cost
