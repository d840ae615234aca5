// SPDX-License-Identifier: Apache-2.0
// Dumps of PyTorch's flight recorder for NCCL (TORCH_NCCL_TRACE_BUFFER_SIZE, TORCH_NCCL_DUMP_ON_TIMEOUT): the last
// collectives of a rank with their states. They are pickles (torch/csrc/distributed/c10d/FlightRecorder), or the JSON
// of _dump_nccl_trace_json(). A rank's dump does not hold its number: the file's name does ("nccl_trace_rank_3").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/pickle/tree.hpp"

namespace pipedeck::io::dumps {

/// A collective's progress on a rank, in this order.
enum class CollectiveState : std::uint8_t { scheduled, started, completed };
std::string_view name_of(CollectiveState state);  // "started"

struct FlightGroup {
  std::string name, description;  ///< "0", "default_pg"
  std::vector<int> ranks;         ///< ascending; empty: not recorded
  auto operator<=>(const FlightGroup&) const = default;
};

/// A call of a collective, a send or a receive.
struct FlightEntry {
  std::size_t group = 0;         ///< in FlightDump::groups
  std::int64_t sequence = 0;     ///< number of the collective in its group, from 0 or 1 on
  std::string operation;         ///< "all_reduce", "send"
  int source = -1, target = -1;  ///< of a send or receive: ranks within the group; -1: a collective
  std::uint32_t input_sizes = 0, output_sizes = 0, input_types = 0, output_types = 0;  ///< in FlightDump::texts
  CollectiveState state = CollectiveState::scheduled;
  std::int64_t created = 0;  ///< ns since 1970
  std::uint32_t place = 0;   ///< of the call, in FlightDump::places
  bool is_collective() const { return source < 0; }
};

/// Counters of a group that go on where the record of calls has ended.
struct FlightStatus {
  std::int64_t enqueued = -1, started = -1, completed = -1;  ///< sequence of the last one; -1: none, or not recorded
};

struct FlightDump {
  int rank = 0;
  std::string version;  ///< of the format
  std::vector<FlightGroup> groups;
  std::vector<FlightStatus> status;  ///< of each group
  std::vector<FlightEntry> entries;  ///< in the order of the calls
  std::vector<std::string> texts;    ///< "[[3,4]]", "Float", each once; the first is empty: not recorded
  std::vector<std::string> places;   ///< "train.py:44 main"; the first is empty: not recorded
};

/// Returns true for a tree with the members of a dump.
bool looks_like_flight_dump(const pickle::Tree& tree);

/// Returns the number that a file's name ends with before its endings: 3 of "nccl_trace_rank_3.json".
std::optional<int> rank_in_file_name(const std::string& path);

/// Errors: bad_input with the place in the tree ("/entries/17/state"), the value found and the one expected.
Result<FlightDump> flight_dump_of(const pickle::Tree& tree, int rank);

}  // namespace pipedeck::io::dumps
