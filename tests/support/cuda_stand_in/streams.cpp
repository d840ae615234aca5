// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime: streams and events.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "tests/support/cuda_stand_in/machine.hpp"

namespace cuda_stand_in {
namespace {

/// Hardware queues: tickets of work that keeps its place, by device and queue. With lock_of_all held, as below.
std::deque<std::uint64_t>& queue_of(const CUstream_st& stream) {
  static std::map<std::pair<int, unsigned>, std::deque<std::uint64_t>> queues;
  const std::lock_guard settings(machine().mutex);
  return queues[{stream.device, stream.number % machine().hardware_queues}];
}
Strictness strictness() {
  const std::lock_guard settings(machine().mutex);
  return machine().strictness;
}
void take_place(const CUstream_st& stream, StreamWork& work) {
  static std::uint64_t tickets = 0;
  if (!strictness().hardware_queues) return;
  work.ticket = ++tickets;
  queue_of(stream).push_back(work.ticket);
}
bool is_first(const CUstream_st& stream, const StreamWork& work) {
  return work.ticket == 0 || !strictness().hardware_queues || queue_of(stream).front() == work.ticket;
}
void leave_place(const CUstream_st& stream, const StreamWork& work) {
  if (work.ticket == 0) return;
  std::erase(queue_of(stream), work.ticket);
  changed().notify_all();
}

/// Devices on which a thread loads a kernel, and the kernels that are loaded.
std::map<int, std::thread::id>& loading() {
  static std::map<int, std::thread::id> threads;
  return threads;
}
std::set<std::pair<int, std::size_t>>& loaded() {
  static std::set<std::pair<int, std::size_t>> kernels;
  return kernels;
}
/// All streams that are alive.
std::set<CUstream_st*>& streams() {
  static std::set<CUstream_st*> all;
  return all;
}
bool is_idle(int device) {
  return std::ranges::none_of(streams(), [device](const CUstream_st* one) {
    return one->device == device && (!one->work.empty() || one->busy);
  });
}
void wait_for_loading(std::unique_lock<std::mutex>& lock, int device) {
  changed().wait(lock, [&] {
    const auto found = loading().find(device);
    return found == loading().end() || found->second == std::this_thread::get_id();
  });
}

void run_stream(CUstream_st& stream) {
  set_current_device(stream.device);
  std::minstd_rand random(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(&stream) >> 6));
  std::unique_lock lock(lock_of_all());
  for (;;) {
    changed().wait(lock, [&] { return stream.ends || !stream.work.empty(); });
    changed().wait(lock, [&] { return !hangs(stream.device); });
    if (stream.work.empty()) return;
    const StreamWork work = std::move(stream.work.front());
    stream.work.pop_front();
    stream.busy = true;
    changed().wait(lock, [&] { return is_first(stream, work); });
    if (!work.waits) leave_place(stream, work);
    lock.unlock();
    int delay = 0;
    {
      const std::lock_guard settings(machine().mutex);
      delay = machine().delay;
    }
    if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % static_cast<unsigned>(delay)));
    try {
      work.run();
    } catch (const std::exception& error) {
      refused("a kernel", error.what());
      lose_devices(cudaErrorLaunchFailure);
    }
    lock.lock();
    if (work.waits) leave_place(stream, work);
    stream.busy = false;
    changed().notify_all();
  }
}

void wait_for(const std::shared_ptr<Mark>& mark) {
  std::unique_lock lock(lock_of_all());
  changed().wait(lock, [&] { return mark->done; });
}

void set_done(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard lock(lock_of_all());
  mark->done = true;
  mark->time = std::chrono::steady_clock::now();
  changed().notify_all();
}
/// A captured stream can't wait for work outside of its graph.
[[noreturn]] void refuse_wait(cudaStream_t stream) {
  lose_capture(stream);
  throw Refused("a captured stream was to wait for work outside of its graph", cudaErrorStreamCaptureIsolation);
}

/// A stream that waits for an event of a captured one would become part of the graph, which has one stream here.
void check_captured_wait(cudaStream_t stream) {
  require(captures(stream), "the event is of a captured stream", cudaErrorStreamCaptureUnsupported);
}

void check_not_captured(cudaEvent_t event) {
  forbid_in_capture();
  require(!event->captured, "the event is of a captured stream", cudaErrorCapturedEvent);
}

/// Loads a kernel that no launch on this device has loaded, as lazy loading does.
void load(int device, std::size_t kernel) {
  std::unique_lock lock(lock_of_all());
  {
    const std::lock_guard settings(machine().mutex);
    if (!machine().strictness.lazy_loading || machine().loads_eagerly) return;
  }
  wait_for_loading(lock, device);
  if (!loaded().insert({device, kernel}).second) return;
  if (!is_idle(device)) {
    const std::lock_guard settings(machine().mutex);
    ++machine().loading_waits;
  }
  loading()[device] = std::this_thread::get_id();
  changed().wait(lock, [&] { return is_idle(device); });
  loading().erase(device);
  changed().notify_all();
}

constexpr int least_priority = 0, greatest_priority = -5;

void make_stream(cudaStream_t* stream, unsigned flags, int priority) {
  require(flags == cudaStreamNonBlocking, "a stream that waits for the default stream");
  require(priority <= least_priority && priority >= greatest_priority, "a priority outside its range");
  auto one = std::make_unique<CUstream_st>();
  one->device = current_device();
  {
    const std::lock_guard lock(machine().mutex);
    one->number = machine().streams_of[one->device]++;
    ++machine().streams_made;
    if (priority == greatest_priority) ++machine().urgent_streams_made;
  }
  {
    const std::lock_guard lock(lock_of_all());
    streams().insert(one.get());
  }
  one->thread = std::thread([&it = *one] { run_stream(it); });
  made(one.get(), stream_kind);
  *stream = one.release();
}

}  // namespace

int streams_made() {
  const std::lock_guard lock(machine().mutex);
  return machine().streams_made;
}
int urgent_streams_made() {
  const std::lock_guard lock(machine().mutex);
  return machine().urgent_streams_made;
}

void drain(cudaStream_t stream) {
  std::unique_lock lock(lock_of_all());
  changed().wait(lock, [&] { return stream->work.empty() && !stream->busy; });
}
std::mutex& lock_of_all() {
  static std::mutex one;
  return one;
}
std::condition_variable& changed() {
  static std::condition_variable one;
  return one;
}

void check_stream(cudaStream_t stream, int status) {
  require(stream != nullptr, "the default stream was given, which all others wait for", status);
  check_alive(stream, stream_kind, status);
  require(stream->device == current_device(), "the stream is another device's than the current one", status);
}
int device_of(cudaStream_t stream) { return stream->device; }

void put(cudaStream_t stream, StreamWork work) {
  std::unique_lock lock(lock_of_all());
  if (stream->captured) return add_to_capture(stream, std::move(work.run));
  wait_for_loading(lock, stream->device);
  take_place(*stream, work);
  stream->work.push_back(std::move(work));
  changed().notify_all();
}
void put(cudaStream_t stream, std::function<void()> work) { put(stream, StreamWork{std::move(work)}); }

void put_kernel(cudaStream_t stream, std::size_t kernel, std::function<void()> work) {
  load(stream->device, kernel);
  put(stream, std::move(work));
}

void enqueue(cudaStream_t stream, std::function<void()> work, std::size_t kernel) {
  check_stream(stream);
  put_kernel(stream, kernel, std::move(work));
}

void forget_loaded() {
  const std::lock_guard lock(lock_of_all());
  loaded().clear();
}

void wait_for_device(int device) {
  if (!strictness().allocation_waits) return;
  std::unique_lock lock(lock_of_all());
  changed().wait(lock, [&] { return is_idle(device); });
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return runtime_call("cudaStreamCreateWithFlags", cudaErrorMemoryAllocation,
                      [&] { make_stream(stream, flags, least_priority); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return runtime_call("cudaStreamCreateWithPriority", cudaErrorMemoryAllocation,
                      [&] { make_stream(stream, flags, priority); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return runtime_call("cudaDeviceGetStreamPriorityRange", cudaErrorUnknown, [&] {
    *least = least_priority;
    *greatest = greatest_priority;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return remembered(call("cudaStreamDestroy", cudaSuccess, cudaErrorInvalidResourceHandle, [&] {
    destroyed(stream, stream_kind);
    {
      const std::lock_guard lock(lock_of_all());
      stream->ends = true;
      changed().notify_all();
    }
    stream->thread.join();
    {
      const std::lock_guard lock(lock_of_all());
      streams().erase(stream);
    }
    delete stream;
  }));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  count_wait();
  const cudaError_t status = runtime_call("cudaStreamSynchronize", cudaErrorLaunchFailure, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    forbid_in_capture();
    forbid_on_captured(stream);
    drain(stream);
  });
  return status != cudaSuccess ? status : remembered(state_of_driver());
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  bool idle = true;
  const cudaError_t status = runtime_call("cudaStreamQuery", cudaErrorLaunchFailure, [&] {
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    forbid_in_capture();
    forbid_on_captured(stream);
    const std::lock_guard lock(lock_of_all());
    idle = stream->work.empty() && !stream->busy;
  });
  return status == cudaSuccess && !idle ? cudaErrorNotReady : status;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return runtime_call("cudaStreamWaitEvent", cudaErrorLaunchFailure, [&] {
    require(flags == 0, "no flag is known");
    require(stream != nullptr, "the default stream was given", cudaErrorInvalidResourceHandle);
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    if (event->captured) return check_captured_wait(stream);
    if (captures(stream) && event->mark) refuse_wait(stream);
    if (event->mark) put(stream, StreamWork{[mark = event->mark] { wait_for(mark); }, 0, true});
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return runtime_call("cudaLaunchHostFunc", cudaErrorLaunchFailure, [&] {
    check_stream(stream, cudaErrorInvalidResourceHandle);
    put(stream, [=] { function(data); });
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return runtime_call("cudaEventCreateWithFlags", cudaErrorMemoryAllocation, [&] {
    require((flags & ~unsigned{cudaEventDisableTiming | cudaEventBlockingSync}) == 0, "an unknown flag");
    auto one = std::make_unique<CUevent_st>();
    one->device = current_device();
    one->timed = (flags & cudaEventDisableTiming) == 0;
    made(one.get(), event_kind);
    *event = one.release();
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return remembered(call("cudaEventDestroy", cudaSuccess, cudaErrorInvalidResourceHandle, [&] {
    destroyed(event, event_kind);
    delete event;
  }));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime_call("cudaEventRecord", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    require(stream != nullptr, "the default stream was given", cudaErrorInvalidResourceHandle);
    check_alive(stream, stream_kind, cudaErrorInvalidResourceHandle);
    require(event->device == stream->device, "event and stream are of two devices", cudaErrorInvalidResourceHandle);
    event->captured = captures(stream);
    if (event->captured) return event->mark.reset();
    forbid_on_captured(stream);
    event->mark = std::make_shared<Mark>();
    put(stream, [mark = event->mark] { set_done(mark); });
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  bool done = true;
  const cudaError_t status = runtime_call("cudaEventQuery", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    check_not_captured(event);
    const std::lock_guard lock(lock_of_all());
    done = !event->mark || event->mark->done;
  });
  return status == cudaSuccess && !done ? cudaErrorNotReady : status;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  count_wait();
  const cudaError_t status = runtime_call("cudaEventSynchronize", cudaErrorLaunchFailure, [&] {
    check_alive(event, event_kind, cudaErrorInvalidResourceHandle);
    check_not_captured(event);
    if (event->mark) wait_for(event->mark);
  });
  return status != cudaSuccess ? status : remembered(state_of_driver());
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  bool done = true;
  const cudaError_t status = runtime_call("cudaEventElapsedTime", cudaErrorLaunchFailure, [&] {
    check_alive(from, event_kind, cudaErrorInvalidResourceHandle);
    check_alive(to, event_kind, cudaErrorInvalidResourceHandle);
    check_not_captured(from);
    check_not_captured(to);
    require(from->timed && to->timed && from->mark && to->mark, "events without times, or not recorded",
            cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(lock_of_all());
    done = from->mark->done && to->mark->done;
    *milliseconds = std::chrono::duration<float, std::milli>(to->mark->time - from->mark->time).count();
  });
  return status == cudaSuccess && !done ? cudaErrorNotReady : status;
}

}  // extern "C"
