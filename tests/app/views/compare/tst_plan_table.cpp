// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_table.hpp"

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "app/models/compare/plan_table_model.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;

class TestPlanTable : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<models::compare::PlanTableModel> model_;
  std::unique_ptr<views::compare::PlanTable> table_;

  QPoint middle_of(int row, int column) const {
    return table_->visualRect(table_->model()->index(row, column)).center();
  }

 private slots:
  void init() {
    table_.reset();
    model_ = std::make_unique<models::compare::PlanTableModel>();
    model_->set_rows(samples::rows());
    table_ = std::make_unique<views::compare::PlanTable>(model_.get());
    table_->resize(1100, table_->full_height());
    table_->show();
    QVERIFY(QTest::qWaitForWindowExposed(table_.get()));
  }

  void a_click_selects_the_plan() {
    QSignalSpy selected(table_.get(), &views::compare::PlanTable::plan_selected);
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, {}, middle_of(1, models::compare::PlanTableModel::name));
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected.front().front().toInt(), 2);
    QCOMPARE(table_->selected_plan(), 2);
  }

  void selecting_from_outside_is_silent() {
    QSignalSpy selected(table_.get(), &views::compare::PlanTable::plan_selected);
    table_->select_plan(3);
    QCOMPARE(table_->selected_plan(), 3);
    table_->select_plan(-1);
    QCOMPARE(table_->selected_plan(), -1);
    QCOMPARE(selected.count(), 0);
  }

  void ticks_by_mouse_and_by_space() {
    QSignalSpy ticked(table_.get(), &views::compare::PlanTable::tick_changed);
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, {}, middle_of(0, models::compare::PlanTableModel::tick));
    QCOMPARE(ticked.count(), 1);
    QCOMPARE(ticked[0][0].toInt(), 1);
    QCOMPARE(ticked[0][1].toBool(), false);
    table_->select_plan(3);
    QTest::keyClick(table_.get(), Qt::Key_Space);
    QCOMPARE(ticked.count(), 2);
    QCOMPARE(ticked[1][0].toInt(), 3);
    QCOMPARE(ticked[1][1].toBool(), true);
  }

  void sorting_is_by_number_and_keeps_the_selection() {
    table_->select_plan(2);
    table_->sortByColumn(models::compare::PlanTableModel::peak, Qt::AscendingOrder);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{3, 1, 2, 5, 4, 6}));
    QCOMPARE(table_->selected_plan(), 2);
    table_->sortByColumn(models::compare::PlanTableModel::peak, Qt::DescendingOrder);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{4, 5, 2, 1, 3, 6}));  // what is computed comes last still
  }

  void the_selection_survives_new_rows() {
    QSignalSpy selected(table_.get(), &views::compare::PlanTable::plan_selected);
    table_->select_plan(2);
    auto rows = samples::rows();
    rows.insert(rows.begin(), samples::row(17, "hand", {0, 20}, 700, 9));
    model_->set_rows(rows);
    QCOMPARE(table_->selected_plan(), 2);
    QCOMPARE(selected.count(), 0);
  }

  void enter_activates() {
    QSignalSpy activated(table_.get(), &views::compare::PlanTable::plan_activated);
    table_->select_plan(4);
    QTest::keyClick(table_.get(), Qt::Key_Return);
    QCOMPARE(activated.count(), 1);
    QCOMPARE(activated.front().front().toInt(), 4);
  }

  void the_menu_holds_the_given_actions() {
    QAction act("Duplicate");
    table_->set_context_actions({&act});
    QContextMenuEvent event(QContextMenuEvent::Mouse, middle_of(2, 1),
                            table_->viewport()->mapToGlobal(middle_of(2, 1)));
    QCoreApplication::sendEvent(table_->viewport(), &event);
    auto* menu = table_->findChild<QMenu*>();
    QVERIFY(menu);
    QCOMPARE(menu->actions(), QList<QAction*>{&act});
    QCOMPARE(table_->selected_plan(), 3);
    menu->close();
  }

  void nothing_is_cut_off_at_1280() {
    table_->resize(1280 - 210 - 300, 300);  // between the project tree and the inspector
    QCoreApplication::processEvents();
    for (int column = models::compare::PlanTableModel::iteration;
         column < models::compare::PlanTableModel::column_count; ++column) {
      if (column == models::compare::PlanTableModel::peak || table_->isColumnHidden(column)) continue;
      for (int row = 0; row < model_->rowCount(); ++row) {
        const QString text = model_->index(row, column).data().toString();
        QVERIFY2(table_->fontMetrics().horizontalAdvance(text) <= table_->columnWidth(column) - 16, qPrintable(text));
      }
    }
    QVERIFY(table_->columnWidth(models::compare::PlanTableModel::name) >= 160);
    int total = 0;
    for (int column = 0; column < models::compare::PlanTableModel::column_count; ++column)
      total += table_->columnWidth(column);
    QVERIFY2(total <= table_->viewport()->width(), qPrintable(QString::number(total)));
  }
};

PIPEDECK_WINDOW_TEST(TestPlanTable)
#include "tst_plan_table.moc"
