// SPDX-License-Identifier: Apache-2.0
// The papers' results, on the profiles measured for them.
#include <QtTest/QTest>

#include "core/io/importers.hpp"
#include "core/planner/planner.hpp"
#include "core/sim/simulate.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_papers {

/// V100-16GB with 130 GB/s inside a server.
Cluster servers(int nodes, int devices, double gb_per_s) {
  return test::servers(nodes, devices, Bytes(std::int64_t{16} << 30), gigabytes_per_second(gb_per_s));
}

/// DAPPLE, table III.
Cluster config(const QString& name) {
  return name == "A" ? servers(2, 8, 3.125) : servers(16, 1, name == "B" ? 3.125 : 1.25);
}

Result<Problem> make_problem(const std::string& file, int micro_batch, const Cluster& cluster, int global_batch) {
  auto profile = io::read_profile(test::shared_data() + file, {.profile_micro_batch = micro_batch});
  if (!profile) return tl::unexpected(profile.error());
  profile->device = "V100-16GB";
  Problem problem{std::make_shared<const Profile>(std::move(*profile)), std::make_shared<const Cluster>(cluster), {}};
  problem.workload.global_batch = global_batch;
  return problem;
}

Result<planner::Ranking> answer(const std::string& planner, const Problem& problem,
                                const planner::PlannerOptions& options, int top = 1) {
  auto simulator = sim::Simulator::of(problem.profile, problem.cluster, problem.workload.conventions);
  if (!simulator) return tl::unexpected(simulator.error());
  planner::PlannerContext context;
  context.top = top;
  context.score = sim::score_of(*simulator);
  return planner::run_planner(**planner::find_planner(planner), problem, options, context);
}

QString devices_a_stage(const Plan& plan) {
  QStringList counts;
  for (const Stage& stage : plan.stages) counts << QString::number(stage.devices.size());
  return counts.join(":");
}

const QString straight = "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1";

class TestPapers : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase();
  void dapple_table_5_data();
  void dapple_table_5();
  void pipedream_vgg16();
  void all_planners_answer_bert();
};

void TestPapers::initTestCase() {
  if (test::shared_data().empty()) QSKIP("the measured profiles are not here");
}

void TestPapers::dapple_table_5_data() {
  QTest::addColumn<QString>("file");
  QTest::addColumn<int>("micro_batch");
  QTest::addColumn<int>("global_batch");
  QTest::addColumn<QString>("where");
  QTest::addColumn<QStringList>("expected");   // empty: at least as fast as with the micro-batch below
  QTest::addColumn<int>("paper_micro_batch");  // of table V's plan
  const QString bert = "/dapple/bert-48-pbs-2.txt", gnmt = "/dapple/gnmt-16-pbs-64.txt",
                vgg = "/dapple/vgg-19-pbs-32.txt";
  QTest::addRow("BERT-48, A") << bert << 2 << 64 << "A" << QStringList{"8:8"} << 16;
  QTest::addRow("BERT-48, B") << bert << 2 << 64 << "B" << QStringList{straight} << 2;
  QTest::addRow("BERT-48, C") << bert << 2 << 64 << "C" << QStringList{straight} << 2;
  QTest::addRow("GNMT-16, A") << gnmt << 64 << 1024 << "A" << QStringList{"8:8"} << 512;
  QTest::addRow("GNMT-16, B") << gnmt << 64 << 1024 << "B" << QStringList{} << 512;
  QTest::addRow("GNMT-16, C") << gnmt << 64 << 1024 << "C" << QStringList{} << 64;
  QTest::addRow("VGG-19, A") << vgg << 32 << 2048 << "A" << QStringList{"16"} << 2048;
  QTest::addRow("VGG-19, B") << vgg << 32 << 2048 << "B" << QStringList{"16"} << 2048;
  QTest::addRow("VGG-19, C") << vgg << 32 << 2048 << "C" << QStringList{"15:1"} << 512;
}

void TestPapers::dapple_table_5() {
  QFETCH(QString, file);
  QFETCH(int, micro_batch);
  QFETCH(int, global_batch);
  QFETCH(QString, where);
  QFETCH(QStringList, expected);
  auto problem = make_problem(file.toStdString(), micro_batch, config(where), global_batch);
  QVERIFY2(problem.has_value(), problem ? "" : problem.error().text().c_str());
  // The paper overlaps all-reduces of data parallelism only.
  if (!file.contains("vgg")) problem->workload.conventions.overlap = Overlap::none;
  const auto ranking = answer("dapple", *problem, {}, 3);
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  QVERIFY2(!ranking->plans.empty(), ranking->infeasible ? ranking->infeasible->reason.c_str() : "");
  const sim::Simulator simulator =
      *sim::Simulator::of(problem->profile, problem->cluster, problem->workload.conventions);
  for (const Plan& plan : ranking->plans)
    qInfo("%s, micro-batch %d, warm-up %s: L_max %.3f ms, simulated %.3f ms", stage_shape_text(plan).c_str(),
          plan.micro_batch, std::string(name_of(plan.warmup)).c_str(), in_milliseconds(*plan.objective->time),
          in_milliseconds(*simulator.iteration_time(plan)));
  if (!expected.isEmpty())
    QVERIFY2(expected.contains(devices_a_stage(ranking->plans[0])), qPrintable(devices_a_stage(ranking->plans[0])));

  // Its own answer is no slower than its answer with the micro-batch of Table V's plan.
  QFETCH(int, paper_micro_batch);
  Problem fixed = *problem;
  fixed.workload.micro_batch = paper_micro_batch;
  const auto paper = answer("dapple", fixed, {});
  QVERIFY(paper.has_value() && !paper->plans.empty());
  qInfo("with micro-batch %d: %s, simulated %.3f ms", paper_micro_batch, stage_shape_text(paper->plans[0]).c_str(),
        in_milliseconds(*simulator.iteration_time(paper->plans[0])));
  QVERIFY(*simulator.iteration_time(ranking->plans[0]) <= *simulator.iteration_time(paper->plans[0]));
}

/// PipeDream, table 1: 15-1, the convolutions on 15; 44.159 ms with the synchronisation term of the text.
void TestPapers::pipedream_vgg16() {
  Cluster flat = servers(16, 1, 1.25);
  const auto problem = make_problem("/pipedream/vgg16.graph.txt", 128, flat, 128 * 16);
  QVERIFY2(problem.has_value(), problem ? "" : problem.error().text().c_str());
  const auto text = answer("pipedream", *problem, {{"ignore-memory", "true"}});
  QVERIFY2(text.has_value(), text ? "" : text.error().text().c_str());
  QCOMPARE(devices_a_stage(text->plans[0]), QString("15:1"));
  QCOMPARE(QString::number(in_milliseconds(*text->plans[0].objective->time), 'f', 3), QString("44.159"));
  const auto printed = answer("pipedream", *problem, {{"ignore-memory", "true"}, {"printed-objective", "true"}});
  QVERIFY2(printed.has_value(), printed ? "" : printed.error().text().c_str());
  QCOMPARE(QString::number(in_milliseconds(*printed->plans[0].objective->time), 'f', 1), QString("82.2"));
}

void TestPapers::all_planners_answer_bert() {
  const auto problem = make_problem("/dapple/bert-48-pbs-2.txt", 2, config("A"), 64);
  QVERIFY(problem.has_value());
  for (const planner::PlannerInfo& planner : planner::planners()) {
    if (planner.of_transformers) continue;
    const auto ranking = answer(planner.name, *problem, {});
    QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
    if (ranking->infeasible)
      qInfo("%s: %s; %s", planner.name.c_str(), ranking->infeasible->reason.c_str(),
            ranking->infeasible->relaxation.c_str());
    else
      qInfo("%s: %s, micro-batch %d", planner.name.c_str(), stage_shape_text(ranking->plans[0]).c_str(),
            ranking->plans[0].micro_batch);
  }
}

PIPEDECK_TEST(TestPapers)

}  // namespace pipedeck::tst_papers

#include "tst_papers.moc"
