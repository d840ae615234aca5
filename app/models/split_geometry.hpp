// SPDX-License-Identifier: GPL-3.0-or-later
// The strip of layers that the split editor cuts: where layers, cuts, captions and device chips lie, and what a pointer
// at a pixel means. Cuts are positions in the plan's order: cut c stands before the layer at position c.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QString>

#include "core/domain/plan.hpp"
#include "core/domain/profile.hpp"

namespace pipedeck::app {

/// First layers of all stages, starting with 0, strictly ascending: a split of `layers` layers.
using Firsts = std::vector<int>;

Firsts firsts_of(const Plan& plan);

/// Layers of a plan along one row of pixels: width is time, never under a sliver so that each can be seen.
struct SplitStrip {
  double left = 0;
  double width = 1;
  std::vector<double> edges;  ///< N + 1 positions in [0, 1], ascending

  int layers() const { return static_cast<int>(edges.size()) - 1; }
  double x_of(int cut) const;
  /// The cut in [low, high] nearest to pixel x; ties go to the lower one.
  int nearest_cut(double x, int low, int high) const;
  /// The layer under pixel x, or nothing beside the strip.
  std::optional<int> layer_at(double x) const;
  /// The stage (> 0) whose first cut is nearest to pixel x within `reach` pixels.
  std::optional<int> stage_cut_at(double x, const Firsts& firsts, double reach) const;
};

/// Edges for weights (times of layers); each layer is at least `sliver` of the whole.
std::vector<double> strip_edges(const std::vector<double>& weights, double sliver = 0.0015);

/// Forward and backward of the layers in plan order.
struct SplitLayers {
  std::vector<QString> names;
  std::vector<Seconds> times;
};
SplitLayers split_layers(const Profile& profile, const Plan& plan);

/// Where a stage runs in a plan that may have several chunks of the model on a device, and copies of stages.
struct StagePlace {
  int rank = 0;                   ///< of its first copy, in the pipeline's order: stages of one rank share devices
  int chunk = 0, chunks = 1;      ///< which of its devices' chunks it is
  std::vector<DeviceId> devices;  ///< of the first copy
  std::vector<DeviceId> copies;   ///< of the others
  bool operator==(const StagePlace&) const = default;
};
/// One a stage of the plan.
std::vector<StagePlace> stage_places(const Plan& plan);

using TextWidth = std::function<double(const QString&)>;

/// The longest of `variants` (longest first) that fits into `room`; empty where none does.
QString fitting_text(const std::vector<QString>& variants, double room, const TextWidth& width_of);

/// "G0–G7, G12": ascending runs of devices, `limit` runs at most, the rest counted.
QString short_devices_text(const std::vector<DeviceId>& devices, int limit = 4);

struct ChipStyle {
  double height = 18;
  double padding = 8;  ///< each side of the text
  double gap = 6;
};

}  // namespace pipedeck::app
