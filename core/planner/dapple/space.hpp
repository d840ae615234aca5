// SPDX-License-Identifier: Apache-2.0
// Costs of stages and of the transfers between them for one micro-batch size, by two measures.
//
//   L_max   the objective: every figure is the slowest replica's, every transfer the longest of its boundary.
//   sure    a bound that is never above the simulated iteration. The way to the pivot and back counts the least that a
//           sample can meet: the fastest replica, the shortest transfer of the boundary, and no recomputation, which
//           may run during a wait. Only the pivot itself is the slowest. The optimizer step follows the all-reduces,
//           of which only a part counts where they overlap the last backward. With equal replicas and transfers, and
//           without overlap, the measures differ by that step only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <unordered_map>
#include <vector>

#include "core/planner/dapple/places.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/memory_fit.hpp"

namespace pipedeck::planner::dapple {

enum class DappleCostKind { l_max, lower_bound };

/// A stage of the formula, in seconds; at odd positions of a plan transfers, which have no all-reduce.
struct Step {
  double forward = 0, backward = 0;  ///< of one micro-batch passing
  double pivot = 0;                  ///< all micro-batches, where this step is the pivot
  double all_reduce = 0;
};

/// Returns a lower bound of the time between a stage's last backward and the end of its all-reduces, where these
/// overlap the backward: none begins before it, and that of the first layer's gradients after it.
inline double overlapped_tail(double all, double first_layer, double backward) {
  return std::max(first_layer, all - backward);
}

struct SpaceOptions {
  DappleCostKind measure = DappleCostKind::l_max;
  int slice = 1;  ///< minimum samples of a micro-batch on a replica
  bool ignore_memory = false;
  bool recompute = false;
  bool rounds = false;  ///< the round trips count that a stage needs with the micro-batches that its memory holds
};

class Space {
 public:
  Space(search::Chain& chain, Places& places, int micro_batch, const SpaceOptions& options);

  search::Chain& chain() { return chain_; }
  Places& places() { return places_; }
  int layers() const { return chain_.layers(); }
  int micro_batch() const { return micro_batch_; }
  int micro_batches() const { return micro_batches_; }
  const SpaceOptions& options() const { return options_; }
  /// A multiple of the places' unit.
  int max_replicas() const {
    const int most = std::min(chain_.devices(), micro_batch_ / options_.slice);
    return most - most % places_.rules().unit;
  }

  /// Layers [first, last) on the stage of `state`.
  Step compute(int state, int first, int last, DappleCostKind measure);
  Step compute(int state, int first, int last) { return compute(state, first, last, options_.measure); }
  /// The transfer over the cut before layer `cut`, from the stage of `from` to that of `to`.
  Step transfer(int from, int to, int cut, DappleCostKind measure);
  Step transfer(int from, int to, int cut) { return transfer(from, to, cut, options_.measure); }

  /// Returns the number of micro-batches that the stage may hold; 0 if not even one fits, or a pin is broken.
  int max_in_flight(int state, int first, int last);
  /// Returns the largest number of layers from `first` on that `replicas` replicas can hold on devices of the largest
  /// memory, without boundary buffers.
  int longest_fitting(int first, int replicas);
  /// Returns the most micro-batches that these layers may hold on `replicas` replicas, on devices of the largest
  /// memory.
  int most_in_flight(int replicas, int first, int last);

 private:
  /// A list of the samples and memory of each kind of device of a stage.
  using MemoryKinds = std::vector<std::pair<int, std::int64_t>>;
  struct StageCost {
    std::vector<const search::PassTimes*> replicas;  ///< of each kind of replica (samples, type) that the stage has
    std::vector<int> types;                          ///< of its devices
    std::vector<std::int32_t>* keeps = nullptr;      ///< [first][last]; -1: not known yet
    MemoryKinds memory;
    bool ready = false;
  };
  struct Slice {
    int samples;
    double latency, back_latency, bandwidth, back_bandwidth;
  };

  StageCost& cost(int state);
  bool satisfies_constraints(int state, int first, int last) const;
  std::int32_t fitting(int replicas, const MemoryKinds& memory, int first, int last);
  std::vector<Slice> slices(int from, int to) const;

  search::Chain& chain_;
  Places& places_;
  int micro_batch_, micro_batches_;
  SpaceOptions options_;
  std::vector<StageCost> costs_;
  std::pmr::monotonic_buffer_resource arena_;  // released at once: freeing a million slices delays a cancel
  std::pmr::unordered_map<std::uint64_t, std::pmr::vector<Slice>> slices_{&arena_};  // looked up only, never iterated
  std::map<std::pair<int, MemoryKinds>, std::vector<std::int32_t>> keeps_;           // by replicas and kinds
  Bytes largest_;                                                                    ///< largest memory of a device
  std::vector<std::pair<int, DeviceId>> pins_;                                       // position in the order, device
};

}  // namespace pipedeck::planner::dapple
