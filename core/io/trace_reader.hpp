// SPDX-License-Identifier: Apache-2.0
// A Chrome trace as a measured timeline. Read are traces that this program wrote itself (core/io/trace), operation by
// operation as they were, and those of PyTorch's profiler (Kineto) and of others:
//   - kernels of a GPU become a lane a device, those of NCCL and of exchanges of experts a lane of all-reduces or of
//   transfers, copies one of
//     transfers. Whether a kernel is forward, backward or of the optimizer is told by the annotation that it was
//     launched under ("forward 3", "PP:2F0", "Optimizer.step#SGD.step"), by the thread that launched it (autograd's),
//     and last by the kernel's own name;
//   - without kernels the annotations themselves are the operations, without these PyTorch's outermost operators.
// Steps ("ProfilerStep#7") become a timeline each, from its step's start.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/domain/progress.hpp"
#include "core/domain/result.hpp"
#include "core/domain/run.hpp"

namespace pipedeck {

struct ReadTrace {
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
Result<ReadTrace> read_trace(const std::string& path, const std::stop_token& stop = {}, const Progress& progress = {});

/// The same as the events of a run.
std::vector<RunEvent> run_of_trace(ReadTrace trace);

}  // namespace pipedeck
