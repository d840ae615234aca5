// SPDX-License-Identifier: Apache-2.0
// The memory of recomputation against closed forms and against a count from the definition: by block, every block keeps
// its input, and one block at a time is whole; by stage, a run keeps one input, and is whole at once.
#include <QTest>

#include <algorithm>
#include <map>
#include <set>

#include "core/cost/memory.hpp"
#include "core/plan/cuts.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_recompute {

constexpr std::int64_t mb = 1'000'000;

/// Equal layers that save 100 MB and hand on 1 MB.
Profile equal_layers(int layers) {
  Profile profile = test::uniform_profile(layers, milliseconds(1), milliseconds(2));
  for (Layer& layer : profile.layers) layer.saved = Bytes(100 * mb), layer.output = Bytes(mb);
  return profile;
}

/// One device a stage, as many layers each.
Plan even_plan(int layers, int stages, int micro_batches, Recompute recompute) {
  Plan plan = test::straight_plan(stages, micro_batches);
  for (int s = 0; s < stages; ++s) {
    Stage& stage = plan.stages[static_cast<std::size_t>(s)];
    stage.first = layers * s / stages, stage.last = layers * (s + 1) / stages;
    stage.recompute = recompute;
  }
  return plan;
}

Simulation run(const Profile& profile, const Plan& plan, Bytes memory = Bytes(std::int64_t{1} << 50)) {
  Cluster cluster = test::flat_cluster(static_cast<int>(plan.stages.size()));
  cluster.device_types[0].memory = memory;
  return sim::simulate({std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}}, plan)
      .value();
}

std::int64_t activations(const SimulatedDevice& device) { return device.peak_breakdown[MemoryItem::activations].count; }

/// Bytes kept before the recompute, and from it on, layer by layer from the definition.
cost::SavedBytes by_definition(const Profile& profile, const std::vector<LayerId>& order, const Stage& stage) {
  const std::vector<Bytes> cuts = plan::boundary_bytes(profile, order);
  std::map<LayerId, std::vector<Edge>> into;
  for (const Edge& edge : edges_of(profile)) into[edge.to].push_back(edge);
  std::set<std::pair<LayerId, int>> kept;  // outputs of a graph
  std::int64_t before = 0, all = 0, most = 0, run = 0, runs = 0, run_input = 0;
  const auto outputs = [&](LayerId layer, const auto& visit) {
    for (const Edge& edge : into[layer]) {
      const Layer& from = profile.layers[edge.from.index()];
      for (std::size_t k = 0; k < std::max<std::size_t>(1, from.outputs.size()); ++k)
        if (from.outputs.empty() || !edge.output || *edge.output == static_cast<int>(k))
          visit(edge.from, static_cast<int>(k), from.outputs.empty() ? from.output.count : from.outputs[k].count);
    }
  };
  for (int p = stage.first; p < stage.last; ++p) {
    const LayerId id = order[static_cast<std::size_t>(p)];
    const Layer& layer = profile.layers[id.index()];
    all += layer.saved.count;
    const bool chosen = stage.recompute.all || std::ranges::count(stage.recompute.layers, LayerId(std::int32_t{p})) > 0;
    if (!chosen) {
      before += layer.saved.count, run = 0;
      continue;
    }
    if (stage.recompute.each == RecomputeUnit::stage) {
      if (run++ == 0) run_input = cuts[static_cast<std::size_t>(p)].count, before += run_input, runs -= run_input;
      runs += layer.saved.count;
      continue;
    }
    std::set<std::pair<LayerId, int>> own;
    std::int64_t input = 0;
    outputs(id, [&](LayerId from, int k, std::int64_t bytes) {
      if (own.emplace(from, k).second) input += bytes;
      if (kept.emplace(from, k).second) before += bytes;
    });
    most = std::max(most, layer.saved.count - input);
  }
  const std::int64_t again = stage.recompute.each == RecomputeUnit::stage ? runs : most;
  return {Bytes(before), Bytes(before + std::max<std::int64_t>(0, again)), Bytes(all)};
}

class TestRecompute : public QObject {
  Q_OBJECT

 private slots:
  void equal_layers_on_one_device() {
    const Profile profile = equal_layers(24);
    const auto peak = [&](Recompute recompute) {
      return activations(run(profile, even_plan(24, 1, 3, std::move(recompute))).devices[0]);
    };
    QCOMPARE(peak({}), 2400 * mb);
    QCOMPARE(peak({true}), 23 * mb + 100 * mb);  // the first layer has no input
    QCOMPARE(peak({true, {}, RecomputeUnit::stage}), 2400 * mb);
    std::vector<LayerId> second;
    for (int p = 0; p < 24; p += 2) second.push_back(LayerId(std::int32_t{p}));
    QCOMPARE(peak({false, second}), 1200 * mb + 11 * mb + 100 * mb);
  }

  /// 1F1B: stage i holds S - i micro-batches, each with the inputs of its blocks, and one block whole.
  void stages_hold_inputs_and_one_block() {
    for (const int S : {2, 3, 4})
      for (const int M : {1, 4, 9}) {
        const int each = 6;
        const Simulation simulation =
            run(equal_layers(each * S), even_plan(each * S, S, M, {true, {}, RecomputeUnit::block}));
        for (int i = 0; i < S; ++i) {
          const std::int64_t inputs = i == 0 ? each - 1 : each, restored = i == 0 ? 100 : 99;
          QCOMPARE(activations(simulation.devices[static_cast<std::size_t>(i)]),
                   (std::min(M, S - i) * inputs + restored) * mb);
          QVERIFY(simulation.devices[static_cast<std::size_t>(i)].peak_upper_bound >=
                  simulation.devices[static_cast<std::size_t>(i)].peak);
        }
      }
  }

  void a_stage_of_one_block_is_the_same_either_way() {
    test::Random random(7);
    for (int trial = 0; trial < 50; ++trial) {
      const int S = random.integer(1, 4), M = random.integer(1, 6);
      Profile profile = test::uniform_profile(S, milliseconds(1), milliseconds(2));
      for (Layer& layer : profile.layers)
        layer.saved = Bytes(random.integer(0, 900)), layer.output = Bytes(random.integer(0, 300));
      const Simulation block = run(profile, even_plan(S, S, M, {true})),
                       stage = run(profile, even_plan(S, S, M, {true, {}, RecomputeUnit::stage}));
      QVERIFY(block == stage);
    }
  }

  /// A block of several layers is whole at once.
  void layers_of_one_name_are_one_block() {
    Profile profile = equal_layers(6);
    for (std::size_t i = 0; i < 6; ++i)
      profile.layers[i].name = "block_" + std::to_string(i / 2) + (i % 2 ? ".experts" : ".attention");
    const Simulation simulation = run(profile, even_plan(6, 1, 2, {true}));
    QCOMPARE(activations(simulation.devices[0]), (2 + 200) * mb);
  }

  /// Weight gradients that wait need every block: their memory is that of all layers.
  void split_backwards_hold_all_blocks() {
    Plan plan = even_plan(8, 2, 6, {true});
    plan.schedule = ScheduleKind::zb_h1;
    const Simulation simulation = run(equal_layers(8), plan);
    for (const SimulatedDevice& device : simulation.devices) QVERIFY(device.peak.count >= 400 * mb);
  }

  void saved_bytes_are_those_of_the_definition() {
    test::Random random(11);
    for (int trial = 0; trial < 400; ++trial) {
      test::RandomProblem shape;
      shape.layers = random.integer(2, 9);
      shape.graph = trial % 2 == 1;
      Profile profile = *test::random_problem(random, shape).profile;
      for (Layer& layer : profile.layers) layer.saved = Bytes(random.integer(0, 1'000'000));
      const std::vector<LayerId> order = topological_order(profile);
      Plan plan = test::straight_plan(1, 1);
      if (!profile.is_chain()) plan.order = order;
      Stage& stage = plan.stages[0];
      stage.first = random.integer(0, shape.layers - 1), stage.last = random.integer(stage.first + 1, shape.layers);
      stage.recompute.each = random.integer(0, 1) ? RecomputeUnit::block : RecomputeUnit::stage;
      stage.recompute.all = random.integer(0, 1);
      for (int p = stage.first; p < stage.last && !stage.recompute.all; ++p)
        if (random.integer(0, 1)) stage.recompute.layers.push_back(LayerId(std::int32_t{p}));
      const cost::SavedBytes found =
          cost::stage_saved_bytes(plan, profile, order, plan::boundary_bytes(profile, order), StageId(0));
      const cost::SavedBytes expected = stage.recompute.any() ? by_definition(profile, order, stage)
                                                              : cost::SavedBytes{found.all, found.all, found.all};
      QCOMPARE(found.all.count, expected.all.count);
      QCOMPARE(found.before.count, expected.before.count);
      QCOMPARE(found.full.count, expected.full.count);
    }
  }

  /// Memory shortens no warm-up: the plan takes as long, and does not fit.
  void memory_shortens_no_warmup() {
    const Profile profile = equal_layers(4);
    const Plan plan = even_plan(4, 4, 8, {});
    const Simulation roomy = run(profile, plan), tight = run(profile, plan, Bytes(250 * mb));
    QVERIFY(roomy.fits && !tight.fits);
    QCOMPARE(tight.iteration.count, roomy.iteration.count);
    QCOMPARE(tight.devices[0].peak.count, roomy.devices[0].peak.count);
    Plan shortened = plan;
    shortened.warmup_counts = std::vector<int>{2, 2, 2, 1};
    const Simulation shorter = run(profile, shortened, Bytes(250 * mb));
    QVERIFY(shorter.fits);
    QVERIFY(shorter.iteration > roomy.iteration);
  }
};

PIPEDECK_TEST(TestRecompute)

}  // namespace pipedeck::tst_recompute

#include "tst_recompute.moc"
