// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/model/plan.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan {

class TestPlan : public QObject {
  Q_OBJECT

 private slots:
  void other_warmup_twice_is_the_plan() {
    Plan plan;
    plan.stages.resize(2);
    const auto other = with_alternate_warmup(plan);
    QVERIFY(other && other->warmup == Warmup::B);
    QVERIFY(with_alternate_warmup(*other) == plan);
  }

  void no_other_warmup_where_policies_make_no_difference() {
    Plan plan;
    plan.stages.resize(1);
    QVERIFY(!with_alternate_warmup(plan));
    plan.stages.resize(2);
    plan.schedule = ScheduleKind::gpipe;
    QVERIFY(!with_alternate_warmup(plan));
    plan.schedule = ScheduleKind::one_f_one_b;
    plan.warmup_counts = {2, 1};
    QVERIFY(!with_alternate_warmup(plan));
  }

  void longPipelinesHaveShortNames() {
    Plan plan;
    for (int s = 0; s < 16; ++s) {
      Stage stage;
      stage.first = s, stage.last = s + 1, stage.devices = {DeviceId(std::int32_t{s})};
      plan.stages.push_back(stage);
    }
    QCOMPARE(stage_shape_text(plan), "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1 \u00b7 1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1");
    plan.stages.push_back(plan.stages.back());
    plan.stages.back().last += 2;
    QCOMPARE(stage_shape_text(plan), "17 \u00d7 1 \u00b7 16 \u00d7 1:3");
  }
};

PIPEDECK_TEST(TestPlan)

}  // namespace pipedeck::tst_plan

#include "tst_plan.moc"
