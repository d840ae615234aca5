// SPDX-License-Identifier: Apache-2.0
#include "core/cost/pass_memory.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/cost/stage_sharding.hpp"
#include "core/plan/blocks.hpp"
#include "core/plan/layer_bytes.hpp"

namespace pipedeck::cost {
namespace {

/// Returns the peak that either pass of the whole layer took when measured with exactly these samples. A line through
/// two sizes is above it if one part shrinks with the samples: freed memory makes room for repacked weights.
Bytes max_measured(const Layer& layer, int samples) {
  for (const LayerPoint& point : layer.at)
    if (point.micro_batch == samples && point.details.workspace) return *point.details.workspace;
  return Bytes(std::numeric_limits<std::int64_t>::max());
}

/// A layer's memory for the replica's samples.
struct Needs {
  Bytes saved, left, kept, forward, backward, gradient;
};

/// Recomputed layers of a stage, by their index in it: [first, last).
struct Segment {
  std::size_t first, last;
};

class PassCounter {
 public:
  PassCounter(const Plan& plan, const Profile& profile, std::span<const LayerId> order, std::span<const Bytes> cuts,
              StageId id, int samples)
      : stage_(plan.stages[id.index()]), profile_(profile), cuts_(cuts), samples_(samples) {
    const std::vector<const ShardingCost*> ways = stage_sharding(plan, profile, order, id);
    const std::vector<plan::RecomputedSegment> segments =
        plan::recomputed_segments(stage_, plan::block_starts(profile, order));
    for (const auto& [first, last] : segments)
      segments_.push_back(
          {static_cast<std::size_t>(first - stage_.first), static_cast<std::size_t>(last - stage_.first)});
    for (int p = stage_.first; p < stage_.last; ++p) {
      const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
      layers_.push_back(ways.empty() ? measured_needs(layer, p, measured_degree(plan, profile, order, id, p))
                                     : needs_of(*ways[static_cast<std::size_t>(p - stage_.first)], p));
    }
    keep_inputs(ways, order);
    const SavedBytes kept = stage_saved_bytes(plan, profile, order, cuts, id);
    before_ = scaled(kept.before), full_ = scaled(kept.full);
    received_ = stage_.last < static_cast<int>(order.size()) ? at_cut(stage_.last) : Bytes();
  }

  PassMemory run() const {
    PassMemory passes;
    passes.input_in_place = true;
    passes.forward = forward();
    passes.recompute = recompute();
    passes.backward = backward(false);
    passes.backward_input = backward(true);
    for (const Needs& layer : layers_) passes.split_backward_bytes += layer.left;
    passes.split_backward_bytes -= full_;
    passes.backward_weight = weight();
    return passes;
  }

 private:
  Bytes scaled(Bytes bytes) const { return scale_bytes(bytes, samples_, profile_.micro_batch); }
  Bytes at_cut(int position) const { return scaled(cuts_[static_cast<std::size_t>(position)]); }

  /// Returns the memory on one of the devices that the layer is sharded over. A profile has one value for all passes of
  /// such a shard, and none for bytes that wait for the weight gradient; these count as replicated.
  static LayerMemory memory_of(const Layer& layer, int degree) {
    LayerMemory memory = *layer.memory;
    const TensorParallelPoint* point = degree > 1 ? plan::point_of_degree(layer, degree) : nullptr;
    if (point && point->details.workspace) memory.forward = memory.backward = *point->details.workspace;
    memory.forward_fixed = std::min(memory.forward_fixed, memory.forward);
    memory.backward_fixed = std::min(memory.backward_fixed, memory.backward);
    return memory;
  }

  /// Returns the memory from one device's share of the layer, for the profile's samples.
  Needs needs_of(Bytes saved, const LayerMemory& memory, int position) const {
    Needs needs;
    needs.saved = scaled(saved);
    // The backward pass creates sums of a fixed size, so its fixed part includes them.
    needs.left = with_fixed_bytes(memory.weight_saved, std::min(memory.weight_saved, memory.backward_fixed), samples_,
                                  profile_.micro_batch);
    needs.kept = needs.saved;
    needs.forward = with_fixed_bytes(memory.forward, memory.forward_fixed, samples_, profile_.micro_batch);
    needs.backward = with_fixed_bytes(memory.backward, memory.backward_fixed, samples_, profile_.micro_batch);
    needs.gradient = position + 1 < stage_.last ? at_cut(position + 1) : Bytes();
    return needs;
  }

  Needs needs_of(const ShardingCost& way, int position) const {
    Needs needs = needs_of(way.saved, way.memory, position);
    if (samples_ != profile_.micro_batch) return needs;
    needs.forward = std::min(needs.forward, way.workspace), needs.backward = std::min(needs.backward, way.workspace);
    return needs;
  }

  /// Returns the memory as measured after the previous layer.
  Needs measured_needs(const Layer& layer, int position, int degree) const {
    Needs needs = needs_of(plan::saved_bytes(layer, degree), memory_of(layer, degree), position);
    if (degree == 1) {
      const Bytes most = max_measured(layer, samples_);
      needs.forward = std::min(needs.forward, most), needs.backward = std::min(needs.backward, most);
    }
    if (plan::output_in_columns(layer, degree)) needs.gradient = Bytes((needs.gradient.count + degree - 1) / degree);
    return needs;
  }

  /// Recomputed layers keep only the input of their segment's first layer.
  void keep_inputs(const std::vector<const ShardingCost*>& ways, std::span<const LayerId> order) {
    for (const auto& [first, last] : segments_)
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t position = static_cast<std::size_t>(stage_.first) + i;
        const LayerMemory& memory = ways.empty() ? *profile_.layers[order[position].index()].memory : ways[i]->memory;
        layers_[i].kept = scaled(memory.recompute_saved) + (i == first ? scaled(memory.input) : Bytes());
      }
  }
  bool by_block() const { return stage_.recompute.each == RecomputeUnit::block; }

  /// Previous layers hold their saved bytes; the running layer is whole.
  Bytes forward() const {
    Bytes behind, most;
    for (const Needs& layer : layers_) {
      most = std::max(most, behind + layer.saved + layer.forward);
      behind += layer.kept;
    }
    return std::max(Bytes(), most - before_);
  }

  /// Restores in sequence all that a segment's layers saved, which includes its saved input. By block, that is part of
  /// the backward.
  Bytes recompute() const {
    Bytes held, most;
    for (const Needs& layer : layers_) held += layer.kept;
    for (const Segment& segment : segments_)
      if (const Bytes reached = restore(segment, held); !by_block()) most = std::max(most, reached);
    return std::max(Bytes(), most - full_);
  }

  /// Adds to `held` all that the segment's layers saved. Returns the highest point of their forward passes.
  Bytes restore(const Segment& segment, Bytes& held) const {
    Bytes most;
    for (std::size_t i = segment.first; i < segment.last; ++i) {
      held += layers_[i].saved - layers_[i].kept;
      most = std::max(most, held + layers_[i].forward);
    }
    return most;
  }

  /// Runs from the last layer to the first. By block, restores a segment before its last layer's backward. Finished
  /// layers are freed, or keep bytes for the weight gradients if (these) come `apart`. The gradient that the stage
  /// received is counted separately until its backward ends.
  Bytes backward(bool apart) const {
    Bytes held, most;
    for (const Needs& layer : layers_) held += by_block() ? layer.kept : layer.saved;
    auto segment = segments_.rbegin();
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const Bytes gradient = i + 1 == layers_.size() ? received_ : layers_[i].gradient;
      if (by_block() && segment != segments_.rend() && segment->last == i + 1)
        most = std::max(most, restore(*segment++, held) + gradient);
      most = std::max(most, held + layers_[i].backward + gradient);
      held = held - layers_[i].saved + (apart ? layers_[i].left : Bytes());
    }
    return std::max(Bytes(), most - full_ - received_);
  }

  /// At most the sums of a fixed size.
  Bytes weight() const {
    Bytes most;
    for (const Needs& layer : layers_) most = std::max(most, std::min(layer.backward, layer.saved));
    return most;
  }

  const Stage& stage_;
  const Profile& profile_;
  std::span<const Bytes> cuts_;
  int samples_;
  std::vector<Needs> layers_;
  std::vector<Segment> segments_;
  Bytes before_, full_, received_;
};

}  // namespace

Bytes PassMemory::of(OpKind kind) const {
  switch (kind) {
    case OpKind::forward:
      return forward;
    case OpKind::recompute:
      return recompute;
    case OpKind::backward:
      return backward;
    case OpKind::backward_input:
      return backward_input;
    case OpKind::backward_weight:
      return backward_weight;
    default:
      return {};
  }
}

Bytes with_fixed_bytes(Bytes whole, Bytes fixed, int samples, int profile_samples) {
  if (samples >= profile_samples) return scale_bytes(whole, samples, profile_samples);
  return fixed + scale_bytes(whole - fixed, samples, profile_samples);
}

PassMemory pass_memory(const Plan& plan, const Profile& profile, std::span<const LayerId> order,
                       std::span<const Bytes> cuts, StageId id, int samples) {
  const Stage& stage = plan.stages[id.index()];
  bool said = true;
  Bytes largest;
  for (int p = stage.first; p < stage.last; ++p) {
    const Layer& layer = profile.layers[order[static_cast<std::size_t>(p)].index()];
    said = said && layer.memory;
    largest = std::max(largest, plan::workspace_bytes(layer, plan::even_parts(stage)));
  }
  if (said) return PassCounter(plan, profile, order, cuts, id, samples).run();
  PassMemory passes;
  passes.forward = passes.recompute = passes.backward = passes.backward_input = passes.backward_weight =
      scale_bytes(largest, samples, profile.micro_batch);
  // The weight gradients need every block: they are restored one by one, and none is freed before.
  const SavedBytes kept = stage_saved_bytes(plan, profile, order, cuts, id);
  passes.split_backward_bytes = std::max(Bytes(), scale_bytes(kept.all, samples, profile.micro_batch) -
                                                      scale_bytes(kept.full, samples, profile.micro_batch));
  passes.backward_input += passes.split_backward_bytes;
  return passes;
}

}  // namespace pipedeck::cost
