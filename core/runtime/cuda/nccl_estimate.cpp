// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/nccl_estimate.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cuda/nccl_site.hpp"

#if NCCL_VERSION_CODE >= 22200
#define PIPEDECK_NCCL_ESTIMATES
// NCCL before 2.22 lacks this function; the module is loaded all the same.
#pragma weak ncclGroupSimulateEnd
#endif

namespace pipedeck::runtime::cuda {
namespace {

constexpr int warm_ups = 5, rounds = 20;
constexpr int first_that_estimates = 22200;

std::size_t floats_of(Bytes bytes) { return static_cast<std::size_t>(bytes.count) / sizeof(float); }

/// A group of communicators, one per GPU. They block: for non-blocking ones NCCL has no estimates and executes the work
/// instead. Simulated work stays in NCCL's queues, so all real work on them must come first.
class Group {
 public:
  Group(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories, std::int64_t floats) {
    std::vector<int> gpus;
    for (const auto& memory : memories) {
      gpus.push_back(workers_.emplace_back(memory).gpu);
      values_.push_back(tensor::Tensor::zeros(memory, 1, floats));  // sums of zeros stay zero
    }
    ends_.resize(gpus.size());
    check(ncclCommInitAll(ends_.data(), static_cast<int>(gpus.size()), gpus.data()), "ncclCommInitAll");
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  /// Aborts after an error, because work may never end then.
  ~Group() {
    for (const ncclComm_t end : ends_)
      if (end) static_cast<void>(well_ ? ncclCommDestroy(end) : ncclCommAbort(end));
  }

  machine::RobustSummary seconds(Bytes bytes) {
    CudaDevice& first = workers_.front().device;
    std::vector<std::pair<tensor::Completion, tensor::Completion>> spans;
    for (int round = 0; round < warm_ups + rounds; ++round) {
      const tensor::Completion begin = first.now();
      in_group(bytes, "ncclGroupEnd", [] { return ncclGroupEnd(); });
      spans.emplace_back(begin, first.now());
    }
    for (const NcclDevice& worker : workers_) worker.device.synchronise();
    std::vector<double> times;
    for (std::size_t i = warm_ups; i < spans.size(); ++i)
      times.push_back(std::chrono::duration<double>(spans[i].second.time() - spans[i].first.time()).count());
    return machine::summary_of(std::move(times));
  }

  /// Returns NCCL's estimate, which is in microseconds; it stays negative if there is none.
  std::optional<Seconds> estimate([[maybe_unused]] Bytes bytes) {
#ifdef PIPEDECK_NCCL_ESTIMATES
    ncclSimInfo_t told = NCCL_SIM_INFO_INITIALIZER;
    in_group(bytes, "ncclGroupSimulateEnd", [&] { return ncclGroupSimulateEnd(&told); });
    if (told.estimatedTime >= 0) return Seconds(double{told.estimatedTime} * 1e-6);
#endif
    return std::nullopt;
  }

  void mark_success() { well_ = true; }

 private:
  /// Enqueues one all-reduce on all ranks as a group, which is ended in any case.
  template <class End>
  void in_group(Bytes bytes, const char* end_name, const End& end) {
    check(ncclGroupStart(), "ncclGroupStart");
    cudaError_t current = cudaSuccess;
    ncclResult_t given = ncclSuccess;
    for (std::size_t i = 0; i < ends_.size() && given == ncclSuccess; ++i) {
      current = cudaSetDevice(workers_[i].gpu);
      if (current != cudaSuccess) break;
      given = ncclAllReduce(values_[i].data(), values_[i].data(), floats_of(bytes), ncclFloat32, ncclSum, ends_[i],
                            workers_[i].device.stream());
    }
    const ncclResult_t ended = end();
    check(current, "cudaSetDevice");
    check(given, "ncclAllReduce");
    check(ended, end_name);
  }

  std::vector<NcclDevice> workers_;
  std::vector<tensor::Tensor> values_;
  std::vector<ncclComm_t> ends_;
  bool well_ = false;
};

std::string no_estimates_reason() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
#ifdef PIPEDECK_NCCL_ESTIMATES
  if (version >= first_that_estimates && ncclGroupSimulateEnd != nullptr) return {};
#endif
  return fmt::format("found {}, expected 2.22 or later, which has estimates", nccl_text(version));
}

}  // namespace

transport::AllReduceMeasurement measure_all_reduces(const std::vector<std::shared_ptr<tensor::DeviceMemory>>& memories,
                                                    const std::vector<Bytes>& sizes) {
  transport::AllReduceMeasurement measured{{}, no_estimates_reason()};
  Bytes largest;
  for (const Bytes size : sizes) largest = std::max(largest, size);
  Group group(memories, static_cast<std::int64_t>(floats_of(largest)));
  for (const Bytes size : sizes) measured.sizes.push_back({size, group.seconds(size), std::nullopt});
  if (measured.not_estimated.empty())
    for (transport::AllReduceTimes& times : measured.sizes) times.estimated = group.estimate(times.bytes);
  group.mark_success();
  return measured;
}

}  // namespace pipedeck::runtime::cuda
