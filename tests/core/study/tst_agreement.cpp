// SPDX-License-Identifier: Apache-2.0
// Plans that are one plan although their planners write them differently.
#include <QTest>

#include "core/plan/agreement.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/random_plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_agreement {

Plan two_stages(std::vector<int> first, std::vector<int> second) {
  Plan plan;
  plan.name = "a";
  plan.planner = "dapple";
  plan.global_batch = 16;
  plan.micro_batch = 2;
  plan.micro_batches = 8;
  for (const auto& devices : {first, second}) {
    Stage stage;
    stage.first = plan.stages.empty() ? 0 : 4;
    stage.last = plan.stages.empty() ? 4 : 8;
    for (const int device : devices) stage.devices.emplace_back(device);
    plan.stages.push_back(stage);
  }
  return plan;
}

class TestAgreement : public QObject {
  Q_OBJECT

 private:
  Problem problem_;

  bool agree(const Plan& a, const Plan& b) const {
    const auto simulator = sim::Simulator::of(problem_.profile, problem_.cluster, {}).value();
    return plan::agree(a, simulator.run(a).value(), b, simulator.run(b).value());
  }

 private slots:
  void initTestCase() {
    Profile profile = test::uniform_profile(8, milliseconds(1), milliseconds(2));
    for (Layer& layer : profile.layers) layer.parameters = Bytes(100'000'000);
    problem_.profile = std::make_shared<const Profile>(std::move(profile));
    problem_.cluster = std::make_shared<const Cluster>(test::servers(2, 2));
  }

  void names_and_alike_devices_make_no_other_plan() {
    const Plan plan = two_stages({0, 1}, {2, 3});
    Plan other = two_stages({2, 3}, {1, 0});
    other.name = "b", other.planner = "megatron";
    QVERIFY(agree(plan, plan));
    QVERIFY(agree(plan, other));
    QVERIFY(!agree(plan, two_stages({0, 2}, {1, 3})));  // all-reduces between the nodes
  }

  void what_changes_the_training_makes_another_plan() {
    const Plan plan = two_stages({0, 1}, {2, 3});
    const auto differs = [&](auto change) {
      Plan other = plan;
      change(other);
      return !agree(plan, other);
    };
    QVERIFY(differs([](Plan& p) { p.stages[0].last = p.stages[1].first = 3; }));
    QVERIFY(differs([](Plan& p) { p.stages[0].recompute.all = true; }));
    QVERIFY(differs([](Plan& p) { p.micro_batch = 4, p.micro_batches = 4; }));
    QVERIFY(differs([](Plan& p) { p.zero = 1; }));
    QVERIFY(differs([](Plan& p) { p.schedule = ScheduleKind::gpipe; }));
  }

  void a_single_stage_has_one_schedule() {
    Plan one;
    one.global_batch = one.micro_batch = 4;
    Stage all;
    all.last = 8;
    for (int i = 0; i < 4; ++i) all.devices.emplace_back(i);
    one.stages = {all};
    Plan other = one;
    other.schedule = ScheduleKind::gpipe;
    other.warmup = Warmup::B;
    QVERIFY(agree(one, other));
  }
};

PIPEDECK_TEST(TestAgreement)

}  // namespace pipedeck::tst_agreement

#include "tst_agreement.moc"
