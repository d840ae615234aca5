// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/context.hpp"

#include "core/runtime/tensor/captured_graph.hpp"

namespace pipedeck::runtime::cuda {

namespace {

using GraphCapture = std::unique_ptr<CUgraph_st, Destroyer<cudaGraphDestroy>>;

/// Captures the work of this thread. Other threads may allocate and wait meanwhile: only this thread is restricted.
GraphCapture capture(cudaStream_t stream, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t graph = nullptr;
  try {
    work();
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    cudaGetLastError();  // otherwise the next launch reports the failed capture
    const GraphCapture part(graph);
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return GraphCapture(graph);
}

}  // namespace

Graph::Graph(cudaStream_t stream, const std::function<void()>& work) {
  const GraphCapture captured = capture(stream, work);
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, captured.get(), 0), "cudaGraphInstantiate");
  executable_.reset(executable);
}

namespace {

int made_current(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return device;
}

bool has_memory_pools(int device) {
  int has = 0;
  check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device), "cudaDeviceGetAttribute");
  return has != 0;
}

thread_local const Context* recording_on_this_thread = nullptr;

}  // namespace

Context::Context(int device, Precision precision)
    : device_(made_current(device)),
      precision_(precision),
      stream_(make_stream()),
      has_pools_(has_memory_pools(device)) {
  cublasLtHandle_t blas = nullptr;
  check(cublasLtCreate(&blas), "cublasLtCreate");
  blas_.reset(blas);
  cudnnHandle_t dnn = nullptr;
  check(cudnnCreate(&dnn), "cudnnCreate");
  dnn_.reset(dnn);
  check(cudnnSetStream(dnn, stream_.get()), "cudnnSetStream");
}

Context::~Context() {
  static_cast<void>(cudaSetDevice(device_));
  free_workspace();
}

void Context::make_current() const { made_current(device_); }

void* Context::workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes <= workspace_bytes_) return workspace_;
  if (is_capturing()) throw tensor::CaptureUnsupported("what libraries work in has to grow");
  free_workspace();
  workspace_ = allocate_workspace(bytes);
  workspace_bytes_ = bytes;
  ++workspace_moves_;
  return workspace_;
}

void* Context::allocate_workspace(std::size_t bytes) const {
  void* made = nullptr;
  if (has_pools_)
    check(cudaMallocAsync(&made, bytes, stream_.get()), "cudaMallocAsync");
  else
    check(cudaMalloc(&made, bytes), "cudaMalloc");
  return made;
}

void Context::warn(const std::string& text) {
  if (!warned_.insert(text).second) return;
  if (!warnings_.empty()) warnings_ += "; ";
  warnings_ += text;
}

/// Without pools cudaFree waits for the work that uses the memory.
void Context::free_workspace() noexcept {
  if (workspace_) static_cast<void>(has_pools_ ? cudaFreeAsync(workspace_, stream_.get()) : cudaFree(workspace_));
  workspace_ = nullptr;
  workspace_bytes_ = 0;
}

/// A scope in which this thread's work goes to the captured stream.
class Context::GraphRecording {
 public:
  explicit GraphRecording(Context& context) : context_(context) {
    check(cudnnSetStream(context_.dnn_.get(), context_.capture_stream_.get()), "cudnnSetStream");
    recording_on_this_thread = &context;
  }
  ~GraphRecording() {
    recording_on_this_thread = nullptr;
    static_cast<void>(cudnnSetStream(context_.dnn_.get(), context_.stream_.get()));
  }
  GraphRecording(const GraphRecording&) = delete;
  GraphRecording& operator=(const GraphRecording&) = delete;

 private:
  Context& context_;
};

bool Context::is_capturing() const { return recording_on_this_thread == this; }

Graph Context::record(const std::function<void()>& work) {
  if (!capture_stream_) capture_stream_ = make_stream();
  const GraphRecording recording(*this);
  return Graph(capture_stream_.get(), work);
}

}  // namespace pipedeck::runtime::cuda
