// SPDX-License-Identifier: Apache-2.0
// The search of meshes on clusters of several kinds against plain enumeration: of every arrangement, every mesh is
// simulated, one by one.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/mesh/kinds.hpp"
#include "core/planner/mesh/search.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/core/planner/mesh/kept_rules.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_unlike_meshes {

using test::keeps_rules;

using planner::mesh::Found;
using planner::mesh::Point;
using planner::mesh::Space;

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct Small {
  mesh::Question base;
  mesh::Rates rates;
  Space space;
  std::vector<std::vector<DeviceId>> kinds;  ///< devices of each
  std::vector<int> domains;                  ///< devices of a node of each
};

template <class Value>
Value one_of(test::Random& random, const std::vector<Value>& values) {
  return values[static_cast<std::size_t>(random.integer(0, static_cast<int>(values.size()) - 1))];
}

/// A kind of node: a device type, devices of a node, and links.
struct Kind {
  std::string type;
  int each = 1, nodes = 1;
  double inside = 0, between = 0, card = 0;  ///< GB/s
};

/// Kinds of other types, or of other links, with their nodes in turn.
std::vector<Kind> random_kinds(test::Random& random) {
  std::vector<Kind> kinds;
  const bool cards = random.integer(0, 1) == 1;
  const int count = random.integer(0, 3) == 0 ? 3 : 2, between = random.integer(5, 200);
  for (int k = 0; k < count; ++k) {
    Kind kind;
    kind.type = one_of<std::string>(random, {"H100-SXM", "A100-80GB", "H200"});
    kind.each = count == 3 ? random.integer(1, 2) : one_of<int>(random, {1, 2, 4});
    kind.nodes = kind.each == 4 ? 1 : random.integer(1, 2);
    kind.inside = (k + 1) * 100, kind.between = (k + 1) * between;  // no two are near
    if (cards) kind.card = (k + 1) * 12;
    kinds.push_back(kind);
  }
  return kinds;
}

std::shared_ptr<const Cluster> cluster_of(const std::vector<Kind>& kinds, const std::vector<DeviceType>& types,
                                          Small& small) {
  Cluster cluster;
  cluster.device_types = types;
  cluster.switches = {{"spine"}};
  small.kinds.resize(kinds.size());
  int devices = 0;
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Kind& kind = kinds[k];
      if (turn >= kind.nodes) continue;
      Node node;
      node.name = fmt::format("n{}-{}", k, turn);
      node.devices = {{kind.type, kind.each}};
      node.link = Link{gigabytes_per_second(kind.inside), microseconds(3)};
      if (kind.card > 0) node.nic = gigabytes_per_second(kind.card);
      cluster.links.push_back({node.name, "spine", Link{gigabytes_per_second(kind.between), microseconds(5)}});
      for (int d = 0; d < kind.each; ++d) small.kinds[k].emplace_back(devices++);
      cluster.nodes.push_back(std::move(node));
    }
  for (const Kind& kind : kinds) small.domains.push_back(kind.each);
  return std::make_shared<const Cluster>(std::move(cluster));
}

TransformerConfig random_model(test::Random& random, int most_layers) {
  TransformerConfig config;
  config.name = config.family = "llama";
  config.heads = one_of<int>(random, {2, 4, 8, 16, 32}), config.head_width = one_of<int>(random, {64, 128});
  config.hidden = config.heads * config.head_width;
  config.key_value_heads = one_of<int>(random, {1, 2, config.heads});
  config.layers = random.integer(2, most_layers);
  config.feed_forward = config.hidden * random.integer(2, 4), config.gated = random.integer(0, 1) == 1;
  config.vocabulary = one_of<int>(random, {512, 32000}), config.longest = 4096, config.norm = NormKind::rms;
  if (random.integer(0, 3) == 0) {
    config.experts.emplace();
    config.experts->count = one_of<int>(random, {2, 4}), config.experts->per_token = random.integer(1, 2);
    config.experts->feed_forward = 256;
  }
  return config;
}

Small drawn(std::uint64_t seed) {
  test::Random random(seed);
  Small small;
  mesh::Question& base = small.base;
  const std::vector<Kind> kinds = random_kinds(random);
  base.config = random_model(random, kinds.size() > 2 ? 4 : 6);
  base.layer.count.sequence = one_of<int>(random, {256, 2048});
  base.training.hidden = {random.integer(0, 3) > 0, random.integer(0, 3) > 0, random.integer(0, 1) == 1,
                          random.integer(0, 1) == 1, random.integer(0, 3) > 0};
  base.training.multi_token_blocks = random.integer(0, 3) == 0;
  const double states = 18 * analytic::transformer::parameters_of(base.config);
  std::vector<DeviceType> types;
  for (const Kind& kind : kinds) {
    if (std::ranges::find(types, kind.type, &DeviceType::name) != types.end()) continue;
    DeviceType type = find_device_model(presets::device_catalogue(), kind.type)->type;
    // Room for the states of a few devices, so that memory refuses some meshes.
    type.memory = Bytes(std::int64_t(2.3e9 + states / random.integer(1, 4) + random.integer(0, 300) * 1e6));
    types.push_back(type);
  }
  base.cluster = cluster_of(kinds, types, small);
  small.rates = mesh::rates_of(*base.cluster, 1, presets::device_catalogue(), presets::efficiency()).value();
  Space& space = small.space;
  space.global_batch = one_of<int>(random, {2, 4, 4, 6});
  space.shardings = one_of<std::vector<planner::mesh::ShardingChoice>>(
      random, {{{0}, {1}}, {{0}, {3}}, {{1}, {1, planner::mesh::ShardingGroup::domain}}, {{2}}});
  space.recomputed = {{}, {.blocks = true}};
  if (random.integer(0, 3) == 0) space.engines = {};
  space.arrangements = planner::mesh::arrangements_of(*base.cluster);
  return small;
}

/// The pool of each kind, from 0; -1: it is not used.
using Pools = std::vector<int>;

int pool_count(const Pools& pools) { return std::ranges::max(pools) + 1; }

/// Returns every way to put kinds into pools in an order, or to leave them out.
std::vector<Pools> all_pools(std::size_t kinds) {
  std::vector<Pools> all;
  int codes = 1;
  for (std::size_t k = 0; k < kinds; ++k) codes *= static_cast<int>(kinds) + 1;
  for (int code = 0; code < codes; ++code) {
    Pools pools;
    for (int rest = code; pools.size() < kinds; rest /= static_cast<int>(kinds) + 1)
      pools.push_back(rest % (static_cast<int>(kinds) + 1) - 1);
    const std::set<int> used(pools.begin(), pools.end());
    const int count = pool_count(pools);
    bool whole = count > 0;
    for (int p = 0; p < count; ++p) whole = whole && used.contains(p);
    if (whole) all.push_back(pools);
  }
  return all;
}

std::string text_of(const mesh::Question& q) {
  const Shard& s = q.shard();
  std::string text = fmt::format("T {} {} C {} {} e {} x {} P {} v {} D {} b {} level {} group {} full {} blocks",
                                 s.tensor, s.sequence, s.context, static_cast<int>(s.context_kind), s.expert,
                                 s.expert_tensor, q.pipeline, q.virtual_stages, q.data, q.layer.count.micro_batch,
                                 q.sharding.level, q.sharding.group, q.layer.recomputed.blocks);
  for (const int blocks : q.blocks) text += fmt::format(" {}", blocks);
  return text;
}

struct Best {
  double time = unlimited;
  int admissible = 0, fitting = 0;
  std::string mesh;  ///< of `time`
};

/// Simulates every mesh of an arrangement. It shares nothing with the planner but the rules.
class Enumeration {
 public:
  Enumeration(const Small& small, Pools pools) : small_(small), pools_(std::move(pools)) {
    domain_ = std::numeric_limits<int>::max();
    for (std::size_t k = 0; k < pools_.size(); ++k)
      if (pools_[k] >= 0) {
        devices_ += static_cast<int>(small.kinds[k].size());
        domain_ = std::min(domain_, small.domains[k]);
      }
  }

  Best run() {
    for (int t = 1; t <= std::min(devices_, domain_); ++t)
      for (int c = 1; t * c <= devices_; ++c)
        for (int p = 1; t * c * p <= devices_; ++p)
          if (devices_ % (t * c * p) == 0)
            for (const bool sequence : {false, true})
              if (!sequence || t > 1) with_degrees(t, sequence, c, p);
    return best_;
  }

 private:
  void with_degrees(int t, bool sequence, int c, int p) {
    const TransformerConfig& config = small_.base.config;
    const int e_most = config.experts ? config.experts->count : 1, x_most = config.experts ? domain_ : 1;
    for (int e = 1; e <= e_most; ++e)
      for (int x = 1; x <= x_most; ++x)
        for (const ContextKind kind :
             {ContextKind::ring, ContextKind::gather, ContextKind::heads, ContextKind::heads_ring}) {
          if (c == 1 && kind != ContextKind::ring) continue;
          Shard shard;
          shard.tensor = t, shard.sequence = sequence, shard.context = c, shard.context_kind = kind;
          shard.expert = e, shard.expert_tensor = x;
          if (kind == ContextKind::heads_ring) {
            for (int heads = 2; heads < c; ++heads)
              if (c % heads == 0 && heads * t <= domain_ && config.heads % (t * heads) == 0 &&
                  std::max(1, config.key_value_heads / t) % heads == 0)
                shard.context_heads = heads;
            if (shard.context_heads == 1) continue;
          }
          if (place(shard, p)) with_stages(shard, p);
        }
  }

  /// Places ranks. Returns false if a stage would not have whole replicas and groups of experts of each kind.
  bool place(const Shard& shard, int p) {
    const int stage = devices_ / p;
    placement_.clear(), pool_of_rank_.clear();
    for (int pool = 0; pool < pool_count(pools_); ++pool) {
      int own = 0;
      for (std::size_t k = 0; k < pools_.size(); ++k)
        if (pools_[k] == pool) own += static_cast<int>(small_.kinds[k].size());
      if (own % stage != 0) return false;
      const int ranks = own / stage;
      for (int rank = 0; rank < ranks; ++rank) {
        pool_of_rank_.push_back(pool);
        for (std::size_t k = 0; k < pools_.size(); ++k) {
          if (pools_[k] != pool) continue;
          const auto& devices = small_.kinds[k];
          const int each = static_cast<int>(devices.size()) / ranks;
          if (static_cast<int>(devices.size()) % ranks != 0 || each % (shard.tensor * shard.context) != 0 ||
              each % (shard.expert * shard.expert_tensor) != 0)
            return false;
          for (int d = 0; d < each; ++d) placement_.push_back(devices[static_cast<std::size_t>(rank * each + d)]);
        }
      }
    }
    return true;
  }

  /// Calls `with` for the blocks of each stage.
  void with_blocks(int p, int v, const std::function<void(const std::vector<int>&)>& with) const {
    const int layers = small_.base.config.layers, pools = pool_count(pools_);
    std::vector<int> of_pool(static_cast<std::size_t>(pools));
    const std::function<void(int, int)> add = [&](int pool, int left) {
      if (pool == pools) {
        if (left > 0) return;
        std::vector<int> blocks(static_cast<std::size_t>(p * v)), stages_of(static_cast<std::size_t>(pools));
        int missing = 0;
        for (int s = 0; s < p * v; ++s) ++stages_of[static_cast<std::size_t>(pool_of_rank_[std::size_t(s % p)])];
        for (std::size_t i = 0; i < of_pool.size(); ++i) {
          if (of_pool[i] < stages_of[i]) return;
          missing += (of_pool[i] + stages_of[i] - 1) / stages_of[i] * stages_of[i] - of_pool[i];
          int n = 0;
          for (int s = 0; s < p * v; ++s) {
            if (pool_of_rank_[std::size_t(s % p)] != static_cast<int>(i)) continue;
            const int more = of_pool[i] % stages_of[i];  // the second stage is the first to have one more
            blocks[std::size_t(s)] = of_pool[i] / stages_of[i] + ((n + stages_of[i] - 1) % stages_of[i] < more);
            ++n;
          }
        }
        if (v > 1 && missing > 3) return;
        with(blocks);
        if (pools > 1 || missing != 1 || p * v == 1) return;
        blocks.assign(blocks.size(), (layers + 1) / (p * v));
        --blocks.back();
        with(blocks);
        return;
      }
      for (int own = 0; own <= left; ++own) {
        of_pool[static_cast<std::size_t>(pool)] = own;
        add(pool + 1, left - own);
      }
    };
    add(0, layers);
  }

  void with_stages(const Shard& shard, int p) {
    const int d = devices_ / (shard.tensor * shard.context * p), layers = small_.base.config.layers;
    for (int b = 1; b * d <= small_.space.global_batch; ++b) {
      if (small_.space.global_batch % (b * d) != 0) continue;
      const int m = small_.space.global_batch / (b * d);
      for (int v = 1; v * p <= layers; ++v) {
        if (v > 1 && (p == 1 || m % p != 0)) continue;
        mesh::Question question = small_.base;
        question.placement = placement_;
        question.layer.shard = shard, question.layer.count.micro_batch = b;
        question.data = d, question.pipeline = p, question.virtual_stages = v, question.micro_batches = m;
        question.training.hidden.pipeline = question.training.hidden.pipeline && v > 1;
        with_blocks(p, v, [&](const std::vector<int>& blocks) {
          question.blocks = blocks;
          with_states(question);
        });
      }
    }
  }

  void with_states(mesh::Question question) {
    const int ranks = question.data * question.shard().context;
    bool alone = false;  // nothing to shard: the first choice stands for all
    for (const auto& choice : small_.space.shardings) {
      if (alone) break;
      int group = 0;
      if (choice.level > 0 && choice.among == planner::mesh::ShardingGroup::domain) {
        group = domain_ / question.shard().tensor;
        if (group <= 1 || group >= ranks || ranks % group != 0) continue;
      }
      alone = ranks == 1;
      question.sharding.level = choice.level, question.sharding.group = group;
      if (!keeps_rules(question, small_.space, small_.base.training.hidden.pipeline)) continue;
      for (const auto& recomputed : small_.space.recomputed) {
        question.layer.recomputed = recomputed;
        const auto step = sim::step::predict_step(question, small_.rates);
        if (!step) qFatal("%s: %s", text_of(question).c_str(), step.error().text().c_str());
        ++best_.admissible;
        if (!step->fits) continue;
        ++best_.fitting;
        if (step->iteration.count < best_.time) best_.mesh = text_of(question);
        best_.time = std::min(best_.time, step->iteration.count);
      }
    }
  }

  const Small& small_;
  const Pools pools_;
  int devices_ = 0, domain_ = 0;
  std::vector<DeviceId> placement_;
  std::vector<int> pool_of_rank_;
  Best best_;
};

/// Returns the pools of the planner's arrangement.
Pools pools_of(const Small& small, const planner::mesh::Arrangement& arrangement) {
  Pools pools(small.kinds.size(), -1);
  for (std::size_t p = 0; p < arrangement.pools.size(); ++p)
    for (const auto& devices : arrangement.pools[p].kinds)
      for (std::size_t k = 0; k < pools.size(); ++k)
        if (small.kinds[k] == devices) pools[k] = static_cast<int>(p);
  return pools;
}

Found found_by_search(const Small& small, int& bounds_above, int& memories_apart, double below = unlimited) {
  auto costs = planner::mesh::Costs::of(small.base, small.space, small.rates);
  if (!costs) qFatal("%s", costs.error().text().c_str());
  const planner::mesh::Simulate simulate = [&](const Point& point) -> Result<Seconds> {
    TRY(const auto step,
        sim::step::predict_step(planner::mesh::question_of(small.base, small.space, point), small.rates));
    TRY(const Seconds floor, costs->floor(point));
    TRY(const planner::mesh::MeshMemory memory, costs->memory(point));
    TRY(const planner::mesh::ShardCosts shard, costs->shard_costs(point));
    const Seconds of_pipeline = costs->floor_of_pipeline(shard, point), of_shard = costs->floor_of(shard, point);
    bounds_above += floor > step.iteration || costs->memory_floor(shard, point) > memory.needed ||
                    of_pipeline > step.iteration || of_shard > step.iteration;
    memories_apart += std::abs(memory.fullest - static_cast<double>(step.needed.count)) > 2 || !step.fits;
    return step.iteration;
  };
  auto found = planner::mesh::search(small.base, small.space, *costs, simulate,
                                     {.simulations = 100000, .below = Seconds(below)});
  if (!found) qFatal("%s", found.error().text().c_str());
  return *found;
}

class TestUnlikeMeshes : public QObject {
  Q_OBJECT

 private slots:
  /// Kinds are those of the nodes, and the planner arranges them in every way once.
  void kinds_and_arrangements() {
    for (int seed = 0; seed < test::random_problems(30); ++seed) {
      const Small small = drawn(static_cast<std::uint64_t>(seed) + 5100);
      const std::vector<int> kinds = mesh::kinds_of(*small.base.cluster);
      for (std::size_t k = 0; k < small.kinds.size(); ++k)
        for (const DeviceId device : small.kinds[k]) QCOMPARE(kinds[device.index()], static_cast<int>(k));
      std::set<Pools> found;
      for (const auto& arrangement : small.space.arrangements) found.insert(pools_of(small, arrangement));
      const std::vector<Pools> all = all_pools(small.kinds.size());
      QCOMPARE(found, std::set<Pools>(all.begin(), all.end()));
      QCOMPARE(found.size(), small.space.arrangements.size());
    }
  }

  /// In no arrangement is a mesh faster, and where none fits, none does. A limit leaves out slower ones alone.
  void agrees_with_plain_enumeration() {
    int fastest_apart = 0, fastest_alone = 0, fastest_together = 0, simulated = 0, admissible = 0;
    for (int seed = 0; seed < test::random_problems(30); ++seed) {
      Small small = drawn(static_cast<std::uint64_t>(seed) + 5100);
      double best_time = unlimited;
      Pools best_pools;
      for (std::size_t a = 0; a < small.space.arrangements.size(); ++a) {
        small.space.arrangement = a;
        const Pools pools = pools_of(small, small.space.arrangements[a]);
        const Best best = Enumeration(small, pools).run();
        int above = 0, apart = 0;
        const Found found = found_by_search(small, above, apart);
        const std::string place = fmt::format("seed {}, arrangement {}", seed, a);
        QVERIFY2(found.proven && found.left == 0, place.c_str());
        QVERIFY2(above == 0, place.c_str());
        QVERIFY2(apart == 0, place.c_str());
        QVERIFY2(found.simulated.empty() == (best.fitting == 0), (place + " " + best.mesh).c_str());
        admissible += best.admissible, simulated += static_cast<int>(found.work.simulations);
        if (best.fitting == 0) {
          QVERIFY2(found.least.has_value() == (best.admissible > 0), place.c_str());
          continue;
        }
        const double time = found.simulated.front().time.count;
        QVERIFY2(std::abs(time - best.time) <= 1e-9 * best.time,
                 fmt::format("{}: search {}, enumeration {} {}", place, time, best.time, best.mesh).c_str());
        QVERIFY2(found.floor.count <= best.time, place.c_str());
        const Found none = found_by_search(small, above, apart, best.time * (1 - 1e-9));
        QVERIFY2(none.simulated.empty() || none.simulated.front().time.count >= best.time * (1 - 1e-9), place.c_str());
        if (best.time < best_time) best_time = best.time, best_pools = pools;
      }
      if (best_pools.empty()) continue;
      const bool alone = std::ranges::count_if(best_pools, [](int pool) { return pool >= 0; }) == 1;
      fastest_alone += alone;
      fastest_apart += pool_count(best_pools) > 1;
      fastest_together += !alone && pool_count(best_pools) == 1;
    }
    QVERIFY2(fastest_apart > 0 && fastest_alone > 0 && fastest_together > 0,
             fmt::format("{} {} {}", fastest_apart, fastest_alone, fastest_together).c_str());
    QVERIFY(simulated * 5 < admissible);
  }
};

PIPEDECK_TEST(TestUnlikeMeshes)

}  // namespace pipedeck::tst_unlike_meshes

#include "tst_unlike_meshes.moc"
