// SPDX-License-Identifier: Apache-2.0
// All-reduces gradients on a thread of its own while their device goes on with its backward passes: piece by piece, in
// the order in which they are handed over, which is the same on all devices that hold these weights. Where the group
// has a queue of its own on the device, that one works beside the passes; nobody waits for it before finish().
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/domain/units.hpp"
#include "core/domain/workload.hpp"
#include "core/runtime/transport/control.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck {

/// Gradients of layers [first, last) of a stage, which are reduced together as soon as `first` has its own.
struct GradientPiece {
  std::size_t first = 0, last = 0;
  bool operator==(const GradientPiece&) const = default;
};

/// By layer, or by bucket: layers from the last on, gathered until they have so many bytes. Layers without parameters
/// make no piece of their own. None where nothing is to overlap.
std::vector<GradientPiece> gradient_pieces(const std::vector<Bytes>& layers, Overlap overlap, Bytes bucket);

class Reducer {
 public:
  using Times = std::pair<Moment, Moment>;

  /// `replicas`, `control` and `device`, where the gradients are, outlive it.
  Reducer(Collective& replicas, RunControl& control, ComputeDevice& device);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// Returns at once. `values` are left alone until finish().
  void begin(std::span<float> values);
  /// Waits until all that was begun is given to the device, whose work from now on finds the sums, and says when each
  /// was worked on. Throws Interrupted, or what a reduction threw.
  std::vector<Times> finish();

 private:
  void work();

  Collective& replicas_;
  RunControl& control_;
  ComputeDevice& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  struct Piece {
    std::span<float> values;
    Moment ready;
  };
  std::deque<Piece> waiting_;
  std::size_t begun_ = 0;
  std::vector<Times> done_;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace pipedeck
