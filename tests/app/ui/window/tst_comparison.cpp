// SPDX-License-Identifier: GPL-3.0-or-later
// The flow of a comparison in the real window: hint, groups, baseline, searches.
#include <algorithm>

#include <QAbstractButton>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "app/models/compare/plan_table_model.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/plan_table.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_comparison {

using pipedeck::test::WindowFixture;
using Model = models::compare::PlanTableModel;

class TestComparison : public QObject {
  Q_OBJECT

 private:
  static int plan_of(const WindowFixture& fixture, const std::string& planner) {
    const auto found = std::ranges::find_if(fixture.state().plans, [&](const session::project::PlanEntry& entry) {
      return entry.plan->planner == planner && !entry.edited;
    });
    return found == fixture.state().plans.end() ? 0 : found->id;
  }
  static bool shown(const WindowFixture& fixture, int plan) {
    const auto plans = fixture.window->compare_page().table().shown_plans();
    return std::ranges::find(plans, plan) != plans.end();
  }

 private slots:
  void one_micro_batch_per_iteration_gets_a_hint() {
    WindowFixture fixture;
    Profile profile = test::uniform_profile(6, milliseconds(10), milliseconds(20));
    profile.name = "measured at 64";
    profile.micro_batch = 64;
    const auto write = [&](const char* name, const std::string& text) {
      return io::write_file(fixture.path(name).toStdString(), text).has_value() &&
             fixture.session().import(fixture.path(name));
    };
    QVERIFY(write("p.json", io::documents::profile_to_json(profile)));
    QVERIFY(write("c.json", io::documents::cluster_to_json(test::flat_cluster(4))));
    fixture.session().set_global_batch(64);
    auto* hint = fixture.window->compare_page().findChild<QWidget*>(QStringLiteral("hint_bar"));
    QVERIFY(!hint->isVisible());
    fixture.session().compare();
    QVERIFY(fixture.settle());
    QVERIFY(hint->isVisible());
    const auto* text = hint->findChild<QLabel*>();
    QVERIFY2(text->text().contains("64"), qPrintable(text->text()));
    QTest::mouseClick(hint->findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(fixture.settle());
    QCOMPARE(fixture.state().question.workload.global_batch, 1024);
    QVERIFY(!hint->isVisible());
    const int best = fixture.state().selected_plan;
    QVERIFY(best > 0);
    QCOMPARE(session::project::find_plan(fixture.state(), best)->plan->global_batch, 1024);
  }

  void plans_that_change_training_are_a_line_that_opens() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const int pipedream = plan_of(fixture, "pipedream");
    QVERIFY(pipedream > 0);
    QVERIFY(!session::project::find_plan(fixture.state(), pipedream)->plan->synchronous());
    auto* group = fixture.child<QAbstractButton>("changes_training_group");
    QVERIFY(group->isVisible() && !group->isChecked());
    QVERIFY(group->accessibleDescription().contains("PipeDream"));
    QVERIFY(!shown(fixture, pipedream));
    QTest::mouseClick(group, Qt::LeftButton);
    QVERIFY(group->isChecked());
    QVERIFY(shown(fixture, pipedream));
    QTest::mouseClick(group, Qt::LeftButton);
    QVERIFY(!shown(fixture, pipedream));
    fixture.session().select_plan(pipedream);  // from the tree
    QVERIFY(shown(fixture, pipedream) && group->isChecked());
  }

  void the_baseline_is_pinned_and_undone() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    views::compare::PlanTable& table = fixture.window->compare_page().table();
    const int first = table.shown_plans()[0], second = table.shown_plans()[1];
    fixture.session().select_plan(second);
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_P);
    QVERIFY(session::project::find_plan(fixture.state(), second)->baseline);
    QCOMPARE(table.shown_plans()[0], first);
    const QModelIndex time = table.model()->index(0, Model::iteration);
    QVERIFY(!time.data(Model::difference_role).toString().isEmpty());
    QCOMPARE(time.data(Model::better_role).toInt(), 1);
    const int with = table.columnWidth(Model::iteration);
    fixture.session().undo();
    QVERIFY(!session::project::find_plan(fixture.state(), second)->baseline);
    QVERIFY(table.model()->index(0, Model::iteration).data(Model::difference_role).toString().isEmpty());
    QVERIFY(table.columnWidth(Model::iteration) < with);
  }

  void a_planner_searches_on_in_its_row() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.session().set_global_batch(4096);  // a search that is not over before it is seen
    fixture.session().compare();
    QVERIFY(fixture.settle());
    const int own = fixture.window->compare_page().rows().front().id;
    QCOMPARE(session::project::find_plan(fixture.state(), own)->plan->planner, std::string("joint"));
    emit fixture.window->compare_page().table().requested(own, views::compare::RowRequest::more_time);
    QCOMPARE(fixture.session().searches().size(), std::size_t{1});
    const auto search = [&] { return fixture.window->compare_page().row(own)->search; };
    QTRY_VERIFY(search() && search()->budget);  // the search begins on its thread
    QCOMPARE(search()->budget->count, 60.0);
    emit fixture.window->compare_page().table().requested(own, views::compare::RowRequest::keep_best);
    QVERIFY(fixture.settle());
    QVERIFY(fixture.session().searches().empty());
    QVERIFY(session::project::find_plan(fixture.state(), own)->feasible());
    QVERIFY(!fixture.window->compare_page().row(own)->search);
  }

  void questions_have_their_place_in_the_tree() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    fixture.session().set_global_batch(128);
    fixture.session().compare();
    QVERIFY(fixture.settle());
    auto* tree = fixture.child<QAbstractItemView>("project_tree");
    const QModelIndex questions = tree->model()->index(0, 0);
    QCOMPARE(tree->model()->rowCount(questions), 2);
    for (int i = 0; i < 2; ++i) {
      const QModelIndex question = tree->model()->index(i, 0, questions);
      QVERIFY(!question.data(models::compare::ProjectTreeModel::figure_role).toString().isEmpty());
      const QString batch = i == 0 ? "batch 64 " : "batch 128 ";
      QVERIFY(question.data(models::compare::ProjectTreeModel::detail_role).toString().startsWith(batch));
    }
    // A question leads to its best plan.
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {},
                      tree->visualRect(tree->model()->index(0, 0, questions)).center());
    QCOMPARE(fixture.state().question.workload.global_batch, 64);
  }
};

PIPEDECK_WINDOW_TEST(TestComparison)

}  // namespace pipedeck::tst_comparison

#include "tst_comparison.moc"
