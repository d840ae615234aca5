// SPDX-License-Identifier: GPL-3.0-or-later
// Several plans edited at once, and plans as text between projects.
#include "app/session/plans/clipboard.hpp"
#include "app/session/project/content.hpp"
#include "core/io/documents/formats.hpp"
#include "tests/app/session/session_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plans_together {

using namespace pipedeck::test;

class TestPlansTogether : public QObject {
  Q_OBJECT

 private:
  /// A project with a model, a cluster, and plans of these many stages.
  static session::project::State project(const std::vector<int>& stages) {
    session::project::State state;
    session::project::Added profile = session::project::with_profile(std::move(state), small_profile());
    session::project::Added cluster = session::project::with_cluster(std::move(profile.state), small_cluster());
    state = std::move(cluster.state);
    state.question = {profile.id, cluster.id, {}};
    state.question.workload.global_batch = 8;
    for (const int count : stages) {
      Plan plan;
      plan.name = "plan of " + std::to_string(count);
      plan.planner = "hand";
      plan.global_batch = 8;
      plan.micro_batches = 8;
      const int layers = 6 / count;
      for (int s = 0; s < count; ++s) {
        Stage stage;
        stage.first = s * layers;
        stage.last = s + 1 == count ? 6 : (s + 1) * layers;
        stage.devices = {DeviceId(s)};
        plan.stages.push_back(stage);
      }
      session::project::PlanEntry entry;
      entry.profile = profile.id;
      entry.cluster = cluster.id;
      entry.plan = std::make_shared<const Plan>(std::move(plan));
      state = session::project::with_plan(std::move(state), std::move(entry)).state;
    }
    return state;
  }
  static session::project::Ids ids_of(const session::project::State& state) {
    session::project::Ids ids;
    for (const session::project::PlanEntry& entry : state.plans) ids.push_back(entry.id);
    return ids;
  }

 private slots:
  void several_are_duplicated_and_deleted() {
    const session::project::State state = project({1, 2, 3});
    const session::project::Ids ids = ids_of(state);
    const session::project::AddedSeveral twice = session::project::with_plans_duplicated(state, {ids[0], ids[2]});
    QCOMPARE(twice.state.plans.size(), std::size_t(5));
    QCOMPARE(twice.ids.size(), std::size_t(2));
    QCOMPARE(twice.state.selected_plan, twice.ids[0]);
    QCOMPARE(session::project::find_plan(twice.state, twice.ids[1])->plan->name, std::string("plan of 3 (2)"));
    QVERIFY(session::project::find_plan(twice.state, twice.ids[0])->edited);
    const session::project::State fewer =
        session::project::without_plans(twice.state, {ids[0], twice.ids[0], twice.ids[1]});
    QCOMPARE(ids_of(fewer), (session::project::Ids{ids[1], ids[2]}));
  }

  void the_selection_goes_to_a_neighbour() {
    session::project::State state = project({1, 2, 3});
    const session::project::Ids ids = ids_of(state);
    state.selected_plan = ids[1];
    QCOMPARE(session::project::without_plans(state, {ids[1]}).selected_plan, ids[2]);
    QCOMPARE(session::project::without_plans(state, {ids[1], ids[2]}).selected_plan, ids[0]);
    QCOMPARE(session::project::without_plans(state, ids).selected_plan, 0);
    QCOMPARE(session::project::without_plans(state, {ids[0]}).selected_plan, ids[1]);
  }

  void names_are_changed_one_at_a_time() {
    session::project::State state = project({1, 2});
    const int profile = state.profiles[0].id, cluster = state.clusters[0].id, plan = state.plans[0].id;
    QCOMPARE(session::project::with_plan_renamed(state, plan, "  mine ").plans[0].plan->name, std::string("mine"));
    QVERIFY(session::project::with_plan_renamed(state, plan, "   ") == state);
    QCOMPARE(session::project::with_profile_renamed(state, profile, "other").profiles[0].profile->name,
             std::string("other"));
    const session::project::Added copy = session::project::with_cluster_duplicated(state, cluster);
    QCOMPARE(session::project::find_cluster(copy.state, copy.id)->cluster->name, std::string("four devices (2)"));
    // Clusters are found by name: a taken one is not given again.
    QCOMPARE(session::project::find_cluster(session::project::with_cluster_renamed(copy.state, copy.id, "four devices"),
                                            copy.id)
                 ->cluster->name,
             std::string("four devices (2)"));
    const session::project::Added model = session::project::with_profile_duplicated(state, profile);
    QVERIFY(model.id != profile);
    QVERIFY(session::project::find_profile(model.state, model.id)->profile->layers ==
            state.profiles[0].profile->layers);
  }

  void runs_are_renamed() {
    session::project::State state = project({1});
    session::project::RunRecord run;
    run.name = "before";
    session::project::Added added =
        session::project::with_run(std::move(state), std::make_shared<const session::project::RunRecord>(run));
    QCOMPARE(session::project::find_run(session::project::with_run_renamed(added.state, added.id, "after"), added.id)
                 ->run->name,
             QString("after"));
  }

  void remarks_are_kept_with_the_project() {
    session::project::State state = project({2});
    const session::project::State noted =
        session::project::with_remarks(state, state.plans[0].id, " fast on Mondays\nask Ada ");
    QCOMPARE(noted.plans[0].remarks, QString("fast on Mondays\nask Ada"));
    const auto again = session::project::state_of(session::project::content_of(noted), "x");
    QVERIFY(again);
    QCOMPARE(again->plans[0].remarks, noted.plans[0].remarks);
  }

  void ticks_of_several_change_together() {
    const session::project::State state = project({1, 2, 3});
    const session::project::State hidden =
        session::project::with_plans_ticked(state, {state.plans[0].id, state.plans[2].id}, false);
    QVERIFY(!hidden.plans[0].ticked && hidden.plans[1].ticked && !hidden.plans[2].ticked);
  }

  void one_copied_plan_is_the_text_of_a_plan_file() {
    const session::project::State state = project({2});
    const auto read = io::documents::plan_from_json(session::plans::plans_to_text(state, {state.plans[0].id}));
    QVERIFY(read);
    QCOMPARE(read->profile, std::string("six layers"));
    QVERIFY(!read->cluster_sha256.empty());
  }

  void several_go_into_another_project() {
    const session::project::State from = project({1, 2, 3});
    const std::string text = session::plans::plans_to_text(from, ids_of(from));
    const auto pasted = session::plans::with_plans_pasted(project({2}), text, {"a", "b"});
    QVERIFY(pasted);
    QCOMPARE(pasted->ids.size(), std::size_t(3));
    QVERIFY(pasted->warning.isEmpty());
    QCOMPARE(pasted->state.plans[1].plan->name, std::string("plan of 1"));
    QCOMPARE(pasted->state.plans[2].plan->name, std::string("plan of 2 (2)"));  // taken there
    QCOMPARE(pasted->state.plans[1].remarks, QString("a"));
    QCOMPARE(pasted->state.plans[3].remarks, QString());
    QVERIFY(pasted->state.plans[1].note.isEmpty());  // made for just this
    QVERIFY(pasted->state.plans[1].edited);
  }

  void plans_that_do_not_belong_say_why() {
    const session::project::State from = project({1, 3});
    const std::string text = session::plans::plans_to_text(from, ids_of(from));
    session::project::State two = project({});
    Cluster small = pipedeck::test::flat_cluster(2);
    small.name = "two devices";
    two = session::project::with_cluster_replaced(std::move(two), two.clusters[0].id, small, {}).state;
    const auto some = session::plans::with_plans_pasted(two, text);
    QVERIFY(some);
    QCOMPARE(some->ids.size(), std::size_t(1));
    QVERIFY2(some->warning.contains("plan of 3 is not a plan for six layers on two devices"),
             qPrintable(some->warning));
    QCOMPARE(some->state.plans[0].note, QString("Made for six layers on four devices."));

    const auto none = session::plans::with_plans_pasted(two, session::plans::plans_to_text(from, {from.plans[1].id}));
    QVERIFY(!none);
    QVERIFY(QString::fromStdString(none.error().message).contains("plan of 3"));
    for (const char* other : {"", "hello", "[]", "[1, 2]", "{\"format\": \"pipedeck.profile\"}", "[[[[", "null"}) {
      const auto wrong = session::plans::with_plans_pasted(two, other);
      QVERIFY2(!wrong && !wrong.error().message.empty(), other);
    }
    const auto nothing_chosen = session::plans::with_plans_pasted(session::project::State{}, text);
    QVERIFY(!nothing_chosen);
    QVERIFY(QString::fromStdString(nothing_chosen.error().message).contains("Choose the model"));
  }
};

PIPEDECK_TEST(TestPlansTogether)

}  // namespace pipedeck::tst_plans_together

#include "tst_plans_together.moc"
