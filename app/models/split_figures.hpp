// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulator says of a plan, stage by stage and layer by layer, and of a plan under the hand against the one
// before.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"
#include "core/domain/simulation.hpp"

namespace pipedeck::app {

/// What is known of a stage.
struct SplitStageFigure {
  Seconds time;     ///< forward and backward of one micro-batch; 0: unknown
  Bytes peak;       ///< of its fullest device; 0: unknown
  Bytes over;       ///< more than that device holds; 0: fits
  DeviceId device;  ///< the fullest against its capacity
  bool operator==(const SplitStageFigure&) const = default;
};
std::vector<SplitStageFigure> stage_figures(const Plan& plan, const Simulation& simulation);

/// What a layer takes at the peak of its stage's fullest device: weights with their gradients and optimizer state in
/// proportion to its parameters, activations in proportion to what it keeps for the micro-batches that are kept there.
/// Together the layers of a stage are those items of that device.
struct LayerMemoryShare {
  Bytes state, activations;
  bool operator==(const LayerMemoryShare&) const = default;
  Bytes total() const { return state + activations; }
};
/// In plan order. Null: parameters and activations of one micro-batch of the profile.
std::vector<LayerMemoryShare> layer_memory(const Profile& profile, const Plan& plan, const Simulation* simulation);

/// Positions of the plan's order that are recomputed.
std::vector<bool> recomputed_layers(const Plan& plan);

/// The plan under the hand against the plan as it was.
struct SplitFeedback {
  Seconds iteration, old_iteration;
  double throughput = 0, old_throughput = 0;
  Bytes peak, old_peak;
  bool fits = true;
  bool operator==(const SplitFeedback&) const = default;
  /// Of the iteration time, relative: 0.004 is +0.4 %.
  double change() const;
};
SplitFeedback split_feedback(const Simulation& old, const Simulation& now);
/// From long to short.
std::vector<QString> feedback_variants(const SplitFeedback& feedback);

/// "G3 (stage 1): 1.2 GiB more than its 16 GiB", of the device that is furthest over; empty: all fit.
QString overflow_text(const Plan& plan, const Simulation& simulation);

}  // namespace pipedeck::app
