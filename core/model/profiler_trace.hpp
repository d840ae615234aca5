// SPDX-License-Identifier: Apache-2.0
// A profiler's recording of a training, reduced to the parts that a layer profile is made from. It lists the modules,
// the operators inside them with their inputs, and their GPU kernels. Times are nanoseconds on one clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pipedeck {

/// An input of an operator: a tensor, or something else (a scalar, a list).
struct RecordedTensor {
  std::vector<std::int64_t> sizes;  ///< empty: a scalar
  int element = 0;                  ///< bytes per element; 0: not a tensor
  bool real = false;                ///< floating point: elements that can have gradients
  bool operator==(const RecordedTensor&) const = default;
};
using RecordedInputs = std::vector<RecordedTensor>;

/// A span of work on a host thread.
struct RecordedSpan {
  std::int64_t start = 0, end = 0;
  std::int64_t sequence = -1;  ///< of operators: number of the autograd node that it creates or runs; -1: none
  std::uint32_t track = 0;     ///< index in Recording::processes
  std::uint32_t name = 0;      ///< index in Recording::names
  std::uint32_t inputs = 0;    ///< index in Recording::inputs; 0: unknown
  std::int64_t duration() const { return end - start; }
};

/// A launch of GPU work. The launching call and the work share a correlation number.
struct TraceLaunch {
  std::int64_t time = 0;
  std::uint32_t correlation = 0, track = 0;
};
struct TraceKernel {
  std::int64_t duration = 0;
  std::uint32_t correlation = 0;
  bool communication = false;  ///< an NCCL kernel
};

struct RecordedStep {
  std::int64_t start = 0, end = 0;
};

struct ProfilerTrace {
  std::string title;                      ///< as stated in the file; empty: not stated
  std::string device;                     ///< the driver's name for the GPU; empty: unknown
  std::vector<std::int64_t> processes;    ///< by thread
  std::vector<std::string> names;         ///< of modules without the prefix "nn.Module: "
  std::vector<RecordedInputs> inputs;     ///< distinct; the first is empty
  std::vector<RecordedSpan> modules;      ///< annotated by the profiler itself: each name is one module
  std::vector<RecordedSpan> annotations;  ///< by the user: names may repeat
  std::vector<RecordedSpan> operators;    ///< with a sequence or inputs; includes backward functions
  std::vector<RecordedSpan> evaluations;  ///< autograd runs of one backward function each; `name` is the function's
  std::vector<TraceLaunch> launches;
  std::vector<TraceKernel> kernels;
  std::vector<RecordedStep> steps;
  std::size_t events = 0;  ///< in the file
};

}  // namespace pipedeck
