// SPDX-License-Identifier: Apache-2.0
#include "core/cost/pass_walk.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/base/checks.hpp"

namespace pipedeck::cost {
namespace {

/// A layer's pass: its compute, and the collectives that stick out of what hides them.
class LayerWalk {
 public:
  LayerWalk(const PassLayer& layer, OpKind kind) : layer_(layer), kind_(kind) {}

  PassTime time() {
    switch (kind_) {
      case OpKind::forward:
        add(Pass::forward, layer_.forward);
        break;
      case OpKind::backward:
        add(Pass::recompute, layer_.recompute);
        add(Pass::backward, layer_.input_gradient + layer_.weight_gradient);
        break;
      case OpKind::backward_input:
        add(Pass::recompute, layer_.recompute);
        add(Pass::backward, layer_.input_gradient);
        break;
      case OpKind::backward_weight:
        found_[PassPart::compute] += layer_.weight_gradient;
        break;
      default:
        ensure(false, "a pass is a forward or a backward");
    }
    return found_;
  }

 private:
  void add(Pass pass, Seconds compute) {
    found_[PassPart::compute] += compute;
    std::vector<const TimedCollective*> open;
    for (const TimedCollective& one : layer_.collectives) {
      if (one.pass != pass) continue;
      if (one.behind == Behind::nothing)
        found_[part_of(one.group)] += one.time;
      else
        open.push_back(&one);
    }
    while (!open.empty()) {  // all behind one compute
      const TimedCollective& first = *open.front();
      const auto others = std::ranges::stable_partition(open, [&](const TimedCollective* one) {
        return one->behind == first.behind && one->product == first.product;
      });
      add_exposed({open.begin(), others.begin()});
      open.erase(open.begin(), others.begin());
    }
  }

  void add_exposed(std::span<const TimedCollective* const> all) {
    const Seconds compute = hiding(*all.front());
    if (all.front()->behind == Behind::attention_pieces) {
      add_rings(all, compute);
      return;
    }
    std::array<Seconds, pass_part_count> busy{};
    for (const TimedCollective* one : all) busy[static_cast<std::size_t>(part_of(one->group))] += one->time;
    add_longest(busy, compute);
  }

  /// Adds rings of N - 1 steps behind N pieces of attention: the first ring's behind the first pieces, any later one's
  /// behind the last, as the backward of a ring attention has keys and values, and their gradients.
  void add_rings(std::span<const TimedCollective* const> rings, Seconds attention) {
    const int ranks = rings.front()->ranks;
    ensure(ranks > 1, "a ring has several ranks");
    for (int piece = 0; piece < ranks; ++piece) {
      std::array<Seconds, pass_part_count> busy{};
      for (std::size_t r = 0; r < rings.size(); ++r) {
        const TimedCollective& ring = *rings[r];
        ensure(ring.ranks == ranks, "rings behind one attention have equal ranks");
        if (piece == (r == 0 ? ranks - 1 : 0)) continue;
        busy[static_cast<std::size_t>(part_of(ring.group))] += ring.time / (ranks - 1);
      }
      add_longest(busy, attention / ranks);
    }
  }

  /// Adds what sticks out of a compute that hides busy lanes. Lanes run at the same time, so only the longest one does.
  void add_longest(const std::array<Seconds, pass_part_count>& busy, Seconds compute) {
    const auto longest = std::ranges::max_element(busy);
    if (*longest > compute) found_.parts[static_cast<std::size_t>(longest - busy.begin())] += *longest - compute;
  }

  Seconds hiding(const TimedCollective& collective) const {
    Seconds sum;
    for (const HidingCompute& one : layer_.hiding) {
      if (one.pass != collective.pass || one.behind != collective.behind || one.product != collective.product) continue;
      sum += one.time;
      if (kind_ == OpKind::backward) sum += one.weight_gradient;
    }
    return sum;
  }

  const PassLayer& layer_;
  OpKind kind_;
  PassTime found_;
};

/// A number of layers whose weights are gathered together.
struct GatheredUnit {
  PassTime time;
  Seconds gather, scatter;
};

std::vector<GatheredUnit> units_of(std::span<const PassLayer> layers, OpKind kind) {
  std::vector<GatheredUnit> units;
  for (const PassLayer& layer : layers) {
    if (units.empty() || !layer.in_unit_of_previous) units.emplace_back();
    GatheredUnit& unit = units.back();
    unit.time += LayerWalk(layer, kind).time();
    if (kind == OpKind::forward) unit.gather += layer.gather_forward;
    if (kind == OpKind::backward || kind == OpKind::backward_input) unit.gather += layer.gather_backward;
    if (kind == OpKind::backward || kind == OpKind::backward_weight) unit.scatter += layer.scatter;
  }
  if (kind != OpKind::forward) std::ranges::reverse(units);
  return units;
}

}  // namespace

PassPart part_of(plan::GroupFamily family) {
  using plan::GroupFamily;
  switch (family) {
    case GroupFamily::tensor:
      return PassPart::tensor;
    case GroupFamily::context:
    case GroupFamily::context_heads:
    case GroupFamily::context_sequence:
      return PassPart::context;
    case GroupFamily::expert:
    case GroupFamily::expert_tensor:
    case GroupFamily::expert_all:
      return PassPart::expert;
    default:
      break;
  }
  ensure(false, "a layer's collectives are over tensor, context or expert ranks");
  return PassPart::tensor;
}

PassTime& PassTime::operator+=(const PassTime& other) {
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p] += other.parts[p];
  return *this;
}

Seconds PassTime::duration() const {
  Seconds sum;
  for (const Seconds part : parts) sum += part;
  return sum;
}

Seconds PassTime::exposed() const {
  Seconds sum;
  for (const Seconds part : std::span(parts).subspan(1)) sum += part;
  return sum;
}

/// Each unit starts behind the one before and behind its own gather, and ends no sooner than the scatter of the one
/// before (parallelism.md, "Times"). Gathers run one after the other, and so do scatters.
PassTime walk_pass(std::span<const PassLayer> layers, OpKind kind, GatherAhead ahead) {
  PassTime all;
  Seconds end, gathered, scattered, before, before_that;  // the last two: starts of compute
  for (const GatheredUnit& unit : units_of(layers, kind)) {
    gathered = std::max(gathered, ahead == GatherAhead::one ? before : before_that) + unit.gather;
    const Seconds start = std::max(end, gathered);
    const Seconds computed = start + unit.time.duration();
    all += unit.time;
    all[PassPart::gather] += start - end;
    end = std::max(computed, scattered);
    all[PassPart::scatter] += end - computed;
    scattered = end + unit.scatter;
    before_that = std::exchange(before, start);
  }
  return all;
}

PassTime walk_joined(std::span<const PassLayer> forward, std::span<const PassLayer> backward,
                     GatherAhead forward_ahead) {
  Seconds exchanged;
  const auto without_experts = [&](std::span<const PassLayer> layers, bool is_forward) {
    std::vector<PassLayer> others(layers.begin(), layers.end());
    for (PassLayer& layer : others)
      std::erase_if(layer.collectives, [&](const TimedCollective& one) {
        const bool exchanges = part_of(one.group) == PassPart::expert;
        if (exchanges && (one.pass == Pass::forward) == is_forward) exchanged += one.time;
        return exchanges;
      });
    return others;
  };
  PassTime joined = walk_pass(without_experts(forward, true), OpKind::forward, forward_ahead);
  joined += walk_pass(without_experts(backward, false), OpKind::backward);
  joined[PassPart::expert] = std::max(Seconds(), exchanged - joined.duration());
  return joined;
}

}  // namespace pipedeck::cost
