// SPDX-License-Identifier: Apache-2.0
// The search of meshes against plain enumeration: every admissible mesh is simulated, one by one.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "core/planner/mesh/answers.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/core/planner/mesh/kept_rules.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_mesh_search {

using test::keeps_rules;

using planner::mesh::Found;
using planner::mesh::Point;
using planner::mesh::ShardingChoice;
using planner::mesh::ShardingGroup;
using planner::mesh::Space;

struct Small {
  mesh::Question base;
  mesh::Rates rates;
  Space space;
  int domain = 1, devices = 1;
};

template <class Value>
Value one_of(test::Random& random, const std::vector<Value>& values) {
  return values[static_cast<std::size_t>(random.integer(0, static_cast<int>(values.size()) - 1))];
}

std::shared_ptr<const Cluster> random_cluster(test::Random& random, const DeviceType& type, int nodes, int each) {
  Cluster cluster;
  cluster.device_types = {type};
  cluster.switches = {{"spine"}};
  const bool cards = random.integer(0, 1) == 1, one_domain = random.integer(0, 3) == 0;
  const BytesPerSecond inside = gigabytes_per_second(random.integer(20, 450));
  const BytesPerSecond card = gigabytes_per_second(random.integer(5, 50));
  const BytesPerSecond between = gigabytes_per_second(random.integer(5, 200));
  for (int n = 0; n < nodes; ++n) {
    Node node;
    node.name = "n" + std::to_string(n);
    node.devices = {{type.name, each}};
    node.link = Link{inside, microseconds(3)};
    if (cards) node.nic = card;
    if (one_domain) node.domain = "rack";
    cluster.links.push_back({node.name, "spine", Link{between, microseconds(5)}});
    cluster.nodes.push_back(std::move(node));
  }
  return std::make_shared<const Cluster>(std::move(cluster));
}

TransformerConfig random_model(test::Random& random) {
  TransformerConfig config;
  config.name = config.family = "llama";
  config.heads = one_of<int>(random, {2, 4, 8}), config.head_width = 64;
  config.hidden = config.heads * config.head_width;
  config.key_value_heads = one_of<int>(random, {1, 2, config.heads});
  config.layers = random.integer(2, 6);
  config.feed_forward = config.hidden * random.integer(2, 4), config.gated = random.integer(0, 1) == 1;
  config.vocabulary = one_of<int>(random, {512, 32000}), config.longest = 4096, config.norm = NormKind::rms;
  config.tied = random.integer(0, 3) == 0;
  if (random.integer(0, 2) == 0) {
    config.experts.emplace();
    config.experts->count = one_of<int>(random, {2, 4, 6}), config.experts->per_token = random.integer(1, 2);
    config.experts->feed_forward = 256, config.experts->shared_feed_forward = random.integer(0, 1) * 256;
    if (random.integer(0, 1)) config.experts->dense = {0};
  }
  return config;
}

Small drawn(std::uint64_t seed) {
  test::Random random(seed);
  Small small;
  const auto* const model = find_device_model(presets::device_catalogue(), "H100-SXM");
  small.rates = {model->type, *find_efficiency(presets::efficiency(), model->type.name)};
  if (random.integer(0, 1)) small.rates.reached.busy = 1.2;
  const int each = one_of<int>(random, {1, 2, 4}), nodes = random.integer(1, each == 4 ? 2 : 3);
  small.devices = nodes * each;
  mesh::Question& base = small.base;
  base.config = random_model(random);
  base.layer.count.sequence = one_of<int>(random, {256, 1024});
  base.layer.weighs_activation = random.integer(0, 1) == 1;
  base.layer.vocabulary_multiple = one_of<int>(random, {0, 64});
  base.training.hidden = {random.integer(0, 3) > 0, random.integer(0, 3) > 0, random.integer(0, 1) == 1,
                          random.integer(0, 1) == 1, random.integer(0, 3) > 0};
  base.training.multi_token_blocks = random.integer(0, 3) == 0;
  if (random.integer(0, 1)) base.training.graphs = Graphs::all;
  base.sharding.reshard = static_cast<Reshard>(random.integer(0, 2));
  // Room for the states of a few devices, so that memory refuses some meshes.
  const double states = 18 * analytic::transformer::parameters_of(base.config);
  const double room = 2.3e9 + states / random.integer(1, small.devices) * 1.2 + random.integer(0, 300) * 1e6;
  small.rates.type.memory = Bytes(static_cast<std::int64_t>(room));
  base.cluster = random_cluster(random, small.rates.type, nodes, each);
  small.domain = base.cluster->nodes.front().domain.empty() ? each : small.devices;
  Space& space = small.space;
  space.global_batch = one_of<int>(random, {2, 4, 6});
  space.shardings.clear();
  for (const ShardingChoice& choice : Space().shardings)
    if (random.integer(0, 1)) space.shardings.push_back(choice);
  if (space.shardings.empty()) space.shardings = {{0}, {1}};
  space.recomputed = *planner::mesh::recomputations_of(base);
  while (space.recomputed.size() > 3)
    space.recomputed.erase(space.recomputed.begin() + random.integer(1, static_cast<int>(space.recomputed.size()) - 2));
  if (random.integer(0, 3) == 0) space.engines = {};
  if (random.integer(0, 1))
    for (const ScheduleKind order :
         {ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v})
      if (random.integer(0, 1)) space.orders.push_back(order);
  if (space.orders.size() > 2 && random.integer(0, 3) == 0) space.orders.erase(space.orders.begin());
  if (random.integer(0, 2) == 0) {
    base.training.adapters = {1 << random.integer(0, 6), static_cast<AdapterTargets>(random.integer(0, 2)),
                              static_cast<FrozenWeights>(random.integer(0, 2))};
    // Frozen weights have no other states: room for them on a few devices.
    const double frozen = 2 * analytic::transformer::parameters_of(base.config);
    const double left = 2e9 + frozen / random.integer(1, small.devices) + random.integer(0, 200) * 1e6;
    small.rates.type.memory = Bytes(static_cast<std::int64_t>(left));
    base.cluster = random_cluster(random, small.rates.type, nodes, each);
    small.domain = base.cluster->nodes.front().domain.empty() ? each : small.devices;
  }
  return small;
}

/// Returns the groups of a level's choice, as planners.md defines them; -1: none.
int group_of(const ShardingChoice& choice, int domain, int tensor, int ranks) {
  if (choice.level == 0 || choice.among == ShardingGroup::all) return 0;
  const int inside = domain / tensor;
  return inside > 1 && inside < ranks && ranks % inside == 0 ? inside : -1;
}

std::string text_of(const mesh::Question& q) {
  const Shard& s = q.shard();
  return fmt::format("T {} {} C {} {} {} e {} x {} P {} v {} D {} b {} level {} group {} parts {} full {} blocks {} {}",
                     s.tensor, s.sequence, s.context, static_cast<int>(s.context_kind), s.context_heads, s.expert,
                     s.expert_tensor, q.pipeline, q.virtual_stages, q.data, q.layer.count.micro_batch, q.sharding.level,
                     q.sharding.group, q.layer.recomputed.parts.size(), q.layer.recomputed.blocks, q.blocks.size(),
                     name_of(q.schedule()));
}

/// A mesh that fits.
struct Fitting {
  double time = 0, needed = 0;
  int complexity = 0;
};

/// Counts what planners.md, "Mesh", counts.
int complexity_of(const mesh::Question& q) {
  const Shard& s = q.shard();
  int count = (s.tensor > 1) + (s.context > 1) + (s.expert > 1) + (s.expert_tensor > 1) + (q.pipeline > 1);
  if (q.virtual_stages > 1) ++count;
  if (q.config.layers % (q.pipeline * q.virtual_stages) != 0) ++count;
  if (q.sharding.group > 0) ++count;
  if (q.order != ScheduleKind::one_f_one_b) ++count;
  return count;
}

struct Best {
  double time = std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();  ///< bytes that any admissible mesh needs
  int admissible = 0, fitting = 0;
  std::string mesh;  ///< of `time`
  std::vector<Fitting> all;
};

/// Simulates every mesh of the space. It shares nothing with the planner but the rules and the choices of the space.
class Enumeration {
 public:
  explicit Enumeration(const Small& small, int devices = 0)
      : small_(small), devices_(devices > 0 ? devices : small.devices) {}

  Best run() {
    const int w = devices_;
    for (int t = 1; t <= std::min(w, small_.domain); ++t)
      for (int c = 1; t * c <= w; ++c)
        for (int p = 1; t * c * p <= w; ++p)
          if (w % (t * c * p) == 0)
            for (const bool sequence : {false, true})
              if (!sequence || t > 1) with_degrees(t, sequence, c, p);
    return best_;
  }

 private:
  void with_degrees(int t, bool sequence, int c, int p) {
    const TransformerConfig& config = small_.base.config;
    const int e_most = config.experts ? config.experts->count : 1, x_most = config.experts ? small_.domain : 1;
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
              if (c % heads == 0 && heads * t <= small_.domain && config.heads % (t * heads) == 0 &&
                  std::max(1, config.key_value_heads / t) % heads == 0)
                shard.context_heads = heads;
            if (shard.context_heads == 1) continue;
          }
          with_stages(shard, p);
        }
  }

  void with_stages(const Shard& shard, int p) {
    const int d = devices_ / (shard.tensor * shard.context * p), layers = small_.base.config.layers;
    for (int b = 1; b * d <= small_.space.global_batch; ++b) {
      if (small_.space.global_batch % (b * d) != 0) continue;
      const int m = small_.space.global_batch / (b * d);
      mesh::Question question = small_.base;
      question.layer.shard = shard, question.layer.count.micro_batch = b;
      question.data = d, question.pipeline = p, question.micro_batches = m;
      for (const ScheduleKind order : small_.space.orders)
        for (int v = 1; v * p <= layers; ++v) {
          const bool in_a_v = order == ScheduleKind::zb_v || order == ScheduleKind::dualpipe_v;
          const bool usual = order == ScheduleKind::one_f_one_b;
          if (usual ? v > 1 && (p == 1 || m % p != 0) : p == 1 || v != (in_a_v ? 2 : 1)) continue;
          if (order == ScheduleKind::dualpipe_v && m < 2 * p) continue;
          question.order = order, question.virtual_stages = v;
          with_layouts(question, layers);
        }
    }
  }

  void with_layouts(mesh::Question question, int layers) {
    const int p = question.pipeline, v = question.virtual_stages;
    const int missing = (layers + p * v - 1) / (p * v) * p * v - layers;
    if (v > 1 && missing > 3) return;
    const bool usual = question.order == ScheduleKind::one_f_one_b;
    question.training.hidden.pipeline = question.training.hidden.pipeline && (v > 1 || !usual);
    with_states(question);
    if (missing != 1 || p * v == 1) return;
    question.blocks.assign(static_cast<std::size_t>(p * v), (layers + 1) / (p * v));
    --question.blocks.back();
    with_states(question);
  }

  void with_states(mesh::Question question) {
    const int ranks = question.data * question.shard().context;
    bool alone = false;  // nothing to shard: the first choice stands for all
    for (const ShardingChoice& choice : small_.space.shardings) {
      if (alone) break;
      const int group = group_of(choice, small_.domain, question.shard().tensor, ranks);
      if (group < 0) continue;
      alone = ranks == 1;
      question.sharding.level = choice.level, question.sharding.group = group;
      question.sharding.reshard = small_.base.sharding.reshard, question.sharding.copies = small_.base.sharding.copies;
      const bool in_a_v = question.order == ScheduleKind::zb_v || question.order == ScheduleKind::dualpipe_v;
      if (in_a_v && choice.level == 3)
        question.sharding.reshard = Reshard::after_step, question.sharding.copies = CopySync::each_micro_batch;
      if (!keeps_rules(question, small_.space, small_.base.training.hidden.pipeline)) continue;
      for (const auto& recomputed : small_.space.recomputed) {
        if (question.order != ScheduleKind::one_f_one_b && (recomputed.blocks || !recomputed.parts.empty())) continue;
        question.layer.recomputed = recomputed;
        const auto step = sim::step::predict_step(question, small_.rates);
        if (!step) qFatal("%s", step.error().text().c_str());
        ++best_.admissible;
        best_.least = std::min(best_.least, static_cast<double>(step->needed.count));
        if (!step->fits) continue;
        ++best_.fitting;
        best_.all.push_back({step->iteration.count, static_cast<double>(step->needed.count), complexity_of(question)});
        if (step->iteration.count < best_.time) best_.mesh = text_of(question);
        best_.time = std::min(best_.time, step->iteration.count);
      }
    }
  }

  const Small& small_;
  const int devices_;
  Best best_;
};

constexpr double unlimited = std::numeric_limits<double>::infinity();

Found found_by_search(const Small& small, int* bounds_above = nullptr, double share = 0, double below = unlimited) {
  auto costs = planner::mesh::Costs::of(small.base, small.space, small.rates);
  if (!costs) qFatal("%s", costs.error().text().c_str());
  const planner::mesh::Simulate simulate = [&](const Point& point) -> Result<Seconds> {
    TRY(const auto step,
        sim::step::predict_step(planner::mesh::question_of(small.base, small.space, point), small.rates));
    TRY(const Seconds floor, costs->floor(point));
    TRY(const planner::mesh::MeshMemory memory, costs->memory(point));
    TRY(const planner::mesh::ShardCosts shard, costs->shard_costs(point));
    if (bounds_above) *bounds_above += floor > step.iteration || costs->memory_floor(shard, point) > memory.needed;
    if (std::abs(memory.needed - static_cast<double>(step.needed.count)) > 2) qFatal("memory differs");
    return step.iteration;
  };
  auto found = planner::mesh::search(small.base, small.space, *costs, simulate,
                                     {.simulations = 100000,
                                      .share = share,
                                      .saving = share > 0 ? planner::mesh::least_saving : 0,
                                      .looks = 10000000,
                                      .below = Seconds(below)});
  if (!found) qFatal("%s", found.error().text().c_str());
  return *found;
}

class TestMeshSearch : public QObject {
  Q_OBJECT

 private slots:
  /// No admissible mesh is faster, and where none fits, none does. 500 problems agreed once.
  void agrees_with_plain_enumeration() {
    int without = 0, simulated = 0, admissible = 0;
    for (int seed = 0; seed < test::random_problems(); ++seed) {
      const Small small = drawn(static_cast<std::uint64_t>(seed) + 2900);
      const Best best = Enumeration(small).run();
      int above = 0;
      const Found found = found_by_search(small, &above);
      const std::string place = "seed " + std::to_string(seed);
      QVERIFY2(found.proven && found.left == 0, place.c_str());
      QVERIFY2(above == 0, place.c_str());
      QVERIFY2(found.simulated.empty() == (best.fitting == 0), place.c_str());
      admissible += best.admissible, simulated += static_cast<int>(found.work.simulations);
      if (best.fitting == 0) {
        ++without;
        QVERIFY2(found.least.has_value() == (best.admissible > 0), place.c_str());
        continue;
      }
      const double time = found.simulated.front().time.count;
      QVERIFY2(
          std::abs(time - best.time) <= 1e-9 * best.time,
          (place + ": search " + std::to_string(time) + ", enumeration " + std::to_string(best.time) + " " + best.mesh)
              .c_str());
      QVERIFY2(found.floor.count <= best.time, place.c_str());
    }
    QVERIFY(without < test::random_problems() / 2);
    QVERIFY(simulated * 5 < admissible);
  }

  /// Each mesh of the short list is the one that enumeration finds by the definition of its merit.
  void the_short_list_agrees_with_plain_enumeration() {
    int simpler = 0, smaller = 0, cheaper = 0;
    std::int64_t whole = 0, limited = 0;  // shardings bounded on a part of the nodes, without and with a limit
    for (int seed = 0; seed < test::random_problems(); ++seed) {
      Small small = drawn(static_cast<std::uint64_t>(seed) + 7300);
      const Best all = Enumeration(small).run();
      if (all.fitting == 0) continue;
      const std::string place = "seed " + std::to_string(seed);
      int above = 0;
      const Found found = found_by_search(small, &above, planner::mesh::near_share);
      QVERIFY2(found.proven && found.all_near && above == 0, place.c_str());
      const int part_devices = planner::mesh::devices_of_part(*small.base.cluster);
      Found part;
      double part_time = std::numeric_limits<double>::infinity();
      if (part_devices > 0) {
        part_time = Enumeration(small, part_devices).run().time;
        small.space.devices = part_devices;
        const double below = planner::mesh::time_of_cheaper(found, {small.devices}, {part_devices}).count;
        part = found_by_search(small, nullptr, 0, below);
        QVERIFY2(part.proven, place.c_str());
        if (part_time < below * (1 - 1e-9)) QCOMPARE(part.simulated.front().time.count, part_time);
        const Found all_of_part = found_by_search(small);
        whole += all_of_part.work.shardings, limited += part.work.shardings;
        small.space.devices = 0;
      }
      const auto list = planner::mesh::short_list(small.base, found, {small.devices}, part, {part_devices});

      // Plain loops over all meshes that fit.
      const double limit = all.time * (1 + planner::mesh::near_share);
      int least_complexity = 100;
      double least_needed = std::numeric_limits<double>::infinity();
      double fastest_needed = least_needed, simplest_time = least_needed;
      for (const Fitting& one : all.all) {
        if (one.time >= limit * (1 - 1e-9)) continue;
        least_complexity = std::min(least_complexity, one.complexity);
        least_needed = std::min(least_needed, one.needed);
      }
      for (const Fitting& one : all.all)
        if (one.complexity == least_complexity) simplest_time = std::min(simplest_time, one.time);
      fastest_needed = list.front().mesh.needed;
      const double saved = 1 - planner::mesh::least_saving;
      const bool part_cheapest = part_time * part_devices < saved * all.time * small.devices;

      std::map<Merit, int> merits;
      std::size_t listed = 0;
      for (const planner::mesh::Answer& one : list) {
        listed += !one.merits.empty();
        const double time = one.mesh.time.count;
        for (const Merit merit : one.merits) {
          ++merits[merit];
          const auto same = [&](double a, double b) { return std::abs(a - b) <= 1e-9 * b; };
          switch (merit) {
            case Merit::fastest:
              QVERIFY2(same(time, all.time) && !one.on_part, place.c_str());
              break;
            case Merit::simplest:
              QVERIFY2(
                  complexity_of(question_of(small.base, small.space, one.mesh.point)) == least_complexity &&
                      same(time, simplest_time),
                  (place + fmt::format(": complexity {}, {} against {}, {}", complexity(small.base, one.mesh.point),
                                       time, least_complexity, simplest_time))
                      .c_str());
              simpler += &one != &list.front();
              break;
            case Merit::least_memory:
              QVERIFY2(least_needed > saved * fastest_needed ? &one == &list.front()
                                                             : std::abs(one.mesh.needed - least_needed) <= 2,
                       (place + fmt::format(": {} against {}", one.mesh.needed, least_needed)).c_str());
              smaller += &one != &list.front();
              break;
            case Merit::cheapest:
              QVERIFY2(one.on_part == part_cheapest && same(time, part_cheapest ? part_time : all.time), place.c_str());
              cheaper += one.on_part;
              break;
          }
        }
      }
      QVERIFY2(merits.size() == merit_count && listed <= merit_count, place.c_str());
      for (const auto& [merit, count] : merits) QCOMPARE(count, 1);
    }
    QVERIFY2(simpler > 0 && smaller > 0 && cheaper > 0, fmt::format("{} {} {}", simpler, smaller, cheaper).c_str());
    QVERIFY2(limited < whole, fmt::format("{} of {}", limited, whole).c_str());
  }

  /// If meshes take equally long, the one with fewer dimensions comes first.
  void easier_ones_come_first() {
    Space space;
    mesh::Question base;
    base.config.layers = 4;
    Point plain, wide;
    wide.shard.context = 2;
    QVERIFY(difficulty(base, space, plain) < difficulty(base, space, wide));
    Point interleaved = plain;
    interleaved.pipeline = plain.pipeline = 2;
    interleaved.virtual_stages = 2;
    QVERIFY(difficulty(base, space, plain) < difficulty(base, space, interleaved));
    Point sharded = plain;
    sharded.sharding.level = 3;
    QVERIFY(difficulty(base, space, plain) < difficulty(base, space, sharded));
  }

  /// A search that ends early counts what it left.
  void limits_are_kept() {
    for (std::uint64_t seed = 2900; seed < 2930; ++seed) {
      const Small small = drawn(seed);
      auto costs = planner::mesh::Costs::of(small.base, small.space, small.rates);
      const planner::mesh::Simulate simulate = [&](const Point& point) -> Result<Seconds> {
        TRY(const auto step,
            sim::step::predict_step(planner::mesh::question_of(small.base, small.space, point), small.rates));
        return step.iteration;
      };
      const auto found = planner::mesh::search(small.base, small.space, *costs, simulate, {.simulations = 1});
      QVERIFY(found->work.simulations <= 1);
      if (!found->proven) QVERIFY(found->left > 0);
      std::stop_source stop;
      stop.request_stop();
      planner::mesh::SearchLimits limits;
      limits.check = [] { return Result<void>(fail(ErrorCode::cancelled, "stopped")); };
      QCOMPARE(planner::mesh::search(small.base, small.space, *costs, simulate, limits).error().code,
               ErrorCode::cancelled);
    }
  }
};

PIPEDECK_TEST(TestMeshSearch)

}  // namespace pipedeck::tst_mesh_search

#include "tst_mesh_search.moc"
