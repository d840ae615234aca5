// SPDX-License-Identifier: Apache-2.0
// The meshes that the planner `mesh` compares (planners.md, "Mesh").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analytic/transformer/shards/layer_shard.hpp"
#include "core/mesh/question.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/planner/mesh/pools.hpp"

namespace pipedeck::planner::mesh {

using analytic::transformer::shards::Recomputed;
using pipedeck::mesh::Question;

/// The sharding groups that a level is tried with.
enum class ShardingGroup {
  all,     ///< the D C ranks with equal weights
  domain,  ///< those of them in one NVLink domain (HSDP)
};

struct ShardingChoice {
  int level = 0;
  ShardingGroup among = ShardingGroup::all;
  int group = 0;  ///< ranks; 0: those of `among`
};

/// A set of values for each dimension. An empty list: all values that the rules admit.
struct Space {
  int global_batch = 1;
  int devices = 0;  ///< the cluster's first ones; 0: all
  std::vector<int> tensor{}, context{}, expert{}, expert_tensor{}, pipeline{}, virtual_stages{}, data{};
  std::vector<int> micro_batch{};  ///< samples on a data rank
  std::optional<bool> sequence{};
  std::vector<ContextKind> context_kinds{ContextKind::ring, ContextKind::gather, ContextKind::heads,
                                         ContextKind::heads_ring};
  std::vector<ShardingChoice> shardings{
      {0}, {1}, {2}, {3}, {1, ShardingGroup::domain}, {2, ShardingGroup::domain}, {3, ShardingGroup::domain}};
  std::vector<Recomputed> recomputed{{}};
  /// 1F1B stands for its interleaved form, too.
  std::vector<ScheduleKind> orders{ScheduleKind::one_f_one_b};
  /// Engines whose rules hold; empty: none. Schedules along a V are torchtitan's: its rules hold for them in their
  /// place. Weights sharded inside a pipeline keep torchtitan's rules, and all others of these engines.
  std::vector<std::string_view> engines{"Megatron-LM", "TransformerEngine"};
  int stages = 0, most_stages = 0;  ///< P v, and at most; 0: any
  int whole_micro_batch = 0;        ///< b D; 0: any
  std::vector<Arrangement> arrangements{{}};
  std::size_t arrangement = 0;  ///< the one that is searched

  const Arrangement& arranged() const { return arrangements[arrangement]; }
};

/// The most blocks that all stages together may lack of an even layout, with several stages a rank: both ends and a
/// block that predicts further tokens often count as one each.
inline constexpr int most_missing_blocks = 3;

/// A mesh: all that a question has in addition to its base.
struct Point {
  Shard shard;
  Sharding sharding;
  int micro_batch = 1, data = 1, pipeline = 1, virtual_stages = 1, micro_batches = 1;
  ScheduleKind order = ScheduleKind::one_f_one_b;
  std::size_t recomputed = 0;      ///< position in Space::recomputed
  bool short_last = false;         ///< all stages have equally many blocks but the last one, which has one less
  std::size_t arrangement = 0;     ///< position in Space::arrangements
  std::vector<int> pool_ranks{};   ///< pipeline ranks of each pool; empty: there are no pools
  std::vector<int> pool_blocks{};  ///< blocks of each pool; empty: there is one, or any numbers
};

/// Returns the devices in the first NVLink domain.
int domain_devices(const Cluster& cluster);
/// Returns the devices in the smallest NVLink domain of the space's devices.
int domain_devices(const Question& base, const Space& space);

/// Returns the blocks of each of the P v stages. A pool has them as even as possible: its last stage is the last to
/// have one more, its first the last but one.
std::vector<int> blocks_of_stages(const Point& point, int blocks);
/// Returns the number of blocks that all stages of the point's pools lack of even ones.
int missing_blocks(const Point& point);

/// Returns the divisors, ascending.
std::vector<int> divisors_of(int number);

/// Returns the ranks that share states after a change of their number, as many as divide both; 0: all of them.
int group_within(int group, int ranks);

/// Returns the most of a shard's context ranks that can exchange heads in a domain of that many devices and leave a
/// ring of others; 1: none.
int ranks_that_exchange_heads(const TransformerConfig& config, const Shard& shard, int domain);

/// Returns the degrees of a stage that the rules admit for some number of stages. Tensor and expert-tensor ranks are in
/// one domain unless they are given.
std::vector<Shard> shards_of(const Question& base, const Space& space, int devices);

/// Returns the points of a shard and a micro-batch, without sharding and recomputation: P, v, D and layouts. Points of
/// several pools have no blocks yet (Costs::layouts).
std::vector<Point> points_of(const Question& base, const Space& space, int devices, const Shard& shard,
                             int micro_batch);

/// Returns true if the point's schedule takes its recomputation: what a weight gradient needs later is not restored.
bool takes_recomputation(const Space& space, const Point& point);

/// Returns the different shardings of D C ranks; of one rank, the first. With schedules along a V, sharded weights stay
/// whole from a step's first forward to its last backward, as torchtitan keeps them in pipelines.
std::vector<Sharding> shardings_of(const Question& base, const Space& space, const Point& point);

/// A rule that a mesh breaks.
struct BrokenRule {
  const plan::MeshRule* rule;
  std::string text;  ///< "found ..., expected ..."
};
/// Returns the first rule that a mesh breaks: of every plan, then of the engines, as Space::engines has them. Planner
/// and mesh editor ask for it alike.
std::optional<BrokenRule> first_broken_rule(const plan::MeshQuestion& asked,
                                            const std::vector<std::string_view>& engines);
/// Returns true if the point keeps the rules of every plan and of the space's engines.
bool is_admissible(const Question& base, const Space& space, const Point& point);

/// Returns the engines whose rules for degrees and schedule a point keeps, and the first rule that Megatron-LM has
/// against it: "Rules for degrees and schedules kept: those of Megatron-LM, torchtitan."
std::string engines_text(const Question& base, const Space& space, const Point& point);

Question question_of(const Question& base, const Space& space, const Point& point);

/// Returns the choices of recomputation for a model, least time first: none, prefixes of its modules by time per saved
/// byte, all blocks.
Result<std::vector<Recomputed>> recomputations_of(const Question& base);

}  // namespace pipedeck::planner::mesh
