// SPDX-License-Identifier: Apache-2.0
// The space that DAPPLE's planner searches (sections IV-A, IV-B): which devices the next stage may get, and what a
// stage or a transfer between two stages costs there.
//
// Device assignment. Devices of a node are taken in order, so who has been served is a count a node. For the next
// stage of m devices three policies pick nodes, each in cluster order:
//   fresh first    nodes without a device in use, then the others;
//   append first   nodes with some device in use, then the others;
//   scatter first  a device at a time from each node in use in turn (from each node, where all are fresh), then so
//                  from the others.
// Fresh nodes that are alike are thereby taken in cluster order only, never in any other.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/planner/chain.hpp"
#include "core/planner/memory_fit.hpp"

namespace pipedeck {

enum class PlacementPolicy { fresh_first, append_first, scatter_first };

/// Devices taken of every node, or nothing where fewer than `wanted` are free. `sizes`: devices a node.
std::optional<std::vector<int>> place(PlacementPolicy policy, const std::vector<int>& sizes,
                                      const std::vector<int>& used, int wanted);

/// A stage of the formula: F, B and AR in seconds; AR is 0 between stages.
struct DappleStep {
  double forward = 0, backward = 0, all_reduce = 0;
};

struct DappleSpaceOptions {
  int slice = 1;  ///< least samples of a micro-batch on a replica
  bool allow_idle = false;
  bool ignore_memory = false;
  bool recompute = false;
};

class DappleSpace {
 public:
  /// Which devices are in use, and by the last stage.
  struct State {
    std::vector<int> used;        ///< a node
    std::vector<DeviceId> stage;  ///< of the last stage, ascending
    int left = 0;                 ///< devices not yet in use
  };
  /// The next stage's devices.
  struct Hop {
    int to = 0;  ///< state
    int replicas = 1;
  };

  DappleSpace(Chain& chain, int micro_batch, const DappleSpaceOptions& options);

  Chain& chain() { return chain_; }
  int micro_batch() const { return micro_batch_; }
  int micro_batches() const { return chain_.workload().global_batch / micro_batch_; }
  const DappleSpaceOptions& options() const { return options_; }
  const State& state(int index) const { return states_[static_cast<std::size_t>(index)]; }
  static constexpr int start = 0;
  const std::vector<Hop>& hops(int from);
  bool may_end(int state) const { return options_.allow_idle || states_[static_cast<std::size_t>(state)].left == 0; }

  /// Layers [first, last) on the stage of `state`.
  DappleStep compute(int state, int first, int last);
  /// Gradients of `bytes` on the stage of `state`.
  double all_reduce(int state, Bytes bytes);
  /// The transfer over the cut before layer `cut`, from the stage of `from` to that of `to`.
  DappleStep transfer(int from, int to, int cut);
  /// A whole micro-batch over the narrowest path with the longest latency.
  DappleStep slowest_transfer(int cut) const;
  /// The same number for states with the same devices in use.
  int group_of(int state) const { return groups_[static_cast<std::size_t>(state)]; }
  /// One micro-batch of these layers fits every device of the stage.
  bool fits(int state, int first, int last);
  bool memory_refused() const { return memory_refused_; }

  /// At least these seconds of work (devices x time) the layers [first, N) take of one micro-batch.
  double work_from(int first) const { return work_[static_cast<std::size_t>(first)]; }

 private:
  /// What a stage costs on the devices of a state. Ring and hierarchical all-reduce are a line in the bytes each.
  struct StageCost {
    std::vector<const PassTimes*> replicas;  ///< of each kind of replica (samples, type) that the stage has
    double ring = 0, ring_slope = 0, tree = 0, tree_slope = 0;
    Bytes capacity;
    std::vector<signed char>* fits = nullptr;  ///< [first][last]; -1: not known yet
    bool ready = false;
  };
  struct Slice {
    int samples;
    double latency, back_latency, bandwidth, back_bandwidth;
  };

  int intern(State state);
  const StageCost& cost(int state);
  std::vector<Slice> slices(int from, int to) const;
  void measure_work();

  Chain& chain_;
  int micro_batch_;
  DappleSpaceOptions options_;
  std::vector<std::vector<DeviceId>> nodes_;
  std::vector<int> sizes_;
  std::vector<State> states_;
  std::map<std::pair<std::vector<int>, std::vector<DeviceId>>, int> index_;
  std::map<std::vector<int>, int> group_index_;
  std::vector<int> groups_;
  double longest_latency_ = 0, narrowest_ = 0;
  std::vector<std::vector<Hop>> hops_;
  std::vector<bool> expanded_;
  std::vector<StageCost> costs_;
  std::map<std::pair<int, int>, std::vector<Slice>> slices_;
  std::map<std::pair<int, std::int64_t>, std::vector<signed char>> fits_;  // by replicas, capacity
  std::vector<double> work_;
  bool memory_refused_ = false;
};

}  // namespace pipedeck
