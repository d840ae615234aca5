// SPDX-License-Identifier: GPL-3.0-or-later
// Plans handled as objects in the real window: several selected, copied into another window, renamed in their row,
// noted about, deleted at once.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>

#include "app/models/compare/plan_table_model.hpp"
#include "app/session/project/content.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/widgets/notes_edit.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_objects {

using namespace pipedeck::test;

class TestPlanObjects : public QObject {
  Q_OBJECT

 private:
  static views::compare::PlanTable& table(const WindowFixture& fixture) {
    return fixture.window->compare_page().table();
  }
  static void click(const WindowFixture& fixture, int row, Qt::KeyboardModifiers keys = {}) {
    views::compare::PlanTable& t = table(fixture);
    const QRect cell = t.visualRect(t.model()->index(row, models::compare::PlanTableModel::name));
    QTest::mouseClick(t.viewport(), Qt::LeftButton, keys, {cell.left() + 30, cell.center().y()});  // on the title
  }
  static std::string name(const WindowFixture& fixture, int id) {
    return session::project::find_plan(fixture.state(), id)->plan->name;
  }
  static QLineEdit* open_field() { return qobject_cast<QLineEdit*>(QApplication::focusWidget()); }

 private slots:
  void shift_and_ctrl_select_several() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const auto shown = table(fixture).shown_plans();
    click(fixture, 0);
    click(fixture, 2, Qt::ShiftModifier);
    QCOMPARE(table(fixture).selected_plans(), (std::vector<int>{shown[0], shown[1], shown[2]}));
    QCOMPARE(fixture.state().selected_plan, shown[2]);  // the last clicked plan is shown in the side panel
    click(fixture, 1, Qt::ControlModifier);
    QCOMPARE(table(fixture).selected_plans(), (std::vector<int>{shown[0], shown[2]}));
    QTest::keyClick(&table(fixture), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(table(fixture).selected_plans(), shown);
  }

  void several_are_deleted_in_one_step() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const std::size_t plans = fixture.state().plans.size(), steps = fixture.session().undo_steps();
    click(fixture, 0);
    click(fixture, 2, Qt::ShiftModifier);
    QTest::keyClick(&table(fixture), Qt::Key_Delete);
    QCOMPARE(fixture.state().plans.size(), plans - 3);
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    QCOMPARE(fixture.session().undo_name(), QString("Delete 3 plans"));
    fixture.trigger("action_undo");
    QCOMPARE(fixture.state().plans.size(), plans);
  }

  void space_hides_several_charts_in_one_step() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const std::size_t steps = fixture.session().undo_steps();
    click(fixture, 0);
    click(fixture, 1, Qt::ShiftModifier);
    const auto chosen = table(fixture).selected_plans();
    const bool before = session::project::find_plan(fixture.state(), fixture.state().selected_plan)->ticked;
    QTest::keyClick(&table(fixture), Qt::Key_Space);
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    for (const int id : chosen) QCOMPARE(session::project::find_plan(fixture.state(), id)->ticked, !before);
    QCOMPARE(table(fixture).selected_plans(), chosen);  // still
  }

  void copied_in_one_window_pasted_in_another() {
    WindowFixture first;
    QVERIFY(first.open_sample());
    std::vector<int> feasible;
    for (const int id : table(first).shown_plans())
      if (session::project::find_plan(first.state(), id)->feasible()) feasible.push_back(id);
    QVERIFY(feasible.size() >= 2);
    table(first).setFocus();
    table(first).select_plans({feasible[0], feasible[1]});
    first.trigger("action_notes");
    QTest::keyClicks(QApplication::focusWidget(), "as in the paper");
    table(first).setFocus();
    QTest::keyClick(&table(first), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QApplication::clipboard()->text().startsWith("["));

    WindowFixture second;
    second.session().open_sample();
    table(second).setFocus();
    QTest::keyClick(&table(second), Qt::Key_V, Qt::ControlModifier);
    QVERIFY2(second.errors.isEmpty(), qPrintable(second.errors.join('\n')));
    QCOMPARE(second.state().plans.size(), std::size_t(2));
    QCOMPARE(second.session().undo_name(), QString("Paste 2 plans"));
    QCOMPARE(second.state().plans[0].plan->name, name(first, feasible[0]));
    QCOMPARE(second.state().plans[0].remarks, QString("as in the paper"));
    QCOMPARE(table(second).selected_plans().size(), std::size_t(2));
    QVERIFY(second.settle());
    QVERIFY(second.window->compare_page().rows()[0].simulation);
  }

  void what_can_not_be_pasted_says_why() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    QApplication::clipboard()->setText("some words");
    table(fixture).setFocus();
    const std::size_t steps = fixture.session().undo_steps();
    fixture.trigger("action_paste");
    QCOMPARE(fixture.errors.size(), 1);
    QVERIFY2(fixture.errors[0].contains("clipboard has no plans"), qPrintable(fixture.errors[0]));
    QCOMPARE(fixture.session().undo_steps(), steps);
  }

  void cut_is_one_step_and_paste_brings_back() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    table(fixture).setFocus();
    const std::size_t plans = fixture.state().plans.size();
    const std::string cut = name(fixture, fixture.state().selected_plan);
    QTest::keyClick(&table(fixture), Qt::Key_X, Qt::ControlModifier);
    QCOMPARE(fixture.state().plans.size(), plans - 1);
    QTest::keyClick(&table(fixture), Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(fixture.state().plans.size(), plans);
    QCOMPARE(name(fixture, fixture.state().selected_plan), cut);
  }

  void renamed_in_its_row() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    click(fixture, 1);
    const int id = fixture.state().selected_plan;
    QTest::keyClick(&table(fixture), Qt::Key_F2);
    QVERIFY(open_field());
    QTest::keyClicks(open_field(), "mine");
    QTest::keyClick(open_field(), Qt::Key_Return);
    QTRY_COMPARE(name(fixture, id), std::string("mine"));
    QCOMPARE(fixture.session().undo_name(), QString("Rename plan"));
    QTest::keyClick(&table(fixture), Qt::Key_F2);
    QVERIFY(open_field());
    QTest::keyClicks(open_field(), "given up");
    QTest::keyClick(open_field(), Qt::Key_Escape);
    QCOMPARE(name(fixture, id), std::string("mine"));
  }

  void entries_of_the_tree_are_renamed_duplicated_and_deleted() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    auto* tree = fixture.child<views::compare::ProjectTree>("project_tree");
    tree->setFocus();
    const int cluster = fixture.state().clusters[0].id;
    tree->select(models::compare::ProjectSection::clusters, cluster);
    QTest::keyClick(tree, Qt::Key_F2);
    QVERIFY(open_field());
    open_field()->selectAll();
    QTest::keyClicks(open_field(), "our racks");
    QTest::keyClick(open_field(), Qt::Key_Return);
    QTRY_COMPARE(session::project::find_cluster(fixture.state(), cluster)->cluster->name, std::string("our racks"));
    QCOMPARE(fixture.session().undo_name(), QString("Rename cluster"));
    QCOMPARE(tree->selected_entries(models::compare::ProjectSection::clusters), (std::vector<int>{cluster}));  // still

    tree->setFocus();
    QTest::keyClick(tree, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(fixture.state().clusters.size(), std::size_t(2));
    const std::size_t plans = fixture.state().plans.size();
    QVERIFY(plans > 0);
    QTest::keyClick(tree, Qt::Key_Delete);  // with its plans
    QCOMPARE(fixture.state().clusters.size(), std::size_t(1));
    QVERIFY(fixture.state().plans.empty());
    fixture.trigger("action_undo");
    QCOMPARE(fixture.state().plans.size(), plans);
    QVERIFY(fixture.settle());
  }

  void notes_are_typed_beside_the_plan() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const int id = fixture.state().selected_plan;
    const std::size_t steps = fixture.session().undo_steps();
    table(fixture).setFocus();
    fixture.trigger("action_notes");
    auto* field = fixture.child<views::widgets::NotesField>("notes_field");
    QCOMPARE(QApplication::focusWidget(), field);
    QTest::keyClicks(field, "needs NVLink");
    QCOMPARE(fixture.session().undo_steps(), steps);         // not at every key
    QTest::keyClick(field, Qt::Key_S, Qt::ControlModifier);  // a shortcut: they are part of what is saved
    QCOMPARE(session::project::find_plan(fixture.state(), id)->remarks, QString("needs NVLink"));
    QCOMPARE(fixture.session().undo_steps(), steps + 1);
    const auto& rows = fixture.window->compare_page().rows();
    QVERIFY(
        std::ranges::any_of(rows, [](const models::compare::PlanRow& row) { return row.remarks == "needs NVLink"; }));
    const QModelIndex current = table(fixture).currentIndex().siblingAtColumn(models::compare::PlanTableModel::name);
    QVERIFY(current.data(Qt::ToolTipRole).toString().contains("needs NVLink"));

    QTest::keyClicks(field, " and more");
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(field->toPlainText(), QString("needs NVLink"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);  // nothing of the field is left to undo
    QCOMPARE(session::project::find_plan(fixture.state(), id)->remarks, QString());
    QVERIFY(field->toPlainText().isEmpty());
  }

  void notes_typed_last_are_not_lost_when_another_plan_is_picked() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    click(fixture, 0);
    const int id = fixture.state().selected_plan;
    fixture.trigger("action_notes");
    QTest::keyClicks(QApplication::focusWidget(), "first");
    click(fixture, 1);
    QCOMPARE(session::project::find_plan(fixture.state(), id)->remarks, QString("first"));
    QVERIFY(fixture.child<views::widgets::NotesField>("notes_field")->toPlainText().isEmpty());
  }

  void keys_of_fields_stay_with_the_fields() {
    WindowFixture fixture;
    QVERIFY(fixture.open_sample());
    const std::size_t plans = fixture.state().plans.size();
    auto* batch = fixture.child<QComboBox>("batch_box")->lineEdit();
    batch->setFocus();
    batch->selectAll();
    QTest::keyClick(batch, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), batch->text());
    QTest::keyClick(batch, Qt::Key_Delete);
    QCOMPARE(fixture.state().plans.size(), plans);
  }
};

PIPEDECK_WINDOW_TEST(TestPlanObjects)

}  // namespace pipedeck::tst_plan_objects

#include "tst_plan_objects.moc"
