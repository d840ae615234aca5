// SPDX-License-Identifier: GPL-3.0-or-later
// A plan on 16,384 devices is explained in the background. Its content for the inspector costs the window's thread
// milliseconds and little memory.
#include <time.h>

#include <QFile>
#include <QTest>

#include "app/models/compare/inspector_content.hpp"
#include "app/session/cluster/bandwidths.hpp"
#include "core/study/plan_simulator.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_large_plan {

constexpr int devices = 16'384;

/// Returns milliseconds of processor time of this thread.
double own_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Returns a figure of /proc/self/status in KiB; 0 if it is unknown.
qint64 memory(const char* key) {
  QFile status(QStringLiteral("/proc/self/status"));
  if (!status.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : status.readAll().split('\n'))
    if (line.startsWith(key)) return line.simplified().split(' ').value(1).toLongLong();
  return 0;
}

/// Makes the highest use of memory count from now on. Returns false if the system cannot.
bool forget_highest_memory() {
  QFile file(QStringLiteral("/proc/self/clear_refs"));
  return file.open(QIODevice::WriteOnly) && file.write("5") == 1 && file.flush();
}

Plan plan_on_all(const Problem& problem, int stages) {
  Plan plan;
  plan.name = "large";
  plan.planner = "hand";
  const int each = devices / stages, layers = static_cast<int>(problem.profile->layers.size());
  plan.micro_batch = each;
  plan.micro_batches = 4;
  plan.global_batch = 4 * each;
  for (int s = 0; s < stages; ++s) {
    Stage stage;
    stage.first = s * layers / stages;
    stage.last = (s + 1) * layers / stages;
    for (int d = 0; d < each; ++d) stage.devices.emplace_back(s * each + d);
    plan.stages.push_back(stage);
  }
  return plan;
}

class TestLargePlan : public QObject {
  Q_OBJECT

 private slots:
  void a_plan_on_all_devices_is_shown_in_milliseconds_data() {
    QTest::addColumn<int>("stages");
    QTest::newRow("data parallel") << 1;
    QTest::newRow("2 stages") << 2;
    QTest::newRow("32 stages") << 32;
  }

  void a_plan_on_all_devices_is_shown_in_milliseconds() {
    QFETCH(int, stages);
    const Problem problem = test::large_problem(64, devices);
    const Plan plan = plan_on_all(problem, stages);
    study::PlanSimulator plan_simulator;
    QVERIFY(plan_simulator.preview(problem, plan));  // in the background of a window
    const bool measured = forget_highest_memory();
    const qint64 memory_before = memory("VmRSS:");
    const double begin = own_time();
    models::compare::PlanRow row;
    row.plan = plan;
    const auto plan_result = plan_simulator.find(problem, plan);
    row.simulation = plan_result->simulation;
    row.reasons = plan_result->reasons;
    const models::compare::InspectorContent content = models::compare::inspector_content(row);
    const double spent = own_time() - begin;
    QVERIFY(std::ranges::any_of(content.why, [](const QString& line) { return line.contains("16384 devices"); }));
    qInfo("content in %.2f ms", spent);
    QVERIFY2(spent < 50, qPrintable(QString::number(spent)));
    if (!measured || memory_before == 0) QSKIP("the highest use of memory is unknown here");
    const qint64 added = memory("VmHWM:") - memory_before;
    qInfo("at most %lld KiB more", static_cast<long long>(added));
    QVERIFY(added < 16 * 1024);  // a table of all pairs takes 2 GiB
  }

  void a_large_cluster_has_no_table_of_bandwidths() {
    const Problem problem = test::large_problem(8, devices);
    const double begin = own_time();
    QVERIFY(session::cluster::bandwidths_of(*problem.cluster).rows.empty());
    QVERIFY(own_time() - begin < 50);
  }
};

PIPEDECK_TEST(TestLargePlan)

}  // namespace pipedeck::tst_large_plan

#include "tst_large_plan.moc"
