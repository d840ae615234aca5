// SPDX-License-Identifier: GPL-3.0-or-later
// Files through the real window: locked by another window, old, newer and damaged, recent, dropped, exported.
#include <QDialog>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QScopeGuard>
#include <QSpinBox>
#include <QThread>

#include <unistd.h>

#include "app/session/project/autosave.hpp"
#include "app/ui/layout/picture.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/ui/pages/explain_page.hpp"
#include "app/ui/pages/run_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "app/views/gantt/view.hpp"
#include "app/views/split/editor.hpp"
#include "app/views/whatif/explain_view.hpp"
#include "core/io/csv/schedule.hpp"
#include "core/io/documents/formats.hpp"
#include "core/sim/simulate.hpp"
#include "tests/app/ui/edits.hpp"
#include "tests/app/ui/project_files.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_files {

using namespace pipedeck::test;

QString fixture_copy(const WindowFixture& window) {
  QFile::copy(fixture("version1.pipedeck"), window.path("p.pipedeck"));
  return window.path("p.pipedeck");
}

class TestFiles : public QObject {
  Q_OBJECT

 private slots:
  void closing_leaves_nothing_behind();
  void a_second_window_is_read_only();
  void a_killed_owner_locks_nobody_out();
  void write_protected_projects_are_read_only();
  void a_copy_is_not_saved_over_an_open_project();
  void older_versions_open_data();
  void older_versions_open();
  void newer_and_damaged_files_are_told_data();
  void newer_and_damaged_files_are_told();
  void recent_projects_that_are_gone_are_told_and_forgotten();
  void recent_projects_of_one_name_are_told_apart();
  void simulations_and_run_logs_are_dropped_and_shown();
  void tables_are_exported_data();
  void tables_are_exported();
  void job_scripts_are_exported();
  void orders_of_operations_are_exported();
  void pictures_of_views_are_shapes();
  void views_offer_exports();

 private:
  static void drop_on(ui::window::MainWindow& window, const QString& file) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(file)});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &event);
  }
};

void TestFiles::closing_leaves_nothing_behind() {
  WindowFixture fixture;
  const QString project = fixture.path("p.pipedeck");
  write_project_file(project);
  fixture.window->open_files({project});
  QVERIFY(QFile::exists(fixture.path(".p.pipedeck.lock")));
  fixture.session().set_global_batch(123);
  QVERIFY(QFile::exists(fixture.path(".p.pipedeck.work")));
  QVERIFY(!QDir(fixture.path("state")).isEmpty());
  fixture.session().undo();
  QVERIFY(!QFile::exists(fixture.path(".p.pipedeck.work")));
  fixture.session().redo();
  fixture.answers.unsaved = ui::dialogs::Unsaved::discard;
  QVERIFY(fixture.window->close());
  QVERIFY(!QFile::exists(fixture.path(".p.pipedeck.work")));
  QVERIFY(QDir(fixture.path("state")).isEmpty());
  fixture.window.reset();
  QVERIFY(!QFile::exists(fixture.path(".p.pipedeck.lock")));
}

void TestFiles::a_second_window_is_read_only() {
  WindowFixture first, second;
  const QString project = first.path("p.pipedeck");
  write_project_file(project);
  first.window->open_files({project});
  auto* first_bar = first.child<QWidget>("read_only_bar");
  QVERIFY(!first_bar->isVisible());
  second.window->open_files({project});
  QVERIFY2(second.errors.isEmpty(), qPrintable(second.errors.join('\n')));
  QVERIFY2(second.window->windowTitle().contains("read-only"), qPrintable(second.window->windowTitle()));
  auto* bar = second.child<QWidget>("read_only_bar");
  QVERIFY(bar->isVisible());
  const QByteArray before = bytes_of(project);
  second.session().set_global_batch(555);
  QVERIFY(!second.session().save());
  QVERIFY(!QFile::exists(second.path(".p.pipedeck.work")));
  QCOMPARE(bytes_of(project), before);
  // Another path of the file is that project.
  QVERIFY(QFile::link(project, first.path("link.pipedeck")));
  QVERIFY(!second.session().save_as(first.path("link.pipedeck")));
  QCOMPARE(bytes_of(project), before);
  // The bar leads out.
  second.answers.file_to_save = second.path("copy.pipedeck");
  QTest::mouseClick(second.child<QWidget>("read_only_bar")->findChild<QPushButton*>("hint_button"), Qt::LeftButton);
  QVERIFY(second.session().finish_saving());
  QVERIFY(!bar->isVisible());
  QCOMPARE(second.session().file(), second.path("copy.pipedeck"));
  QVERIFY(!second.session().modified());
  QCOMPARE(bytes_of(project), before);
  // And the first window went on as the owner.
  first.session().set_global_batch(44);
  QVERIFY(first.session().save());
  QVERIFY(bytes_of(project) != before);
}

void TestFiles::a_killed_owner_locks_nobody_out() {
  WindowFixture fixture;
  const QString project = fixture.path("p.pipedeck");
  write_project_file(project);
  QProcess owner;
  owner.start(QStringLiteral(PIPEDECK_BUILD_DIR "/tests/app/ui/edit_until_killed"),
              {project, fixture.directory.path()});
  QVERIFY(owner.waitForStarted());
  QVERIFY(owner.waitForReadyRead(30000));
  fixture.window->open_files({project});
  QVERIFY(!fixture.session().read_only_reason().isEmpty());
  owner.kill();
  QVERIFY(owner.waitForFinished());
  fixture.answers.recovery = session::Recovery::saved;
  fixture.window->open_files({project});
  QVERIFY2(fixture.session().read_only_reason().isEmpty(), qPrintable(fixture.session().read_only_reason()));
}

void TestFiles::write_protected_projects_are_read_only() {
  if (::geteuid() == 0) QSKIP("root writes everything");
  WindowFixture fixture;
  const QString project = fixture.path("p.pipedeck");
  write_project_file(project);
  QFile::setPermissions(project, QFile::ReadOwner);
  fixture.window->open_files({project});
  QVERIFY(fixture.session().read_only_reason().contains("write-protected"));
}

void TestFiles::a_copy_is_not_saved_over_an_open_project() {
  WindowFixture first, second;
  const QString project = first.path("p.pipedeck");
  write_project_file(project);
  first.window->open_files({project});
  const QByteArray before = bytes_of(project);
  second.session().set_global_batch(3);
  second.answers.file_to_save = project;
  second.trigger("action_save_as");
  QCOMPARE(second.errors.size(), 1);
  QVERIFY2(second.errors[0].contains("another window"), qPrintable(second.errors[0]));
  QCOMPARE(bytes_of(project), before);
}

void TestFiles::older_versions_open_data() {
  QTest::addColumn<QString>("file");
  QTest::newRow("version 1, first tables") << fixture("version1-first.pipedeck");
  QTest::newRow("version 1") << fixture("version1.pipedeck");
  QTest::newRow("version 2") << fixture("version2.pipedeck");
}

void TestFiles::older_versions_open() {
  QFETCH(QString, file);
  WindowFixture fixture;
  const QString project = fixture.path("p.pipedeck");
  QVERIFY(QFile::copy(file, project));
  QFile::setPermissions(project, QFile::ReadOwner | QFile::WriteOwner);
  const QByteArray before = bytes_of(project);
  fixture.window->open_files({project});
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const session::project::State& state = fixture.state();
  QCOMPARE(state.profiles.size(), std::size_t{2});
  QCOMPARE(state.clusters.size(), std::size_t{2});
  QCOMPARE(state.plans.size(), std::size_t{1});
  QCOMPARE(state.runs.size(), std::size_t{1});
  QVERIFY(state.runs[0].run->samples_per_second.has_value());
  const auto run = session::project::with_traces(state.runs[0].run);
  QVERIFY2(run, run ? "" : run.error().text().c_str());
  QVERIFY((*run)->predicted && (*run)->predicted->timeline.size() > 0);
  QVERIFY((*run)->events.size() > 3);
  fixture.window->run_page().show_run(state.runs[0].id);
  QCOMPARE(bytes_of(project), before);  // opening is never destructive
  const QByteArray held = described(state);
  fixture.session().set_global_batch(state.question.workload.global_batch + 1);
  fixture.session().undo();
  QVERIFY(fixture.session().save());
  // Saved as the newest version, and everything is there again.
  WindowFixture again;
  fixture.window.reset();
  again.window->open_files({project});
  QVERIFY2(again.errors.isEmpty(), qPrintable(again.errors.join('\n')));
  QCOMPARE(described(again.state()), held);
  const auto after = session::project::with_traces(again.state().runs[0].run);
  QVERIFY(after && (*after)->events == (*run)->events && *(*after)->predicted == *(*run)->predicted);
}

void TestFiles::newer_and_damaged_files_are_told_data() {
  QTest::addColumn<QByteArray>("content");
  QTest::addColumn<QString>("words");
  QByteArray newer = bytes_of(fixture("version2.pipedeck"));
  newer[63] = 99;
  QTest::newRow("newer") << newer << "newer Pipedeck";
  QTest::newRow("cut off") << bytes_of(fixture("version2.pipedeck")).left(9000) << "malformed";
  QByteArray holes = bytes_of(fixture("version2.pipedeck"));
  for (qsizetype i = 4096; i < std::min<qsizetype>(holes.size(), 12288); ++i) holes[i] = '\xff';
  QTest::newRow("overwritten") << holes << "";
}

void TestFiles::newer_and_damaged_files_are_told() {
  QFETCH(QByteArray, content);
  QFETCH(QString, words);
  WindowFixture fixture;
  fixture.session().set_global_batch(321);
  const QString project = fixture.path("p.pipedeck");
  write_bytes(project, content);
  fixture.window->open_files({project});
  QCOMPARE(fixture.errors.size(), 1);
  QVERIFY2(fixture.errors[0].contains("p.pipedeck") && fixture.errors[0].contains(words),
           qPrintable(fixture.errors[0]));
  QCOMPARE(bytes_of(project), content);
  QCOMPARE(fixture.state().question.workload.global_batch, 321);  // what was open is still there
  QVERIFY(!QFile::exists(fixture.path(".p.pipedeck.lock")));
}

void TestFiles::recent_projects_that_are_gone_are_told_and_forgotten() {
  WindowFixture fixture;
  const QString project = fixture.path("p.pipedeck");
  write_project_file(project);
  fixture.window->open_files({project});
  fixture.trigger("action_new");
  QVERIFY(QFile::remove(project));
  auto* menu = fixture.child<QMenu>("recent_menu");
  emit menu->aboutToShow();
  QVERIFY(menu->actions()[0]->text().contains("p.pipedeck"));
  menu->actions()[0]->trigger();
  QCOMPARE(fixture.errors.size(), 1);
  QVERIFY2(fixture.errors[0].contains("no longer exists"), qPrintable(fixture.errors[0]));
  emit menu->aboutToShow();
  QVERIFY(!menu->actions()[0]->isEnabled());
}

void TestFiles::recent_projects_of_one_name_are_told_apart() {
  WindowFixture fixture;
  for (const char* folder : {"one", "two"}) {
    QDir(fixture.directory.path()).mkdir(folder);
    const QString project = fixture.directory.filePath(QString("%1/p.pipedeck").arg(folder));
    write_project_file(project);
    fixture.window->open_files({project});
  }
  auto* menu = fixture.child<QMenu>("recent_menu");
  emit menu->aboutToShow();
  QVERIFY2(menu->actions()[0]->text().contains("two"), qPrintable(menu->actions()[0]->text()));
  QVERIFY2(menu->actions()[1]->text().contains("one"), qPrintable(menu->actions()[1]->text()));
}

void TestFiles::simulations_and_run_logs_are_dropped_and_shown() {
  WindowFixture fixture;
  fixture.window->open_files({fixture_copy(fixture)});
  const auto whole = session::project::with_traces(fixture.state().runs[0].run);
  QVERIFY(whole.has_value());
  const QString simulation = fixture.path("two stages.simulation.json"), log = fixture.path("log.jsonl");
  write_bytes(simulation,
              QByteArray::fromStdString(io::documents::simulation_to_json(*(*whole)->predicted, {.intervals = true})));
  QByteArray lines;
  for (const RunEvent& event : (*whole)->events)
    lines += QByteArray::fromStdString(io::documents::event_to_json(event)) + '\n';
  write_bytes(log, lines);

  drop_on(*fixture.window, simulation);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QCOMPARE(fixture.window->page(), ui::window::Page::run);
  QCOMPARE(fixture.state().runs.size(), std::size_t{2});
  QCOMPARE(fixture.state().runs[1].run->name, QString("two stages"));
  QVERIFY(fixture.window->run_page().timeline() && fixture.window->run_page().timeline()->content());
  drop_on(*fixture.window, log);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QCOMPARE(fixture.state().runs.size(), std::size_t{3});
  QCOMPARE(fixture.state().runs[2].run->state, session::project::RunOutcome::finished);
  QVERIFY(fixture.state().runs[2].run->events == (*whole)->events);
  // One step each, and saved as they are.
  QVERIFY(fixture.session().save());
  WindowFixture again;
  const QString file = fixture.session().file();
  fixture.window.reset();
  again.window->open_files({file});
  QVERIFY2(again.errors.isEmpty(), qPrintable(again.errors.join('\n')));
  QCOMPARE(again.state().runs.size(), std::size_t{3});
  const auto after = session::project::with_traces(again.state().runs[1].run);
  QVERIFY(after && *(*after)->predicted == *(*whole)->predicted);

  write_bytes(again.path("broken.jsonl"), "{\"event\":\"step\"}\nnothing\n");
  drop_on(*again.window, again.path("broken.jsonl"));
  QCOMPARE(again.errors.size(), 1);
  QVERIFY2(again.errors[0].contains("broken.jsonl: line 1"), qPrintable(again.errors[0]));
  write_bytes(again.path("cut.jsonl"), lines.chopped(20));
  drop_on(*again.window, again.path("cut.jsonl"));
  QCOMPARE(again.errors.size(), 1);
  QCOMPARE(again.state().runs.size(), std::size_t{4});
  QCOMPARE(again.state().runs[3].run->events.size(), (*whole)->events.size() - 1);
}

void TestFiles::tables_are_exported_data() {
  QTest::addColumn<QString>("table");
  QTest::addColumn<QByteArray>("column");
  const std::pair<const char*, const char*> tables[] = {{"plans", "worst_peak_bytes"},   {"layers", "forward_ms"},
                                                        {"stages", "replicas"},          {"devices", "busy_ms"},
                                                        {"memory", "activations_bytes"}, {"memory-curve", "time_ms"},
                                                        {"operations", "start_ms"},      {"parts", "time_ms"},
                                                        {"waterfall", "change_ms"},      {"critical-path", "begin_ms"},
                                                        {"sensitivity", "gain_ms"}};
  for (const auto& [table, column] : tables) QTest::newRow(table) << table << QByteArray(column);
}

void TestFiles::tables_are_exported() {
  QFETCH(QString, table);
  QFETCH(QByteArray, column);
  const QLocale before;
  const auto put_back = qScopeGuard([&] { QLocale::setDefault(before); });
  QLocale::setDefault(QLocale(QLocale::German));  // files have a point whatever the locale
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  fixture.window->show_page(ui::window::Page::explain);  // which chooses what the waterfall leads from
  fixture.answers.file_to_save = fixture.path("table");
  fixture.trigger(("action_export_table_" + table).toLatin1().constData());
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(fixture.path("table.csv")) || !fixture.errors.isEmpty(), 60000);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const QByteArrayList lines = bytes_of(fixture.path("table.csv")).split('\n');
  QVERIFY2(lines[0].contains(column) && lines[0].endsWith('\r'), lines[0].constData());
  QVERIFY(lines.size() > 2);
  static const QRegularExpression figure(QStringLiteral(",\\d+\\.\\d+,"));
  if (table == QLatin1String("plans"))
    QVERIFY2(figure.match(QString::fromUtf8(lines[1])).hasMatch(), lines[1].constData());
}

void TestFiles::job_scripts_are_exported() {
  WindowFixture fixture;
  fixture.window->open_files({fixture_copy(fixture)});
  fixture.session().select_plan(fixture.state().plans[0].id);
  fixture.answers.file_to_save = fixture.path("job");
  fixture.trigger("action_export_job_slurm");
  QTest::mouseClick(fixture.child<QPushButton>("slurm_save"), Qt::LeftButton);
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  QVERIFY(bytes_of(fixture.path("job.sh")).startsWith("#!/bin/bash\n#SBATCH"));
  QVERIFY(bytes_of(fixture.path("job.sh")).contains("\n#SBATCH --ntasks=1\n"));

  // Nodes, segments and spare ones as `export` has them; what it refuses is refused with its words.
  QTRY_VERIFY(!fixture.child<QDialog>("slurm_dialog"));
  fixture.trigger("action_export_job_slurm");
  auto* dialog = fixture.child<QDialog>("slurm_dialog");
  QVERIFY(dialog && dialog->isVisible());
  const auto set = [&](const char* name, int value) {
    dialog->findChild<QSpinBox*>(QLatin1String(name))->setValue(value);
  };
  const auto lines = [&] { return dialog->findChild<QPlainTextEdit*>("slurm_lines")->toPlainText(); };
  const auto refusal = [&] { return dialog->findChild<QLabel*>("slurm_refusal")->text(); };
  auto* save = dialog->findChild<QPushButton*>("slurm_save");
  set("slurm_spare", 2);
  QVERIFY2(refusal().contains("expected a number of nodes"), qPrintable(refusal()));
  QVERIFY(!save->isEnabled());
  set("slurm_nodes", 1), set("slurm_segment", 2);
  QVERIFY2(refusal().contains("expected a multiple of the 2 of a segment"), qPrintable(refusal()));
  QCOMPARE(ui::layout::write_picture(*dialog, pictures_folder() + "slurm-refused.png"), QString());
  set("slurm_segment", 3);
  QVERIFY2(refusal().isEmpty() && save->isEnabled(), qPrintable(refusal()));
  for (const char* line :
       {"#SBATCH --nodes=3", "#SBATCH --ntasks-per-node=1", "#SBATCH --segment=3", "#SBATCH --no-kill"})
    QVERIFY2(lines().split('\n').contains(QLatin1String(line)), qPrintable(lines()));
  for (const char* appearance : {"dark", "light"}) {
    fixture.trigger(qPrintable(QStringLiteral("action_appearance_%1").arg(QLatin1String(appearance))));
    const QString file = pictures_folder() + QStringLiteral("slurm-%1.png").arg(QLatin1String(appearance));
    QCOMPARE(ui::layout::write_picture(*dialog, file), QString());
  }
  QTest::mouseClick(save, Qt::LeftButton);
  QVERIFY(bytes_of(fixture.path("job.sh")).contains("\n#SBATCH --segment=3\n"));
  fixture.session().delete_plan(fixture.state().plans[0].id);
  fixture.trigger("action_export_job_slurm");
  QCOMPARE(fixture.errors.size(), 1);
}

/// To the byte what the command line writes, which also reads it back.
void TestFiles::orders_of_operations_are_exported() {
  WindowFixture fixture;
  fixture.window->open_files({fixture_copy(fixture)});
  const session::project::PlanEntry& entry = fixture.state().plans[0];
  const Plan plan = *entry.plan;
  const auto problem = session::project::make_problem(fixture.state(), entry);
  QVERIFY(problem);
  fixture.session().select_plan(entry.id);
  fixture.answers.file_to_save = fixture.path("order");
  fixture.trigger("action_export_schedule");
  QVERIFY2(fixture.errors.isEmpty(), qPrintable(fixture.errors.join('\n')));
  const auto simulator = sim::Simulator::of(problem->profile, problem->cluster, problem->workload.conventions);
  const Schedule order = *simulator->schedule(plan);
  const std::string text = bytes_of(fixture.path("order.csv")).toStdString();
  QCOMPARE(text, io::csv::schedule_to_csv(order));
  const auto back = io::csv::plan_with_schedule_csv(plan, text);
  QVERIFY2(back, back ? "" : back.error().message.c_str());
  QCOMPARE(io::csv::schedule_to_csv(*simulator->schedule(*back)), text);
  fixture.answers.file_to_save = fixture.path("nowhere/order");
  fixture.trigger("action_export_schedule");
  QCOMPARE(fixture.errors.size(), 1);
}

void TestFiles::pictures_of_views_are_shapes() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  QTest::qWait(50);
  for (const char* ending : {"svg", "pdf", "png"}) {
    fixture.answers.file_to_save = fixture.path("page.") + ending;
    fixture.trigger("action_export_picture");
    QVERIFY(QFileInfo(fixture.answers.file_to_save).size() > 1000);
  }
  // The charts are not pictures in it: all that a page has of those are small ones (icons).
  const QByteArray svg = bytes_of(fixture.path("page.svg"));
  QVERIFY(svg.count("<rect") + svg.count("<path") > 300);
  QVERIFY2(!svg.contains("xlink:href=\"data:image/png") || svg.size() < 3'000'000, QByteArray::number(svg.size()));
  QVERIFY(svg.size() < 20'000'000);
}

void TestFiles::views_offer_exports() {
  WindowFixture fixture;
  QVERIFY(fixture.open_sample());
  const auto& compare = fixture.window->compare_page();
  for (const QWidget* view :
       {static_cast<const QWidget*>(&compare.charts()), static_cast<const QWidget*>(&compare.split()),
        static_cast<const QWidget*>(&fixture.window->explain_page().view())}) {
    QVERIFY(view->contextMenuPolicy() == Qt::ActionsContextMenu || view->contextMenuPolicy() == Qt::CustomContextMenu);
    bool found = false;
    for (const QAction* action : view->actions()) found |= action->text() == "Export picture…";
    QVERIFY(found);
  }
}

PIPEDECK_WINDOW_TEST(TestFiles)

}  // namespace pipedeck::tst_files

#include "tst_files.moc"
