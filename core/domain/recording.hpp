// SPDX-License-Identifier: Apache-2.0
// A training that a profiler recorded, as far as a profile of layers is made of it: which modules ran when, which
// operators ran in them and on what, and what they launched on GPUs. Times are nanoseconds on one clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pipedeck {

/// What an operator took: a tensor, or something else (a scalar, a list).
struct RecordedTensor {
  std::vector<std::int64_t> sizes;  ///< empty: one number
  int element = 0;                  ///< bytes of a number; 0: no tensor
  bool real = false;                ///< numbers that gradients are computed of
  bool operator==(const RecordedTensor&) const = default;
};
using RecordedInputs = std::vector<RecordedTensor>;

/// Something that a thread of the host did.
struct RecordedSpan {
  std::int64_t start = 0, end = 0;
  std::int64_t sequence = -1;  ///< of operators: of the autograd node that it makes, or is; -1: of none
  std::uint32_t track = 0;     ///< in Recording::processes
  std::uint32_t name = 0;      ///< in Recording::names
  std::uint32_t inputs = 0;    ///< in Recording::inputs; 0: nobody says
  std::int64_t duration() const { return end - start; }
};

/// Work of a GPU and the call that asked for it have one number.
struct RecordedLaunch {
  std::int64_t time = 0;
  std::uint32_t correlation = 0, track = 0;
};
struct RecordedKernel {
  std::int64_t duration = 0;
  std::uint32_t correlation = 0;
  bool communication = false;  ///< NCCL's
};

struct RecordedStep {
  std::int64_t start = 0, end = 0;
};

struct Recording {
  std::string title;                      ///< as the file names itself; empty: it does not
  std::string device;                     ///< what the driver calls the GPU; empty: nobody says
  std::vector<std::int64_t> processes;    ///< of each thread
  std::vector<std::string> names;         ///< of modules without "nn.Module: "
  std::vector<RecordedInputs> inputs;     ///< distinct ones; the first is empty
  std::vector<RecordedSpan> modules;      ///< that the profiler itself annotated: each name is one module
  std::vector<RecordedSpan> annotations;  ///< of the user: names may come again
  std::vector<RecordedSpan> operators;    ///< with a sequence or inputs, backward functions among them
  std::vector<RecordedSpan> evaluations;  ///< autograd runs one backward function; `name` is the function's
  std::vector<RecordedLaunch> launches;
  std::vector<RecordedKernel> kernels;
  std::vector<RecordedStep> steps;
  std::size_t events = 0;  ///< in the file
};

}  // namespace pipedeck
