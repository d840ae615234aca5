// SPDX-License-Identifier: Apache-2.0
// The events of a Chrome trace one after another, as they are read from the file: PyTorch's profiler (Kineto), Perfetto
// and chrome://tracing write this JSON, packed by gzip or not. A trace of gigabytes takes a few hundred kilobytes of
// memory here. Format: "Trace Event Format", Google, 2016.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"

namespace pipedeck::io::traces {

/// The members of an event that are read. Texts are valid during the call.
struct Event {
  std::size_t number = 0;                ///< among the file's events, from 0
  std::string_view name, category;       ///< UTF-8
  char phase = 0;                        ///< 'X' complete, 'B' and 'E' its two ends, 'M' metadata ...
  std::optional<std::int64_t> start;     ///< ns; "ts", microseconds in the file, rounded to whole nanoseconds
  std::int64_t duration = 0;             ///< ns, 0 or more
  std::int64_t process = 0, thread = 0;  ///< "pid", "tid": numbers, or something that stands for the text
  std::string_view argument_name;        ///< "args.name", of metadata
  std::optional<std::int64_t> stage, micro_batch, device, correlation;  ///< of "args"
  std::optional<std::int64_t> sequence;                                 ///< "Sequence number" of "args"
  std::string_view input_sizes;  ///< "Input Dims" of "args" without blanks, "[[32,8],[]]"; empty: none, or too many
  std::string_view input_types;  ///< "Input type" of "args", "float,Scalar,"; empty as above
  std::string_view collective;   ///< "Collective name" of "args", "allreduce"
  std::string_view group;        ///< "Process Group Name" of "args"; else its "Process Group ID"
  std::string_view group_ranks;  ///< "Process Group Ranks" of "args", "[0, 1]"; its first kilobytes
  std::optional<std::int64_t> elements;  ///< "In msg nelems" of "args"
};

/// The members of the document other than the events.
struct Head {
  std::string title;                           ///< "otherData.title"
  std::optional<std::int64_t> rank;            ///< "distributedInfo.rank"
  std::string device;                          ///< "deviceProperties", the first one's "name"
  std::optional<std::int64_t> planned_device;  ///< "pipedeckDevice", of programs that `export PLAN pytorch` writes
  std::int64_t base = 0;  ///< ns; "baseTimeNanoseconds": what times count from, 0: from 1970, or unknown
};

using TakeEvent = std::function<Result<void>(const Event&)>;

/// Calls `take` with each event in the file's order; its first error ends the reading. Errors name the file and the
/// byte (of what was unpacked) or the event.
Result<Head> read_trace_events(const std::string& path, const TakeEvent& take, const std::stop_token& stop = {},
                               const Progress& progress = {});

/// By its first kilobytes: a trace, packed or not. Reads no more than these.
bool looks_like_trace(const std::string& path);

}  // namespace pipedeck::io::traces
