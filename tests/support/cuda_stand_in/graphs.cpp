// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: graphs, captured from one stream by one thread. Work given to the stream during the capture is
// recorded with its arguments, and done at each launch of the graph.
#include <atomic>
#include <utility>
#include <vector>

#include "tests/support/cuda_stand_in/machine.hpp"

namespace {

using Work = std::vector<std::function<void()>>;

}  // namespace

struct CUgraph_st {
  int device = 0;
  Work work;
  std::vector<cuda_stand_in::Operand> operands;
  bool lost = false;  ///< by a call that a capture does not stand
};

struct CUgraphExec_st {
  int device = 0;
  std::shared_ptr<const Work> work;
  std::vector<cuda_stand_in::Operand> operands;
};

namespace cuda_stand_in {
namespace {

constexpr const char* graph_kind = "graph";
constexpr const char* executable_kind = "executable graph";

thread_local cudaStream_t captured_here = nullptr;

struct Counted {
  std::mutex mutex;
  int made = 0, launched = 0;
  std::string not_captured;
};
Counted& counted() {
  static Counted one;
  return one;
}

std::unique_ptr<CUgraph_st> end_capture(cudaStream_t stream) {
  const std::lock_guard lock(lock_of_all());
  captured_here = nullptr;
  return std::unique_ptr<CUgraph_st>(std::exchange(stream->captured, nullptr));
}

}  // namespace

void forbid_in_capture() {
  if (captured_here == nullptr) return;
  const std::lock_guard lock(lock_of_all());
  captured_here->captured->lost = true;
  throw Refused("a thread must not do that while it captures a stream", cudaErrorStreamCaptureUnsupported);
}

void forbid_on_captured(cudaStream_t stream) {
  const std::lock_guard lock(lock_of_all());
  if (!stream->captured) return;
  stream->captured->lost = true;
  throw Refused("the stream is captured", cudaErrorStreamCaptureUnsupported);
}

bool refused_in_capture(const char* function) {
  if (captured_here == nullptr) return false;
  {
    const std::lock_guard lock(counted().mutex);
    if (counted().not_captured != function) return false;
  }
  const std::lock_guard lock(lock_of_all());
  captured_here->captured->lost = true;
  return true;
}

void note_operand(const Operand& operand) {
  if (captured_here != nullptr) captured_here->captured->operands.push_back(operand);
}

void lose_capture(cudaStream_t stream) {
  const std::lock_guard lock(lock_of_all());
  stream->captured->lost = true;
}

bool captures(cudaStream_t stream) { return captured_here == stream; }

void add_to_capture(cudaStream_t stream, std::function<void()> work) {
  require(captures(stream), "another thread captures this stream");
  require(!stream->captured->lost, "the capture was lost by a call before");
  stream->captured->work.push_back(std::move(work));
}

void forget_captures() {
  const std::lock_guard lock(counted().mutex);
  counted().made = counted().launched = 0;
  counted().not_captured.clear();
}

void refuse_in_captures(const std::string& function) {
  const std::lock_guard lock(counted().mutex);
  counted().not_captured = function;
}
int graphs_made() {
  const std::lock_guard lock(counted().mutex);
  return counted().made;
}
int graphs_launched() {
  const std::lock_guard lock(counted().mutex);
  return counted().launched;
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return runtime_call("cudaStreamBeginCapture", cudaErrorLaunchFailure, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    require(mode == cudaStreamCaptureModeThreadLocal, "a mode that forbids other threads what they do meanwhile");
    require(captured_here == nullptr, "this thread captures another stream", cudaErrorIllegalState);
    const std::lock_guard lock(lock_of_all());
    require(!stream->captured, "the stream is captured", cudaErrorIllegalState);
    stream->captured = new CUgraph_st{stream->device, {}, {}, false};
    captured_here = stream;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  // The capture ends whatever the answer is.
  const std::unique_ptr<CUgraph_st> captured = captures(stream) ? end_capture(stream) : nullptr;
  return runtime_call("cudaStreamEndCapture", cudaErrorLaunchFailure, [&] {
    require(graph != nullptr, "nowhere to put the graph");
    *graph = nullptr;
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    require(captured != nullptr, "the stream is not captured by this thread", cudaErrorStreamCaptureWrongThread);
    require(!captured->lost, "the capture was lost by a call before", cudaErrorStreamCaptureInvalidated);
    *graph = new CUgraph_st(*captured);
    made(*graph, graph_kind);
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return runtime_call("cudaGraphInstantiate", cudaErrorMemoryAllocation, [&] {
    forbid_in_capture();
    require(flags == 0, "no flag is known");
    check_alive(graph, graph_kind);
    *executable = new CUgraphExec_st{graph->device, std::make_shared<const Work>(graph->work), graph->operands};
    made(*executable, executable_kind);
    const std::lock_guard lock(counted().mutex);
    ++counted().made;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return runtime_call("cudaGraphLaunch", cudaErrorLaunchFailure, [&] {
    check_alive(executable, executable_kind);
    check_stream(stream, cudaErrorInvalidResourceHandle);
    require(executable->device == stream->device, "graph and stream are of two devices");
    forbid_on_captured(stream);
    for (const Operand& operand : executable->operands)
      require(is_valid(operand), "memory that the graph works in was freed since", cudaErrorIllegalAddress);
    put(stream, [work = executable->work] {
      for (const auto& one : *work) one();
    });
    const std::lock_guard lock(counted().mutex);
    ++counted().launched;
  });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return remembered(call("cudaGraphExecDestroy", cudaSuccess, cudaErrorInvalidValue, [&] {
    destroyed(executable, executable_kind);
    delete executable;
  }));
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return remembered(call("cudaGraphDestroy", cudaSuccess, cudaErrorInvalidValue, [&] {
    destroyed(graph, graph_kind);
    delete graph;
  }));
}

}  // extern "C"
