// SPDX-License-Identifier: GPL-3.0-or-later
// A job of another engine, dropped on a project: its model's profile, a plan for the project's cluster, and what it
// assumes.
#include <QTest>

#include "app/session/project/import.hpp"
#include "app/session/project/state.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_job_import {

using namespace session::project;

std::string fixture(const char* name) { return test::source_dir() + "/tests/fixtures/jobs/" + name; }

class TestJobImport : public QObject {
  Q_OBJECT

 private slots:
  void a_job_becomes_profile_and_plan() {
    const auto with_cluster = with_cluster_preset(State(), "8x8-h100-sxm");
    QVERIFY(with_cluster);
    const auto imported = import_file(*with_cluster, fixture("llama-70b.sh"), {});
    QVERIFY2(imported, imported ? "" : imported.error().text().c_str());
    const PlanEntry* entry = find_plan(imported->state, imported->state.selected_plan);
    QVERIFY(entry);
    const Plan& plan = *entry->plan;
    QCOMPARE(degrees_text(plan), std::string("TP 8 · PP 4 × 4 · DP 2 · ZeRO-1"));
    QCOMPARE(find_profile(imported->state, entry->profile)->profile->name, plan.profile);
    QCOMPARE(imported->state.question.workload.global_batch, 128);
    QVERIFY(imported->warning.contains("--moe-router-padding-for-fp8"));
    QVERIFY(imported->warning.endsWith("left out 1"));
  }

  void what_is_missing_is_named() {
    const auto alone = import_file(State(), fixture("llama-70b.sh"), {});
    QVERIFY(!alone);
    QVERIFY2(alone.error().message.find("expected a cluster") != std::string::npos, alone.error().message.c_str());
    const auto state = with_cluster_preset(State(), "8x8-h100-sxm");
    const auto without_model = import_file(*state, fixture("zero3.ds_config.json"), {});
    QVERIFY(!without_model);
    QVERIFY(without_model.error().message.find("--profile P") != std::string::npos);
  }
};

PIPEDECK_TEST(TestJobImport)

}  // namespace pipedeck::tst_job_import

#include "tst_job_import.moc"
