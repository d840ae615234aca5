// SPDX-License-Identifier: Apache-2.0
// Missing ranks: dumps of the flight recorder of several ranks, compared group by group. A collective ends only once
// all ranks of its group have called it with matching arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/dumps/flight_recorder.hpp"
#include "core/study/autopsy/rank_places.hpp"

namespace pipedeck::study::autopsy {

enum class StallKind : std::uint8_t {
  different,   ///< ranks of a group called different collectives, or with different sizes or types
  missing,     ///< some ranks have not called a collective that others of their group wait in
  unstarted,   ///< all have called it, and some GPUs have not come to it
  unfinished,  ///< all have started it, and it has not ended
  unmatched,   ///< a send or receive whose other side has not been called
};
std::string_view name_of(StallKind kind);  // "missing"

/// A collective, or a transfer, that does not end.
struct Stall {
  StallKind kind = StallKind::missing;
  std::string group, description;  ///< "1", "tp"
  std::int64_t sequence = 0;       ///< in its group; of a transfer: the k-th one that waits, from 1
  std::string operation{};         ///< "all_reduce"
  std::string sizes{}, types{};    ///< as most ranks called it
  std::vector<int> ranks{};        ///< the ranks that are missing, different, or not started; ascending
  std::vector<int> waiting{};      ///< the ranks that have called it
  std::string found{};             ///< different: the call of the first of `ranks`
  std::string place{};             ///< of the call in the program, on a waiting rank
};

struct CollectivesAutopsy {
  std::vector<int> dumped;        ///< ranks with a dump
  std::vector<int> without_dump;  ///< ranks of groups that have none
  std::size_t groups = 0, calls = 0;
  std::vector<Stall> stalls;  ///< the earliest kind of fault first, then by group
  /// The ranks that others wait for and that wait for no one themselves: there the fault began. Empty with stalls: the
  /// ranks wait for each other, or for ranks without a dump.
  std::vector<int> roots;
};

/// Compares the dumps, one of each rank. bad_input with the rank if two are of one.
Result<CollectivesAutopsy> collectives_autopsy(const std::vector<io::dumps::FlightDump>& dumps);

/// Returns one sentence for a stall.
std::string sentence_of(const Stall& stall, const RankPlaces& places);
/// Returns the sentences: who holds up all, each stall, ranks without a dump.
std::vector<std::string> findings_of(const CollectivesAutopsy& autopsy, const RankPlaces& places);

}  // namespace pipedeck::study::autopsy
