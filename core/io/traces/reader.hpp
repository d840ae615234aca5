// SPDX-License-Identifier: Apache-2.0
// A Chrome trace as a measured timeline. It reads this program's own traces (core/io/traces/trace), operation by
// operation, and those of PyTorch's profiler (Kineto) and of others:
//   - A GPU's kernels become one lane per device. Kernels of NCCL and of exchanges of experts become a lane of
//     all-reduces or of transfers, copies one of transfers. A kernel's pass (forward, backward, optimizer) comes from
//     the annotation that it was launched under ("forward 3", "PP:2F0", "Optimizer.step#SGD.step"), else from the
//     thread that launched it (autograd's), else from its own name.
//   - Without kernels the annotations themselves are the operations, without these PyTorch's outermost operators.
// Each step ("ProfilerStep#7") becomes a timeline, from its start.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/run.hpp"

namespace pipedeck::io::traces {

struct ParsedTrace {
  std::string title;                        ///< as the file names itself; empty: it does not
  std::vector<MeasuredTimeline> timelines;  ///< a step each, at least one, none of them empty
  std::size_t events = 0;                   ///< in the file
  std::size_t operations = 0;               ///< of them in the timelines
  std::vector<std::string> notes;           ///< what was understood and what was left out, a sentence each
  std::vector<std::int64_t> starts;         ///< of each timeline: ns on the clock of the machine that recorded it
  std::optional<int> rank;                  ///< the process of a run that it is of, as the file has it
};

/// Never empty. Memory beyond the result: 40 bytes an operation and a megabyte. Errors name the file and the byte or
/// event.
Result<ParsedTrace> read_trace(const std::string& path, const std::stop_token& stop = {},
                               const Progress& progress = {});

/// As above, as the events of a run.
std::vector<RunEvent> run_of_trace(ParsedTrace trace);

}  // namespace pipedeck::io::traces
