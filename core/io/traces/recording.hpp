// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch's profiler as a recording of modules: what a profile of layers is made of
// (core/analytic/recorded/profile). Read are, of complete events ('X'):
//   - "python_function" called "nn.Module: Linear_3" (profile(with_stack=True)), and annotations of the user
//     (record_function), modules both;
//   - "cpu_op" with "Sequence number", "Input Dims" and "Input type"; those called
//   "autograd::engine::evaluate_function:
//     X" are the backward pass;
//   - kernels, copies and what launched them ("correlation");
//   - "ProfilerStep#7".
#pragma once

#include <stop_token>
#include <string>

#include "core/base/progress.hpp"
#include "core/base/result.hpp"
#include "core/model/profiler_trace.hpp"

namespace pipedeck::io::traces {

/// Memory: 40 bytes an operator or module, 16 a kernel or launch. Errors name the file and the byte or event.
Result<ProfilerTrace> read_recording(const std::string& path, const std::stop_token& stop = {},
                                     const Progress& progress = {});

}  // namespace pipedeck::io::traces
