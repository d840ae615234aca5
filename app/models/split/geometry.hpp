// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of layers in the split editor: positions of layers, cuts, captions and device chips, and hit tests. Cuts
// are positions in the plan's order: cut c is before the layer at position c.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QString>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::models::split {

/// First layers of all stages, strictly ascending from 0: a split of `layers` layers.
using StageStarts = std::vector<int>;

StageStarts stage_starts(const Plan& plan);

/// A plan's layers along one row of pixels. Their width is their time, with a minimum so that each is visible.
struct Strip {
  double left = 0;
  double width = 1;
  std::vector<double> edges;  ///< N + 1 positions in [0, 1], ascending

  int layers() const { return static_cast<int>(edges.size()) - 1; }
  double x_of(int cut) const;
  /// Returns the cut in [low, high] nearest to pixel x; ties go to the lower one.
  int nearest_cut(double x, int low, int high) const;
  /// Returns the layer at pixel x, or nullopt outside the strip.
  std::optional<int> layer_at(double x) const;
  /// Returns the stage (> 0) whose first cut is nearest to pixel x within `reach` pixels.
  std::optional<int> stage_cut_at(double x, const StageStarts& firsts, double reach) const;
};

/// Returns the edges for weights (times of layers). Each layer takes at least `sliver` of the whole.
std::vector<double> strip_edges(const std::vector<double>& weights, double sliver = 0.0015);

/// A list of the layers in plan order, with the times of forward and backward.
struct Layers {
  std::vector<QString> names;
  std::vector<Seconds> times;
};
Layers split_layers(const Profile& profile, const Plan& plan);

/// A stage's devices in a plan that may have several chunks per device, and copies of stages.
struct StagePlace {
  int rank = 0;                   ///< of its first copy, in pipeline order; stages of a rank share devices
  int chunk = 0, chunks = 1;      ///< its index among the chunks of its devices, and their number
  std::vector<DeviceId> devices;  ///< of the first copy
  std::vector<DeviceId> copies;   ///< of the other copies
  bool operator==(const StagePlace&) const = default;
};
/// Returns one entry per stage of the plan.
std::vector<StagePlace> stage_places(const Plan& plan);

using TextWidth = std::function<double(const QString&)>;

/// Returns the longest of `variants` (longest first) that fits into `room`, or empty text.
QString fitting_text(const std::vector<QString>& variants, double room, const TextWidth& width_of);

/// Returns "G0–G7, G12": ascending runs of devices, at most `limit` runs, and the number of the others.
QString short_devices_text(const std::vector<DeviceId>& devices, int limit = 4);

struct ChipStyle {
  double height = 18;
  double padding = 8;  ///< on each side of the text
  double gap = 6;
};

}  // namespace pipedeck::models::split
