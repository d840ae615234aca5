// SPDX-License-Identifier: GPL-3.0-or-later
// Plan table, project tree and layer table as Qt sees them.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/models/compare/plan_table_model.hpp"
#include "app/models/compare/project_tree_model.hpp"
#include "app/models/profile/profile_table_model.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

class TestItemModels : public QObject {
  Q_OBJECT

 private:
  static QString text(const models::compare::PlanTableModel& model, int row,
                      models::compare::PlanTableModel::Column column) {
    return samples::plain(model.index(row, column).data().toString());
  }

 private slots:
  void the_plan_table_keeps_the_rules_of_models() {
    models::compare::PlanTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_rows(samples::rows());
    model.update_row(samples::row(9, "hand", {0, 20}, 700, 9));
    model.remove_row(1);
    model.set_rows({});
    model.set_rows(samples::rows());
    QCOMPARE(model.rowCount(), 6);
  }

  void figures_read_well_and_sort_by_number() {
    models::compare::PlanTableModel model;
    model.set_rows(samples::rows());
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::iteration), QStringLiteral("0.735 s"));
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::samples), QStringLiteral("87.1"));
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::speed_up), QStringLiteral("14.4 ×"));
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::peak), QStringLiteral("11.2 GiB"));
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::over_bound), QStringLiteral("5.9 %"));
    QCOMPARE(model.index(1, models::compare::PlanTableModel::iteration)
                 .data(models::compare::PlanTableModel::sort_role)
                 .toDouble(),
             0.735);
    QCOMPARE(model.index(3, models::compare::PlanTableModel::fits)
                 .data(models::compare::PlanTableModel::verdict_role)
                 .toInt(),
             int(models::compare::PlanTableModel::bad));
    QVERIFY(model.index(3, models::compare::PlanTableModel::name)
                .data(models::compare::PlanTableModel::steady_role)
                .toBool());
    QVERIFY(!model.index(1, models::compare::PlanTableModel::name)
                 .data(models::compare::PlanTableModel::steady_role)
                 .toBool());
  }

  void what_is_computed_shows_dots() {
    models::compare::PlanTableModel model;
    model.set_rows(samples::rows());
    QCOMPARE(text(model, 5, models::compare::PlanTableModel::iteration), QStringLiteral("…"));
    QVERIFY(!model.index(5, models::compare::PlanTableModel::iteration)
                 .data(models::compare::PlanTableModel::sort_role)
                 .isValid());
    models::compare::PlanRow none;
    none.id = 44;
    none.plan.name = "AMP";
    none.note = "needs 3 GiB more on every device";
    model.update_row(none);
    QCOMPARE(text(model, 6, models::compare::PlanTableModel::iteration), QStringLiteral("no plan"));
    QVERIFY(model.index(6, models::compare::PlanTableModel::iteration)
                .data(Qt::ToolTipRole)
                .toString()
                .contains("3 GiB more"));
  }

  void ticks_are_told_once() {
    models::compare::PlanTableModel model;
    model.set_rows(samples::rows());
    QSignalSpy ticked(&model, &models::compare::PlanTableModel::ticked);
    const QModelIndex tick = model.index(0, models::compare::PlanTableModel::tick);
    QVERIFY(tick.flags() & Qt::ItemIsUserCheckable);
    QVERIFY(model.setData(tick, Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(model.setData(tick, Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(ticked.count(), 1);
    QCOMPARE(model.rows().front().ticked, false);
    QVERIFY(!model.setData(model.index(0, models::compare::PlanTableModel::name), Qt::Checked, Qt::CheckStateRole));
  }

  void rows_that_stay_in_place_do_not_reset() {
    models::compare::PlanTableModel model;
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
    models::compare::ProjectTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_entries(models::compare::ProjectSection::plans, {{1, "a", {}}, {2, "b", {}}, {3, "c", {}}});
    model.set_entries(models::compare::ProjectSection::runs, {{1, "r", {}, true}});
    model.set_entries(models::compare::ProjectSection::plans, {{3, "c", {}}});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.rowCount(model.section_index(models::compare::ProjectSection::plans)), 1);
    QCOMPARE(model.entry_index(models::compare::ProjectSection::plans, 3).data().toString(), QStringLiteral("c"));
    QVERIFY(!model.entry_index(models::compare::ProjectSection::plans, 2).isValid());
    model.set_entries(models::compare::ProjectSection::plans, {});
    QCOMPARE(model.rowCount(model.section_index(models::compare::ProjectSection::plans)), 0);
  }

  void the_layer_table_keeps_the_rules_of_models() {
    models::profile::TableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_profile(std::make_shared<const Profile>(samples::profile()));
    QCOMPARE(model.rowCount(), 50);
    QCOMPARE(
        model.index(2, models::profile::TableModel::forward).data(models::profile::TableModel::share_role).toDouble(),
        1.0);
    QCOMPARE(samples::plain(model.index(2, models::profile::TableModel::parameters).data().toString()),
             QStringLiteral("48 MiB"));
    model.set_profile(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void totals_and_gaps_of_a_profile() {
    Profile profile = samples::profile();
    const models::profile::Totals totals = models::profile::totals_of(profile);
    QCOMPARE(totals.layers, 50);
    QVERIFY(std::abs(totals.forward.count - (3 * 0.004 + 47 * 0.00807)) < 1e-12);
    QCOMPARE(totals.parameters.count, (3 * 30 + 47 * 48) * samples::mebibyte);
    QCOMPARE(models::profile::missing_data(profile).size(), 2);
    for (Layer& layer : profile.layers) {
      layer.at = {{2, layer.forward, layer.backward}, {4, layer.forward * 2, layer.backward * 2}};
      layer.tensor_parallel = {{2, layer.forward, layer.backward, Bytes(1), Bytes(1)}};
    }
    QVERIFY(models::profile::missing_data(profile).empty());
  }
};

PIPEDECK_WINDOW_TEST(TestItemModels)
#include "tst_item_models.moc"
