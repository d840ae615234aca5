// SPDX-License-Identifier: Apache-2.0
// A predicted training step in several dimensions of parallelism.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/base/units.hpp"

namespace pipedeck::mesh {

/// A part of a step, as its ranks spend it on average.
enum class StepPart {
  compute,
  recompute,
  tensor,  ///< exposed communication of tensor, context and expert ranks
  context,
  expert,
  gather,    ///< waits for sharded weights, and for scatters of gradients
  bubble,    ///< fill, drain, waits for other stages
  pipeline,  ///< exposed sends between stages
  data,      ///< exposed reductions of gradients and gathers of weights, once a step
  optimizer,
  host,  ///< exposed copies of activations to the host and back
};
inline constexpr int step_part_count = 11;
std::string_view name_of(StepPart part);  // "tensor"

/// The memory of a host that offloaded states and activations take, pinned.
struct HostMemory {
  Bytes states, activations;
  Bytes copies;                     ///< of gradients and weights on their way
  std::optional<Bytes> capacity{};  ///< absent: not known
  Bytes total() const { return states + activations + copies; }
  bool fits() const { return !capacity || total() <= *capacity; }
  bool operator==(const HostMemory&) const = default;
};

struct Prediction {
  Seconds iteration;
  std::array<Seconds, step_part_count> parts{};  ///< their sum is `iteration`
  double tokens_per_second_per_device = 0;
  Bytes peak;          ///< of the fullest rank: allocated bytes
  Bytes needed;        ///< and context, communicators: with less, the run fails
  Bytes with_context;  ///< and what the allocator holds free, which it gives back before it fails
  Bytes capacity;
  Bytes kept_for_others;  ///< of each device
  HostMemory host;        ///< of the node that needs most of its capacity
  bool fits = true;       ///< on device and host
  /// Returns what the framework's allocator holds, without context and communicators.
  Bytes reserved() const { return with_context - (needed - peak); }
  Seconds operator[](StepPart part) const { return parts[static_cast<std::size_t>(part)]; }
};

}  // namespace pipedeck::mesh
