// SPDX-License-Identifier: Apache-2.0
// Statistics that a few disturbed measurements do not move.
#include <QTest>

#include <cmath>

#include "core/base/random.hpp"
#include "core/model/step_times.hpp"
#include "core/runtime/machine/robust.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_robust {

class TestRobust : public QObject {
  Q_OBJECT
 private slots:
  void quartiles_are_those_of_the_values();
  void outliers_are_left_out();
  void the_error_falls_with_the_root_of_the_repetitions();
  void a_line_survives_disturbed_points();
  void a_line_is_never_negative();
  void steps_are_told_by_their_median();
};

void TestRobust::quartiles_are_those_of_the_values() {
  const runtime::machine::RobustSummary summary = runtime::machine::summary_of({5, 1, 4, 2, 3});
  QCOMPARE(summary.median, 3.0);
  QCOMPARE(summary.lower, 2.0);
  QCOMPARE(summary.upper, 4.0);
  QCOMPARE(summary.kept, 5);
  QCOMPARE(runtime::machine::summary_of({2, 1}).median, 1.5);
  QCOMPARE(runtime::machine::summary_of({7}).error, 0.0);
}

void TestRobust::outliers_are_left_out() {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(100 + i % 5);
  values.insert(values.end(), {900, 1000, 5000});
  const runtime::machine::RobustSummary summary = runtime::machine::summary_of(values);
  QCOMPARE(summary.outliers, 3);
  QCOMPARE(summary.kept, 40);
  QCOMPARE(summary.median, 102.0);
  QVERIFY(summary.upper <= 104);
  // Where most are alike, what differs is not known to be disturbed.
  QCOMPARE(runtime::machine::summary_of({1, 1, 1, 1, 9}).outliers, 0);
}

void TestRobust::the_error_falls_with_the_root_of_the_repetitions() {
  Random random(7);
  const auto error_of = [&](int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(10 + random.normal());
    return runtime::machine::summary_of(values).error;
  };
  const double of_100 = error_of(100), of_10000 = error_of(10000);
  QVERIFY2(of_10000 > 0.011 && of_10000 < 0.0142, qPrintable(QString::number(of_10000)));  // 1.2533 / 100
  QVERIFY2(of_100 / of_10000 > 7 && of_100 / of_10000 < 14, qPrintable(QString::number(of_100 / of_10000)));
}

void TestRobust::a_line_survives_disturbed_points() {
  std::vector<double> x, y;
  for (int i = 0; i < 12; ++i) {
    x.push_back(std::pow(4.0, i));
    y.push_back(20 + 0.5 * x.back());
  }
  y[10] *= 3;
  y[2] += 40;
  const runtime::machine::FittedLine line = runtime::machine::line_through(x, y);
  QVERIFY2(std::abs(line.slope - 0.5) < 0.01, qPrintable(QString::number(line.slope)));
  QVERIFY2(std::abs(line.at_zero - 20) < 1, qPrintable(QString::number(line.at_zero)));
}

void TestRobust::a_line_is_never_negative() {
  const runtime::machine::FittedLine falling = runtime::machine::line_through({1, 2, 3}, {3, 2, 1});
  QCOMPARE(falling.slope, 0.0);
  QVERIFY(falling.at_zero > 0);
  QCOMPARE(runtime::machine::line_through({1, 2}, {0.5, 2}).at_zero, 0.0);
}

/// The first step allocates its memory, and one disturbed step has no information on the others.
void TestRobust::steps_are_told_by_their_median() {
  std::vector<RunEvent> events;
  const auto add = [&](double seconds) {
    StepDone step;
    step.duration = Seconds(seconds);
    events.push_back(step);
  };
  QVERIFY(!median_step(events));
  add(50);
  events.push_back(RunStarted());
  QVERIFY(!median_step(events));
  for (const double seconds : {1.0, 9.0, 2.0}) add(seconds);
  QCOMPARE(median_step(events), Seconds(2));
  add(3.0);
  QCOMPARE(median_step(events), Seconds(2.5));
}

PIPEDECK_TEST(TestRobust)

}  // namespace pipedeck::tst_robust

#include "tst_robust.moc"
