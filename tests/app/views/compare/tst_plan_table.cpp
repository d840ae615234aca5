// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/compare/plan_table.hpp"

#include <algorithm>

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>

#include "app/models/compare/plan_table_model.hpp"
#include "tests/app/models/samples.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_plan_table {

class TestPlanTable : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<models::compare::PlanTableModel> model_;
  std::unique_ptr<views::compare::PlanTable> table_;

  void click_button(int row, int column, views::compare::RowRequest request) {
    const QModelIndex index = table_->model()->index(row, column);
    QStyleOptionViewItem option;
    option.initFrom(table_.get());
    option.font = table_->font();
    option.rect = table_->visualRect(index);
    const auto* delegate = dynamic_cast<const views::compare::PlanDelegate*>(table_->itemDelegate());
    for (const auto& button : delegate->buttons(option, index))
      if (button.request == request)
        return QTest::mouseClick(table_->viewport(), Qt::LeftButton, {}, button.rect.center());
    QFAIL("no such button");
  }

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
    QCOMPARE(table_->shown_plans(), (std::vector<int>{3, 1, 2, 5, 6}));
    QCOMPARE(table_->selected_plan(), 2);
    table_->sortByColumn(models::compare::PlanTableModel::peak, Qt::DescendingOrder);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{5, 2, 1, 3, 6}));  // what is computed comes last still
  }

  void rows_are_by_time_and_plans_that_fit_come_first() {
    auto rows = samples::rows();
    rows.push_back(samples::row(7, "quick but large", {0, 20}, 100, 20));
    rows.push_back(samples::row(8, "quick", {0, 20}, 200, 9));
    model_->set_rows(rows);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{8, 1, 2, 3, 5, 7, 6}));
  }

  void a_row_that_arrives_does_not_move_the_selected_one() {
    table_->resize(1100, table_->full_height() / 2);
    table_->select_plan(3);
    const int place = table_->visualRect(table_->currentIndex()).top();
    QSignalSpy selected(table_.get(), &views::compare::PlanTable::plan_selected);
    auto rows = samples::rows();
    for (int i = 0; i < 5; ++i) rows.push_back(samples::row(20 + i, "arrived", {0, 20}, 100 + i, 9));
    table_->set_rows(rows);
    QCOMPARE(table_->shown_plans()[0], 20);
    QCOMPARE(table_->selected_plan(), 3);
    QCOMPARE(table_->visualRect(table_->currentIndex()).top(), place);
    QCOMPARE(selected.count(), 0);
  }

  void groups_are_closed_until_they_are_opened() {
    auto rows = samples::rows();
    models::compare::PlanRow none;
    none.id = 44;
    none.plan.name = "AMP";
    none.note = "No plan fits. It would fit with 3 GiB more memory.";
    rows.push_back(none);
    table_->set_rows(rows);
    QVERIFY(std::ranges::count(table_->shown_plans(), 44) == 0);
    table_->open_group(models::compare::PlanGroup::no_plan, true);
    table_->open_group(models::compare::PlanGroup::changes_training, true);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{1, 2, 3, 5, 6, 4, 44}));
    const QModelIndex reason = table_->model()->index(6, models::compare::PlanTableModel::iteration);
    QCOMPARE(reason.data().toString(), QStringLiteral("no plan: No plan fits"));
    QVERIFY(table_->visualRect(reason).width() > table_->width() / 2);  // one wide cell
    table_->sortByColumn(models::compare::PlanTableModel::iteration, Qt::DescendingOrder);
    QCOMPARE(table_->shown_plans().back(), 44);
    table_->set_rows({none});
    QCOMPARE(table_->shown_plans(), (std::vector<int>{44}));  // else the table would be empty
  }

  void equal_plans_are_one_row_that_opens() {
    auto rows = samples::rows();
    rows[0].agreeing = {"DAPPLE", "Whale"};
    rows[1].agrees_with = rows[0].id;
    table_->set_rows(rows);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{1, 3, 5, 6}));
    QCOMPARE(table_->model()->index(0, models::compare::PlanTableModel::name).data().toString(),
             QStringLiteral("DAPPLE, Whale"));
    table_->select_plan(2);  // is shown by the first
    QCOMPARE(table_->currentIndex().row(), 0);
    click_button(0, models::compare::PlanTableModel::name, views::compare::RowRequest::fold);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{1, 2, 3, 5, 6}));
    click_button(0, models::compare::PlanTableModel::name, views::compare::RowRequest::fold);
    QCOMPARE(table_->shown_plans(), (std::vector<int>{1, 3, 5, 6}));
  }

  void a_search_has_its_buttons() {
    auto rows = samples::rows();
    models::compare::PlanRow searching;
    searching.id = -2;
    searching.plan.name = "Pipedeck";
    searching.search = models::compare::PlanSearch{true, Seconds(6.2), Seconds(10), "44.7 s, PP 16 · DP 4"};
    rows.push_back(searching);
    rows[1].can_continue = true;
    table_->set_rows(rows);
    QCOMPARE(table_->shown_plans().back(), -2);
    QVERIFY(views::compare::search_text(*searching.search).startsWith(QStringLiteral("6.2 of 10 s")));
    QVERIFY(views::compare::search_text(*searching.search).contains(QStringLiteral("44.7 s")));
    QSignalSpy requested(table_.get(), &views::compare::PlanTable::requested);
    const int last = static_cast<int>(table_->shown_plans().size()) - 1;
    click_button(last, models::compare::PlanTableModel::iteration, views::compare::RowRequest::keep_best);
    click_button(last, models::compare::PlanTableModel::iteration, views::compare::RowRequest::more_time);
    click_button(1, models::compare::PlanTableModel::name, views::compare::RowRequest::more_time);
    QCOMPARE(requested.count(), 3);
    QCOMPARE(requested[0][0].toInt(), -2);
    QCOMPARE(requested[0][1].value<views::compare::RowRequest>(), views::compare::RowRequest::keep_best);
    QCOMPARE(requested[1][1].value<views::compare::RowRequest>(), views::compare::RowRequest::more_time);
    QCOMPARE(requested[2][0].toInt(), 2);
    table_->selectAll();
    QVERIFY(std::ranges::count(table_->selected_plans(), -2) == 0);  // no plan yet
  }

  void the_baseline_is_pinned_by_mouse_and_by_key() {
    QSignalSpy chosen(table_.get(), &views::compare::PlanTable::baseline_chosen);
    QTest::mouseClick(table_->viewport(), Qt::LeftButton, {}, middle_of(1, models::compare::PlanTableModel::pin));
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toInt(), 2);
    table_->select_plan(3);
    QTest::keyClick(table_.get(), Qt::Key_P);
    QCOMPARE(chosen[1][0].toInt(), 3);
    auto rows = samples::rows();
    rows[2].baseline = true;
    table_->set_rows(rows);
    QTest::keyClick(table_.get(), Qt::Key_P);
    QCOMPARE(chosen[2][0].toInt(), 0);
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

  /// The view moves the current row when its row leaves: the page, which is at work, must not hear of it.
  void a_row_that_leaves_reports_no_other() {
    table_->select_plans({5, 2, 4});
    auto rows = samples::rows();
    std::erase_if(rows, [](const models::compare::PlanRow& row) { return row.id == 5; });
    const QSignalSpy selected(table_.get(), &views::compare::PlanTable::plan_selected);
    connect(table_.get(), &views::compare::PlanTable::plan_selected, this, [&] { table_->set_rows(rows); });
    table_->set_rows(rows);
    QCOMPARE(selected.count(), 0);
    QCOMPARE(model_->rowCount(), static_cast<int>(rows.size()));
    QCOMPARE(table_->shown_plans(), (std::vector<int>{1, 2, 3, 6}));
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

}  // namespace pipedeck::tst_plan_table

#include "tst_plan_table.moc"
