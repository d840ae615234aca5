// SPDX-License-Identifier: Apache-2.0
// The room that planners leave for a stage that recomputes, against the simulator's bytes of the same stage.
#include <QTest>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/plan/cuts.hpp"
#include "core/planner/search/chain.hpp"
#include "core/planner/search/memory_fit.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_recompute_room {

class TestRecomputeRoom : public QObject {
  Q_OBJECT

 private slots:
  void it_is_never_less_than_the_simulators() {
    test::Random random(3);
    int exact = 0, of_stages = 0;
    for (int trial = 0; trial < 300; ++trial) {
      test::RandomProblem shape;
      shape.layers = random.integer(2, 12);
      shape.graph = trial % 3 == 0;
      shape.micro_batch = random.integer(1, 4);
      Problem problem = test::random_problem(random, shape);
      Profile profile = *problem.profile;
      const int scale = random.integer(0, 1) ? 100'000 : 1'000'000'000;
      for (std::size_t i = 0; i < profile.layers.size(); ++i) {
        profile.layers[i].saved = Bytes(random.integer(0, scale));
        if (random.integer(0, 1)) profile.layers[i].name = "block_" + std::to_string(i / 3) + "." + std::to_string(i);
      }
      problem.profile = std::make_shared<const Profile>(profile);
      auto chain = *planner::search::Chain::of(problem);
      Plan plan = test::straight_plan(1, 1);
      plan.order = chain.order();
      Stage& stage = plan.stages[0];
      stage.recompute = chain.recompute(true);
      of_stages += stage.recompute.each == RecomputeUnit::stage;
      for (stage.first = 0; stage.first < shape.layers; ++stage.first)
        for (stage.last = stage.first + 1; stage.last <= shape.layers; ++stage.last) {
          const cost::SavedBytes saved = cost::stage_saved_bytes(
              plan, profile, chain.order(), plan::boundary_bytes(profile, chain.order()), StageId(0));
          const int samples = random.integer(1, 5);
          const auto scaled = [&](Bytes bytes) { return cost::scale_bytes(bytes, samples, profile.micro_batch); };
          const Bytes kept = chain.kept_inputs(stage.first, stage.last, samples);
          QVERIFY(kept >= scaled(saved.before));
          QVERIFY(chain.restored(stage.first, stage.last, samples) >= scaled(saved.full) - scaled(saved.before));
          exact += kept == scaled(saved.before);
        }
    }
    QVERIFY(exact > 1000);
    QVERIFY2(of_stages > 5 && of_stages < 295, std::to_string(of_stages).c_str());
  }

  /// A warm-up that memory shortens: DAPPLE and joint name it, the others recompute.
  void a_short_warmup_is_named_or_recomputed() {
    Profile profile = test::uniform_profile(4, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.saved = Bytes(1000), layer.output = Bytes(10);
    Cluster cluster = test::flat_cluster(4);
    cluster.device_types[0].memory = Bytes(2500);
    const Problem problem{std::make_shared<const Profile>(profile), std::make_shared<const Cluster>(cluster), {}};
    auto chain = *planner::search::Chain::of(problem);
    Plan plan = test::straight_plan(4, 8);
    using planner::search::WhenShort;
    Plan shorter = plan, again = plan, any = plan;
    QVERIFY(planner::search::set_warmup(chain, shorter, Warmup::A, WhenShort::shorten));
    QVERIFY(shorter.warmup_counts && shorter.warmup_counts->front() < 4);
    QVERIFY(!shorter.stages[0].recompute.any());
    QVERIFY(planner::search::set_warmup(chain, again, Warmup::A, WhenShort::recompute));
    QVERIFY(!again.warmup_counts);
    for (const Stage& stage : again.stages) QVERIFY(stage.recompute.all);
    QVERIFY(planner::search::set_warmup(chain, any, Warmup::B, WhenShort::ignore_memory));
    QVERIFY(!any.warmup_counts && !any.stages[0].recompute.any());
  }
};

PIPEDECK_TEST(TestRecomputeRoom)

}  // namespace pipedeck::tst_recompute_room

#include "tst_recompute_room.moc"
