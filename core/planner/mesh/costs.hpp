// SPDX-License-Identifier: Apache-2.0
// Costs of meshes, from parts that each are computed once: layers by the degrees that they depend on, stages by their
// blocks. All times are those that simulations take.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/mesh/memory.hpp"
#include "core/mesh/pipeline_times.hpp"
#include "core/mesh/stage_costs.hpp"
#include "core/planner/mesh/pipeline_floor.hpp"
#include "core/planner/mesh/space.hpp"
#include "core/planner/mesh/split_floor.hpp"

namespace pipedeck::planner::mesh {

using pipedeck::mesh::Rates;
using pipedeck::mesh::StageLayers;

/// A sum over layers: passes of a micro-batch without what sharded states add, weights and kept bytes of a rank.
struct LayerSum {
  double forward = 0, backward = 0;  ///< seconds
  double input = 0, weight = 0;      ///< seconds of the backward's parts, if they are apart
  double dense = 0, expert = 0;      ///< weights
  double kept = 0;                   ///< bytes of a micro-batch, at least
  LayerSum& operator+=(const LayerSum& other);
  LayerSum operator*(double times) const;
};

/// The blocks and ends of a model in a pool. Pools differ in times alone.
struct PoolCosts {
  LayerSum before, after, further;  ///< further: of blocks that predict further tokens, with their heads
  std::vector<LayerSum> blocks;     ///< different ones
};

/// The costs of a shard, a micro-batch and a recomputation in each pool; without pools, one for all devices.
struct ShardCosts {
  std::vector<PoolCosts> pools;
};

/// The memory of a mesh.
struct MeshMemory {
  double needed = 0;                 ///< bytes of the rank that needs most
  double fullest = 0, capacity = 0;  ///< of the rank that needs the largest share of what it may use
  bool fits() const { return fullest <= capacity; }
  double device() const { return capacity / pipedeck::mesh::usable_share; }
  /// Returns bytes of the fullest rank as the simulator counts them, with what the driver takes of the device.
  double with_driver() const { return fullest + device() - capacity; }
};

/// A step's times on its ranks, on average.
struct MeshParts {
  std::array<Seconds, cost::pass_part_count> passes{};
  Seconds recompute, bubble, data, optimizer, iteration;
};

class Costs {
 public:
  /// `base`, `space` and `rates` must outlive it.
  static Result<Costs> of(const Question& base, const Space& space, const Rates& rates);

  int devices() const { return devices_; }  ///< of the space
  int blocks() const { return static_cast<int>(order_.size()); }

  /// Returns the parts of a shard. The values that they depend on are computed once.
  Result<ShardCosts> shard_costs(const Point& point);

  /// Returns a time that no mesh with this shard, micro-batch and recomputation is below, for any P, v and D.
  Seconds floor_of(const ShardCosts& shard, const Point& point) const;
  /// Returns a time that no sharding of the point is below.
  Seconds floor_of_pipeline(const ShardCosts& shard, const Point& point);
  /// Returns the points with all numbers of blocks in each pool whose slowest pool may take less than `below`. A point
  /// without several pools stays as it is.
  std::vector<Point> layouts(const ShardCosts& shard, const Point& point, Seconds below) const;
  /// Returns bytes that the fullest rank of the point with its sharding needs at least: states of blocks and what
  /// blocks keep. Infinity: the degrees do not divide the devices, or a rank has less.
  double memory_floor(const ShardCosts& shard, const Point& point) const;
  /// Returns the bytes that a rank may use of the largest device.
  double capacity() const;

  /// Returns the memory of a point with its sharding.
  Result<MeshMemory> memory(const Point& point);
  /// Returns a time that no simulation of the point is below, with the traffic of its states.
  Result<Seconds> floor(const Point& point);
  /// Returns where the time of a step goes that takes `iteration`.
  Result<MeshParts> parts(const Point& point, Seconds iteration);

 private:
  Costs(const Question& base, const Space& space, const Rates& rates, cost::Network network);

  using LayerKey = std::tuple<std::size_t, std::array<int, 11>, std::size_t, std::size_t>;
  struct Counted {
    TransformerConfig config;  ///< with padded words
    std::vector<analytic::times::LayerCount> layers;
  };
  /// The layers of a shard that is looked at in detail.
  struct Detail {
    pipedeck::mesh::ModelParts model;
    /// By devices of a stage where they share links, else 0; then by pools.
    std::map<int, std::map<int, pipedeck::mesh::LayersTimedByKind>> timed;
  };
  class Whole;

  const Counted& counted(int micro_batch, int tensor);
  analytic::transformer::shards::ShardOptions options_of(const Question& question) const;
  Result<LayerSum> layer_sum(Whole& whole, const Point& point, std::size_t layer);
  Result<PoolCosts> pool_costs(const Point& point, std::size_t pool);
  std::size_t pools() const { return std::max<std::size_t>(1, space_.arranged().pools.size()); }
  std::size_t pool_of(const Point& point, std::size_t stage) const;
  /// Returns the number of the pools of a stage and of the one behind it.
  int pools_behind(const Point& point, std::size_t stage) const;
  int devices_of_pool(std::size_t pool) const;
  static Seconds floor_of_order(std::span<const FloorStage> stages, const Point& point);
  double capacity_of(std::size_t pool) const { return capacities_[pool]; }
  Result<Detail*> detail(const Question& question, const Point& point);
  Result<std::vector<const pipedeck::mesh::StageCosts*>> stages(const Question& question, const Point& point);
  std::vector<std::pair<std::size_t, std::size_t>> ranges(const Question& question) const;
  int same_blocks(std::size_t first, std::size_t last);

  const Question& base_;
  const Space& space_;
  const Rates& rates_;
  int devices_ = 1;
  bool own_cards_ = false;
  int domain_ = 1;                  ///< devices of the smallest NVLink domain
  std::vector<double> capacities_;  ///< of each pool: bytes that a rank may use
  std::shared_ptr<pipedeck::mesh::KnownGroups> known_, alone_;
  std::vector<std::vector<std::size_t>> kinds_;      ///< layers of each different block
  std::vector<std::size_t> order_, before_, after_;  ///< blocks by kind; layers
  std::map<std::pair<int, int>, Counted> counted_;
  std::map<LayerKey, LayerSum> layers_;
  std::map<std::tuple<std::array<int, 11>, std::size_t>, Detail> details_;
  std::map<std::vector<std::size_t>, int> block_lists_;
  std::map<std::pair<std::size_t, std::size_t>, int> ranges_known_;
  using StageKey = std::tuple<std::array<int, 11>, std::size_t, std::array<int, 7>, std::array<int, 4>>;
  std::map<StageKey, pipedeck::mesh::StageCosts> stage_costs_;
  std::map<StageKey, pipedeck::mesh::StageMemory> stage_memory_;
};

}  // namespace pipedeck::planner::mesh
