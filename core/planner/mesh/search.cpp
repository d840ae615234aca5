// SPDX-License-Identifier: Apache-2.0
#include "core/planner/mesh/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

namespace pipedeck::planner::mesh {
namespace {

/// A kind of node: all meshes of a shard, a micro-batch and a recomputation; of these with P, v and D; a single one
/// that fits, with the bound of its pipeline or with its own.
enum class NodeKind { unrefined_shard, shard, pipeline, fitting, mesh };

struct Branch {
  Seconds bound;
  NodeKind kind = NodeKind::shard;
  std::vector<int> difficulty;
  Point point;
  double needed = 0;

  /// Returns true if `other` is looked at first.
  bool operator<(const Branch& other) const {
    if (bound != other.bound) return other.bound < bound;
    if (kind != other.kind) return kind < other.kind;
    return other.difficulty < difficulty;
  }
};

/// Meshes that are left, in the order of a value that none of them is below, then of their bounds.
using Rank = std::pair<double, Seconds>;
struct Ranked {
  Rank rank;
  Branch node;

  /// Returns true if `other` is looked at first.
  bool operator<(const Ranked& other) const { return rank != other.rank ? other.rank < rank : node < other.node; }
};

/// Two simulated times that differ by rounding alone.
bool equal(Seconds a, Seconds b) { return std::abs(a.count - b.count) <= 1e-9 * std::max(a.count, b.count); }

class BestFirst {
 public:
  BestFirst(const Question& base, const Space& space, Costs& costs, const Simulate& simulate,
            const SearchLimits& limits)
      : base_(base), space_(space), costs_(costs), simulate_(simulate), limits_(limits) {}

  Result<Found> run() {
    TRY_VOID(limits_.check());
    TRY_VOID(add_shards());
    TRY_VOID(dive());
    TRY_VOID(look());
    TRY_VOID(look_nearby());
    if (found_.simulated.empty() && found_.proven && std::isinf(limits_.below.count)) TRY_VOID(find_least_memory());
    sort_by_time();
    return std::move(found_);
  }

 private:
  Seconds best() const { return std::min(best_, limits_.below); }
  void sort_by_time() {
    std::ranges::stable_sort(found_.simulated, [&](const Simulated& a, const Simulated& b) {
      if (!equal(a.time, b.time)) return a.time < b.time;
      return difficulty(base_, space_, a.point) < difficulty(base_, space_, b.point);
    });
  }
  bool out_of_limits() const {
    const bool has_plan = !found_.simulated.empty() || !std::isinf(limits_.below.count);
    return (has_plan && limits_.hurry()) || found_.work.simulations >= limits_.simulations;
  }

  void push(Seconds bound, NodeKind kind, const Point& point, double needed = 0) {
    if (bound >= cut_) return;
    queue_.push(
        {bound, kind, kind == NodeKind::mesh ? difficulty(base_, space_, point) : std::vector<int>(), point, needed});
  }

  Result<void> add_shards() {
    std::vector<int> sizes = space_.micro_batch.empty() ? divisors_of(space_.global_batch) : space_.micro_batch;
    found_.floor = Seconds(std::numeric_limits<double>::infinity());
    for (const Shard& shard : shards_of(base_, space_, costs_.devices()))
      for (const int size : sizes) {
        Point point;
        point.shard = shard, point.micro_batch = size;
        if (points_of(base_, space_, costs_.devices(), shard, size).empty()) continue;
        TRY_VOID(limits_.check());
        TRY(const ShardCosts parts, costs_.shard_costs(point));
        const Seconds floor = costs_.floor_of(parts, point);
        found_.floor = std::min(found_.floor, floor);
        ++found_.work.shards;
        push(floor, NodeKind::shard, point);
        first_.push_back({floor, NodeKind::shard, {}, point, 0});
      }
    if (std::isinf(found_.floor.count)) found_.floor = Seconds();
    return {};
  }

  /// Finds a plan soon: of the shards with the smallest floors, few dimensions first, the pipeline with the smallest
  /// floor that fits.
  Result<void> dive() {
    std::ranges::stable_sort(first_, [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
    const std::size_t last = space_.recomputed.size() - 1;
    std::optional<Branch> chosen;
    int tried = 0;
    for (const bool plain : {true, false}) {
      for (const Branch& node : first_) {
        const auto limit = [&] { return chosen ? chosen->bound : cut_; };
        if (tried >= 200 || node.bound >= limit()) break;
        if (plain != (node.point.shard.context == 1 && node.point.shard.expert_tensor == 1)) continue;
        ++tried;
        TRY_VOID(limits_.check());
        for (const std::size_t recomputed : {std::size_t{0}, last}) {
          Point point = node.point;
          point.recomputed = recomputed;
          TRY(const ShardCosts parts, costs_.shard_costs(point));
          for (Point one : points_of(base_, space_, costs_.devices(), point.shard, point.micro_batch)) {
            if (one.virtual_stages > 1 || one.short_last || one.order != ScheduleKind::one_f_one_b) continue;
            one.recomputed = recomputed;
            for (const Point& laid : costs_.layouts(parts, one, limit())) {
              if (costs_.floor_of_pipeline(parts, laid) >= limit()) continue;
              TRY(const auto meshes, meshes_of(parts, laid, limit()));
              for (const Branch& mesh : meshes)
                if (!chosen || mesh.bound < chosen->bound) chosen = mesh;
            }
          }
        }
      }
      if (chosen) break;
    }
    first_.clear();
    if (chosen) TRY_VOID(simulate(*chosen));
    return {};
  }

  Result<void> look() {
    while (!queue_.empty()) {
      if (queue_.top().bound >= best()) break;
      if (out_of_limits()) {
        count_left();
        return {};
      }
      TRY_VOID(look_at_next());
    }
    found_.proven = true;
    return {};
  }

  Result<void> look_at_next() {
    const Branch node = queue_.top();
    queue_.pop();
    TRY_VOID(limits_.check());
    if (node.kind == NodeKind::mesh) {
      TRY_VOID(simulate(node));
      return {};
    }
    TRY(const auto parts, opened(node));
    for (const Branch& part : parts) push(part.bound, part.kind, part.point, part.needed);
    return {};
  }

  /// Returns the parts of a group, whose bounds are not below its own.
  Result<std::vector<Branch>> opened(const Branch& node) {
    std::vector<Branch> parts;
    TRY(const ShardCosts costs, costs_.shard_costs(node.point));
    switch (node.kind) {
      case NodeKind::unrefined_shard:
        add_next_recomputation(node, parts);
        parts.push_back({std::max(node.bound, costs_.floor_of(costs, node.point)), NodeKind::shard, {}, node.point});
        break;
      case NodeKind::shard:
        if (node.point.recomputed == 0) add_next_recomputation(node, parts);
        for (Point point : points_of(base_, space_, costs_.devices(), node.point.shard, node.point.micro_batch)) {
          point.recomputed = node.point.recomputed;
          if (!takes_recomputation(space_, point)) continue;
          for (const Point& one : costs_.layouts(costs, point, cut_)) {
            ++found_.work.pipelines;
            const Seconds bound = std::max(node.bound, costs_.floor_of_pipeline(costs, one));
            parts.push_back({bound, NodeKind::pipeline, {}, one});
          }
        }
        break;
      case NodeKind::pipeline: {
        TRY(parts, meshes_of(costs, node.point, cut_));
        for (Branch& mesh : parts) mesh.bound = std::max(node.bound, mesh.bound);
        break;
      }
      case NodeKind::fitting:
      case NodeKind::mesh: {
        TRY(const Seconds bound, costs_.floor(node.point));
        parts.push_back({std::max(node.bound, bound), NodeKind::mesh, node.difficulty, node.point, node.needed});
      }
    }
    return parts;
  }

  /// Recomputation adds time, so a shard's floor without any stays true.
  void add_next_recomputation(const Branch& node, std::vector<Branch>& parts) const {
    Point next = node.point;
    if (++next.recomputed < space_.recomputed.size())
      parts.push_back({node.bound, NodeKind::unrefined_shard, {}, next});
  }

  /// Returns the shardings of a point that are admissible and need at most `most` bytes, without bounds.
  Result<std::vector<Branch>> fitting(const ShardCosts& parts, const Point& point, double most) {
    std::vector<Branch> meshes;
    for (const Sharding& sharding : shardings_of(base_, space_, point)) {
      Point one = point;
      one.sharding = sharding;
      ++found_.work.shardings;
      if (costs_.memory_floor(parts, one) > most || !is_admissible(base_, space_, one)) continue;
      TRY(const MeshMemory memory, costs_.memory(one));
      if (memory.fits())
        meshes.push_back({Seconds(), NodeKind::fitting, {}, one, memory.needed});
      else
        ++found_.work.without_room;
    }
    return meshes;
  }

  /// Returns the shardings of a point that are admissible and fit, with a bound below `below`.
  Result<std::vector<Branch>> meshes_of(const ShardCosts& parts, const Point& point, Seconds below) {
    TRY(std::vector<Branch> meshes, fitting(parts, point, costs_.capacity()));
    for (Branch& mesh : meshes) {
      TRY(mesh.bound, costs_.floor(mesh.point));
      mesh.kind = NodeKind::mesh;
    }
    std::erase_if(meshes, [&](const Branch& mesh) { return mesh.bound >= below; });
    return meshes;
  }

  /// Returns the simulated time. Meshes that were simulated before are not again.
  Result<Seconds> simulate(const Branch& node) {
    for (const Simulated& one : found_.simulated)
      if (is_same(one.point, node.point)) return one.time;
    TRY(const Seconds time, simulate_(node.point));
    ++found_.work.simulations;
    if (std::isinf(time.count)) return time;  // it has no room, or the deadline ended it
    found_.simulated.push_back({node.point, time, node.needed});
    if (time < best_) best_ = time;
    cut_ = std::min(limits_.below, best_ * (1 + limits_.share));
    return time;
  }

  static bool is_same(const Point& a, const Point& b) {
    return a.shard == b.shard && a.sharding == b.sharding && a.micro_batch == b.micro_batch &&
           a.pipeline == b.pipeline && a.virtual_stages == b.virtual_stages && a.order == b.order &&
           a.recomputed == b.recomputed && a.short_last == b.short_last && a.arrangement == b.arrangement &&
           a.pool_blocks == b.pool_blocks;
  }

  /// A measure of meshes, of which the least is looked for.
  enum class Measure { complexity, memory };

  /// Finds the simplest mesh and the one with the least memory within the share of the best time.
  Result<void> look_nearby() {
    if (!found_.proven || found_.simulated.empty() || limits_.share <= 0) return {};
    found_.all_near = true;
    std::vector<Branch> left;
    for (; !queue_.empty(); queue_.pop()) left.push_back(queue_.top());
    TRY_VOID(find_least(left, Measure::complexity, std::numeric_limits<double>::infinity()));
    sort_by_time();
    return find_least(left, Measure::memory, (1 - limits_.saving) * found_.simulated.front().needed);
  }

  bool is_near(Seconds time) const { return time < cut_; }

  /// Simulates meshes until the fastest of those near with the least measure is certain, if that is below `below`.
  /// Groups whose meshes cannot have a smaller measure than the best one so far, or an equal one in less time, are left
  /// out.
  Result<void> find_least(const std::vector<Branch>& left, Measure measure, double below) {
    std::priority_queue<Ranked> queue;
    Rank least{below, Seconds()};
    for (const Simulated& one : found_.simulated) {
      TRY(const double own, least_of({one.time, NodeKind::mesh, {}, one.point, one.needed}, measure));
      if (is_near(one.time)) least = std::min(least, Rank{own, one.time});
    }
    const auto add = [&](const Branch& node, double of_group) -> Result<void> {
      if (!is_near(node.bound)) return {};
      TRY(const double own, least_of(node, measure));
      const Rank rank{std::max(of_group, own), node.bound};
      if (rank < least) queue.push({rank, node});
      return {};
    };
    for (const Branch& node : left) TRY_VOID(add(node, 0));
    while (!queue.empty() && queue.top().rank < least) {
      if (out_of_looks()) return {};
      const auto [rank, node] = queue.top();
      queue.pop();
      TRY_VOID(limits_.check());
      if (node.kind == NodeKind::mesh) {
        if (out_of_near_simulations()) return {};
        TRY(const Seconds time, simulate(node));
        if (is_near(time)) least = std::min(least, Rank{rank.first, time});
        continue;
      }
      const double room = costs_.capacity();
      TRY(const auto parts, opened_nearby(node, measure == Measure::memory ? std::min(room, least.first) : room));
      for (const Branch& part : parts) TRY_VOID(add(part, rank.first));
    }
    return {};
  }

  /// Returns the parts of a group with meshes of at most `most` bytes. Meshes are bounded once it is their turn.
  Result<std::vector<Branch>> opened_nearby(const Branch& node, double most) {
    if (node.kind != NodeKind::pipeline) return opened(node);
    TRY(const ShardCosts parts, costs_.shard_costs(node.point));
    TRY(std::vector<Branch> meshes, fitting(parts, node.point, most));
    for (Branch& mesh : meshes) mesh.bound = node.bound, mesh.difficulty = difficulty(base_, space_, mesh.point);
    return meshes;
  }

  /// Returns a value of the measure that no mesh of the group is below; a mesh's own.
  Result<double> least_of(const Branch& node, Measure measure) {
    if (measure == Measure::complexity) return complexity(base_, node.point);  // further degrees add to it
    if (node.kind == NodeKind::mesh || node.kind == NodeKind::fitting) return node.needed;
    if (node.kind != NodeKind::pipeline) return 0;
    TRY(const ShardCosts parts, costs_.shard_costs(node.point));
    double least = std::numeric_limits<double>::infinity();
    Point one = node.point;
    for (const Sharding& sharding : shardings_of(base_, space_, node.point)) {
      one.sharding = sharding;
      least = std::min(least, costs_.memory_floor(parts, one));
    }
    return least;
  }

  bool out_of_looks() {
    if (++found_.work.looks <= limits_.looks && !limits_.hurry()) return false;
    found_.all_near = false;
    return true;
  }

  /// Returns true if no more meshes are simulated for the share; then not all were looked at.
  bool out_of_near_simulations() {
    if (!limits_.hurry() && near_simulations_++ < most_near_simulations) return false;
    found_.all_near = false;
    return true;
  }

  void count_left() {
    while (!queue_.empty() && queue_.top().bound < best()) {
      ++found_.left;
      queue_.pop();
    }
  }

  /// Returns the points of a shard with the fewest samples that it can have.
  std::vector<Point> smallest_points(const Shard& shard) const {
    for (const int size : space_.micro_batch.empty() ? divisors_of(space_.global_batch) : space_.micro_batch)
      if (auto points = points_of(base_, space_, costs_.devices(), shard, size); !points.empty()) return points;
    return {};
  }

  /// Finds the least memory that a mesh needs: with all recomputation and as few samples as possible.
  Result<void> find_least_memory() {
    int looked = 0;
    for (const Shard& shard : shards_of(base_, space_, costs_.devices())) {
      for (Point point : smallest_points(shard)) {
        point.recomputed = space_.recomputed.size() - 1;
        if (!takes_recomputation(space_, point)) point.recomputed = 0;
        const bool in_turn = point.order == ScheduleKind::one_f_one_b && point.virtual_stages > 1;
        if (in_turn || !takes_recomputation(space_, point)) continue;
        TRY(const ShardCosts parts, costs_.shard_costs(point));
        for (const Point& laid : costs_.layouts(parts, point, Seconds(std::numeric_limits<double>::infinity())))
          TRY_VOID(look_at_memory(laid, looked));
      }
    }
    return {};
  }

  /// Notes the least memory of a point's shardings, if fewer than 20,000 were looked at.
  Result<void> look_at_memory(Point point, int& looked) {
    for (const Sharding& sharding : shardings_of(base_, space_, point)) {
      point.sharding = sharding;
      if (!is_admissible(base_, space_, point)) continue;
      if (++looked > 20000) return {};
      TRY_VOID(limits_.check());
      TRY(const MeshMemory memory, costs_.memory(point));
      const auto share = [](const MeshMemory& one) { return one.fullest / one.capacity; };
      if (!found_.least || share(memory) < share(*found_.least)) found_.least = memory, found_.least_point = point;
    }
    return {};
  }

  static constexpr int most_near_simulations = 200;
  const Question& base_;
  const Space& space_;
  Costs& costs_;
  const Simulate& simulate_;
  const SearchLimits& limits_;
  std::priority_queue<Branch> queue_;
  std::vector<Branch> first_;
  Seconds best_{std::numeric_limits<double>::infinity()};
  Seconds cut_ = limits_.below;  ///< meshes with a bound below it are looked at
  int near_simulations_ = 0;
  Found found_;
};

}  // namespace

int complexity(const Question& base, const Point& point) {
  const Shard& s = point.shard;
  const int stages = point.pipeline * point.virtual_stages;
  const int blocks = base.config.layers + base.config.decoder_layers;
  int count = 0;
  for (const int degree : {s.tensor, s.context, s.expert, s.expert_tensor, point.pipeline, point.virtual_stages})
    count += degree > 1;
  const std::vector<int> own = point.pool_blocks.empty() ? std::vector<int>() : blocks_of_stages(point, blocks);
  const bool unlike = own.empty() ? blocks % stages != 0 : std::ranges::min(own) != std::ranges::max(own);
  return count + unlike + (point.sharding.group > 0) + (point.order != ScheduleKind::one_f_one_b);
}

std::vector<int> difficulty(const Question& base, const Space& space, const Point& point) {
  const Shard& s = point.shard;
  const Recomputed& recomputed = space.recomputed[point.recomputed];
  int dimensions = 0;
  for (const int degree : {s.tensor, s.context, s.expert, s.expert_tensor, point.pipeline}) dimensions += degree > 1;
  const int layout = point.short_last ? 1 : 0;
  return {complexity(base, point),
          dimensions,
          point.virtual_stages > 1,
          static_cast<int>(point.order),
          layout,
          point.sharding.group > 0,
          point.sharding.level,
          recomputed.blocks ? 2 : !recomputed.parts.empty(),
          static_cast<int>(s.context_kind),
          point.virtual_stages,
          s.context,
          s.tensor,
          point.pipeline,
          s.expert_tensor,
          s.expert,
          point.micro_batch};
}

Result<Found> search(const Question& base, const Space& space, Costs& costs, const Simulate& simulate,
                     const SearchLimits& limits) {
  return BestFirst(base, space, costs, simulate, limits).run();
}

}  // namespace pipedeck::planner::mesh
