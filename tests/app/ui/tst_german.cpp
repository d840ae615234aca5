// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: none of the texts that it shows is one that a translation is there for and was passed by.
#include <QFile>
#include <QHash>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>

#include "app/language/language.hpp"
#include "app/session/tables.hpp"
#include "app/ui/calibration_dialog.hpp"
#include "app/ui/planner_dialog.hpp"
#include "app/ui/training_dialog.hpp"
#include "app/ui/transformer_dialog.hpp"
#include "tests/app/ui/shown_texts.hpp"
#include "tests/app/ui/window_fixture.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

namespace {

void check_letters(const QMenu& menu) {
  QHash<QChar, QString> letters;
  for (const QAction* action : menu.actions()) {
    if (action->menu()) check_letters(*action->menu());
    const qsizetype mark = action->text().indexOf(QLatin1Char('&'));
    if (mark < 0 || mark + 1 >= action->text().size() || !action->isVisible()) continue;
    const QChar letter = action->text().at(mark + 1).toLower();
    QVERIFY2(!letters.contains(letter),
             qPrintable(QStringLiteral("%1: %2 and %3").arg(menu.title(), letters.value(letter), action->text())));
    letters.insert(letter, action->text());
  }
}

}  // namespace

class TestGerman : public QObject {
  Q_OBJECT

  std::unique_ptr<WindowFixture> fixture_;
  QSet<QString> english_;

 private slots:
  void initTestCase() {
    install_language(*qApp, QStringLiteral("de"));
    english_ = english_texts();
    QVERIFY(english_.size() > 1000);
    fixture_ = std::make_unique<WindowFixture>();
  }
  void cleanupTestCase() { fixture_.reset(); }

  void anEmptyWindow() {
    QVERIFY(fixture_->window->grab().save(pictures_folder() + QStringLiteral("german-empty.png")));
    Collector texts;
    texts.add_all(*fixture_->window);
    QVERIFY(texts.size() > 100);
    const QStringList found = texts.passed_by(english_);
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }

  void everyPageOfAComparedProject() {
    QVERIFY(fixture_->open_sample());
    Collector texts;
    for (const auto page : {Page::compare, Page::explain, Page::profile, Page::topology, Page::what_if, Page::run}) {
      fixture_->window->show_page(page);
      QVERIFY(fixture_->settle());
      texts.add_all(*fixture_->window);
    }
    QVERIFY(texts.size() > 1000);
    const QStringList found = texts.passed_by(english_);
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }

  void nothingIsCutOff_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("usual") << QSize(1680, 1050);
    QTest::newRow("small") << QSize(1280, 800);
  }
  void nothingIsCutOff() {
    QFETCH(QSize, size);
    fixture_->window->resize(size);
    QStringList found;
    for (const auto page : {Page::compare, Page::explain, Page::profile, Page::topology, Page::what_if, Page::run}) {
      fixture_->window->show_page(page);
      QVERIFY(fixture_->settle());
      QStringList cut;  // what has just come is laid out a moment later
      const auto all_whole = [&] {
        cut.clear();
        for (const QWidget* widget : fixture_->window->findChildren<QWidget*>())
          if (cuts_off(*widget)) cut << widget->objectName() + QLatin1Char(' ') + text_of(*widget);
        return cut.isEmpty();
      };
      if (!QTest::qWaitFor(all_whole, 5000)) found << cut;
    }
    found.removeDuplicates();
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }

  /// A wide page takes from the docks while it is shown, not for ever.
  void docksGetTheirRoomBack() {
    WindowFixture fixture;
    fixture.window->resize(1440, 900);
    QVERIFY(fixture.open_sample());
    const auto* project = fixture.child<QWidget>("project_dock");
    const auto* inspector = fixture.child<QWidget>("inspector_dock");
    QTRY_VERIFY2(project->width() > 180 && inspector->width() > 260,
                 qPrintable(QStringLiteral("%1, %2").arg(project->width()).arg(inspector->width())));
    const QSize before(project->width(), inspector->width());
    fixture.window->show_page(Page::what_if);
    QTest::qWait(50);
    fixture.window->show_page(Page::compare);
    QTRY_COMPARE(QSize(project->width(), inspector->width()), before);
  }

  void lettersOfMenusAreTheirsAlone() {
    QHash<QChar, QString> letters;
    const auto* bar = qobject_cast<QMenuBar*>(fixture_->window->menuWidget());
    QVERIFY(bar);
    for (const QAction* title : bar->actions()) {
      const QChar letter = title->text().at(title->text().indexOf(QLatin1Char('&')) + 1).toLower();
      QVERIFY2(!letters.contains(letter), qPrintable(title->text()));
      letters.insert(letter, title->text());
      if (title->menu()) check_letters(*title->menu());
    }
  }

  void dialogs() {
    const ProjectState& state = fixture_->state();
    PlannerDialog planners(state.question.planning, find_profile(state, state.question.profile)->profile,
                           find_cluster(state, state.question.cluster)->cluster);
    TrainingDialog training(training_state_of(state.question.workload),
                            find_profile(state, state.question.profile)->profile);
    CalibrationDialog calibration(fixture_->session(), real_dialogs());
    const auto configuration = transformer_in(QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/llama-3-8b.config.json"));
    QVERIFY(configuration);
    TransformerDialog transformer(*configuration);
    for (QDialog* dialog : {static_cast<QDialog*>(&planners), static_cast<QDialog*>(&training),
                            static_cast<QDialog*>(&calibration), static_cast<QDialog*>(&transformer)}) {
      if (dialog != &transformer) dialog->resize(dialog->sizeHint());
      QVERIFY(dialog->grab().save(
          pictures_folder() +
          QStringLiteral("german-%1.png").arg(dialog->metaObject()->className()).replace(':', '-')));
    }
    Collector texts;
    texts.add_all(planners);
    texts.add_all(training);
    texts.add_all(calibration);
    texts.add_all(transformer);
    QVERIFY(texts.size() > 200);
    const QStringList found = texts.passed_by(english_);
    QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
  }

  void filesAreTheSameInEveryLanguage() {
    const TableText table = table_text(fixture_->session(), Table::plans, {});
    QVERIFY2(table.why_not.isEmpty(), qPrintable(table.why_not));
    const QString& csv = table.csv;
    QVERIFY2(csv.contains(QRegularExpression(QStringLiteral(",\\d+\\.\\d+,"))), qPrintable(csv));
    QVERIFY2(csv.startsWith(QLatin1String("plan,")), qPrintable(csv.section('\n', 0, 0)));
  }

  /// What they say is tst_german_report's; here it is the window that writes one.
  void reportsAreInTheWindowsLanguage() {
    QVERIFY(fixture_->settle());
    const QString file = pictures_folder() + QStringLiteral("german-report.html");
    QFile::remove(file);
    fixture_->answers.file_to_save = file;
    fixture_->trigger("action_export_report");
    QVERIFY(fixture_->settle());
    QVERIFY2(fixture_->errors.isEmpty(), qPrintable(fixture_->errors.join(QLatin1Char('\n'))));
    QFile page(file);
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString html = QString::fromUtf8(page.readAll());
    QVERIFY(html.contains(QStringLiteral("lang=\"de\"")));
    QVERIFY(html.contains(QStringLiteral("<h2>Vergleich</h2>")));
    for (const PlanEntry* entry : plans_of_question(fixture_->state()))
      QVERIFY2(html.contains(QString::fromStdString(entry->plan->name).toHtmlEscaped()), entry->plan->name.c_str());
    QVERIFY(html.contains(QStringLiteral("pipedeck-cli simulate")));
  }

  void stepsOfUndoHaveGermanNames() {
    QVERIFY(fixture_->action("action_undo")->text().contains(QStringLiteral("R\u00fcckg\u00e4ngig")));
    fixture_->session().set_global_batch(128);
    QCOMPARE(seen(fixture_->action("action_undo")->text()),
             QStringLiteral("R\u00fcckg\u00e4ngig: Globalen Batch auf 128 setzen"));
  }
};

QTEST_MAIN(TestGerman)
#include "tst_german.moc"
