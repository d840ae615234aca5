// SPDX-License-Identifier: Apache-2.0
// The communication of ranks that hold the same weights, by sharding level: gradients and weights (parallelism.md,
// "Sharded states"; ZeRO, arXiv 1910.02054, section 7; PyTorch FSDP, arXiv 2304.11277).
#pragma once

#include <vector>

#include "core/model/shard.hpp"
#include "core/model/training.hpp"
#include "core/plan/groups.hpp"

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
  plan::GroupFamily group = plan::GroupFamily::sharding;  ///< or sharding_copies, the same of experts, or tensor
  bool of_gradients = true;                               ///< otherwise of weights
  int ranks = 1;
  double bytes = 0;  ///< that a rank sends each time
};

/// A number of weights on a rank before sharding: those that D C ranks hold, and experts', which D_e ranks hold.
struct RankWeights {
  double dense = 0, expert = 0;
  double tensor_reduced = 0;  ///< part of `dense` whose gradients T ranks sum once a step: norms, routers
};

/// Returns the collectives of a step, those over tensor ranks first, then those of dense weights. `degrees` are those
/// of the stage with `sharding` (plan::degrees_of). At level 0, the sharding group is all ranks with the same weights.
std::vector<DataCollective> data_traffic(const Sharding& sharding, const plan::StageDegrees& degrees,
                                         const RankWeights& weights, const WireBytes& wire = {});

/// Returns the bytes that a rank sends in a step of that many micro-batches.
double bytes_per_step(const std::vector<DataCollective>& traffic, int micro_batches);

}  // namespace pipedeck::cost
