// SPDX-License-Identifier: Apache-2.0
// Costs of stages and transfers in joint's closed form, on any devices, with tensor parallelism, uneven shares of
// samples and recomputation.
//
// The closed form is DAPPLE's L_max, but the time after a stage's last backward is the simulator's: all-reduces layer
// by layer if they overlap, and the optimizer step. From the back of the pipeline it needs two figures of a suffix of
// stages, with Q its pivot and s any stage up to it:
//
//   base = max_Q [ sum F to Q + (M - 1) t_Q + sum B to Q ]
//   own  = max_Q [ sum F to Q + (M - 1) t_Q + max_s ( tail_s + sum B from s to Q ) ]
//
// A stage in front gives base' = F + B + max(base, (M - 1) t), own' = max(F + own, tail + base'). A transfer is a stage
// without a tail whose t is the longer of both directions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/planner/joint/layers.hpp"

namespace pipedeck::planner::joint {

/// A suffix of stages with the closed form's two figures, seconds.
struct JointSuffix {
  double own = 0, base = 0;

  /// `again`: recomputation that may take place while the stage waits, and then counts at the pivot only.
  void add_stage(double forward, double backward, double tail, int more, double again = 0) {
    base = forward + backward + std::max(base, more * (forward + backward + again));
    own = std::max(forward + own, tail + base);
  }
  void add_transfer(double forward, double backward, int more) {
    base = forward + backward + std::max(base, more * std::max(forward, backward));
    own = std::max(forward + own, base);
  }
};

/// Devices of a stage and their samples of a micro-batch.
struct Team {
  std::vector<DeviceId> devices;
  int degree = 1;  ///< of tensor parallelism
  int micro_batch = 1;
  std::vector<int> samples;  ///< per replica
  bool even = true;          ///< the samples of a plan without shares
  int cost = 0;              ///< index shared by equal teams

  int replicas() const { return static_cast<int>(samples.size()); }
};

class JointCosts {
 public:
  JointCosts(Layers& layers, int slice, bool ignore_memory);

  Layers& layers() { return layers_; }
  const search::Chain& chain() const { return layers_.chain(); }
  int slice() const { return slice_; }
  bool ignore_memory() const { return ignore_memory_; }
  int micro_batches(int micro_batch) const { return chain().workload().global_batch / micro_batch; }

  /// Returns whole samples with which the slowest replica ends first, none below the slice; nothing if even ones do.
  std::optional<std::vector<int>> shares(const std::vector<DeviceId>& devices, int degree, int micro_batch);

  /// Returns the team of these devices with the best shares; -1 if a replica would get fewer samples than the slice.
  int stage_devices(const std::vector<DeviceId>& devices, int degree, int micro_batch);
  /// Returns the team of a plan's stage with its own samples.
  int team_of(const Stage& stage, int micro_batch, bool synchronous);
  const Team& stage_devices(int index) const { return teams_[static_cast<std::size_t>(index)]; }

  struct Passes {
    double forward, backward;
  };
  // Stages below: the layers between two places (layers.hpp).

  /// Returns the times of a micro-batch on the slowest replica, without recomputation.
  Passes passes(int team, int first, int last) const;
  /// Returns the seconds from the stage's last backward to the end of its optimizer step.
  double epilogue(int team, int first, int last);
  /// Returns the times on a device of the type, without all-reduces.
  Passes on_type(int type, int degree, int samples, int first, int last);
  /// The bytes that a stage needs: at most, whatever the times; or at least, where a simulation decides.
  enum class Room { sure, possible };
  /// Returns the maximum micro-batches that 1F1B may hold on the stage; 0 if not one fits.
  int max_in_flight(int team, int first, int last, bool recompute, Room room = Room::sure);
  /// Returns true if every layer has times for the degree.
  bool splittable(int degree, int first, int last);
  Passes transfer(int from, int to, int place);

  /// Computes the closed form of a whole plan in the single order of these layers, seconds. For an asynchronous plan it
  /// is the slowest stage's time per mini-batch.
  double closed_form(const Plan& plan);

 private:
  static constexpr int unlimited = 1 << 30;

  /// An all-reduce's time in seconds: the lesser of two lines in the bytes, ring and hierarchical.
  struct Line {
    double ring = 0, ring_slope = 0, tree = 0, tree_slope = 0;
    double of(double bytes) const {
      return bytes > 0 ? std::min(ring + ring_slope * bytes, tree + tree_slope * bytes) : 0;
    }
    auto operator<=>(const Line&) const = default;
  };
  struct Kind {  // of replicas
    int samples, degree;
    std::vector<int> types;
    Line inside;  // tensor parallelism
    auto operator<=>(const Kind&) const = default;
  };
  struct CostKey {
    std::vector<Kind> kinds;
    std::vector<Line> lines;                    // of gradients, by rank
    double step = 0;                            // optimizer seconds per byte
    std::vector<std::pair<int, Bytes>> limits;  // samples, memory
    int replicas = 1, degree = 1;
    auto operator<=>(const CostKey&) const = default;
  };
  struct Cost {
    CostKey key;
    std::vector<const search::PassTimes*> passes;
    // [last][first], a column when it is asked for
    std::vector<std::vector<double>> tails;
    std::array<std::vector<std::vector<int>>, 4> kept;  // by recomputation and room; -1: unknown
  };
  struct Slice {
    int samples;
    double latency, back_latency, bandwidth, back_bandwidth;
  };

  int intern(const std::vector<DeviceId>& devices, int degree, int micro_batch, const std::vector<int>& samples);
  int cost_of(const Team& team);
  const Line& line_of(const std::vector<DeviceId>& devices);
  const search::PassTimes& passes_of(const Kind& kind);
  void evict(std::size_t numbers);
  void fill_epilogues(Cost& cost, int last);
  int count_kept(const CostKey& key, int first, int last, bool recompute, Room room);
  std::vector<Slice> slices(const Team& from, const Team& to) const;
  double asynchronous_form(const Plan& plan);

  Layers& layers_;
  int slice_;
  bool ignore_memory_;
  std::map<std::vector<int>, int> team_index_;
  std::map<std::vector<int>, int> best_index_;
  std::vector<Team> teams_;
  std::map<CostKey, int> cost_index_;
  std::vector<Cost> costs_;
  std::size_t held_ = 0;      ///< numbers in columns
  std::vector<double> free_;  ///< buffer of fill_epilogues
  std::map<std::vector<DeviceId>, Line> lines_;
  std::map<Kind, search::PassTimes> split_;       // tensor parallelism
  std::map<int, std::vector<int>> unsplittable_;  ///< by degree: layers before a place that can't be split so
  std::unordered_map<std::uint64_t, std::vector<Slice>> slices_;
};

}  // namespace pipedeck::planner::joint
