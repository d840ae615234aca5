// SPDX-License-Identifier: Apache-2.0
// A reducer that all-reduces gradients on its own thread while their device runs further backward passes. It works
// piece by piece, in the order of submission, which is the same on all devices that hold these weights. If the group
// has its own queue on the device, that queue overlaps the passes. No thread waits for it before finish().
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/model/workload.hpp"
#include "core/runtime/transport/control.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::exec {

/// A bucket: the gradients of layers [first, last) of a stage, reduced together as soon as `first` has its own.
struct GradientBucket {
  std::size_t first = 0, last = 0;
  bool operator==(const GradientBucket&) const = default;
};

/// Returns the pieces by layer or by bucket. A bucket collects layers from the last one on until it has `bucket` bytes.
/// Layers without parameters form no piece of their own. Empty if nothing overlaps.
std::vector<GradientBucket> gradient_buckets(const std::vector<Bytes>& layers, Overlap overlap, Bytes bucket);

class Reducer {
 public:
  using Times = std::pair<tensor::Completion, tensor::Completion>;

  /// `replicas`, `control` and `device`, which holds the gradients, outlive this object.
  Reducer(transport::Collective& replicas, transport::RunControl& control, tensor::ComputeDevice& device);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Starts an all-reduce and returns at once. `values` must not be accessed until finish().
  void begin(std::span<float> values);
  /// Waits until all reductions were enqueued on the device, whose later work uses the sums. Returns when each was
  /// active. Throws Interrupted, or the exception of a reduction.
  std::vector<Times> finish();

 private:
  void work();

  transport::Collective& replicas_;
  transport::RunControl& control_;
  tensor::ComputeDevice& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Piece {
    std::span<float> values;
    tensor::Completion ready;
  };
  std::deque<Piece> waiting_;
  std::size_t begun_ = 0;
  std::vector<Times> done_;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace pipedeck::runtime::exec
