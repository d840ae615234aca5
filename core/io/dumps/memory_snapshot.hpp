// SPDX-License-Identifier: Apache-2.0
// Memory snapshots of PyTorch's allocator for GPUs: torch.cuda.memory._snapshot(), written by _dump_snapshot() as a
// pickle. They hold the segments that the allocator reserved, with their blocks,
// and the events that it recorded for each device. Also read: those that torch.profiler makes of its own record, whose
// events name their category.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/io/pickle/tree.hpp"

namespace pipedeck::io::dumps {

/// A use of an allocation, by the call stack that asked for it or by the profiler's word.
enum class MemoryUse : std::uint8_t {
  weights,        ///< modules moved to the device, loaded, or initialised
  gradients,      ///< by the profiler's word alone: a stack does not tell them from temporary values
  optimizer,      ///< asked for by an optimizer
  activations,    ///< asked for by a forward pass
  backward,       ///< asked for by a backward pass: gradients and temporary values
  communication,  ///< asked for by collectives
  other,          ///< of unknown use: no stack, or one that matches no rule
};
inline constexpr int memory_use_count = 7;
std::string_view name_of(MemoryUse use);  // "optimizer"

enum class MemoryAction : std::uint8_t { allocated, freed, reserved, released, out_of_memory };

/// An event of the allocator. Freed: from now on the block can be used again.
struct MemoryEvent {
  MemoryAction action = MemoryAction::allocated;
  MemoryUse use = MemoryUse::other;
  std::uint32_t place = 0;    ///< of the code that asked for it, in MemorySnapshot::places
  std::uint64_t address = 0;  ///< out of memory: 0
  Bytes size;                 ///< out of memory: what was asked for
  Bytes free{};               ///< out of memory: what the device had free
  std::int64_t time = 0;      ///< us since 1970; 0: not recorded
};

/// A block of a segment at the time of the snapshot.
struct MemoryBlock {
  std::uint64_t address = 0;
  Bytes size;
  bool active = false;  ///< in use, or waiting for a stream to finish with it
  MemoryUse use = MemoryUse::other;
  std::uint32_t place = 0;
};

/// A device's part of a snapshot.
struct DeviceMemory {
  int device = 0;
  Bytes reserved;                   ///< by segments, at the time of the snapshot
  std::vector<MemoryBlock> blocks;  ///< of all segments
  std::vector<MemoryEvent> events;  ///< in their order
};

struct MemorySnapshot {
  std::vector<DeviceMemory> devices;  ///< those with segments or events, ascending
  std::vector<std::string> places;    ///< "model.py:41 forward"; the first is empty: not known
  std::size_t unread = 0;             ///< events of kinds that do not matter here
};

/// Returns true for a tree with the members of a snapshot.
bool looks_like_memory_snapshot(const pickle::Tree& tree);

/// Errors: bad_input with the place in the tree ("/device_traces/0/17/size"), the value found and the one expected.
Result<MemorySnapshot> memory_snapshot_of(const pickle::Tree& tree);

}  // namespace pipedeck::io::dumps
