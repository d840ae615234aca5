// SPDX-License-Identifier: Apache-2.0
// The blocks of a model, from which recomputation restarts (simulator.md, "Recomputation"). A block is a layer, or a
// sequence of layers that share the name of one: "block_3.attention" and "block_3.experts".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/model/plan.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::plan {

/// Returns the name of the layer's block: up to its first part that is a number, or ends in one behind an underscore
/// ("model.layers.3" of "model.layers.3.mlp"). Parts are separated by dots or slashes. Empty: the layer is its own.
std::string_view block_name(std::string_view layer);

/// Returns for each layer of a chain whether a block begins with it.
std::vector<bool> block_starts(std::span<const std::string_view> layers);
/// Returns them for each position of the order. In a graph every layer is a block.
std::vector<bool> block_starts(const Profile& profile, std::span<const LayerId> order);

/// Returns the unit for plans that recompute: blocks, unless keeping the input of each would save less than half of the
/// model's activations. Layers are then finer than blocks (a ReLU of VGG), and a stage keeps one input.
RecomputeUnit usual_recompute_unit(const Profile& profile, std::span<const LayerId> order);

/// A sequence of recomputed layers, positions [first, last), that restarts from the input of its first layer.
struct RecomputedSegment {
  int first = 0, last = 0;
  bool operator==(const RecomputedSegment&) const = default;
};
/// Returns the stage's segments, ascending: its blocks, or its runs of recomputed layers (RecomputeUnit). `starts` are
/// the block_starts of the plan's order.
std::vector<RecomputedSegment> recomputed_segments(const Stage& stage, const std::vector<bool>& starts);

}  // namespace pipedeck::plan
