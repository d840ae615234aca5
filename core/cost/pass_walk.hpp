// SPDX-License-Identifier: Apache-2.0
// The time of a stage's pass on a rank, layer by layer: compute, collectives that no compute hides, and waits for the
// gathers of sharded weights (parallelism.md, "Times").
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/pass.hpp"
#include "core/model/schedule.hpp"
#include "core/model/training.hpp"
#include "core/plan/groups.hpp"

namespace pipedeck::cost {

/// A part of a pass's time. All but compute are exposed: the rank waits for them.
enum class PassPart { compute, tensor, context, expert, gather, scatter, host };
inline constexpr int pass_part_count = 7;

/// Returns the part that collectives over groups of that family add to: tensor, context or expert. The other families
/// communicate outside of passes or as gathers and scatters; for those it throws InvariantViolation.
PassPart part_of(plan::GroupFamily family);

/// A collective of a layer with its time on its group.
struct TimedCollective {
  plan::GroupFamily group = plan::GroupFamily::tensor;
  Pass pass = Pass::forward;
  Seconds time;  ///< with attention_pieces: of all `ranks` - 1 steps together
  Behind behind = Behind::nothing;
  std::string product{};  ///< whose gradient hides it
  int ranks = 2;          ///< of its group
};

/// A part of a layer's compute that hides the collectives with the same `pass`, `behind` and `product`.
struct HidingCompute {
  Pass pass = Pass::backward;
  Behind behind = Behind::input_gradient;
  std::string product{};
  Seconds time{};             ///< part of the forward, of the recomputation, or in the backward of the input gradient
  Seconds weight_gradient{};  ///< part of the weight gradient
};

/// A layer on a rank. Collectives without a compute that hides them are exposed.
struct PassLayer {
  Seconds forward, recompute, input_gradient, weight_gradient;  ///< compute
  std::vector<TimedCollective> collectives{};
  std::vector<HidingCompute> hiding{};
  Seconds gather_forward{}, gather_backward{};  ///< of its sharded weights, before the pass; 0: they are whole
  Seconds scatter{};                            ///< of its gradients, behind the backward; 0: they stay whole
  bool in_unit_of_previous = false;             ///< gathered and scattered together with the layer before
};

struct PassTime {
  std::array<Seconds, pass_part_count> parts{};
  Seconds operator[](PassPart part) const { return parts[static_cast<std::size_t>(part)]; }
  Seconds& operator[](PassPart part) { return parts[static_cast<std::size_t>(part)]; }
  PassTime& operator+=(const PassTime& other);
  Seconds duration() const;  ///< the sum of the parts
  Seconds exposed() const;   ///< the sum of all but compute
};

/// Returns the time of a pass over a stage's layers, in the order of the forward. `kind`: forward; backward, with
/// recomputation; backward_input, with recomputation; or backward_weight. A gather takes place in all but the last, a
/// scatter in backward and backward_weight. The scatter of the last unit is left to run behind the pass.
PassTime walk_pass(std::span<const PassLayer> layers, OpKind kind, GatherAhead ahead = GatherAhead::one);

/// Returns the time of a forward joined with a whole backward of another micro-batch, where each hides the expert
/// collectives of the other (DualPipe, arXiv 2412.19437, section 3.2.1): the larger of both passes without these, and
/// of all of these one after the other. The excess of the latter is the expert part.
PassTime walk_joined(std::span<const PassLayer> forward, std::span<const PassLayer> backward,
                     GatherAhead forward_ahead = GatherAhead::one);

}  // namespace pipedeck::cost
