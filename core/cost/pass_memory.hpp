// SPDX-License-Identifier: Apache-2.0
// What a stage's passes need beside the activations that are kept: the workspace of simulator.md. Where every layer of
// the stage says what it needs pass by pass (Profile's LayerMemory), it is the most that any moment of the pass holds,
// since passes go layer by layer and free as they go; else the largest workspace of the layers.
#pragma once

#include <span>

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/schedule.hpp"

namespace pipedeck {

/// For the samples of one replica.
struct PassMemory {
  /// Beside everything that kept_bytes() says is kept then, and beside the gradient that was received.
  Bytes forward, recompute, backward, backward_input, backward_weight;
  /// Kept from an input gradient to its weight gradient beyond what the forward kept; below 0 where it is less.
  Bytes apart;
  /// The received activation is what the stage keeps as its input, from the start of the forward on: no second buffer.
  bool input_in_place = false;

  Bytes of(OpKind kind) const;
};

/// `cuts`: held_cut_bytes of the same order.
PassMemory pass_memory(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                       std::span<const Bytes> cuts, StageId stage, int samples);

/// Of what is `whole` for `profile_samples` samples and has a part that does not grow with them. Never below the truth
/// where the truth is the largest of several straight lines that cross at 1 sample and at profile_samples.
Bytes with_fixed_part(Bytes whole, Bytes fixed, int samples, int profile_samples);

}  // namespace pipedeck
