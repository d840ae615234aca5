// SPDX-License-Identifier: Apache-2.0
// Traces of several ranks, aligned by their collectives: all ranks of a group leave a collective at nearly the same
// moment, which gives the offset of each clock. On one clock, a kernel's time divides into waiting for the last rank to
// come, and the transfer after that.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/io/traces/collectives.hpp"
#include "core/io/traces/ranks.hpp"
#include "core/study/autopsy/rank_places.hpp"

namespace pipedeck::study::autopsy {

/// A rank's part in the collectives that all ranks of their groups recorded. Times are sums over all steps.
struct RankLateness {
  int rank = 0;
  Nanoseconds offset;      ///< of its clock from that of the first rank
  bool aligned = true;     ///< false: it has no collective with the others, and nothing else is set
  int collectives = 0;     ///< that it took part in
  int last = 0;            ///< of these, those that it came to last
  Nanoseconds waiting{};   ///< from its coming to the last rank's
  Nanoseconds transfer{};  ///< from the last rank's coming to the end
  Nanoseconds late{};      ///< by how much it came after the last but one, where it was last
};

/// Collectives of one group and operation.
struct KindLateness {
  io::traces::CollectiveKind kind;
  int collectives = 0;
  Nanoseconds waiting;   ///< of the mean rank, over all steps
  Nanoseconds transfer;  ///< as above
};

struct LateRanks {
  std::vector<RankLateness> ranks;  ///< ascending
  std::vector<KindLateness> kinds;  ///< the most waiting first
  int steps = 0;                    ///< with collectives that were matched
  Nanoseconds step;                 ///< mean duration of these on the host; 0: not recorded
  int matched = 0, unmatched = 0;   ///< collectives; unmatched: not all ranks of the group recorded as many in a step
  std::size_t transfers = 0;        ///< sends and receives, left out
  Nanoseconds spread;               ///< median of the ends' distance from each other, once the clocks are aligned
  /// Returns the rank that others wait for most, or null if no rank waits.
  const RankLateness* latest() const;
};

/// Compares traces of two or more ranks. bad_input with the rank: repeated, or no collective that two ranks share.
Result<LateRanks> late_ranks(const std::vector<io::traces::RankCollectives>& traces);

/// Joins traces of ranks (io::traces::join_ranks) on one clock, that of the first rank, if their collectives align all
/// of them within a millisecond; the notes then name the rank that is late. Otherwise their own clocks count. `files`
/// are those of the traces.
Result<io::traces::ParsedTrace> join_aligned(std::vector<io::traces::ParsedTrace> traces,
                                             const std::vector<std::string>& files, const std::stop_token& stop = {});

/// Returns the sentences: who is late, and by how much a step; what is waiting and what transfer; clocks.
std::vector<std::string> findings_of(const LateRanks& found, const RankPlaces& places);

}  // namespace pipedeck::study::autopsy
