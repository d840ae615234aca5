// SPDX-License-Identifier: GPL-3.0-or-later
// Critical path, waterfall and sensitivity in the real window.
#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QPushButton>

#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/whatif/explain_view.hpp"
#include "app/views/widgets/bar_table.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/core/io/traces/trace_checker.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_explain_page {

using namespace pipedeck::test;

class TestExplain : public QObject {
  Q_OBJECT

 private slots:
  void critical_path_is_brought_out_and_put_away();
  void waterfall_adds_up_and_is_copied();
  void sensitivity_is_found_and_cancelled();
  void trace_is_exported();
  void pictures();
};

void TestExplain::critical_path_is_brought_out_and_put_away() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto panels = fixture.window->compare_page().charts().panels();
  QVERIFY(!panels.empty());
  QVERIFY(panels.front()->gantt().critical().empty());
  QTest::keyClick(fixture.window.get(), Qt::Key_P);
  QVERIFY(fixture.settle());
  for (const views::compare::PlanPanel* panel : panels) {
    const auto& boxes = panel->gantt().critical();
    QVERIFY(!boxes.empty());
    for (const models::gantt::CriticalBox& box : boxes) {
      QVERIFY(box.row < panel->gantt().geometry_of_lanes().rows.size());
      QVERIFY(box.begin <= box.end);
    }
    if (panel->row().plan.synchronous())
      QCOMPARE(boxes.back().end, static_cast<double>(panel->row().simulation->iteration.count));
  }
  QTest::qWait(100);
  QCOMPARE(ui::layout::write_picture(*fixture.window, pictures_folder() + "critical-path.png"), QString());
  fixture.trigger("action_critical_path");
  QVERIFY(panels.front()->gantt().critical().empty());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestExplain::waterfall_adds_up_and_is_copied() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_page_explain");
  QVERIFY(fixture.settle());
  QTRY_VERIFY(!fixture.window->explain_page().view().waterfall().rows().empty());
  // The selected plan against the fastest one that trains alike and is not equal.
  const auto* other_box = fixture.child<QComboBox>("waterfall_from");
  const auto* other = session::project::find_plan(fixture.state(), other_box->currentData().toInt());
  const auto* selected = session::project::find_plan(fixture.state(), fixture.state().selected_plan);
  QVERIFY(other && selected && other->plan->synchronous());
  QVERIFY(other->plan->predicted->iteration != selected->plan->predicted->iteration);
  // Plans have the names of their charts.
  const auto* chosen_box = fixture.child<QComboBox>("waterfall_to");
  const auto title_of = [&](int id) {
    const auto rows = fixture.window->compare_page().rows();
    return models::compare::plan_title(*std::ranges::find(rows, id, &models::compare::PlanRow::id));
  };
  for (const QComboBox* box : {other_box, chosen_box})
    for (int i = 0; i < box->count(); ++i) QCOMPARE(box->itemText(i), title_of(box->itemData(i).toInt()));
  QVERIFY(std::ranges::none_of(fixture.state().plans, [&](const auto& entry) {
    return entry.plan->planner == "amp" && other_box->findText(QString::fromStdString(entry.plan->name)) >= 0;
  }));
  const auto rows = fixture.window->explain_page().view().waterfall().rows();
  QCOMPARE(rows.size(), std::size_t{2 + 8});  // the parts of all plans, and both iterations
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const double before = i == 1 ? rows[0].to : rows[i - 1].to;
    QCOMPARE(rows[i].from, before);
  }
  QVERIFY(qAbs(rows[rows.size() - 2].to - rows.back().to) < 1e-12);
  // Both ends are the plans' iterations.
  auto* to = fixture.child<QComboBox>("waterfall_to");
  QCOMPARE(to->currentData().toInt(), fixture.state().selected_plan);
  const models::compare::PlanRow* row = fixture.window->compare_page().row(fixture.state().selected_plan);
  QCOMPARE(rows.back().to, to_seconds(row->simulation->iteration).count);
  // Another plan as the start.
  auto* from = fixture.child<QComboBox>("waterfall_from");
  const QString first = rows.front().label;
  for (int i = 0; i < from->count(); ++i)
    if (i != from->currentIndex() && i != to->currentIndex()) {
      from->setCurrentIndex(i);
      emit from->activated(i);
      break;
    }
  QVERIFY(fixture.settle());
  QTRY_VERIFY(!fixture.window->explain_page().view().waterfall().rows().empty());
  QVERIFY(fixture.window->explain_page().view().waterfall().rows().front().label != first);
  QTest::mouseClick(fixture.child<QPushButton>("waterfall_copy"), Qt::LeftButton);
  const QStringList lines = QApplication::clipboard()->text().split('\n');
  QCOMPARE(lines.size(), 2 + 8);
  QCOMPARE(lines.front().count('\t'), 1);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestExplain::sensitivity_is_found_and_cancelled() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_page_explain");
  QVERIFY(fixture.settle());
  auto* button = fixture.child<QPushButton>("sensitivity_button");
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(fixture.session().explainer().finding_sensitivity());
  QCOMPARE(button->text(), QString("Cancel"));
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(fixture.settle());
  QVERIFY(fixture.window->explain_page().view().sensitivity().rows().empty());
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(fixture.settle());
  const auto& rows = fixture.window->explain_page().view().sensitivity().rows();
  QVERIFY(rows.size() > 4);
  QVERIFY(rows.front().heading);
  QCOMPARE(rows.front().label, QString("Largest levers"));
  for (std::size_t i = 2; i < rows.size() && !rows[i].heading; ++i) QVERIFY(rows[i].to <= rows[i - 1].to);
  QVERIFY(std::any_of(rows.begin(), rows.end(),
                      [](const models::whatif::BarRow& row) { return row.tool_tip.startsWith("+10"); }));
  // Entries of equal gain share a row: no two rows of a group have equal bars.
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size() && !rows[i].heading && !rows[j].heading; ++j)
      QVERIFY2(rows[i].to != rows[j].to, qPrintable(rows[i].label + " and " + rows[j].label));
  QVERIFY(std::any_of(rows.begin(), rows.end(),
                      [](const models::whatif::BarRow& row) { return row.label.startsWith("all devices"); }));
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestExplain::trace_is_exported() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QVERIFY(fixture.settle());
  fixture.answers.file_to_save = fixture.path("out.trace.json");
  fixture.trigger("action_export_trace");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QFile file(fixture.path("out.trace.json"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const models::compare::PlanRow* row = fixture.window->compare_page().row(fixture.state().selected_plan);
  const std::string fault =
      pipedeck::test::trace_fault(file.readAll().toStdString(), &row->simulation->timeline, &row->simulation->devices);
  QVERIFY2(fault.empty(), fault.c_str());
  fixture.answers.file_to_save = fixture.path("no/such/folder/out.trace.json");
  fixture.trigger("action_export_trace");
  QCOMPARE(fixture.errors.size(), 1);
}

void TestExplain::pictures() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.trigger("action_page_explain");
  QVERIFY(fixture.settle());
  for (const char* appearance : {"light", "dark"}) {
    fixture.trigger(qPrintable(QString("action_appearance_%1").arg(appearance)));
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 800)}) {
      fixture.window->resize(size);
      QTest::qWait(100);
      QCOMPARE(fixture.window->size(), size);
      const QString file = pictures_folder() + QString("explain-%1-%2.png").arg(size.width()).arg(appearance);
      QCOMPARE(ui::layout::write_picture(*fixture.window, file), QString());
    }
    QTest::mouseClick(fixture.child<QPushButton>("sensitivity_button"), Qt::LeftButton);
    QVERIFY(fixture.settle());
  }
  fixture.trigger("action_appearance_light");
}

PIPEDECK_WINDOW_TEST(TestExplain)

}  // namespace pipedeck::tst_explain_page

#include "tst_explain_page.moc"
