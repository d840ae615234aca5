// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German: none of the texts that it shows is one that a translation is there for and was passed by.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFile>
#include <QGroupBox>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTabBar>
#include <QXmlStreamReader>

#include "app/language/language.hpp"
#include "app/session/tables.hpp"
#include "app/ui/calibration_dialog.hpp"
#include "app/ui/planner_dialog.hpp"
#include "app/ui/training_dialog.hpp"
#include "app/ui/transformer_dialog.hpp"
#include "tests/app/ui/window_fixture.hpp"

using namespace pipedeck;
using namespace pipedeck::app;
using namespace pipedeck::app::test;

namespace {

/// A text as it is seen: without the marks of its letters to press.
QString seen(QString text) { return text.remove(QLatin1Char('&')); }

/// English texts that German has others for. What some place says as English does (a name) is left out.
QSet<QString> english_texts() {
  QFile file(QStringLiteral(PIPEDECK_TRANSLATIONS));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QSet<QString> english, german;
  QString source;
  for (QXmlStreamReader xml(&file); !xml.atEnd(); xml.readNext()) {
    if (xml.isStartElement() && xml.name() == QLatin1String("source")) source = xml.readElementText();
    if (!xml.isStartElement() || xml.name() != QLatin1String("translation")) continue;
    const QString text = xml.readElementText(QXmlStreamReader::IncludeChildElements);
    for (const QString& one : {source, seen(source)}) english.insert(one);
    for (const QString& one : {text, seen(text)}) german.insert(one);
  }
  english.subtract(german);
  return english;
}

struct Shown {
  QString text, where;
};

/// Of a planner's option: what the command line takes, in one language.
bool holds_values(const QObject& widget) {
  for (const QObject* one = &widget; one; one = one->parent())
    if (one->objectName().contains(QLatin1Char('/'))) return true;
  return false;
}

class Collector {
 public:
  void add(const QString& text, const QObject& from, const char* what) {
    if (text.size() < 2) return;
    all_.push_back(
        {text, QStringLiteral("%1 %2 '%3'")
                   .arg(QLatin1String(from.metaObject()->className()), QLatin1String(what), from.objectName())});
  }

  void add_action(const QAction& action) {
    add(action.text(), action, "text");
    add(action.toolTip(), action, "tool tip");
    add(action.statusTip(), action, "status tip");
  }

  void add_model(const QAbstractItemModel& model, const QModelIndex& parent, int depth = 0) {
    constexpr int deepest = 4, most_rows = 60;
    const int columns = model.columnCount(parent);
    if (depth == 0)
      for (int column = 0; column < columns; ++column)
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
          add(model.headerData(column, Qt::Horizontal, role).toString(), model, "header");
    for (int row = 0; row < std::min(model.rowCount(parent), most_rows); ++row) {
      for (int column = 0; column < columns; ++column)
        for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)})
          add(model.index(row, column, parent).data(role).toString(), model, "cell");
      if (depth < deepest) add_model(model, model.index(row, 0, parent), depth + 1);
    }
  }

  void add_widget(const QWidget& widget) {
    add(widget.toolTip(), widget, "tool tip");
    add(widget.accessibleName(), widget, "accessible name");
    add(widget.accessibleDescription(), widget, "accessible description");
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) add(label->text(), *label, "text");
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) add(button->text(), *button, "text");
    if (const auto* edit = qobject_cast<const QLineEdit*>(&widget)) add(edit->placeholderText(), *edit, "placeholder");
    if (const auto* box = qobject_cast<const QGroupBox*>(&widget)) add(box->title(), *box, "title");
    if (const auto* spin = qobject_cast<const QSpinBox*>(&widget))
      add(spin->specialValueText(), *spin, "special value");
    if (const auto* dock = qobject_cast<const QDockWidget*>(&widget)) add(dock->windowTitle(), *dock, "title");
    if (const auto* dialog = qobject_cast<const QDialog*>(&widget)) add(dialog->windowTitle(), *dialog, "title");
    if (const auto* menu = qobject_cast<const QMenu*>(&widget)) add(menu->title(), *menu, "title");
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
      for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i), *tabs, "tab");
    if (const auto* box = qobject_cast<const QComboBox*>(&widget); box && !holds_values(*box))
      add_model(*box->model(), {});
    if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model())
      if (!holds_values(*view) && !qobject_cast<const QHeaderView*>(view)) add_model(*view->model(), {});
  }

  void add_all(const QWidget& root) {
    add_widget(root);
    for (const QWidget* widget : root.findChildren<QWidget*>()) add_widget(*widget);
    for (const QAction* action : root.findChildren<QAction*>()) add_action(*action);
  }

  /// Those of them that are English.
  QStringList passed_by(const QSet<QString>& english) const {
    QStringList found;
    for (const Shown& shown : all_)
      if (english.contains(seen(shown.text)) || english.contains(shown.text))
        found << QStringLiteral("%1: %2").arg(shown.where, shown.text);
    found.removeDuplicates();
    return found;
  }
  qsizetype size() const { return qsizetype(all_.size()); }

 private:
  std::vector<Shown> all_;
};

QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  return {};
}

/// A text in one line that has less room than it needs.
bool cuts_off(const QWidget& widget) {
  if (!widget.isVisible() || text_of(widget).isEmpty()) return false;
  if (const auto* label = qobject_cast<const QLabel*>(&widget); label && label->wordWrap()) return false;
  return widget.width() < widget.minimumSizeHint().width();
}

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
      QTest::qWait(1);
      for (const QWidget* widget : fixture_->window->findChildren<QWidget*>())
        if (cuts_off(*widget)) found << widget->objectName() + QLatin1Char(' ') + text_of(*widget);
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
