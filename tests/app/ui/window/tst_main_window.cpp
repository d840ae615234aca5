// SPDX-License-Identifier: GPL-3.0-or-later
// A new user's path in the real window: import, choose, compare, zoom, drag a cut, undo, save, reopen, export.
#include <algorithm>

#include <QComboBox>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>

#include "app/models/compare/plan_table_model.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/compare/inspector.hpp"
#include "app/views/compare/plan_panel.hpp"
#include "app/views/compare/plan_table.hpp"
#include "app/views/compare/project_tree.hpp"
#include "app/views/split/editor.hpp"
#include "core/io/files.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_main_window {

using namespace pipedeck::test;

class TestMainWindow : public QObject {
  Q_OBJECT

 private slots:
  void starts_with_the_start_panel();
  void sample_is_compared_and_asks_nothing_when_closed();
  void imports_and_compares_data();
  void imports_and_compares();
  void charts_zoom_together();
  void ticks_show_and_hide_charts();
  void dragging_a_cut_is_followed_and_undone();
  void escape_puts_a_dragged_cut_back();
  void keyboard_moves_a_cut();
  void batch_is_edited_in_the_box();
  void comparison_can_be_cancelled();
  void window_answers_while_it_compares();
  void malformed_files_dropped_are_told_of();
  void files_dropped_are_imported();
  void project_is_saved_and_reopened();
  void unsaved_changes_are_asked_about();
  void exported_plan_runs_on_the_command_line();
  void menus_say_what_undo_undoes();
  void papers_tables_are_shown();
  void broken_invariant_leaves_the_window_alive();

 private:
  static void drop(ui::window::MainWindow& window, const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &event);
  }
  /// Chooses what a box lists, as a click in its list does.
  static void choose(QComboBox* box, const QString& text) {
    const int index = box->findText(text);
    QVERIFY2(index >= 0, qPrintable(text));
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
  /// The synchronous plan of the fewest stages, but two at least.
  static int select_pipeline(const WindowFixture& fixture) {
    const models::compare::PlanRow* best = nullptr;
    for (const models::compare::PlanRow& row : fixture.window->compare_page().rows()) {
      if (!row.simulation || row.plan.stages.size() < 2 || !row.plan.synchronous()) continue;
      if (!best || row.plan.stages.size() < best->plan.stages.size()) best = &row;
    }
    const int id = best ? best->id : 0;
    fixture.session().select_plan(id);
    return id;
  }
};

void TestMainWindow::starts_with_the_start_panel() {
  WindowFixture fixture;
  QVERIFY(fixture.state().empty());
  QVERIFY(fixture.errors.isEmpty());
  fixture.window->open_sample();
  QVERIFY(!fixture.state().empty());
  QVERIFY(fixture.settle());
  fixture.trigger("action_new");
  QVERIFY(fixture.state().empty());
}

void TestMainWindow::sample_is_compared_and_asks_nothing_when_closed() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(fixture.window->compare_page().rows().size() >= 5);
  QVERIFY(!fixture.window->isWindowModified());
  QVERIFY(fixture.window->close());
  QVERIFY(fixture.questions.isEmpty());
}

void TestMainWindow::imports_and_compares_data() {
  QTest::addColumn<QString>("file");
  QTest::newRow("imported graph") << QStringLiteral("dapple/bert-48-pbs-2.txt");
  QTest::newRow("preset") << QString();
}

void TestMainWindow::imports_and_compares() {
  QFETCH(QString, file);
  WindowFixture fixture;
  auto* cluster = fixture.child<QComboBox>("cluster_box");
  if (file.isEmpty()) {
    choose(fixture.child<QComboBox>("profile_box"), "BERT-48");
  } else {
    const std::string data = pipedeck::test::shared_data();
    if (data.empty()) QSKIP("the shared profiles are not there");
    fixture.answers.files_to_open = {QString::fromStdString(data) + "/" + file};
    fixture.trigger("action_import");
    QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
    QVERIFY(fixture.questions.isEmpty());  // the file's name has the micro-batch
  }
  choose(cluster, cluster->itemText(cluster->findText("DAPPLE config A", Qt::MatchStartsWith)));
  fixture.session().set_global_batch(64);
  QTest::mouseClick(fixture.child<QPushButton>("primary"), Qt::LeftButton);
  QVERIFY(fixture.settle());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));

  const auto& rows = fixture.window->compare_page().rows();
  QStringList planners;
  for (const models::compare::PlanRow& row : rows) {
    planners << QString::fromStdString(row.plan.planner);
    if (!row.simulation) continue;
    QVERIFY(row.simulation->iteration.count > 0);
    QVERIFY(row.lower_bound.count > 0);
    QVERIFY(row.single_device > to_seconds(row.simulation->iteration));
  }
  for (const char* planner : {"dapple", "pipedream", "capture", "data-parallel", "gpipe"}) {
    QVERIFY2(planners.contains(QLatin1String(planner)), planner);
  }
  const views::compare::PlanTable& table = fixture.window->compare_page().table();
  const auto open = std::ranges::count_if(rows, [&](const models::compare::PlanRow& row) {
    return table.shows(row) && (row.group() == models::compare::PlanGroup::plans || table.group_open(row.group()));
  });
  QCOMPARE(table.model()->rowCount(), static_cast<int>(open));
  QVERIFY(!fixture.window->compare_page().charts().panels().empty());
  QVERIFY(!fixture.window->findChild<views::compare::Inspector*>()->content().title.isEmpty());
}

void TestMainWindow::charts_zoom_together() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto panels = fixture.window->compare_page().charts().panels();
  QVERIFY(panels.size() >= 2);
  const models::gantt::TimeAxis before = fixture.window->compare_page().charts().link().axis();
  views::gantt::View& gantt = panels[0]->gantt();
  const QPoint centre = gantt.rect().center();
  QWheelEvent wheel(centre, gantt.mapToGlobal(centre), {}, {0, 240}, Qt::NoButton, Qt::ControlModifier,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&gantt, &wheel);
  const models::gantt::TimeAxis zoomed = fixture.window->compare_page().charts().link().axis();
  QVERIFY(zoomed.span() < before.span());
  for (views::compare::PlanPanel* panel : panels) {
    QVERIFY(panel->gantt().link().axis() == zoomed);
    QVERIFY(panel->memory().link().axis() == zoomed);
  }
  fixture.trigger("action_zoom_fit");
  QVERIFY(fixture.window->compare_page().charts().link().axis() == before);
}

void TestMainWindow::ticks_show_and_hide_charts() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto charts = [&] { return fixture.window->compare_page().charts().panels().size(); };
  const std::size_t before = charts();
  const int shown = fixture.window->compare_page().charts().panels()[0]->plan_id();
  fixture.session().set_ticked(shown, false);
  QCOMPARE(charts(), before - 1);
  fixture.trigger("action_undo");
  QCOMPARE(charts(), before);
}

void TestMainWindow::dragging_a_cut_is_followed_and_undone() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const int plan = select_pipeline(fixture);
  QVERIFY2(plan > 0, "the sample has no pipeline");
  fixture.session().set_ticked(plan, true);
  ui::pages::ComparePage& page = fixture.window->compare_page();
  const std::size_t rows = page.rows().size();
  const std::int64_t before = page.row(plan)->simulation->iteration.count;
  const models::split::StageStarts firsts = page.split().firsts();

  views::split::Editor& split = page.split();
  const QPoint handle = split.handle_position(1);
  QTest::mousePress(&split, Qt::LeftButton, {}, handle);
  for (int x = 4; x <= 120; x += 4) QTest::mouseMove(&split, handle + QPoint(x, 0));
  QVERIFY(split.dragging());
  const models::split::StageStarts moved = split.firsts();
  QVERIFY(moved != firsts);
  QTRY_VERIFY(!fixture.session().live().busy());
  // The row, the charts and the figures show the plan under the pointer; the project does not.
  QVERIFY(page.row(plan)->simulation->iteration.count != before);
  QCOMPARE(page.row(plan)->plan.stages[1].first, moved[1]);
  QCOMPARE(session::project::find_plan(fixture.state(), plan)->plan->stages[1].first, firsts[1]);
  QTRY_COMPARE(page.charts().panel(plan)->row().simulation, page.row(plan)->simulation);
  const std::size_t steps = fixture.session().undo_steps();
  QTest::mouseRelease(&split, Qt::LeftButton, {}, handle + QPoint(120, 0));

  QCOMPARE(fixture.session().undo_steps(), steps + 1);
  QCOMPARE(page.rows().size(), rows + 1);
  const int edited = fixture.state().selected_plan;
  QVERIFY(edited != plan);
  QVERIFY(fixture.settle());
  QCOMPARE(page.row(plan)->simulation->iteration.count, before);
  QVERIFY(page.row(edited)->simulation);
  QCOMPARE(page.row(edited)->plan.stages[1].first, moved[1]);
  QVERIFY(fixture.action("action_undo")->text().startsWith("&Undo Move cut before "));
  fixture.trigger("action_undo");
  QCOMPARE(page.rows().size(), rows);
  QCOMPARE(fixture.state().selected_plan, plan);
  fixture.trigger("action_redo");
  QCOMPARE(page.rows().size(), rows + 1);
  QCOMPARE(fixture.state().selected_plan, edited);
  QVERIFY(page.row(edited)->simulation);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
}

void TestMainWindow::escape_puts_a_dragged_cut_back() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const int plan = select_pipeline(fixture);
  QVERIFY(plan > 0);
  ui::pages::ComparePage& page = fixture.window->compare_page();
  views::split::Editor& split = page.split();
  const models::split::StageStarts firsts = split.firsts();
  const std::int64_t before = page.row(plan)->simulation->iteration.count;
  const std::size_t steps = fixture.session().undo_steps();
  const QPoint handle = split.handle_position(1);
  QTest::mousePress(&split, Qt::LeftButton, {}, handle);
  QTest::mouseMove(&split, handle + QPoint(40, 0));
  QTest::mouseMove(&split, handle + QPoint(80, 0));
  QVERIFY(split.firsts() != firsts);
  QTRY_VERIFY(!fixture.session().live().busy());
  QTest::keyClick(&split, Qt::Key_Escape);
  QTest::mouseRelease(&split, Qt::LeftButton, {}, handle + QPoint(80, 0));
  QVERIFY(split.firsts() == firsts);
  QCOMPARE(page.row(plan)->simulation->iteration.count, before);
  QCOMPARE(fixture.session().undo_steps(), steps);
}

void TestMainWindow::keyboard_moves_a_cut() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const int plan = select_pipeline(fixture);
  QVERIFY(plan > 0);
  views::split::Editor& split = fixture.window->compare_page().split();
  const models::split::StageStarts firsts = split.firsts();
  split.setFocus();
  QTest::keyClick(&split, Qt::Key_Right);
  QTest::keyClick(&split, Qt::Key_Return);
  QVERIFY(fixture.state().selected_plan != plan);
  QCOMPARE(session::project::find_plan(fixture.state(), fixture.state().selected_plan)->plan->stages[1].first,
           firsts[1] + 1);
  QVERIFY(fixture.settle());
}

void TestMainWindow::batch_is_edited_in_the_box() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  auto* box = fixture.child<QComboBox>("batch_box");
  box->lineEdit()->selectAll();
  QTest::keyClicks(box->lineEdit(), "128");
  QTest::keyClick(box->lineEdit(), Qt::Key_Return);
  QCOMPARE(fixture.state().question.workload.global_batch, 128);
  QCOMPARE(fixture.session().undo_name(), QString("Set global batch 128"));
  QVERIFY(fixture.window->compare_page().rows().empty());  // no plan answers this question yet
  fixture.trigger("action_undo");
  QCOMPARE(box->currentText(), QString("64"));
  QVERIFY(!fixture.window->compare_page().rows().empty());
}

void TestMainWindow::comparison_can_be_cancelled() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.session().set_global_batch(256);
  const std::size_t plans = fixture.state().plans.size();
  auto* button = fixture.child<QPushButton>("primary");
  QTest::mouseClick(button, Qt::LeftButton);
  QCOMPARE(button->text(), QString("Cancel"));
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(!fixture.session().comparing());
  QCOMPARE(button->text(), QString("Compare"));
  QVERIFY(fixture.settle());
  QTest::qWait(50);
  QCOMPARE(fixture.state().plans.size(), plans);
  QVERIFY(fixture.errors.isEmpty());
}

void TestMainWindow::window_answers_while_it_compares() {
  WindowFixture fixture;
  fixture.window->open_sample();
  QElapsedTimer since;
  since.start();
  qint64 longest = 0;
  while (fixture.session().jobs().any_running() && since.elapsed() < 30000) {
    QElapsedTimer turn;
    turn.start();
    QCoreApplication::processEvents();
    longest = std::max(longest, turn.elapsed());
    QTest::qSleep(1);
  }
  QVERIFY(fixture.session().last_comparison().has_value());
  QVERIFY2(longest < 1000, qPrintable(QString("one turn took %1 ms").arg(longest)));
}

void TestMainWindow::malformed_files_dropped_are_told_of() {
  WindowFixture fixture;
  const QString profile = fixture.path("bad.profile.json");
  QVERIFY(
      io::write_file(profile.toStdString(),
                     R"({"format": "pipedeck.profile", "version": 1, "name": "x", "micro_batch": 0, "layers": []})"));
  const QString graph = fixture.path("bad-pbs-2.txt");
  QVERIFY(io::write_file(graph.toStdString(), "node1 -- Linear -- forward_compute_time=oops\n"));
  drop(*fixture.window, {profile, graph});
  QCOMPARE(fixture.errors.size(), 2);
  QVERIFY2(fixture.errors[0].contains("bad.profile.json") && fixture.errors[0].contains("/micro_batch"),
           qPrintable(fixture.errors[0]));
  QVERIFY2(fixture.errors[1].contains("bad-pbs-2.txt") && fixture.errors[1].contains("line 1"),
           qPrintable(fixture.errors[1]));
  QVERIFY(fixture.state().empty());
}

void TestMainWindow::files_dropped_are_imported() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const int id = select_pipeline(fixture);
  QVERIFY(fixture.session().export_plan(id, fixture.path("dropped.plan.json")));
  const std::size_t plans = fixture.state().plans.size();
  drop(*fixture.window, {fixture.path("dropped.plan.json")});
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QCOMPARE(fixture.state().plans.size(), plans + 1);
}

void TestMainWindow::project_is_saved_and_reopened() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QVERIFY(select_pipeline(fixture) > 0);
  fixture.window->compare_page().split().setFocus();
  QTest::keyClick(&fixture.window->compare_page().split(), Qt::Key_Right);
  QTest::keyClick(&fixture.window->compare_page().split(), Qt::Key_Return);
  QVERIFY(fixture.settle());
  QVERIFY(fixture.window->isWindowModified());
  fixture.answers.file_to_save = fixture.path("sample");  // the ending is added
  fixture.trigger("action_save");
  QVERIFY(fixture.session().finish_saving());
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(!fixture.window->isWindowModified());
  QVERIFY(fixture.window->windowTitle().startsWith("sample.pipedeck"));

  WindowFixture second;
  second.window->open_files({fixture.path("sample.pipedeck")});
  QVERIFY2(second.errors.isEmpty(), qPrintable(second.errors.join('\n')));
  QVERIFY(second.settle());
  const auto& before = fixture.window->compare_page().rows();
  const auto& after = second.window->compare_page().rows();
  QCOMPARE(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    QCOMPARE(after[i].id, before[i].id);
    QVERIFY(after[i].plan == before[i].plan);
    QCOMPARE(after[i].ticked, before[i].ticked);
    QCOMPARE(after[i].note, before[i].note);
    QCOMPARE(after[i].lower_bound.count, before[i].lower_bound.count);
    QCOMPARE(after[i].single_device.count, before[i].single_device.count);
    QCOMPARE(static_cast<bool>(after[i].simulation), static_cast<bool>(before[i].simulation));
    if (after[i].simulation) QVERIFY(*after[i].simulation == *before[i].simulation);
  }
  QCOMPARE(second.state().selected_plan, fixture.state().selected_plan);
  QVERIFY(second.state().question == fixture.state().question);
}

void TestMainWindow::unsaved_changes_are_asked_about() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.session().set_global_batch(32);
  fixture.answers.unsaved = ui::dialogs::Unsaved::cancel;
  QVERIFY(!fixture.window->close());
  QCOMPARE(fixture.questions.size(), 1);
  fixture.answers.unsaved = ui::dialogs::Unsaved::save;
  fixture.answers.file_to_save.clear();  // and given up
  QVERIFY(!fixture.window->close());
  fixture.answers.file_to_save = fixture.path("kept.pipedeck");
  QVERIFY(fixture.window->close());
  QVERIFY(QFile::exists(fixture.path("kept.pipedeck")));
}

void TestMainWindow::exported_plan_runs_on_the_command_line() {
  if (!QFile::exists(command_line_program())) QSKIP("pipedeck-cli is not built");
  WindowFixture fixture;
  choose(fixture.child<QComboBox>("profile_box"), "mlp-small");
  auto* cluster = fixture.child<QComboBox>("cluster_box");
  choose(cluster, cluster->itemText(cluster->findText("CPU", Qt::MatchContains)));
  fixture.trigger("action_compare");
  QVERIFY(fixture.settle());
  fixture.answers.file_to_save = fixture.path("out.plan.json");
  fixture.trigger("action_export_plan");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const auto run = [](const QStringList& arguments) {
    QProcess process;
    process.start(command_line_program(), arguments);
    process.waitForFinished(60000);
    return std::pair(process.exitCode(), process.readAllStandardOutput() + process.readAllStandardError());
  };
  const auto [simulated, simulation] =
      run({"simulate", "--profile", "preset:mlp-small", "--cluster", "preset:" + cluster->currentText(), "--plan",
           fixture.path("out.plan.json")});
  QVERIFY2(simulated == 0, simulation.constData());
  const auto [trained, training] = run({"run", "--plan", fixture.path("out.plan.json"), "--model", "preset:mlp-small",
                                        "--backend", "cpu", "--steps", "2", "--events", "-"});
  QVERIFY2(trained == 0, training.constData());
}

void TestMainWindow::menus_say_what_undo_undoes() {
  WindowFixture fixture;
  QVERIFY(!fixture.action("action_undo")->isEnabled());
  QVERIFY(fixture.open_sample());
  const int plan = select_pipeline(fixture);
  const std::pair<const char*, QString> changes[] = {
      {"action_duplicate", "Duplicate plan"}, {"action_rename", "Rename plan"}, {"action_delete", "Delete renamed"}};
  for (const auto& [name, step] : changes) {
    const std::size_t steps = fixture.session().undo_steps();
    fixture.trigger(name);
    if (auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget())) {  // renamed in its place
      QTest::keyClicks(field, "renamed");
      QTest::keyClick(field, Qt::Key_Return);
      QCoreApplication::processEvents();  // delegates take what was typed a turn later
    }
    QVERIFY2(fixture.session().undo_steps() == steps + 1, name);
    QCOMPARE(fixture.action("action_undo")->text(), "&Undo " + step);
  }
  for (std::size_t i = 0; i < std::size(changes); ++i) fixture.trigger("action_undo");
  QVERIFY(session::project::find_plan(fixture.state(), plan));
  QCOMPARE(fixture.action("action_redo")->text(), QString("&Redo Duplicate plan"));
}

void TestMainWindow::papers_tables_are_shown() {
  WindowFixture fixture;
  fixture.trigger("action_reproduction");
  QCOMPARE(fixture.informations.size(), 1);
  QVERIFY(fixture.informations.first().contains("DAPPLE, Table V:"));
}

void TestMainWindow::broken_invariant_leaves_the_window_alive() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.session().jobs().start("Broken", [](const session::work::Jobs::Context&) -> session::work::Jobs::Apply {
    ensure(false, "a schedule without devices");
    return {};
  });
  QTRY_COMPARE(fixture.errors.size(), 1);
  QVERIFY(fixture.errors[0].startsWith("Internal error"));
  QVERIFY(fixture.errors[0].contains("a schedule without devices"));
  fixture.trigger("action_compare");
  QVERIFY(fixture.settle());
  QCOMPARE(fixture.errors.size(), 1);
}

PIPEDECK_WINDOW_TEST(TestMainWindow)

}  // namespace pipedeck::tst_main_window

#include "tst_main_window.moc"
