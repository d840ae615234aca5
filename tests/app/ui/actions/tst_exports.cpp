// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export through the real window: reports with the judge's figures, plans for other engines.
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QXmlStreamReader>

#include "app/session/project/entry_edits.hpp"
#include "app/session/table_export.hpp"
#include "app/ui/actions/engine_dialog.hpp"
#include "app/ui/pages/compare_page.hpp"
#include "app/views/compare/comparison_pane.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_exports {

using namespace pipedeck::test;

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Cells of the table whose first heading is `head`; nothing where the page is no XML.
QList<QStringList> table_of(const QByteArray& page, const QString& head) {
  QXmlStreamReader xml(page);
  QList<QStringList> table;
  bool in_cell = false;
  while (!xml.atEnd()) {
    const auto token = xml.readNext();
    const bool cell = xml.name() == u"td" || xml.name() == u"th";
    if (token == QXmlStreamReader::StartElement) {
      if (xml.name() == u"table" && (table.isEmpty() || table[0][0] != head)) table.clear();
      if (xml.name() == u"table" && !table.isEmpty()) break;
      if (xml.name() == u"tr") table << QStringList();
      if (cell) table.back() << QString();
      if (cell) in_cell = true;
    } else if (token == QXmlStreamReader::EndElement && cell) {
      in_cell = false;
    } else if (token == QXmlStreamReader::Characters && in_cell) {
      table.back().back() += xml.text();
    }
  }
  return xml.hasError() || table.isEmpty() || table[0][0] != head ? QList<QStringList>() : table;
}

/// The plan that an engine's text can't be had of, of this planner if one is named; 0: none.
int misfitting_plan(const WindowFixture& f, const char* output, const char* planner = nullptr) {
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(f.state())) {
    if (!entry->feasible() || (planner && entry->plan->planner != planner)) continue;
    const auto problem = session::project::make_problem(f.state(), *entry);
    if (!study::engines::unsupported_features(*study::engines::find_engine_output(output).engine, *entry->plan,
                                              *problem->profile)
             .empty())
      return entry->id;
  }
  return 0;
}

ui::actions::EngineDialog* open_dialog(const WindowFixture& f) {
  f.trigger("action_export_engine");
  return f.child<ui::actions::EngineDialog>("engine_dialog");
}

template <class Widget>
Widget* part(const QWidget* of, const char* name) {
  return of->findChild<Widget*>(QLatin1String(name));
}

void choose(const ui::actions::EngineDialog* dialog, const char* output) {
  const auto texts = session::engine_texts();
  const auto at = std::ranges::find(texts, QLatin1String(output), &session::EngineText::name);
  part<QComboBox>(dialog, "engine_choice")->setCurrentIndex(static_cast<int>(at - texts.begin()));
}

class TestExports : public QObject {
  Q_OBJECT

 private slots:
  void reports_have_the_judges_figures() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    const int renamed = session::project::plans_of_question(f.state()).front()->id;
    f.session().rename_plan(renamed, QStringLiteral("<b>|%1 & \"x\"</b>"));
    QVERIFY(f.settle());
    f.answers.file_to_save = f.path("report");  // its ending is added
    f.trigger("action_export_report");
    QVERIFY(f.settle());
    QVERIFY2(f.errors.isEmpty(), qPrintable(f.errors.join('\n')));
    const QByteArray page = content(f.path("report.html"));
    const auto table = table_of(page, QStringLiteral("Plan"));
    const auto plans = session::project::plans_of_question(f.state());
    const auto column = table[0].indexOf(QStringLiteral("Iteration ms"));
    for (std::size_t p = 0; p < plans.size(); ++p) {
      const QString name = QString::fromStdString(plans[p]->plan->name);
      const auto row = std::ranges::find_if(table, [&](const QStringList& cells) {  // equal plans share a row
        return cells[0].split(QStringLiteral(" = ")).contains(name);
      });
      QVERIFY2(row != table.end(), qPrintable(name));
      const auto plan_result = f.session().plan_result(*plans[p]);
      QCOMPARE((*row)[column], plan_result
                                   ? QString::number(in_milliseconds(plan_result->simulation->iteration), 'f', 3)
                                   : QStringLiteral("-"));
    }
    const auto ticked =
        std::ranges::count_if(plans, [](const session::project::PlanEntry* e) { return e->ticked && e->feasible(); });
    QVERIFY(ticked > 0);
    QCOMPARE(page.count("<svg "), 2 * ticked);
    QFile::copy(f.path("report.html"), pictures_folder() + "report.html");
  }

  void markdown_has_its_pictures_beside_it() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    f.answers.file_to_save = f.path("report.md");
    f.trigger("action_export_report");
    QVERIFY(f.settle());
    QVERIFY2(f.errors.isEmpty(), qPrintable(f.errors.join('\n')));
    const QByteArray text = content(f.path("report.md"));
    const QStringList pictures = QDir(f.path("report-pictures")).entryList(QDir::Files);
    QVERIFY(!pictures.isEmpty());
    QCOMPARE(text.count("](report-pictures/"), pictures.size());
    for (const QString& picture : pictures) QVERIFY(text.contains(picture.toUtf8()));
  }

  void a_report_that_cannot_be_written_is_told() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    f.answers.file_to_save = f.path("missing/report.html");
    f.trigger("action_export_report");
    QVERIFY(f.settle());
    QCOMPARE(f.errors.size(), 1);
    QVERIFY2(f.errors[0].contains(QLatin1String("missing/report.html")), qPrintable(f.errors[0]));
  }

  void without_plans_there_is_no_report() {
    WindowFixture f;
    f.answers.file_to_save = f.path("report.html");
    f.trigger("action_export_report");
    QCOMPARE(f.errors.size(), 1);
    QVERIFY(!QFile::exists(f.path("report.html")));
    f.trigger("action_export_engine");
    QCOMPARE(f.errors.size(), 2);
    QVERIFY(!f.child<ui::actions::EngineDialog>("engine_dialog"));
  }

  void the_nearest_plan_is_one_step() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    const int plan = misfitting_plan(f, "megatron", "gpipe");
    QVERIFY(plan > 0);
    f.session().select_plan(plan);
    ui::actions::EngineDialog* dialog = open_dialog(f);
    QVERIFY(dialog);
    choose(dialog, "megatron");
    QVERIFY(f.settle());
    const session::project::PlanEntry entry = *session::project::find_plan(f.state(), plan);
    const auto problem = session::project::make_problem(f.state(), entry);
    const auto expected = study::engines::unsupported_features(*study::engines::find_engine_output("megatron").engine,
                                                               *entry.plan, *problem->profile);
    auto* list = part<QListWidget>(dialog, "engine_misfits");
    QCOMPARE(list->count(), int(expected.size()));
    for (int i = 0; i < list->count(); ++i)
      QCOMPARE(list->item(i)->text(), QString::fromStdString(expected[std::size_t(i)]));
    auto* add = part<QPushButton>(dialog, "engine_add");
    QVERIFY(add->isVisible() && add->isEnabled());
    for (const char* appearance : {"dark", "light"}) {
      f.trigger(qPrintable(QStringLiteral("action_appearance_") + QLatin1String(appearance)));
      QCoreApplication::processEvents();
      dialog->grab().save(pictures_folder() + QStringLiteral("engines-%1.png").arg(QLatin1String(appearance)));
    }

    const std::size_t steps = f.session().undo_steps(), plans = f.state().plans.size();
    add->click();
    QVERIFY(f.settle());
    QCOMPARE(f.session().undo_steps(), steps + 1);
    QCOMPARE(f.session().undo_name(), QStringLiteral("Add plan for Megatron-LM"));
    QCOMPARE(f.state().plans.size(), plans + 1);
    QVERIFY(!add->isEnabled());
    const session::project::PlanEntry& added = f.state().plans.back();
    QCOMPARE(f.state().selected_plan, added.id);
    QVERIFY(study::engines::unsupported_features(*study::engines::find_engine_output("megatron").engine, *added.plan,
                                                 *problem->profile)
                .empty());
    const auto plan_result = f.session().plan_result(added);
    QVERIFY(plan_result);
    const auto simulation = sim::simulate(*session::project::make_problem(f.state(), added), *added.plan);
    QVERIFY(simulation);
    QCOMPARE(plan_result->simulation->iteration.count, simulation->iteration.count);

    // Its text is what is previewed and saved.
    f.answers.file_to_save = f.path("plan.sh");
    part<QPushButton>(dialog, "engine_save")->click();
    const auto text = study::engines::engine_text(study::engines::find_engine_output("megatron"),
                                                  {*added.plan, *problem->profile, *problem->cluster});
    QVERIFY(text);
    const QString shown = part<QPlainTextEdit>(dialog, "engine_preview")->toPlainText();
    QCOMPARE(content(f.path("plan.sh")), (shown.endsWith('\n') ? shown : shown + '\n').toUtf8());
    f.session().undo();
    QVERIFY(f.settle());
    QCOMPARE(f.state().plans.size(), plans);
  }

  void every_text_can_be_had() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    ui::actions::EngineDialog* dialog = open_dialog(f);
    QVERIFY(dialog);
    for (const session::EngineText& text : session::engine_texts()) {
      choose(dialog, text.name.toUtf8().constData());
      QVERIFY(f.settle());
      const auto question = session::engine_question(f.state(), f.state().selected_plan, text.name);
      const auto offer = session::engine_offer(f.session().plan_simulator(), *question, {});
      QVERIFY(offer);
      QCOMPARE(part<QListWidget>(dialog, "engine_misfits")->isVisible(), !offer->unsupported_features.isEmpty());
      const QString shown = part<QPlainTextEdit>(dialog, "engine_preview")->toPlainText();
      QCOMPARE(shown, offer->closest ? offer->closest->text : offer->text);
      QCOMPARE(part<QPushButton>(dialog, "engine_save")->isEnabled(), !shown.isEmpty());
    }
  }

  void texts_for_engines_can_be_copied() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    ui::actions::EngineDialog* dialog = open_dialog(f);
    choose(dialog, "megatron");
    QVERIFY(f.settle());
    QCOMPARE(part<QComboBox>(dialog, "engine_choice")->currentText(), "Arguments for Megatron-LM");
    QVERIFY(part<QPushButton>(dialog, "engine_copy")->isEnabled());
    part<QPushButton>(dialog, "engine_copy")->click();
    const QString copied = QApplication::clipboard()->text();
    f.answers.file_to_save = f.path("plan.sh");
    part<QPushButton>(dialog, "engine_save")->click();
    QCOMPARE(copied.toUtf8(), content(f.path("plan.sh")));
    // Arguments come before the map of ranks.
    QVERIFY(copied.indexOf("--num-layers") < copied.indexOf("# Process: device"));
  }

  void a_written_file_can_be_opened_and_shown() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    auto* note = f.child<QWidget>("written_note");
    QVERIFY(note && !note->isVisible());
    f.answers.file_to_save = f.path("plans.csv");
    f.trigger("action_export_table_plans");
    QTRY_VERIFY(note->isVisible());
    QCOMPARE(f.child<QLabel>("written_file")->text(), "Wrote plans.csv");
    QVERIFY(f.child<QToolButton>("written_open")->isVisible() && f.child<QToolButton>("written_folder")->isVisible());
    f.answers.file_to_save = f.path("page.png");
    f.trigger("action_export_picture");
    QTRY_COMPARE(f.child<QLabel>("written_file")->text(), "Wrote page.png");
  }

  void tables_and_pictures_are_copied() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    f.trigger("action_copy_markdown_plans");
    const QStringList lines = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    const auto* table = f.child<QTableView>("plan_table");
    QCOMPARE(lines.size(), table->model()->rowCount() + 2);
    QVERIFY2(lines[0].startsWith("| Plan |") && lines[1].contains("--:"), qPrintable(lines[0] + lines[1]));
    for (const QString& line : lines) QCOMPARE(line.count('|'), lines[0].count('|'));
    int shown = 0;
    for (int column = 0; column < table->model()->columnCount(); ++column) {
      const QString title = table->model()->headerData(column, Qt::Horizontal).toString();
      if (title.isEmpty() || table->isColumnHidden(column)) continue;
      ++shown;
      const QString cell = table->model()->index(0, column).data().toString().simplified();
      QVERIFY2(lines[2].contains("| " + cell + " |"), qPrintable(lines[2] + ": " + cell));
    }
    QCOMPARE(lines[0].count('|'), shown + 1);
    f.trigger("action_copy_csv_plans");
    f.answers.file_to_save = f.path("plans.csv");
    f.trigger("action_export_table_plans");
    QTRY_VERIFY(QFile::exists(f.path("plans.csv")));
    QCOMPARE(QApplication::clipboard()->text().remove('\r').toUtf8(), content(f.path("plans.csv")).replace("\r", ""));
    f.trigger("action_copy_markdown_stages");
    QVERIFY(QApplication::clipboard()->text().startsWith("| stage"));
    f.trigger("action_copy_charts");
    QCOMPARE(QApplication::clipboard()->image().size(), f.window->compare_page().charts().size());
    f.trigger("action_copy_page");
    QCOMPARE(QApplication::clipboard()->image().size(), f.window->compare_page().size());
  }

  void csv_becomes_markdown() {
    QCOMPARE(session::markdown_of_csv("a,b\r\n1,\"x, \"\"y\"\"\"\r\n2,p|q\r\n"),
             "| a | b |\n| --- | --- |\n| 1 | x, \"y\" |\n| 2 | p\\|q |\n");
  }

  void columns_are_chosen_in_the_header() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    auto* table = f.child<QTableView>("plan_table");
    int last = table->model()->columnCount() - 1;
    while (table->isColumnHidden(last) || table->model()->headerData(last, Qt::Horizontal).toString().isEmpty()) --last;
    const QString title = table->model()->headerData(last, Qt::Horizontal).toString();
    emit table->horizontalHeader()->customContextMenuRequested({5, 5});
    auto* menu = table->findChild<QMenu*>("column_menu");
    QVERIFY(menu);
    QAction* chosen = nullptr;
    for (QAction* action : menu->actions())
      if (action->text() == title) chosen = action;
    QVERIFY(chosen && chosen->isChecked());
    chosen->trigger();
    QVERIFY(table->isColumnHidden(last));
    menu->close();
  }

  /// Dialogs of files start where a file was chosen last, also in the next session.
  void dialogs_of_files_start_where_one_was() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
    QVERIFY(QDir(folder.path()).mkpath("projects"));
    const QString file = folder.filePath("projects/one.json");
    QFile one(file);
    QVERIFY(one.open(QIODevice::WriteOnly) && one.write("{}") == 2);
    one.close();
    const ui::dialogs::Dialogs dialogs = ui::dialogs::interactive_dialogs(&settings);
    QString began;
    const auto answer = [&](const QString& with) {
      QTimer::singleShot(200, qApp, [&began, with] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog) return;
        began = dialog->directory().absolutePath();
        if (with.isEmpty()) return dialog->reject();
        dialog->findChild<QLineEdit*>("fileNameEdit")->setText(with);
        QMetaObject::invokeMethod(dialog, "accept");
      });
    };
    answer(file);
    QCOMPARE(dialogs.open_files(nullptr, "Import", "*"), QStringList{file});
    answer({});
    QCOMPARE(ui::dialogs::interactive_dialogs(&settings).open_files(nullptr, "Import", "*"), QStringList());
    QCOMPARE(began, folder.filePath("projects"));
  }

  void the_dialog_goes_with_its_plan() {
    WindowFixture f;
    QVERIFY(f.open_sample());
    QPointer<ui::actions::EngineDialog> dialog = open_dialog(f);
    QVERIFY(dialog);
    f.session().delete_plan(f.state().selected_plan);
    QTRY_VERIFY(!dialog);
    QVERIFY(f.settle());
  }
};

PIPEDECK_WINDOW_TEST(TestExports)

}  // namespace pipedeck::tst_exports

#include "tst_exports.moc"
