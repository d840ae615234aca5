// SPDX-License-Identifier: Apache-2.0
// The memory that a stage's passes need in addition to saved activations: the workspace of simulator.md. If every layer
// of the stage states its memory by pass (Profile's LayerMemory), this is the peak during the pass, since passes run
// layer by layer and free memory as they proceed. Otherwise it is the layers' largest workspace.
#pragma once

#include <span>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/schedule.hpp"

namespace pipedeck::cost {

/// A stage's memory by pass, for the samples of one replica.
struct PassMemory {
  /// In addition to the bytes saved at that time by saved_bytes(), and to the received gradient.
  Bytes forward, recompute, backward, backward_input, backward_weight;
  /// Saved from an input gradient to its weight gradient, minus the bytes saved from the recompute on; may be negative.
  Bytes split_backward_bytes;
  /// The received activation is the stage's saved input from the start of the forward on; there is no second buffer.
  bool input_in_place = false;

  Bytes of(OpKind kind) const;
};

/// `cuts`: sharded_boundary_bytes of the same order.
PassMemory pass_memory(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                       std::span<const Bytes> cuts, StageId stage, int samples);

/// Scales `whole`, the bytes for `profile_samples` samples, whose part `fixed` does not grow with the samples. The
/// result is never too small if the true value is the maximum of several lines that cross at 1 sample and at
/// profile_samples.
Bytes with_fixed_bytes(Bytes whole, Bytes fixed, int samples, int profile_samples);

}  // namespace pipedeck::cost
