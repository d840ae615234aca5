// SPDX-License-Identifier: Apache-2.0
// The schedules, one row each. Their builders are in core/schedule/builders.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pipedeck {

enum class ScheduleKind : std::uint8_t {
  gpipe,
  one_f_one_b,
  interleaved,
  zb_h1,
  zb_h2,
  zb_v,
  v_half,
  v_min,
  dualpipe,
  dualpipe_v,
  chimera,
  adaptive,
  pipedream,
  pipedream_vertical,
  pipedream_2bw,
  explicit_order,
};

/// A placement of stages on ranks.
enum class StagePlacement : std::uint8_t {
  one_each,    ///< one stage per rank
  in_turn,     ///< several stages per rank, stage k on rank k mod ranks
  v_shaped,    ///< two stages per rank, the second half in reverse order
  two_copies,  ///< two copies of each stage, in opposite directions
  any,
};

struct ScheduleTraits {
  ScheduleKind kind;
  std::string_view name;     ///< as in plan files
  std::string_view title;    ///< in the window
  std::string_view summary;  ///< one line for lists and tooltips
  StagePlacement placement = StagePlacement::one_each;
  bool asynchronous = false;  ///< without a flush, with several weight versions
};

inline constexpr std::array<ScheduleTraits, 16> all_schedules{
    {{ScheduleKind::gpipe, "gpipe", "GPipe", "GPipe: all forwards, then all backwards; keeps every micro-batch"},
     {ScheduleKind::one_f_one_b, "1f1b", "1F1B", "1F1B: backwards as early as they can be; warm-up A or B"},
     {ScheduleKind::interleaved, "interleaved", "Interleaved 1F1B",
      "Interleaved 1F1B: v chunks of layers per device in turn; shorter start and end", StagePlacement::in_turn},
     {ScheduleKind::zb_h1, "zb-h1", "ZB-H1", "ZB-H1: weight gradients put off into the drain; memory of 1F1B"},
     {ScheduleKind::zb_h2, "zb-h2", "ZB-H2", "ZB-H2: no bubble between iterations; memory of twice 1F1B"},
     {ScheduleKind::zb_v, "zb-v", "ZB-V",
      "ZB-V: two chunks per device in a V; no bubble where the passes take equal times", StagePlacement::v_shaped},
     {ScheduleKind::v_half, "v-half", "V-Half", "V-Half: two chunks per device in a V; half the activations of 1F1B",
      StagePlacement::v_shaped},
     {ScheduleKind::v_min, "v-min", "V-Min", "V-Min: two chunks per device in a V; a third of the activations of 1F1B",
      StagePlacement::v_shaped},
     {ScheduleKind::dualpipe, "dualpipe", "DualPipe",
      "DualPipe: two copies of the model, one in each direction, forwards overlap backwards",
      StagePlacement::two_copies},
     {ScheduleKind::dualpipe_v, "dualpipev", "DualPipeV",
      "DualPipeV: DualPipe cut in half, one copy along a V, two stages per device", StagePlacement::v_shaped},
     {ScheduleKind::chimera, "chimera", "Chimera", "Chimera: two copies of the model, 1F1B in each direction",
      StagePlacement::two_copies},
     {ScheduleKind::adaptive, "adaptive", "Adaptive",
      "Adaptive: the fastest order found for the plan's own stage times and memory", StagePlacement::any},
     {ScheduleKind::pipedream, "pipedream", "PipeDream",
      "PipeDream: asynchronous 1F1B, replicas in turn, weights stashed", StagePlacement::one_each, true},
     {ScheduleKind::pipedream_vertical, "pipedream-vertical", "PipeDream with vertical sync",
      "PipeDream with vertical sync: a mini-batch meets one version everywhere", StagePlacement::one_each, true},
     {ScheduleKind::pipedream_2bw, "pipedream-2bw", "PipeDream-2BW",
      "PipeDream-2BW: asynchronous 1F1B, one update a batch, two weight versions", StagePlacement::one_each, true},
     {ScheduleKind::explicit_order, "explicit", "Explicit order",
      "The order of operations that the plan lists for every device", StagePlacement::any}}};

constexpr const ScheduleTraits& traits_of(ScheduleKind kind) { return all_schedules[static_cast<std::size_t>(kind)]; }
static_assert(
    [] {
      for (std::size_t i = 0; i < all_schedules.size(); ++i)
        if (all_schedules[i].kind != static_cast<ScheduleKind>(i)) return false;
      return true;
    }(),
    "the rows have the order of the enumeration");

/// Returns true for schedules without a flush, which use several weight versions.
constexpr bool asynchronous(ScheduleKind kind) { return traits_of(kind).asynchronous; }
/// Returns true for schedules with two copies of every stage, one per direction.
constexpr bool bidirectional(ScheduleKind kind) { return traits_of(kind).placement == StagePlacement::two_copies; }
/// Returns true if several chunks may be on one device.
constexpr bool is_interleaved_on_device(ScheduleKind kind) {
  return traits_of(kind).placement != StagePlacement::one_each;
}

constexpr std::string_view name_of(ScheduleKind kind) {
  return static_cast<std::size_t>(kind) < all_schedules.size() ? traits_of(kind).name : "?";
}
constexpr std::optional<ScheduleKind> parse_schedule(std::string_view name) {
  for (const ScheduleTraits& schedule : all_schedules)
    if (schedule.name == name) return schedule.kind;
  return std::nullopt;
}

}  // namespace pipedeck
