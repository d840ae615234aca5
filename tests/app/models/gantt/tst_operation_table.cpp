// SPDX-License-Identifier: GPL-3.0-or-later
// The table of operations: rows, filters, orders, pages, and work off the window's thread.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include "app/models/gantt/operation_search.hpp"
#include "app/models/gantt/operation_table_model.hpp"
#include "tests/app/models/synthetic_simulation.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_operation_table {

const QStringList kinds{"F", "B", "Bi", "W", "R", "send", "receive", "all-reduce", "step"};

QString cell(const models::gantt::OperationTableModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

class TestOperationTable : public QObject {
  Q_OBJECT

 private slots:
  void rows_are_the_timeline_s() {
    models::gantt::OperationTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2, .replicas = 2}));
    model.set_content(content, kinds);
    QCOMPARE(static_cast<std::size_t>(model.rowCount()), content->timeline->size());
    QCOMPARE(cell(model, 0, models::gantt::OperationTableModel::place), "G0");
    QCOMPARE(cell(model, 0, models::gantt::OperationTableModel::kind), "F");
    QCOMPARE(cell(model, 0, models::gantt::OperationTableModel::duration), QLocale().toString(48.0, 'f', 3));
    QVERIFY(model.headerData(models::gantt::OperationTableModel::start, Qt::Horizontal).toString().contains("ms"));
    QVERIFY(
        model.index(0, models::gantt::OperationTableModel::duration).data(Qt::ToolTipRole).toString().contains("ns"));
    std::size_t waits = 0;
    for (int row = 0; row < model.rowCount(); ++row)
      waits += !cell(model, row, models::gantt::OperationTableModel::waited).isEmpty();
    QVERIFY(waits > 0);
  }

  void a_filter_and_an_order() {
    models::gantt::OperationTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto content = models::gantt::make_gantt_content(app::synthetic_simulation({.stages = 2, .replicas = 2}));
    model.set_content(content, kinds);
    const models::gantt::Query query = models::gantt::parse_gantt_query("B").query;
    model.set_filter(std::make_shared<const models::gantt::OperationSet>(
        *models::gantt::find_operations(*content->timeline, query)));
    QCOMPARE(model.rowCount(), 16);
    for (int row = 0; row < model.rowCount(); ++row) {
      QCOMPARE(cell(model, row, models::gantt::OperationTableModel::kind), "B");
      QCOMPARE(model.row_of(model.operation(row)), std::optional<std::size_t>(row));
    }
    QVERIFY(!model.row_of(0));
    QSignalSpy sorted(&model, &models::gantt::OperationTableModel::sorted);
    model.sort(models::gantt::OperationTableModel::start, Qt::DescendingOrder);
    QVERIFY(sorted.wait());
    for (int row = 1; row < model.rowCount(); ++row)
      QVERIFY(content->timeline->start[model.operation(row - 1)] >= content->timeline->start[model.operation(row)]);
    QCOMPARE(model.row_of(model.operation(3)), std::optional<std::size_t>(3));
    model.set_filter(nullptr);
    QVERIFY(sorted.wait());  // the order stays
    QCOMPARE(static_cast<std::size_t>(model.rowCount()), content->timeline->size());
    model.sort(-1);
    QCOMPARE(model.operation(0), std::size_t{0});
  }

  void many_rows_come_by_pages() {
    models::gantt::OperationTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto content = models::gantt::make_gantt_content(app::random_timeline(250'000, 2, 4));
    model.set_content(content, kinds);
    QCOMPARE(model.total(), std::size_t{250'000});
    QCOMPARE(model.pages(), std::size_t{3});
    QCOMPARE(model.rowCount(), 100'000);
    model.set_page(2);
    QCOMPARE(model.rowCount(), 50'000);
    QCOMPARE(model.operation(5), std::size_t{200'005});
    QCOMPARE(model.headerData(5, Qt::Vertical).toULongLong(), 200'006ull);
    model.set_page(99);
    QCOMPARE(model.page(), std::size_t{2});
  }

  void too_many_are_not_sorted_and_say_so() {
    models::gantt::OperationTableModel model;
    model.set_content(models::gantt::make_gantt_content(
                          app::random_timeline(models::gantt::OperationTableModel::max_sorted + 64, 2, 4)),
                      kinds);
    QSignalSpy refused(&model, &models::gantt::OperationTableModel::sort_refused);
    model.sort(models::gantt::OperationTableModel::duration);
    QCOMPARE(refused.size(), 1);
    QCOMPARE(model.operation(7), std::size_t{7});
  }

  void background_work_gives_way_to_newer_work() {
    int done = 0;
    {
      models::BackgroundTask background;
      for (int i = 1; i <= 20; ++i)
        background.start([i, &done](const std::stop_token&) { return [i, &done] { done = i; }; });
      QTRY_COMPARE(done, 20);
      QVERIFY(!background.running());
      background.start([&done](const std::stop_token& stop) {
        while (!stop.stop_requested()) QThread::msleep(1);
        return [&done] { done = -1; };
      });
      QVERIFY(background.running());
    }
    QTest::qWait(20);
    QCOMPARE(done, 20);
  }
};

PIPEDECK_TEST(TestOperationTable)

}  // namespace pipedeck::tst_operation_table

#include "tst_operation_table.moc"
