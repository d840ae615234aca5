// SPDX-License-Identifier: GPL-3.0-or-later
// Sliders' searches: answers, stale ones dropped, cancels; what is found taken into the project.
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "app/session/whatif/what_if_edits.hpp"
#include "app/session/whatif/what_if_study.hpp"
#include "core/presets/presets.hpp"
#include "core/study/whatif/scales.hpp"
#include "tests/app/session/session_fixture.hpp"
#include "tests/support/large_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_what_if_study {

session::whatif::StudyRequest bert() {
  session::whatif::StudyRequest question;
  question.problem.profile = std::make_shared<const Profile>(*presets::profile_preset("BERT-48"));
  question.problem.cluster = std::make_shared<const Cluster>(*presets::cluster_preset("dapple-a"));
  question.problem.workload.global_batch = 64;
  question.planners = study::default_planners(*question.problem.profile);
  return question;
}

/// Takes seconds at least.
session::whatif::StudyRequest large() {
  session::whatif::StudyRequest question;
  question.problem = pipedeck::test::large_problem(96, 512);
  question.planners = {{*planner::find_planner("joint"), {}}};
  return question;
}

WhatIf nodes(int count) {
  WhatIf change;
  change.nodes = count;
  return change;
}

#define WAIT(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, 120000)

class TestWhatIfStudy : public QObject {
  Q_OBJECT

 private slots:
  void today_then_now();
  void the_newest_change_counts();
  void better_with_more_and_back();
  void what_cannot_be_says_why();
  void the_job_can_be_cancelled();
  void another_question_starts_anew();
  void prices_change_what_it_costs();
  void front_and_purchases();
  void a_front_can_be_cancelled();
  void destroyed_while_it_works();
  void a_cluster_and_a_plan_are_added();
};

void TestWhatIfStudy::today_then_now() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  QVERIFY(study.current().final && study.current().best);
  QVERIFY(study.now().best->found.plan == study.current().best->found.plan);
  study.set_change(nodes(4));
  WAIT(study.now().final && study.now().change == nodes(4));
  QVERIFY(study.now().best->found.samples_per_second > study.current().best->found.samples_per_second);
  WAIT(!jobs.any_running());
  QCOMPARE(jobs.list().size(), std::size_t{2});
}

/// A burst is one job and ends with the answer to the last change; the others get no final answer.
void TestWhatIfStudy::the_newest_change_counts() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  std::vector<WhatIf> told;
  connect(&study, &session::whatif::WhatIfStudy::now_changed, &study, [&] {
    if (study.now().final) told.push_back(study.now().change);
  });
  for (int count = 3; count <= 12; ++count) study.set_change(nodes(count));
  WAIT(!study.searching());
  QVERIFY(study.now().final);
  QCOMPARE(study.now().change, nodes(12));
  QCOMPARE(study.now().problem->cluster->nodes.size(), std::size_t{12});
  for (const WhatIf& change : told) QVERIFY(change == nodes(12) || change == WhatIf());
  WAIT(!jobs.any_running());
  QCOMPARE(jobs.list().size(), std::size_t{2});
}

void TestWhatIfStudy::better_with_more_and_back() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  double before = study.now().best->found.samples_per_second;
  for (const double rate : {4e9, 6e9, 7e9, 9e9, 12e9, 25e9}) {
    WhatIf wider;
    wider.between = BytesPerSecond(rate);
    study.set_change(wider);
    WAIT(study.now().final && study.now().change == wider);
    QVERIFY(study.now().best->found.samples_per_second >= before);
    before = study.now().best->found.samples_per_second;
  }
  study.set_change({});
  WAIT(study.now().final && study.now().change == WhatIf());
  QCOMPARE(study.now().best->found.samples_per_second, study.current().best->found.samples_per_second);
}

void TestWhatIfStudy::what_cannot_be_says_why() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  WhatIf tiny;
  tiny.memory = Bytes(1 << 20);
  study.set_change(tiny);
  WAIT(study.now().final && study.now().change == tiny);
  QVERIFY(!study.now().best);
  QVERIFY(!study.now().failure_reason.isEmpty());
  WhatIf odd;
  odd.micro_batch = 7;
  study.set_change(odd);
  WAIT(study.now().final && study.now().change == odd);
  QVERIFY(!study.now().problem);
  QVERIFY(study.now().failure_reason.contains("7"));
}

void TestWhatIfStudy::the_job_can_be_cancelled() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.set_budget(600000);
  study.ask(large());
  QVERIFY(jobs.any_running());
  QTest::qWait(50);
  jobs.cancel(jobs.list().back().id);
  QVERIFY(!jobs.any_running());
  WAIT(!study.searching());
  QVERIFY(!study.current().final);
}

void TestWhatIfStudy::another_question_starts_anew() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.set_budget(600000);
  study.ask(large());
  study.set_change(nodes(3));
  study.ask(bert());
  QCOMPARE(study.change(), WhatIf());
  WAIT(!study.searching());
  QCOMPARE(study.current().problem->profile->name, std::string("BERT-48"));
  const int answers = study.current().final;
  study.ask(*study.question());
  QVERIFY(answers && !study.searching());
  study.forget();
  QVERIFY(!study.current().best && !study.question());
}

void TestWhatIfStudy::prices_change_what_it_costs() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  WhatIf dear;
  dear.prices["V100-16GB"] = 10;
  study.set_change(dear);
  WAIT(study.now().final && study.now().change == dear);
  QCOMPARE(*study.current().best->found.price_per_hour, 160.0);
  QCOMPARE(*study.now().best->found.price_per_hour, 160.0);
}

void TestWhatIfStudy::front_and_purchases() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.ask(bert());
  WAIT(!study.searching());
  QSignalSpy fronts(&study, &session::whatif::WhatIfStudy::front_changed),
      purchases(&study, &session::whatif::WhatIfStudy::purchases_changed);
  study.find_front();
  study.find_purchases();
  QVERIFY(study.finding_front() && study.finding_purchases());
  WAIT(!jobs.any_running());
  QVERIFY(study.front().complete && study.front().items.size() > 50);
  QVERIFY(fronts.count() > 5);  // points came one by one
  QVERIFY(study.purchases().complete && study.purchases().items.size() >= 7);
  QVERIFY(purchases.count() > 5);
  QCOMPARE(*study.front().of, study.change());
}

void TestWhatIfStudy::a_front_can_be_cancelled() {
  session::work::Jobs jobs;
  session::whatif::WhatIfStudy study(jobs);
  study.set_budget(1);
  study.ask(large());
  study.find_front();
  QTest::qWait(30);
  study.cancel_front();
  QVERIFY(!study.finding_front());
  const std::size_t there = study.front().items.size();
  QTest::qWait(100);
  QCOMPARE(study.front().items.size(), there);
  QVERIFY(!study.front().complete);
}

void TestWhatIfStudy::destroyed_while_it_works() {
  session::work::Jobs jobs;
  {
    session::whatif::WhatIfStudy study(jobs);
    study.ask(large());
    study.find_front();
    study.find_purchases();
    QTest::qWait(30);
  }
  QVERIFY(!jobs.any_running());
  auto owner = std::make_unique<session::work::Jobs>();
  session::whatif::WhatIfStudy longer(*owner);
  longer.ask(large());
  longer.find_front();
  QTest::qWait(30);
  owner.reset();  // as a window's session does
}

void TestWhatIfStudy::a_cluster_and_a_plan_are_added() {
  test::Recorded recorded;
  session::Session& session = recorded.session;
  session.choose_profile_preset("BERT-48");
  session.choose_cluster_preset("DAPPLE config A, 2 × 8 V100");
  session.set_global_batch(64);
  QVERIFY(session.problem());
  session::whatif::WhatIfStudy study(session.jobs());
  study.ask({*session.problem(), study::default_planners(*session.problem()->profile)});
  study.set_change(nodes(4));
  WAIT(study.now().final && study.now().change == nodes(4) && study.now().best);
  const PlanCandidate& found = study.now().best->found;

  const session::project::State before = session.state();
  const session::project::Added cluster = session::whatif::with_what_if_cluster(before, *found.cluster);
  QCOMPARE(cluster.state.clusters.size(), before.clusters.size() + 1);
  QCOMPARE(session::project::find_cluster(cluster.state, cluster.id)->cluster->nodes.size(), std::size_t{4});
  QVERIFY(session::whatif::with_what_if_cluster(cluster.state, *found.cluster).id == cluster.id);  // not twice
  const session::project::Added plan = session::whatif::with_found_plan(before, found);
  const std::size_t steps = session.undo_steps();
  QVERIFY(session.change("Keep plan", plan.state));
  QCOMPARE(session.undo_steps(), steps + 1);
  const session::project::PlanEntry* entry = session::project::find_plan(session.state(), plan.id);
  QVERIFY(entry && entry->edited && entry->feasible());
  QCOMPARE(entry->profile, before.question.profile);
  QVERIFY(session.state().question == before.question);
  const auto problem = session::project::make_problem(session.state(), *entry);
  const auto plan_result = session.plan_simulator().compute_result(*problem, *entry->plan);
  QVERIFY(plan_result);
  QCOMPARE((*plan_result)->simulation->samples_per_second, found.samples_per_second);
  session.undo();
  QVERIFY(session.state().plans == before.plans && session.state().clusters == before.clusters);
  // Nothing of today's cluster is added but the plan.
  const session::project::Added here = session::whatif::with_found_plan(before, study.current().best->found);
  QCOMPARE(here.state.clusters.size(), before.clusters.size());
}

PIPEDECK_TEST(TestWhatIfStudy)

}  // namespace pipedeck::tst_what_if_study

#include "tst_what_if_study.moc"
