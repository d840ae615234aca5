// SPDX-License-Identifier: Apache-2.0
// A memory snapshot of a device, analysed: its live bytes over time by use, the peak, what the allocator reserved
// and lost to gaps, and the same next to the predicted items of a plan's rank.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/io/dumps/memory_snapshot.hpp"
#include "core/model/simulation.hpp"

namespace pipedeck::study::autopsy {

using io::dumps::memory_use_count;
using io::dumps::MemoryUse;

/// Returns "12.4 MiB", "3.10 GiB".
std::string bytes_text(Bytes bytes);

/// Bytes by use; `total` is their sum.
struct UsedBytes {
  std::array<Bytes, memory_use_count> bytes{};
  bool operator==(const UsedBytes&) const = default;
  Bytes& operator[](MemoryUse use) { return bytes[static_cast<std::size_t>(use)]; }
  Bytes operator[](MemoryUse use) const { return bytes[static_cast<std::size_t>(use)]; }
  Bytes total() const;
};

/// A moment of the record, valid until the next one.
struct PilePoint {
  std::int64_t time = 0;  ///< us from the first event; without recorded times: the event's number
  UsedBytes live;         ///< in blocks that are in use, or wait for a stream to finish with them
  Bytes reserved;
};

/// Bytes at the peak that one line of the training program asked for.
struct PlaceBytes {
  std::string place;  ///< "model.py:41 forward"; empty: call stacks do not tell
  Bytes bytes;
};

/// A failed request for memory.
struct FailedRequest {
  std::int64_t time = 0;  ///< as PilePoint's
  Bytes size, free;       ///< asked for; free on the device
  Bytes live, reserved;   ///< then
};

struct MeasuredPile {
  int device = 0;
  std::vector<PilePoint> points{};  ///< at most most_points: of neighbours, the one with the most live bytes
  bool timed = false;               ///< times are microseconds
  PilePoint peak{};                 ///< the first moment of the most live bytes
  Bytes reserved_peak{};
  Bytes live_at_end{}, reserved_at_end{};
  Bytes largest_gap{};                  ///< the largest free block at the end
  std::vector<PlaceBytes> places{};     ///< at the peak, the largest ones, at most most_places
  std::vector<FailedRequest> failed{};  ///< at most most_failed, in their order
  std::size_t events = 0;
  /// Returns the part of reserved bytes at the end in gaps between blocks.
  double gaps() const;
};
inline constexpr std::size_t most_points = 4096, most_places = 8, most_failed = 16;

/// Returns the pile of each device. Blocks of which no allocation is recorded were there from the begin.
std::vector<MeasuredPile> measured_piles(const io::dumps::MemorySnapshot& snapshot);

/// A line of a prediction next to a measurement.
struct PileRow {
  std::string name;  ///< "gradients and workspace"
  std::optional<Bytes> predicted, measured;
};

/// Returns the uses at the peak next to the predicted items at the device's own peak, then both sums and what is
/// reserved. A call stack does not tell gradients from a backward pass's temporary values, so that these are one row.
/// `fragmentation`: the workload's, as for memory_marks.
std::vector<PileRow> beside_prediction(const MeasuredPile& pile, const SimulatedDevice& predicted,
                                       double fragmentation);

/// Returns what the snapshot shows, a sentence each: the peak and its time, bytes of unknown use, gaps, failed
/// requests.
std::vector<std::string> findings_of(const MeasuredPile& pile);

/// Returns how a prediction compares: "The peak is 3.1 GiB (8 %) above the predicted one; activations differ most."
std::string verdict_of(const std::vector<PileRow>& rows);

}  // namespace pipedeck::study::autopsy
