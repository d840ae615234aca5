// SPDX-License-Identifier: GPL-3.0-or-later
// Plan table, project tree and layer table as Qt sees them.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/models/plan_table_model.hpp"
#include "app/models/profile_table_model.hpp"
#include "app/models/project_tree_model.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;
using namespace pipedeck::app;

class TestItemModels : public QObject {
  Q_OBJECT

 private:
  static QString text(const PlanTableModel& model, int row, PlanTableModel::Column column) {
    return samples::plain(model.index(row, column).data().toString());
  }

 private slots:
  void the_plan_table_keeps_the_rules_of_models() {
    PlanTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_rows(samples::rows());
    model.update_row(samples::row(9, "hand", {0, 20}, 700, 9));
    model.remove_row(1);
    model.set_rows({});
    model.set_rows(samples::rows());
    QCOMPARE(model.rowCount(), 6);
  }

  void figures_read_well_and_sort_by_number() {
    PlanTableModel model;
    model.set_rows(samples::rows());
    QCOMPARE(text(model, 1, PlanTableModel::iteration), QStringLiteral("0.735 s"));
    QCOMPARE(text(model, 1, PlanTableModel::samples), QStringLiteral("87.1"));
    QCOMPARE(text(model, 1, PlanTableModel::speed_up), QStringLiteral("14.4 ×"));
    QCOMPARE(text(model, 1, PlanTableModel::peak), QStringLiteral("11.2 GiB"));
    QCOMPARE(text(model, 1, PlanTableModel::over_bound), QStringLiteral("5.9 %"));
    QCOMPARE(model.index(1, PlanTableModel::iteration).data(PlanTableModel::sort_role).toDouble(), 0.735);
    QCOMPARE(model.index(3, PlanTableModel::fits).data(PlanTableModel::verdict_role).toInt(), int(PlanTableModel::bad));
    QVERIFY(model.index(3, PlanTableModel::name).data(PlanTableModel::steady_role).toBool());
    QVERIFY(!model.index(1, PlanTableModel::name).data(PlanTableModel::steady_role).toBool());
  }

  void what_is_computed_shows_dots() {
    PlanTableModel model;
    model.set_rows(samples::rows());
    QCOMPARE(text(model, 5, PlanTableModel::iteration), QStringLiteral("…"));
    QVERIFY(!model.index(5, PlanTableModel::iteration).data(PlanTableModel::sort_role).isValid());
    PlanRow none;
    none.id = 44;
    none.plan.name = "AMP";
    none.note = "needs 3 GiB more on every device";
    model.update_row(none);
    QCOMPARE(text(model, 6, PlanTableModel::iteration), QStringLiteral("no plan"));
    QVERIFY(model.index(6, PlanTableModel::iteration).data(Qt::ToolTipRole).toString().contains("3 GiB more"));
  }

  void ticks_are_told_once() {
    PlanTableModel model;
    model.set_rows(samples::rows());
    QSignalSpy ticked(&model, &PlanTableModel::ticked);
    const QModelIndex tick = model.index(0, PlanTableModel::tick);
    QVERIFY(tick.flags() & Qt::ItemIsUserCheckable);
    QVERIFY(model.setData(tick, Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(model.setData(tick, Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(ticked.count(), 1);
    QCOMPARE(model.rows().front().ticked, false);
    QVERIFY(!model.setData(model.index(0, PlanTableModel::name), Qt::Checked, Qt::CheckStateRole));
  }

  void rows_that_stay_in_place_do_not_reset() {
    PlanTableModel model;
    model.set_rows(samples::rows());
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.set_rows(samples::rows());
    QCOMPARE(reset.count(), 0);
    auto fewer = samples::rows();
    fewer.pop_back();
    model.set_rows(fewer);
    QCOMPARE(reset.count(), 1);
  }

  void the_project_tree_keeps_the_rules_of_models() {
    ProjectTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_entries(ProjectSection::plans, {{1, "a", {}}, {2, "b", {}}, {3, "c", {}}});
    model.set_entries(ProjectSection::runs, {{1, "r", {}, true}});
    model.set_entries(ProjectSection::plans, {{3, "c", {}}});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.rowCount(model.section_index(ProjectSection::plans)), 1);
    QCOMPARE(model.entry_index(ProjectSection::plans, 3).data().toString(), QStringLiteral("c"));
    QVERIFY(!model.entry_index(ProjectSection::plans, 2).isValid());
    model.set_entries(ProjectSection::plans, {});
    QCOMPARE(model.rowCount(model.section_index(ProjectSection::plans)), 0);
  }

  void the_layer_table_keeps_the_rules_of_models() {
    ProfileTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_profile(std::make_shared<const Profile>(samples::profile()));
    QCOMPARE(model.rowCount(), 50);
    QCOMPARE(model.index(2, ProfileTableModel::forward).data(ProfileTableModel::share_role).toDouble(), 1.0);
    QCOMPARE(samples::plain(model.index(2, ProfileTableModel::parameters).data().toString()), QStringLiteral("48 MiB"));
    model.set_profile(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void totals_and_gaps_of_a_profile() {
    Profile profile = samples::profile();
    const ProfileTotals totals = totals_of(profile);
    QCOMPARE(totals.layers, 50);
    QVERIFY(std::abs(totals.forward.count - (3 * 0.004 + 47 * 0.00807)) < 1e-12);
    QCOMPARE(totals.parameters.count, (3 * 30 + 47 * 48) * samples::mebibyte);
    QCOMPARE(gaps_of(profile).size(), 2);
    for (Layer& layer : profile.layers) {
      layer.at = {{2, layer.forward, layer.backward}, {4, layer.forward * 2, layer.backward * 2}};
      layer.tensor_parallel = {{2, layer.forward, layer.backward, Bytes(1), Bytes(1)}};
    }
    QVERIFY(gaps_of(profile).empty());
  }
};

PIPEDECK_WINDOW_TEST(TestItemModels)
#include "tst_item_models.moc"
