// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated figures of a plan by stage and by layer, and of an edited plan compared with the original.
#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::models::split {

/// A set of simulated figures of a stage.
struct StageFigure {
  Seconds time;     ///< forward and backward of one micro-batch; 0: unknown
  Bytes peak;       ///< of its most loaded device; 0: unknown
  Bytes over;       ///< bytes above that device's capacity; 0: fits
  DeviceId device;  ///< the one with the highest peak relative to its capacity
  bool operator==(const StageFigure&) const = default;
};
std::vector<StageFigure> stage_figures(const Plan& plan, const Simulation& simulation);

/// A layer's memory at the peak of its stage's most loaded device. Weights, gradients and optimizer state are divided
/// by parameters. Activations are divided by the layers' saved bytes for the micro-batches in flight there. The shares
/// of a stage's layers add up to those items of that device.
struct LayerMemoryShare {
  Bytes state, activations;
  bool operator==(const LayerMemoryShare&) const = default;
  Bytes total() const { return state + activations; }
};
/// Returns the shares in plan order. If `simulation` is null, these are the parameters and the activations of one
/// micro-batch of the profile.
std::vector<LayerMemoryShare> layer_memory(const Profile& profile, const Plan& plan, const Simulation* simulation);

/// Marks the recomputed positions of the plan's order.
std::vector<bool> recomputed_layers(const Plan& plan);

/// A comparison of an edited plan with the original.
struct Feedback {
  Seconds iteration, old_iteration;
  double throughput = 0, old_throughput = 0;
  Bytes peak, old_peak;
  bool fits = true;
  bool operator==(const Feedback&) const = default;
  /// Returns the relative change of the iteration time: 0.004 is +0.4 %.
  double change() const;
};
Feedback split_feedback(const Simulation& old, const Simulation& now);
/// Returns the text in decreasing length.
std::vector<QString> feedback_variants(const Feedback& feedback);

/// Returns "G3 (stage 1): 1.2 GiB more than its 16 GiB" for the device furthest above its capacity; empty if all fit.
QString overflow_text(const Plan& plan, const Simulation& simulation);

}  // namespace pipedeck::models::split
