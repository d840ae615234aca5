// SPDX-License-Identifier: GPL-3.0-or-later
// File > Export through the real window: reports with the judge's figures, plans for other engines.
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QXmlStreamReader>

#include "app/session/project/entry_edits.hpp"
#include "app/ui/actions/engine_dialog.hpp"
#include "core/sim/simulate.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/app/ui/window_fixture.hpp"
#include "tests/support/test_program.hpp"

using namespace pipedeck;
using namespace pipedeck::test;

namespace {

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

/// The plan that an engine's text can't be had of; 0: none.
int misfitting_plan(const WindowFixture& f, const char* output) {
  for (const session::project::PlanEntry* entry : session::project::plans_of_question(f.state())) {
    if (!entry->feasible()) continue;
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

}  // namespace

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
    QCOMPARE(table.size(), qsizetype(plans.size()) + 1);
    const auto column = table[0].indexOf(QStringLiteral("Iteration ms"));
    for (std::size_t p = 0; p < plans.size(); ++p) {
      QCOMPARE(table[int(p) + 1][0], QString::fromStdString(plans[p]->plan->name));
      const auto plan_result = f.session().plan_result(*plans[p]);
      QCOMPARE(table[int(p) + 1][column],
               plan_result ? QString::number(in_milliseconds(plan_result->simulation->iteration), 'f', 3)
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
    const int plan = misfitting_plan(f, "megatron");
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
#include "tst_exports.moc"
