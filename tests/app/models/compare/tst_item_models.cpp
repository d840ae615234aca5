// SPDX-License-Identifier: GPL-3.0-or-later
// Plan table, project tree and layer table as Qt sees them.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "app/models/compare/plan_columns.hpp"
#include "app/models/compare/plan_table_model.hpp"
#include "app/models/compare/project_tree_model.hpp"
#include "app/models/profile/profile_table_model.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_item_models {

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
    QCOMPARE(text(model, 1, models::compare::PlanTableModel::over_bound), QStringLiteral("≤ 5.9 %"));
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
    QCOMPARE(text(model, 6, models::compare::PlanTableModel::iteration),
             QStringLiteral("no plan: needs 3 GiB more on every device"));
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

  void rows_that_keep_their_order_do_not_reset() {
    models::compare::PlanTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_rows(samples::rows());
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.set_rows(samples::rows());
    auto others = samples::rows();
    others.erase(others.begin() + 2);
    others.insert(others.begin(), samples::row(17, "hand", {0, 20}, 700, 9));
    others.push_back(samples::row(18, "hand", {0, 20}, 700, 9));
    model.set_rows(others);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(model.rowCount(), static_cast<int>(others.size()));
    for (std::size_t i = 0; i < others.size(); ++i) QCOMPARE(model.rows()[i].id, others[i].id);
    std::swap(others[0], others[1]);
    model.set_rows(others);
    QCOMPARE(reset.count(), 1);
    QCOMPARE(model.rows()[0].id, others[0].id);
  }

  void every_figure_shows_its_difference_to_the_baseline() {
    models::compare::PlanTableModel model;
    auto rows = samples::rows();
    Utilization rates;
    rates.tokens_per_second_per_device = 900;
    rates.peak_per_device = 1e15;
    rates.mfu = 0.4;
    for (models::compare::PlanRow& row : rows) row.utilization = rates;
    model.set_rows(rows);
    using Model = models::compare::PlanTableModel;
    const auto difference = [&](int row, Model::Column column) {
      return samples::plain(model.index(row, column).data(Model::difference_role).toString());
    };
    QVERIFY(difference(0, Model::iteration).isEmpty());
    rows[1].baseline = true;  // 735 ms, 11.2 GiB
    model.set_rows(rows);
    QCOMPARE(model.baseline()->id, rows[1].id);
    QCOMPARE(difference(0, Model::iteration), QStringLiteral("−3.1 %"));  // 712 ms
    QCOMPARE(model.index(0, Model::iteration).data(Model::better_role).toInt(), 1);
    QCOMPARE(difference(2, Model::iteration), QStringLiteral("+7.8 %"));  // 792 ms
    QCOMPARE(model.index(2, Model::iteration).data(Model::better_role).toInt(), -1);
    QCOMPARE(difference(0, Model::samples), QStringLiteral("+3.2 %"));
    QCOMPARE(model.index(0, Model::samples).data(Model::better_role).toInt(), 1);
    QCOMPARE(difference(0, Model::peak), QStringLiteral("−1.40 GiB"));
    QCOMPARE(difference(0, Model::bubble), QStringLiteral("="));
    QVERIFY(difference(0, Model::over_bound).endsWith(QStringLiteral("pp")));
    QVERIFY(difference(1, Model::iteration).isEmpty());  // the baseline itself
    QVERIFY(difference(5, Model::iteration).isEmpty());  // without figures
    for (int column = 0; column < Model::column_count; ++column) {
      const auto& of = models::compare::plan_column(column);
      QCOMPARE(of.difference == models::compare::Difference::none,
               difference(0, Model::Column(column)).isEmpty() && column != Model::measured);
    }
  }

  void degrees_are_named_where_they_are_equal() {
    Plan plan = samples::plan("x", {0, 20});
    QCOMPARE(models::compare::shape_text(plan), QStringLiteral("PP 2 · DP 8"));
    for (Stage& stage : plan.stages) stage.tensor_parallel = 4;
    QCOMPARE(models::compare::shape_text(plan), QStringLiteral("TP 4 · PP 2 · DP 2"));
    plan.stages[0].tensor_parallel = 2;
    QCOMPARE(models::compare::shape_text(plan), QString::fromStdString(stage_shape_text(plan)));
  }

  void the_first_clause_of_a_reason() {
    using models::compare::first_clause;
    QCOMPARE(first_clause("No plan fits. It would fit with 2 GiB."), QStringLiteral("No plan fits"));
    QCOMPARE(first_clause("a 0.5 b; c"), QStringLiteral("a 0.5 b"));
    QCOMPARE(first_clause("Too large."), QStringLiteral("Too large"));
  }

  void the_project_tree_keeps_the_rules_of_models() {
    models::compare::ProjectTreeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    using models::compare::ProjectSection;
    const auto question = [](const QString& name, std::vector<models::compare::ProjectEntry> plans) {
      return models::compare::ProjectQuestion{name, "cluster · batch 8", "1.2 s", plans.front().id, plans};
    };
    model.set_questions({question("one", {{1, "a", {}}, {2, "b", {}}}), question("two", {{3, "c", {}}})});
    model.set_entries(ProjectSection::runs, {{1, "r", {}, true}});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.rowCount(model.section_index(ProjectSection::plans)), 2);
    QCOMPARE(model.ids(ProjectSection::plans), (std::vector<int>{1, 2, 3}));
    const QModelIndex c = model.entry_index(ProjectSection::plans, 3);
    QCOMPARE(c.data().toString(), QStringLiteral("c"));
    QCOMPARE(c.parent().data().toString(), QStringLiteral("two"));
    QCOMPARE(c.parent().data(models::compare::ProjectTreeModel::figure_role).toString(), QStringLiteral("1.2 s"));
    QVERIFY(models::compare::ProjectTreeModel::is_question(c.parent()));
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset),
        renamed(&model, &models::compare::ProjectTreeModel::question_renamed);
    model.set_questions({question("one", {{1, "a", {}}, {2, "b", {}}}), question("2", {{3, "d", {}}})});
    QCOMPARE(reset.count(), 0);
    QCOMPARE(model.entry_index(ProjectSection::plans, 3).data().toString(), QStringLiteral("d"));
    QVERIFY(model.setData(model.question_index(1), "mine", Qt::EditRole));
    QCOMPARE(renamed.front(), (QVariantList{3, "mine"}));
    model.set_questions({question("two", {{3, "c", {}}})});
    QVERIFY(!model.entry_index(ProjectSection::plans, 2).isValid());
    model.set_questions({});
    QCOMPARE(model.rowCount(model.section_index(ProjectSection::plans)), 0);
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

}  // namespace pipedeck::tst_item_models

#include "tst_item_models.moc"
