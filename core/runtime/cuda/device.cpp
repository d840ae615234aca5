// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/device.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cuda/expert_kernels.hpp"
#include "core/runtime/cuda/kernels.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Larger uploads are copied from pageable memory, which waits: weights at a run's beginning, not samples.
constexpr std::size_t max_staged_floats = std::size_t{4} << 20;

/// Creates an event with a time. `sleeps`: who waits for it leaves its core to others, and continues some microseconds
/// later.
Event make_timed_event(bool sleeps) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, sleeps ? cudaEventBlockingSync : cudaEventDefault),
        "cudaEventCreateWithFlags");
  return Event(event);
}

/// Returns when the stream has done its present work.
void wait_asleep(cudaStream_t stream) {
  const Event done = make_timed_event(true);
  check(cudaEventRecord(done.get(), stream), "cudaEventRecord");
  check(cudaEventSynchronize(done.get()), "cudaEventSynchronize");
}

}  // namespace

Event EventPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    check(cudaSetDevice(gpu_), "cudaSetDevice");
    free_.reserve(++made_);
    return make_timed_event(true);
  }
  Event event = std::move(free_.back());
  free_.pop_back();
  return event;
}

void EventPool::release(Event event) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(event));
}

/// An event whose time on the host's clock is known. The GPU measures the time from it to other events.
struct CudaDevice::Reference {
  Event event;
  tensor::RunClock::time_point time;
};

class CudaDevice::CudaEvent final : public tensor::StreamEvent {
 public:
  CudaEvent(std::shared_ptr<EventPool> pool, std::shared_ptr<const Reference> reference, cudaStream_t stream)
      : pool_(std::move(pool)), reference_(std::move(reference)), event_(pool_->take()) {
    check(cudaEventRecord(event_.get(), stream), "cudaEventRecord");
  }
  ~CudaEvent() override { pool_->release(std::move(event_)); }

  cudaEvent_t event() const { return event_.get(); }
  tensor::RunClock::time_point wait_until_reached() const override {
    const cudaError_t state = cudaEventQuery(event_.get());
    if (state != cudaErrorNotReady) check(state, "cudaEventQuery");
    if (state == cudaErrorNotReady) check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, reference_->event.get(), event_.get()), "cudaEventElapsedTime");
    return reference_->time + std::chrono::duration_cast<tensor::RunClock::duration>(
                                  std::chrono::duration<double, std::milli>(double{milliseconds}));
  }

 private:
  std::shared_ptr<EventPool> pool_;
  std::shared_ptr<const Reference> reference_;
  Event event_;
};

CudaDevice::CudaDevice(int gpu, Precision precision)
    : context_(gpu, precision),
      memory_stream_(context_.has_pools() ? make_stream() : Stream()),
      products_(context_),
      fused_attention_(context_),
      weights_(*this),
      events_(std::make_shared<EventPool>(gpu)) {
  void* flag = nullptr;
  check(cudaMalloc(&flag, sizeof(int)), "cudaMalloc");
  not_finite_.reset(static_cast<int*>(flag));
  synchronise();
}

/// Returns those of the GPUs that are others, and whose memory this one can access.
std::vector<int> CudaDevice::peers(const std::vector<int>& gpus) const {
  std::vector<int> found;
  for (const int gpu : gpus) {
    int can = 0;
    if (gpu < 0 || gpu == context_.device() || std::ranges::find(found, gpu) != found.end()) continue;
    check(cudaDeviceCanAccessPeer(&can, context_.device(), gpu), "cudaDeviceCanAccessPeer");
    if (can) found.push_back(gpu);
  }
  return found;
}

void CudaDevice::enable_peer_access(const std::vector<int>& gpus) const {
  context_.make_current();
  for (const int gpu : peers(gpus)) {
    // Access may be enabled already, or the limit of peers is reached: neither is an error of the next call.
    if (cudaDeviceEnablePeerAccess(gpu, 0) != cudaSuccess) static_cast<void>(cudaGetLastError());
  }
}

/// A pool has its own access rights: cudaDeviceEnablePeerAccess does not concern it.
void CudaDevice::share_memory(const std::vector<int>& gpus) const {
  const std::vector<int> others = peers(gpus);
  if (!memory_stream_ || others.empty()) return;
  context_.make_current();
  std::vector<cudaMemAccessDesc> access;
  for (const int gpu : others) access.push_back({{cudaMemLocationTypeDevice, gpu}, cudaMemAccessFlagsProtReadWrite});
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, context_.device()), "cudaDeviceGetDefaultMemPool");
  check(cudaMemPoolSetAccess(pool, access.data(), access.size()), "cudaMemPoolSetAccess");
}

CudaDevice::~CudaDevice() {
  static_cast<void>(cudaSetDevice(context_.device()));
  static_cast<void>(cudaStreamSynchronize(stream()));
}

CudaDevice& CudaDevice::of(tensor::DeviceMemory& memory) {
  auto& device = dynamic_cast<CudaDevice&>(memory.device());
  device.context_.make_current();
  device.account_workspace(memory);
  return device;
}

/// Accounts for growth of the workspace of libraries and kernels, from the next call on.
void CudaDevice::account_workspace(tensor::DeviceMemory& memory) {
  const auto floats = static_cast<std::int64_t>(context_.workspace_bytes() / sizeof(float));
  if (floats != charged_) memory.account(floats - std::exchange(charged_, floats));
}

bool CudaDevice::reaches(const tensor::ComputeDevice& other) const {
  const auto* gpu = dynamic_cast<const CudaDevice*>(&other);
  return gpu != nullptr && gpu->context_.device() == context_.device();
}

/// Throws during a capture, where the call would become part of the graph or end the capture.
void CudaDevice::forbid_during_capture(const char* what) const {
  if (context_.is_capturing()) throw tensor::CaptureUnsupported(what);
}

namespace {

class CapturedCudaGraph final : public tensor::CapturedGraph {
 public:
  CapturedCudaGraph(Context& context, const std::function<void()>& work)
      : context_(context), graph_(context.record(work)), moves_(context.workspace_reallocations()) {}
  bool valid() const override { return context_.workspace_reallocations() == moves_; }
  void launch() override {
    context_.make_current();
    graph_.launch(context_.stream());
  }

 private:
  Context& context_;
  Graph graph_;
  int moves_;  ///< of the workspace, whose address is in the graph
};

}  // namespace

std::unique_ptr<tensor::CapturedGraph> CudaDevice::record(const std::function<void()>& work) {
  context_.make_current();
  return std::make_unique<CapturedCudaGraph>(context_, work);
}

float* CudaDevice::allocate(std::int64_t floats) {
  forbid_during_capture("a block of memory more is wanted than in the step before");
  if (floats == 0) floats = 1;  // a block must have an address
  const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
  context_.make_current();
  if (memory_stream_) return allocate_from_pool(bytes);
  void* block = nullptr;
  check(cudaMalloc(&block, bytes), "cudaMalloc");
  return static_cast<float*>(block);
}

/// cudaMalloc may wait for all work of the GPU. Some of it may wait for other GPUs, whose workers wait in the same
/// call. An allocation in a stream's order waits for that stream alone, in which there is no other work.
float* CudaDevice::allocate_from_pool(std::size_t bytes) {
  void* block = nullptr;
  check(cudaMallocAsync(&block, bytes, memory_stream_.get()), "cudaMallocAsync");
  cudaError_t state = cudaErrorNotReady;
  while ((state = cudaStreamQuery(memory_stream_.get())) == cudaErrorNotReady) std::this_thread::yield();
  if (state != cudaSuccess) static_cast<void>(cudaFreeAsync(block, memory_stream_.get()));
  check(state, "cudaStreamQuery");
  return static_cast<float*>(block);
}

/// Waits for the stream, because after a failed run work may still be active.
void CudaDevice::deallocate(float* block) noexcept {
  static_cast<void>(cudaSetDevice(context_.device()));
  static_cast<void>(cudaStreamSynchronize(stream()));
  static_cast<void>(memory_stream_ ? cudaFreeAsync(block, memory_stream_.get()) : cudaFree(block));
}

void CudaDevice::zero(std::span<float> values) {
  if (values.empty()) return;
  context_.make_current();
  check(cudaMemsetAsync(values.data(), 0, values.size_bytes(), stream()), "cudaMemsetAsync");
}

void CudaDevice::copy(float* to, const float* from, std::int64_t count) {
  if (count == 0 || to == from) return;
  context_.make_current();
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyDeviceToDevice, stream()),
        "cudaMemcpyAsync");
}

void CudaDevice::copy_rows(float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
                           std::int64_t rows, std::int64_t columns) {
  if (rows == 0 || columns == 0) return;
  context_.make_current();
  const auto bytes = [](std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); };
  check(cudaMemcpy2DAsync(to, bytes(to_stride), from, bytes(from_stride), bytes(columns),
                          static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, stream()),
        "cudaMemcpy2DAsync");
}

void CudaDevice::scale(std::span<float> values, float factor) {
  context_.make_current();
  cuda::scale(stream(), values.data(), factor, static_cast<std::int64_t>(values.size()));
}

void CudaDevice::add(float* to, const float* from, std::int64_t count) {
  context_.make_current();
  cuda::add(stream(), to, from, count);
}

void CudaDevice::largest(float* to, const float* from, std::int64_t count) {
  context_.make_current();
  cuda::largest(stream(), to, from, count);
}

void CudaDevice::balance(float* biases, float* excess, float rate, std::int64_t count) {
  context_.make_current();
  balance_biases(stream(), biases, excess, rate, count);
}

void CudaDevice::update(const tensor::UpdateRule& rule, const tensor::UpdatedValues& v) {
  context_.make_current();
  Bf16* const rounded = rule.kind == Optimizer::none ? nullptr : weights_.begin_update(v.weights, v.count);
  switch (rule.kind) {
    case Optimizer::none:
      return zero({v.gradients, static_cast<std::size_t>(v.count)});
    case Optimizer::sgd:
      return sgd_update(stream(), v.weights, v.gradients, rounded, rule.rate, v.count);
    case Optimizer::momentum:
      return momentum_update(stream(), v.weights, v.gradients, v.first, rounded, rule.rate, v.count);
    case Optimizer::rmsprop:
      return rmsprop_update(stream(), v.weights, v.gradients, v.first, rounded, rule.rate, v.count);
    case Optimizer::adam:
      return adam_update(stream(), v.weights, v.gradients, v.first, v.second, rounded,
                         {rule.rate, rule.second_correction}, v.count);
  }
}

std::unique_ptr<tensor::WeightCopy> CudaDevice::copy_of_weights(const tensor::Tensor& weights) {
  return weights_.make(weights);
}

bool CudaDevice::all_finite(std::span<const float> values) {
  forbid_during_capture("the host reads a result");
  context_.make_current();
  int found = 0;
  check(cudaMemsetAsync(not_finite_.get(), 0, sizeof found, stream()), "cudaMemsetAsync");
  find_not_finite(stream(), not_finite_.get(), values.data(), static_cast<std::int64_t>(values.size()));
  check(cudaMemcpyAsync(&found, not_finite_.get(), sizeof found, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  return found == 0;
}

/// Returns a buffer that is large enough and that the GPU has read, or else a new one.
CudaDevice::StagingBuffer CudaDevice::acquire_staging_buffer(std::size_t floats) {
  const std::lock_guard lock(mutex_);
  const auto usable = [&](const StagingBuffer& staging) {
    if (staging.floats < floats) return false;
    const cudaError_t state = cudaEventQuery(staging.read.get());
    if (state != cudaErrorNotReady) check(state, "cudaEventQuery");
    return state == cudaSuccess;
  };
  const auto found = std::ranges::find_if(staging_, usable);
  if (found != staging_.end()) {
    StagingBuffer staging = std::move(*found);
    staging_.erase(found);
    return staging;
  }
  StagingBuffer staging{{}, floats, make_event()};
  void* data = nullptr;
  check(cudaMallocHost(&data, floats * sizeof(float)), "cudaMallocHost");
  staging.data.reset(static_cast<float*>(data));
  return staging;
}

void CudaDevice::upload(std::span<float> to, const std::function<void(std::span<float>)>& write) {
  if (to.empty()) return write(to);
  forbid_during_capture("values come from the host");
  context_.make_current();
  const auto copy_from = [&](const float* from) {
    check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
  };
  if (to.size() > max_staged_floats) {
    std::vector<float> values(to.size());
    write(values);
    copy_from(values.data());
    return check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  }
  StagingBuffer staging = acquire_staging_buffer(to.size());
  write({staging.data.get(), to.size()});
  copy_from(staging.data.get());
  if (const cudaError_t recorded = cudaEventRecord(staging.read.get(), stream()); recorded != cudaSuccess) {
    cudaStreamSynchronize(stream());  // the GPU may still read the freed memory
    check(recorded, "cudaEventRecord");
  }
  const std::lock_guard lock(mutex_);
  const auto place = std::ranges::upper_bound(staging_, staging.floats, {}, &StagingBuffer::floats);
  staging_.insert(place, std::move(staging));
}

void CudaDevice::download(std::span<float> to, const float* from) {
  if (to.empty()) return;
  forbid_during_capture("the host reads values");
  context_.make_current();
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
}

/// Copies to and from pinned memory: one stream for each direction, since a link carries both at once.
class CudaDevice::CudaHostLink final : public tensor::HostLink {
 public:
  explicit CudaHostLink(CudaDevice& device) : device_(device) {
    device_.context_.make_current();
    down_ = make_stream(), up_ = make_stream();
  }
  CudaHostLink(const CudaHostLink&) = delete;
  CudaHostLink& operator=(const CudaHostLink&) = delete;
  ~CudaHostLink() override { end_work(down_), end_work(up_); }

  float* allocate(std::int64_t floats) override {
    device_.context_.make_current();
    void* block = nullptr;
    const cudaError_t status =
        cudaMallocHost(&block, static_cast<std::size_t>(std::max<std::int64_t>(1, floats)) * sizeof(float));
    if (status != cudaErrorMemoryAllocation) check(status, "cudaMallocHost");
    if (status == cudaSuccess) return static_cast<float*>(block);
    cudaGetLastError();  // otherwise the next launch reports this error
    throw tensor::OutOfMemory(fmt::format(
        "cudaMallocHost: {} (error {}): the host has too little memory that it may pin: sharding over more hosts takes "
        "less of each, and a container or a cgroup may have a limit",
        cudaGetErrorString(status), static_cast<int>(status)));
  }
  void deallocate(float* block) noexcept override {
    static_cast<void>(cudaSetDevice(device_.context_.device()));
    end_work(down_), end_work(up_);
    static_cast<void>(cudaFreeHost(block));
  }
  tensor::Completion to_host(float* to, const float* from, std::int64_t count,
                             const tensor::Completion& ready) override {
    return copy(down_, to, from, count, cudaMemcpyDeviceToHost, ready);
  }
  tensor::Completion to_device(float* to, const float* from, std::int64_t count,
                               const tensor::Completion& ready) override {
    return copy(up_, to, from, count, cudaMemcpyHostToDevice, ready);
  }

 private:
  tensor::Completion copy(const Stream& stream, float* to, const float* from, std::int64_t count, cudaMemcpyKind kind,
                          const tensor::Completion& ready) {
    device_.context_.make_current();
    device_.wait_on(stream.get(), ready);
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), kind, stream.get()),
          "cudaMemcpyAsync");
    return device_.record_event(stream.get());
  }

  CudaDevice& device_;
  Stream down_, up_;
};

tensor::HostLink* CudaDevice::host_link() {
  const std::lock_guard lock(mutex_);
  if (!host_link_) host_link_ = std::make_unique<CudaHostLink>(*this);
  return host_link_.get();
}

tensor::Completion CudaDevice::record_event(cudaStream_t stream) {
  forbid_during_capture("another device waits for what it computes");
  context_.make_current();
  const std::lock_guard lock(mutex_);
  return tensor::Completion(std::make_shared<CudaEvent>(events_, reference_, stream));
}

void CudaDevice::wait_on(cudaStream_t stream, const tensor::Completion& moment) const {
  if (!moment.event()) return;
  forbid_during_capture("it waits for another device");
  context_.make_current();
  check(cudaStreamWaitEvent(stream, dynamic_cast<const CudaEvent&>(*moment.event()).event(), 0), "cudaStreamWaitEvent");
}

/// Restarts the time base of marks: milliseconds in a float are exact to a microsecond within a step of seconds.
void CudaDevice::synchronise() {
  forbid_during_capture("the host waits for it");
  context_.make_current();
  Reference reference{make_timed_event(false), {}};
  wait_asleep(stream());
  check(cudaEventRecord(reference.event.get(), stream()), "cudaEventRecord");
  check(cudaEventSynchronize(reference.event.get()), "cudaEventSynchronize");
  reference.time = tensor::RunClock::now();
  const std::lock_guard lock(mutex_);
  reference_ = std::make_shared<const Reference>(std::move(reference));
}

}  // namespace pipedeck::runtime::cuda
